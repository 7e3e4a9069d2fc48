"""Tables of judgments, runs and preferences: every documented error with its place, and mutated files."""

import csv
import io
import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.io.tables.records import text_records
from rankine.io.trec.detection import QRELS
from rankine.system.sources import OpenSource, line_blocks

from ... import reference_text as ref
from ..trec.test_reader import triples


def read(folder, text, name, load=rk.load_qrels, **options):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path, **options)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "a.csv: the file is empty"),
        ("a.csv", "qid,docno,label\n", "a.csv: there is no data line"),
        ("a.csv", "qid,docno,label\nq,d\n", "a.csv, line 2: expected 3 cells as in the first line, got 2"),
        ("a.csv", "qid,docno,label\n\nq,d,1,\n", "a.csv, line 3: expected 3 cells as in the first line, got 4"),
        ("a.csv", "qid,docno,label\nq,d,x\n", "a.csv, line 2: expected a number for the grade, got 'x'"),
        ("a.csv", "qid,docno,label\nq,d,nan\n", "a.csv, line 2: expected a number for the grade, got 'nan'"),
        ("a.csv", "qid,docno,label\nq,d,1e999\n", "line 2: expected a finite number for the grade, got '1e999'"),
        ("a.csv", "qid,docno,label\nq,d,1_0\n", "line 2: expected a number for the grade, got '1_0'"),
        ("a.csv", "qid,docno,label\nqid,docno,label\n", "line 2: expected a number for the grade, got 'label'"),
        ("a.csv", "qid,docno,label\nq,,1\n", "a.csv, line 2: the name of the document is empty"),
        ("a.csv", 'qid,docno,label\nq,"d\ne",1\n', "a quoted text does not end in its line"),
        ("a.csv", 'qid,docno,label\nq,"d,1\n', "a.csv, line 2: not a line of cells (unexpected end of data)"),
        ("a.csv", 'qid,docno,label\nq,"d"x,1\n', "a.csv, line 2: not a line of cells"),
        ("a.csv", b"qid,docno,label\nq,\xff,1\n", "a.csv, line 2: the line is not valid UTF-8"),
        ("a.csv", "qid,docno,label\nq,d,1\nq,d,2\n", "a.csv, line 3: document 'd' stands twice for query 'q'"),
        ("a.csv", "a,b,c\nq,d,1\n", "a.csv, line 1: there is no column for the query. There are: 'a', 'b', 'c'"),
        ("a.tsv", "a\tb\tc\nq\td\t1\n", "a.tsv, line 1: there is no column for the query"),
        ("a.json", "x", "a.json: not JSON of judgments, or damaged"),
        ("a.json", "{}", "a.json: there is no data in the file"),
        ("a.json", "[]", "a.json: there is no data in the file"),
        ("a.json", '{"q": {}}', "a.json: there is no data in the file"),
        ("a.json", '{"q": {"d": 1}, "r": [1]}', "expected {query: {document: grade}}; query 'r' has no documents"),
        ("a.json", '{"q": {"d": 1}, "q": {"e": 1}}', "a.json: query 'q' stands twice"),
        ("a.json", '{"q": {"d": 1, "d": 1}}', "document 2: document 'd' stands twice for query 'q'"),
        ("a.json", '{"q": {"d": "x"}}', "a.json, document 1: expected a number for the grade, got 'x'"),
        ("a.json", '{"q": {"d": true}}', "a.json, document 1: expected a number for the grade, got 'True'"),
        ("a.json", '{"q": {"d": null}}', "a.json, document 1: expected a number for the grade, got 'None'"),
        ("a.json", '{"q": {"d": 1e999}}', "document 1: expected a finite number for the grade"),
        ("a.json", '{"q": {"d": NaN}}', "NaN is not a number of JSON"),
        ("a.json", '{"q": {"d": 1}', "not JSON of judgments, or damaged"),
        ("a.json", '{"rankine": "1", "kind": {}}', "this is a model, not judgments: a model ranks a judged data set"),
        ("a.json", "[1]", "a.json, object 1: expected an object with members of judgments, got '1'"),
        ("a.jsonl", '{"qid": "q", "docno": "d"}\n', "a.jsonl, line 1: there is no column for the grade"),
        ("a.jsonl", '{"qid": 1, "docno": 2, "rel": 1}\n{"qid": 1}\n', "a.jsonl, line 2: there is no member 'docno'"),
        ("a.jsonl", '{"qid": 1, "docno": 2, "rel": 1}\n{', "a.jsonl, line 2: not a line of JSON"),
        ("a.jsonl", '{"qid": null, "docno": 2, "rel": 1}\n', "line 1: expected a name for the query, got nothing"),
        ("a.jsonl", '{"qid": 1.5, "docno": 2, "rel": 1}\n', "line 1: expected a name for the query, got '1.5'"),
        ("a.jsonl", '{"qid": "\\ud800", "docno": 2, "rel": 1}\n', "a text holds half of a character"),
        ("a.parquet", "x", "a.parquet: not a readable Parquet file"),
    ],
)
def test_errors_name_the_place(tmp_path, name, text, message):
    with pytest.raises(rk.InputError) as caught:
        read(tmp_path, text, name)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / name))


