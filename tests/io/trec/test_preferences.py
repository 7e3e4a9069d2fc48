"""Preference graphs as files: every format against a slow join, with and without document ids, and every error."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.errors import InputNote
from rankine.io.trec.preferences import with_preferences

from ... import reference_text as ref


def judged(sizes, ids=True, shuffle=None):
    """Queries 1, 2, … of these sizes, rows in the order of ``shuffle``."""
    qid = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    order = np.arange(len(qid)) if shuffle is None else np.random.default_rng(shuffle).permutation(len(qid))
    documents = np.array([f"d{i % 7}-{i}" for i in range(len(qid))])[order] if ids else None
    return rk.RankingData(np.ones((len(qid), 1)), np.zeros(len(qid)), qid[order], documents)


def write(path, edges):
    """Edges in the format of the ending."""
    names = ("query", "winner", "loser", "weight")[: len(edges[0])]
    if path.suffix == ".parquet":
        pq.write_table(pa.table({n: list(c) for n, c in zip(names, zip(*edges, strict=True), strict=True)}), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, e, strict=True))) + "\n" for e in edges))
    elif path.suffix == ".json":
        path.write_text(json.dumps([dict(zip(names, e, strict=True)) for e in edges]))
    elif path.suffix == ".txt":
        path.write_text("".join(" ".join(map(str, e)) + "\n" for e in edges))
    else:
        with open(path, "w", newline="") as stream:
            csv.writer(stream, delimiter="\t" if path.suffix == ".tsv" else ",").writerows([names, *edges])


@settings(max_examples=120)
@given(st.data(), st.lists(st.integers(2, 5), min_size=1, max_size=4), st.booleans())
@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
def test_every_format_is_joined_as_the_slow_twin_joins_it(tmp_path_factory, data, sizes, ids):
    ranking = judged(sizes, ids, shuffle=data.draw(st.one_of(st.none(), st.integers(0, 9))))
    edges, lengths = [], np.diff(ranking.ptr).tolist()
    for _ in range(data.draw(st.integers(1, 8))):
        q = data.draw(st.integers(0, len(sizes)))  # the last one is not in the data
        pair = data.draw(st.permutations(range(lengths[min(q, len(sizes) - 1)])))[:2]
        rows = ranking.ptr[min(q, len(sizes) - 1)] + np.array(pair)
        names = [str(ranking.doc_ids[r]) for r in rows] if ids else [str(p + 1) for p in pair]
        edges.append((str(ranking.query_ids[q] if q < len(sizes) else 99), *names))
    weights = data.draw(st.one_of(st.none(), st.lists(st.floats(0, 9), min_size=len(edges), max_size=len(edges))))
    full = edges if weights is None else [(*e, w) for e, w in zip(edges, weights, strict=True)]
    ending = data.draw(st.sampled_from([".csv", ".tsv", ".jsonl", ".json", ".parquet", ".txt"]))
    path = tmp_path_factory.mktemp("graph") / f"prefs{ending}"
    write(path, full)
    want = ref.preferences(edges, ranking.qid.tolist(), None if ranking.doc_ids is None else ranking.doc_ids.tolist())
    if not want:
        with pytest.raises(rk.InputError, match="no query is one of the data set"):
            rk.load_preferences(path, ranking)
        return
    graph = rk.load_preferences(path, ranking)
    assert list(zip(graph.winner_row.tolist(), graph.loser_row.tolist(), strict=True)) == want
    there = [w for e, w in zip(edges, weights or [1.0] * len(edges), strict=True) if e[0] != "99"]
    assert graph.weight.tolist() == there
    graph.check(ranking.ptr)
    preferring = with_preferences(ranking, graph)
    assert preferring.y is graph
    np.testing.assert_array_equal(preferring.order, ranking.order)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,winner,loser\n1,d0-0,x\n", "line 2: query 1 has no document 'x'; it has 'd0-0', 'd1-1', 'd2-2'"),
        ("query,winner,loser\n1,d0-0,d3-3\n", "line 2: query 1 has no document 'd3-3'"),
        ("query,winner,loser\n1,d0-0,d0-0\n", "line 2: document 'd0-0' is preferred to itself"),
        ("query,winner,loser,weight\n1,d0-0,d1-1,-1\n", "line 2: expected a weight ≥ 0, got -1"),
        ("query,winner,loser,weight\n1,d0-0,d1-1,x\n", "line 2: expected a number for the weight, got 'x'"),
        ("query,winner,loser,weight\n1,d0-0,d1-1,inf\n", "line 2: expected a number for the weight"),
        ("query,winner\n1,d0-0\n", "there is no column for the loser. There are: 'query', 'winner'; name it: loser=…"),
        (
            "query,winner,loser\n7,d0-0,d1-1\n",
            "no query is one of the data set: the file has '7', the data set '1', '2",
        ),
        ("query,winner,loser\n", "there is no data line"),
        ("", "there is no data line"),
        ('{"1": {"d0-0": 1}}', "expected JSON lines or an array of objects with the members of preferences"),
    ],
)
def test_errors_name_the_place(text, message):
    with pytest.raises(rk.InputError) as caught:
        rk.load_preferences(io.BytesIO(text.encode()), judged([3, 2]))
    assert message in str(caught.value)
    assert str(caught.value).startswith("<stream>")


def test_what_is_left_out_is_told():
    text = b"query,winner,loser\n1,d0-0,d1-1\n8,a,b\n9,a,b\n"
    with pytest.warns(InputNote) as notes:
        assert len(rk.load_preferences(io.BytesIO(text), judged([2, 2, 2]))) == 1
    assert [str(n.message) for n in notes] == [
        "<stream>: 2 preferences are of queries that the data lacks",
        "<stream>: 2 of 3 queries have no preference",
    ]


def test_documents_without_ids_are_numbered_and_two_of_one_name_are_refused():
    with pytest.raises(rk.InputError, match=r"query 1 has no document '4'; it has '1', '2', '3' \(the data set has no"):
        rk.load_preferences(io.BytesIO(b"1 1 4\n"), judged([3], ids=False))
    twins = rk.RankingData(np.ones((3, 1)), [0, 0, 0], [1, 1, 1], ["a", "a", "b"])
    with pytest.raises(rk.InputError, match="two documents of query 1 are called 'a'"):
        rk.load_preferences(io.BytesIO(b"1,b,a\n"), twins)


def test_both_directions_and_repetitions_are_kept():
    graph = rk.load_preferences(io.BytesIO(b"1 1 2 3\n1 2 1 1\n1 1 2 2\n"), judged([2], ids=False))
    assert graph.weight.tolist() == [3, 1, 2]
    assert rk.evaluate("WPD", graph, [1.0, 0.0], [1, 1]).mean["WPD"] == 1
    with pytest.raises(rk.InputError, match="run in a circle"):
        rk.LinearRanker("consistent-wpd", C=1.0).fit(np.eye(2), graph, qid=[1, 1])


def test_columns_may_be_named():
    text = b"a,b,c,d\n2,1,1,7\n"
    graph = rk.load_preferences(io.BytesIO(text), judged([2], ids=False), query="b", winner="a", loser="c", weight="d")
    assert (graph.winner_row.tolist(), graph.loser_row.tolist(), graph.weight.tolist()) == ([1], [0], [7.0])


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
def test_mutated_files_are_read_or_refused():
    accepted, refused = set(), set()
    ranking = judged([3, 3], ids=False)

    @settings(max_examples=300)
    @given(st.data())
    def check(data):
        text = data.draw(st.sampled_from(["1,1,2,1\n1,2,3,1\n2,3,1,.5\n", "query,winner,loser\n1,1,2\n2,3,1\n"]))
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(text) - 1))
            text = (
                text[:at] + data.draw(st.sampled_from(["", "\n", ",", "1", "2", "3", "-", '"', "x"])) + text[at + 1 :]
            )
        try:
            graph = rk.load_preferences(io.BytesIO(text.encode()), ranking)
        except rk.InputError as error:
            assert str(error).startswith("<stream>")
            refused.add(text)
            return
        accepted.add(text)
        graph.check(ranking.ptr)
        lines = [line.replace('"', "").split(",") for line in text.split("\n") if line.strip()]
        edges = [tuple(c.strip() for c in line[:3]) for line in lines if line[0] != "query"]
        want = ref.preferences(edges, ranking.qid.tolist(), None)
        assert list(zip(graph.winner_row.tolist(), graph.loser_row.tolist(), strict=True)) == want

    check()
    assert len(accepted) > 20
    assert len(refused) > 50
