"""The forms of judgments and runs: columns by content, other formats by ending or first line, folders of BEIR."""

import io
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.errors import InputNote
from rankine.io.formats import holds_features
from rankine.io.trec.detection import holds_judgments

from ... import reference_text as ref
from .test_reader import qrels, run, triples

WANT = [("q1", "d1", 2.0), ("q1", "d2", 0.0), ("q2", "d1", 1.0)]


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 0 t\nq2 Q0 d1 1 1 t\n", "t"),
        ("q1 d1 2\nq1 d2 0\nq2 d1 1\n", ""),
        ("q1\td1\t2\nq1\td2\t0\n\nq2\td1\t1\n", ""),
    ],
)
def test_columns_of_a_run(text, tag):
    table = run(text)
    assert (triples(table), table.tag) == (WANT, tag)


@pytest.mark.parametrize(
    ("text", "form", "tag"),
    [
        ("q1 Q0 d1 1 2\nq1 Q0 d2 2 0\nq2 Q0 d1 1 1\n", "query Q0 document rank score", ""),
        ("q1 x d1 1 2\nq1 x d2 2 0\nq2 x d1 1 1\n", "query Q0 document rank score", ""),
        ("q1 d1 1 2 t\nq1 d2 2 0 t\nq2 d1 1 1 t\n", "query document rank score tag", "t"),
        ("q1 d1 1 2 5\nq1 d2 2 0 5\nq2 d1 1 1 5\n", "query document rank score tag", "5"),
        ("q1 Q0 d1 2 t\nq1 Q0 d2 0 t\nq2 Q0 d1 1 t\n", "query Q0 document score tag", "t"),
    ],
)
def test_five_columns_are_decided_by_content_and_told(text, form, tag):
    with pytest.warns(InputNote, match=f"<stream>: 5 fields, read as '{form}'"):
        table = run(text)
    assert (triples(table), table.tag) == (WANT, tag)


@pytest.mark.parametrize("ranks", [(1, 2, 1), (0, 1, 0), (2, 7, 5)])
def test_three_columns_that_grow_are_ranks(tmp_path, ranks):
    a, b, c = ranks
    rows = [("q1", "d1", a), ("q1", "d2", b), ("q2", "d1", c)]
    (tmp_path / "run.csv").write_text("".join(f"{q},{d},{r}\n" for q, d, r in rows))
    told = "the third column holds whole numbers that grow in every query and is read as the rank"
    with pytest.warns(InputNote, match=told):
        assert triples(run("".join(f"{q} {d} {r}\n" for q, d, r in rows))) == [(q, d, -r) for q, d, r in rows]
    with pytest.warns(InputNote, match=told):
        assert triples(rk.load_run(tmp_path / "run.csv")) == [(q, d, -r) for q, d, r in rows]


def test_three_columns_of_scores():
    assert triples(run("q1 d1 1\nq2 d2 1\n")) == [("q1", "d1", 1), ("q2", "d2", 1)]  # nothing grows
    assert triples(run("q1 d1 2\nq1 d2 1\n")) == [("q1", "d1", 2), ("q1", "d2", 1)]
    assert triples(run("q1 d1 1\nq1 d2 1.5\n")) == [("q1", "d1", 1), ("q1", "d2", 1.5)]
    assert triples(run("q1 d1 -1\nq1 d2 1\n")) == [("q1", "d1", -1), ("q1", "d2", 1)]
    assert triples(qrels("q1 d1 1\nq1 d2 2\n")) == [("q1", "d1", 1), ("q1", "d2", 2)]


def test_three_columns_that_are_ranks_in_most_queries_must_be_named():
    queries = [f"q{i} a 1\nq{i} b 2\n" for i in range(9)]
    text = "".join([*queries, "q9 a 2\nq9 b 2\n"]).encode()
    with pytest.raises(rk.InputError, match=r"<stream>: the third column grows as ranks do in 9 of 10 queries: say wh"):
        rk.load_run(io.BytesIO(text))
    by_rank = rk.load_run(io.BytesIO(text), query="1", document="2", rank="3")
    by_score = rk.load_run(io.BytesIO(text), query="1", document="2", score="3")
    assert (by_rank.value == -by_score.value).all()
    assert triples(by_score)[:2] == [("q0", "a", 1), ("q0", "b", 2)]
    assert len(rk.load_run(io.BytesIO("".join([*queries[:8], "q9 a 2\nq9 b 2\n"]).encode()))) == 18
    with pytest.raises(rk.InputError, match="score='3' and rank='3': a run is ranked by one of them"):
        rk.load_run(io.BytesIO(text), score="3", rank="3")


def test_the_rank_is_taken_where_it_is_named(tmp_path):
    (tmp_path / "run.csv").write_text("qid,docno,rank,score\nq,d,2,5\nq,e,1,4\n")
    assert triples(rk.load_run(tmp_path / "run.csv", rank="rank")) == [("q", "d", -2), ("q", "e", -1)]
    assert triples(rk.load_run(tmp_path / "run.csv", score="score")) == [("q", "d", 5), ("q", "e", 4)]