def test_names_that_are_not_usual_are_given(tmp_path):
    want = [("q", "d", 1.0)]
    assert triples(read(tmp_path, "a,b,c\nd,q,1\n", "a.csv", query="b", document="a", grade="c")) == want
    options = {"query": "b", "document": "a", "score": "c"}
    assert triples(read(tmp_path, '{"a": "d", "b": "q", "c": 1}', "a.jsonl", rk.load_run, **options)) == want
    pq.write_table(pa.table({"a": ["d"], "b": ["q"], "c": [1]}), tmp_path / "a.parquet")
    assert triples(rk.load_qrels(tmp_path / "a.parquet", query="b", document="a", grade="c")) == want
    with pytest.raises(rk.InputError, match="there is no column 'z'"):
        read(tmp_path, "q 0 d 1\n", "a.txt", query="z")


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"query-id": [1, 1], "corpus-id": ["a", "b"], "score": pa.array([1, 0], pa.int8())}), path)
    assert triples(rk.load_qrels(path)) == [("1", "a", 1.0), ("1", "b", 0.0)]
    for column, message in (([1, None], "row 2: expected a number"), ([1, np.inf], "row 2: expected a finite number")):
        pq.write_table(pa.table({"query-id": [1, 1], "corpus-id": ["a", "b"], "score": column}), path)
        with pytest.raises(rk.InputError, match=message):
            rk.load_qrels(path)
    pq.write_table(pa.table({"query-id": [[1]], "corpus-id": ["a"], "score": [1]}), path)
    with pytest.raises(rk.InputError, match="row 1: expected a name for the query"):
        rk.load_qrels(path)
    pq.write_table(pa.table({"qid": pa.array([], pa.int64()), "docno": pa.array([], pa.string()), "rel": []}), path)
    with pytest.raises(rk.InputError, match="no data line"):
        rk.load_qrels(path)


