"""Judgments and runs in the format of the ending: round trips, and what no format can hold."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk

from .test_reader import name, triples

ENDINGS = [".qrels", ".csv", ".tsv", ".json", ".jsonl", ".parquet", ".csv.gz", ".jsonl.zst", ".json.bz2", ".txt.xz"]
text = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=6).filter(
    lambda t: t == t.strip()
)
number = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=150)
@given(st.data(), st.sampled_from(ENDINGS))
@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
def test_round_trips(tmp_path_factory, data, ending):
    ids = name if ending in (".qrels", ".txt.xz") else text
    nested = data.draw(
        st.dictionaries(ids, st.dictionaries(ids, number, min_size=1, max_size=4), min_size=1, max_size=3)
    )
    table = rk.TrecTable.from_dict(nested)
    path = tmp_path_factory.mktemp("round") / f"file{ending}"
    for save, load in ((rk.save_qrels, rk.load_qrels), (rk.save_run, rk.load_run)):
        save(table, path)
        assert sorted(triples(load(path))) == sorted(triples(table))


def test_what_is_written(tmp_path):
    table = rk.TrecTable.from_dict({"q": {"a": 1.0, "b, c": 2.0}})
    rk.save_qrels(table, tmp_path / "q.csv")
    assert (tmp_path / "q.csv").read_text() == 'query_id,doc_id,relevance\nq,a,1\nq,"b, c",2\n'
    rk.save_run(table, tmp_path / "r.tsv", tag="mine")
    assert (tmp_path / "r.tsv").read_text() == "query_id\tdoc_id\tscore\nq\tb, c\t2\nq\ta\t1\n"
    rk.save_run(table, tmp_path / "r.json")
    assert list(json.loads((tmp_path / "r.json").read_text())["q"].items()) == [("b, c", 2), ("a", 1)]
    rk.save_run(table, tmp_path / "r.jsonl")
    assert (tmp_path / "r.jsonl").read_text().splitlines()[0] == '{"query_id": "q", "doc_id": "b, c", "score": 2}'


@pytest.mark.parametrize("bad", ["", " a", "a\nb", "\ud800"])
def test_ids_that_tables_cannot_hold(tmp_path, bad):
    with pytest.raises(rk.InputError, match="is empty, begins or ends with a blank, holds a line break"):
        rk.save_run(rk.TrecTable.from_dict({"q": {bad: 1.0}}), tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())