def test_three_columns_of_judgments():
    assert triples(qrels("q1 d1 2\nq1 d2 0\nq2 d1 1\n")) == WANT


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (qrels, "q d 1\nq 0 e 1\n", "line 2: expected 3 fields 'query document grade', got 4"),
        (qrels, "q 0 d 1\nq e 1\n", "line 2: expected 4 fields 'query iteration document grade', got 3"),
        (qrels, "q 0 d 1\nq 0 e 1 x\n", "line 2: expected 4 fields 'query iteration document grade', got 5"),
        (qrels, "\nq d\n", "line 2: expected 3 or 4 fields, as in 'query iteration document grade'; got 2"),
        (qrels, "q 0 d 1 x\n", "line 1: expected 3 or 4 fields, as in 'query iteration document grade'; got 5"),
        (
            qrels,
            "q Q0 d 1 0.5 t\n",
            "line 1: this is a run, 'query Q0 document rank score tag'; judgments",
        ),
        (run, "q d 0.5\nq Q0 e 1 0.5 t\n", "line 2: expected 3 fields 'query document score', got 6"),
        (run, "q Q0 d 1 0.5 t\nq e 0.5\n", "line 2: expected 6 fields 'query Q0 document rank score tag', got 3"),
        (run, "q Q0 d 1\n", "line 1: expected 3, 5 or 6 fields, as in 'query Q0 document rank score tag'; got 4"),
        (run, "q d x y z\n", "line 1: these 5 fields are none of 'query Q0 document rank score', 'query document rank"),
        (run, "q d x\n", "line 1: expected a number in field 3, got 'x'"),
    ],
)
def test_mixed_or_other_columns_name_the_line(read, text, message):
    with pytest.raises(rk.InputError) as caught:
        read(text)
    assert message in str(caught.value)


def beir(folder):
    """A folder as BEIR has them: corpus, queries, and judgments with a header."""
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "x"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "x"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n")
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq9\td1\t2\n")
    return folder


def test_beir(tmp_path):
    folder = beir(tmp_path / "scifact")
    assert triples(rk.load_qrels(folder / "qrels" / "test.tsv")) == WANT
    with pytest.warns(InputNote, match=r"the judgments are those of qrels.test\.tsv"):
        assert triples(rk.load_qrels(folder)) == WANT
    assert not holds_features(folder)
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "dev.tsv")
    with pytest.raises(
        rk.InputError, match=r"expected qrels/test.tsv in a folder of BEIR's layout; it has dev.tsv, train"
    ):
        rk.load_qrels(folder)


def test_several_files_are_one_table(tmp_path):
    for name, text in (("1.txt", "q1 0 d1 2\nq1 0 d2 0\n"), ("2.csv", "qid,docno,label\nq2,d1,1\n")):
        (tmp_path / name).write_text(text)
    assert triples(rk.load_qrels([tmp_path / "1.txt", tmp_path / "2.csv"])) == WANT
    assert triples(rk.load_qrels(tmp_path)) == WANT
    assert triples(rk.load_qrels(str(tmp_path / "*.*"))) == WANT
    (tmp_path / "3.txt").write_text("q3 0 d1 1\nq1 0 d2 1\n")
    with pytest.raises(rk.InputError, match=r"3\.txt: document 'd2' stands twice for query 'q1'"):
        rk.load_qrels(tmp_path)
    with pytest.raises(rk.InputError, match="no file has a name of this pattern"):
        rk.load_run(str(tmp_path / "*.run"))


# what `ir_datasets export` prints, its tuples as JSON lines, frames of PyTerrier, dicts of pytrec_eval and ranx
EXPORTS = {
    "qrels.txt": "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n",
    "qrels.jsonl": "".join(
        json.dumps({"query_id": q, "doc_id": d, "relevance": int(v), "iteration": "0"}) + "\n" for q, d, v in WANT
    ),
    "qrels.tsv": "query_id\tdoc_id\trelevance\titeration\nq1\td1\t2\t0\nq1\td2\t0\t0\nq2\td1\t1\t0\n",
    "qrels.csv": "qid,docno,label\nq1,d1,2\nq1,d2,0\nq2,d1,1\n",
    "semicolons.csv": "qid;docno;label\r\nq1;d1;2\r\nq1;d2;0\r\nq2;d1;1\r\n",
    "plain.csv": "q1,0,d1,2\nq1,0,d2,0\nq2,0,d1,1\n",
    "plain3.csv": '"q1","d1",2\n"q1","d2",0\nq2,d1,1\n',
    "plain.tsv": "q1\t0\td1\t2\nq1\t0\td2\t0\nq2\t0\td1\t1\n",
    "nested.json": json.dumps({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}),
    "indented.json": json.dumps({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}, indent=1),
    "array.json": json.dumps([{"query": q, "document": d, "grade": v} for q, d, v in WANT], indent=1),
    "named.qrels": "query document relevance\nq1 d1 2\nq1 d2 0\nq2 d1 1\n",
}


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize("by", ["ending", "content"])
def test_what_others_write(tmp_path, name, by):
    path = tmp_path / (name if by == "ending" else "file")
    path.write_text(EXPORTS[name])
    assert triples(rk.load_qrels(path)) == WANT
    assert not holds_features(path)