def slow(text, name):
    roles = ("query", "document", "grade")
    rows = (
        ref.json_lines(text, roles) if name == "a.jsonl" else ref.delimited(text, roles, "\t" if "tsv" in name else ",")
    )
    return [(str(q), str(d), ref.number(str(v))) for q, d, v in rows]


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.json"])
def test_mutated_tables_are_read_as_the_slow_reader_reads_them(tmp_path, name):
    rows = [("q1", "d1", 2), ("q1", "d2", 0), ("q2", "d1", 1.5)]
    sample = {
        "a.csv": "query_id,doc_id,relevance\n" + "".join(f"{q},{d},{v}\n" for q, d, v in rows),
        "a.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{v}\n" for q, d, v in rows),
        "a.jsonl": "".join(json.dumps({"qid": q, "docno": d, "rel": v}) + "\n" for q, d, v in rows),
        "a.json": json.dumps({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1.5}}),
    }[name]
    accepted, refused = set(), set()

    @settings(max_examples=300)
    @given(st.data())
    def check(data):
        text = sample
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(text)))
            new = data.draw(st.sampled_from(["", " ", "\n", "\t", ",", '"', "1", ".", "d", "-", "{", "e9", ":", "é"]))
            text = text[:at] + new + text[at + data.draw(st.integers(0, 2)) :]
        try:
            table = read(tmp_path, text, name)
        except rk.InputError as error:
            assert str(error).startswith(str(tmp_path / name))
            refused.add(text)
            return
        accepted.add(text)
        if name == "a.json":
            want = [(q, d, v) for q, ds in json.loads(text).items() for d, v in ds.items()]
        elif text.split("\n")[0] == sample.split("\n")[0] or name == "a.jsonl":
            want = slow(text, name)
        else:
            return  # the names of the columns were mutated
        assert triples(table) == want

    check()
    assert len(accepted) > 10
    assert len(refused) > 20


@settings(max_examples=100)
@given(st.data(), st.integers(1, 40))
def test_blocks_of_any_size_hold_the_same_records(data, size):
    rows = data.draw(st.lists(st.tuples(st.text("abé,\"' ", min_size=1, max_size=5), st.integers(0, 9)), min_size=1))
    rows = [(f"q{i}{name.strip()}", name.strip() or "x", value) for i, (name, value) in enumerate(rows)]
    csv_text = io.StringIO()
    csv.writer(csv_text, lineterminator=data.draw(st.sampled_from(["\n", "\r\n", "\n\n"]))).writerows(
        [("qid", "docno", "label"), *rows]
    )
    lines = "".join(json.dumps({"qid": q, "docno": d, "label": v}) + "\n" for q, d, v in rows)
    nested = json.dumps({q: {d: v} for q, d, v in rows}, indent=1)
    for text in (csv_text.getvalue(), lines, nested):
        opened = OpenSource(io.BytesIO(text.encode()), "x", io.BytesIO(), None)
        records = text_records(line_blocks(opened, size), QRELS, {}, "x", None)
        assert list(zip(*records.columns.values(), strict=True)) == rows


@settings(max_examples=60)
@given(st.data(), st.integers(1, 12))
def test_pieces_of_a_file_are_the_whole(tmp_path_factory, data, n):
    folder = tmp_path_factory.mktemp("pieces")
    lines = [f"q{i % 3} Q0 d{i} {i} {data.draw(st.integers(-9, 9))} tag\n" for i in range(n)]
    cuts = sorted({0, n, *data.draw(st.lists(st.integers(0, n)))})
    files = []
    for number, (a, b) in enumerate(pairwise(cuts)):
        files.append(folder / f"part-{number}.run")
        files[-1].write_text("".join(lines[a:b]))
    whole = rk.load_run(io.BytesIO("".join(lines).encode()))
    for source in (files, folder, str(folder / "part-*.run")):
        pieces = rk.load_run(source)
        assert triples(pieces) == triples(whole)
        assert (pieces.query_ids, pieces.tag) == (whole.query_ids, "tag")


def test_frames():
    frame = pd.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "score": [0.5, 1.5]}, index=[7, 3])
    want = [("1", "a", 0.5), ("1", "b", 1.5)]
    assert triples(rk.load_run(frame)) == triples(rk.load_run(pa.Table.from_pandas(frame))) == want
    other = frame.rename(columns={"qid": "T"})
    assert triples(rk.load_run(other, query="T")) == want
    with pytest.raises(rk.InputError, match="the DataFrame: there is no column for the query"):
        rk.load_run(other)
    with pytest.raises(rk.InputError, match=r"the DataFrame, row 1: expected a .*number for the score"):
        rk.load_run(frame.assign(score=[1.0, np.nan]))
    judgments = pd.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "label": [1, 0]})
    assert rk.evaluate_run("AP", judgments, frame).mean["AP"] == 0.5