def test_what_others_write_as_runs(tmp_path):
    want = [("q1", "d1", 0.5), ("q1", "d2", 0.25)]
    exports = {
        "scored.txt": "q1 Q0 d1 0 0.5 run\nq1 Q0 d2 1 0.25 run\n",  # ir_datasets counts ranks from 0
        "scored.jsonl": "".join(json.dumps({"query_id": q, "doc_id": d, "score": v}) + "\n" for q, d, v in want),
        "terrier.csv": "qid,docid,docno,rank,score,query\nq1,0,d1,0,0.5,a text\nq1,1,d2,1,0.25,a text\n",
        "run.json": '{"q1": {"d1": 0.5, "d2": 0.25}}',
    }
    for name, text in exports.items():
        path = tmp_path / name
        path.write_text(text)
        if name == "terrier.csv":
            with pytest.warns(
                InputNote, match="the query is taken from 'qid', not from 'query'; the document is taken"
            ):
                assert triples(rk.load_run(path)) == want
            assert triples(rk.load_run(path, query="qid", document="docno")) == want
        else:
            assert triples(rk.load_run(path)) == want
    (tmp_path / "ranks.csv").write_text("qid,docno,rank\nq1,d1,1\nq1,d2,2\n")
    with pytest.warns(InputNote, match="no column of scores, documents are ranked by the column of ranks"):
        assert triples(rk.load_run(tmp_path / "ranks.csv")) == [("q1", "d1", -1), ("q1", "d2", -2)]


def test_tables_with_features_are_data_sets(tmp_path):
    for name, text, features in (
        ("a.csv", "label,qid,doc_id,f1\n1,1,a,0.5\n", True),
        ("b.csv", "qid,docno,label\n1,a,1\n", False),
        ("c.csv", "1,10,0.5,0.25\n0,10,0.1,0.5\n", True),
        ("d.tsv", "300674\t0\t7067032\t1\n125705\t0\t7067056\t1\n", False),
        ("e.csv", "2,1,0.5\n", True),
        ("f.csv", "", True),
        ("g.json", "{}", False),
    ):
        path = tmp_path / name
        path.write_text(text)
        assert holds_judgments(path) == (not features), name
    table = rk.TrecTable.from_dict({"q": {"d": 1}})
    rk.save_qrels(table, tmp_path / "q.parquet")
    assert holds_judgments(tmp_path / "q.parquet")
    rk.save_table(rk.RankingData(np.ones((1, 1)), [1], [1]), tmp_path / "d.parquet")
    assert not holds_judgments(tmp_path / "d.parquet")


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
def test_mutated_text_is_read_as_the_slow_reader_reads_it():
    accepted, refused = set(), set()
    samples = [
        ("qrels", b"q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"), ("qrels", b"q1 d1 2\nq1 d2 0\nq2 d1 1\n"),
        ("run", b"q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 .25 t\n"), ("run", b"q1 Q0 d1 1 0.5\nq1 Q0 d2 2 .25\n"),
        ("run", b"q1 d1 1 0.5 t\nq1 d2 2 .25 t\n"), ("run", b"q1 d1 0.5\nq1 d2 .25\nq2 d1 1\n"),
    ]  # fmt: skip

    @settings(max_examples=500)
    @given(st.data())
    def check(data):
        kind, sample = data.draw(st.sampled_from(samples))
        text = bytearray(sample)
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(text) - 1))
            new = data.draw(st.sampled_from([b"", b" ", b"\n", b"\t", b"1", b".", b"d", b"Q0", b"-", b",", b"{", b"e"]))
            text[at : at + data.draw(st.integers(0, 2))] = new
        try:
            table = {"qrels": qrels, "run": run}[kind](bytes(text))
        except rk.InputError:
            refused.add(bytes(text))
            return
        accepted.add(bytes(text))
        assert triples(table) == ref.trec(text.decode(), kind)

    check()
    assert len(accepted) > 100
    assert len(refused) > 50


def test_scores_against_ranks_are_told():
    lines = [f"q{q} Q0 d{i} {i} {{}} t\n" for q in range(2) for i in range(1, 5)]
    distances = "".join(line.format(i / 8) for i, line in enumerate(lines))
    with pytest.warns(InputNote, match="<stream>: ranks and scores disagree in every query; scores decide, larger"):
        assert run(distances).value[1] == 1 / 8
    run("".join(line.format(-i) for i, line in enumerate(lines)))
    run("".join(line.format(i % 4 if i < 4 else -i) for i, line in enumerate(lines)))  # one query is in order
    run("".join(lines[:3]).format(1, 2, 3))  # too few to tell
