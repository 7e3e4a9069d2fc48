"""CSV and TSV out: round trips, and what the text cannot hold."""

import io

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.io.tables import csv as delimited
from rankine.io.tables import csv_writer as delimited_write
from rankine.io.tables.columns import GRADES, GUESSES, plain_name

pytestmark = pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
finite = {"allow_nan": False, "allow_infinity": False}
texts = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=["Cs"]), min_size=1, max_size=6
).filter(lambda t: t == t.strip(" \t"))
ids = texts | st.sampled_from([",", '"', 'a"b', "a,b", ";", "|", "a\tb", "NA", "nan", '""', "é", "1e5", "#"])
features = ids.filter(lambda name: plain_name(name) not in (*GRADES, *GUESSES["doc_id"], "qid"))  # those are refused


@settings(max_examples=150)
@given(st.data(), st.sampled_from([32, 64]), st.booleans(), st.booleans(), st.sampled_from(",;\t|"))
def test_round_trip_is_bit_identical(draw, width, sparse, named, sign):
    n, d = draw.draw(st.integers(1, 6)), draw.draw(st.integers(1, 5))
    dtype = np.dtype(f"float{width}")
    cell = st.one_of(st.just(0.0), st.floats(width=width, **finite))
    X = np.array(draw.draw(st.lists(cell, min_size=n * d, max_size=n * d)), dtype).reshape(n, d)
    if sparse:
        X = X + dtype.type(0)  # a sparse matrix does not store −0
    y = draw.draw(st.lists(st.floats(**finite), min_size=n, max_size=n))
    qid = draw.draw(st.lists(st.integers(-3, 3) if not named else ids, min_size=n, max_size=n))
    if named and all(q.lstrip("-").isdigit() for q in qid):
        qid = ["q" + q for q in qid]
    doc_ids = draw.draw(st.none() | st.lists(ids | st.just(""), min_size=n, max_size=n))
    names = draw.draw(
        st.none()
        | st.lists(features, min_size=d, max_size=d, unique=True).filter(lambda names: "y" not in map(str.lower, names))
    )
    data = rk.RankingData(
        sp.csr_array(X) if sparse else X, y, np.array(qid, object) if named else np.array(qid), doc_ids, names
    )
    out = io.BytesIO()
    rk.save_csv(data, out, delimiter=sign)
    out.seek(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "BLOCK", draw.draw(st.sampled_from([1, 50, 1 << 20])))
        again = rk.load_csv(out, delimiter=sign, dtype=dtype)
    assert again.X.dtype == dtype
    assert again.X.tobytes() == data.dense().X.tobytes()
    assert again.y.tobytes() == data.y.tobytes()
    assert again.qid.tolist() == data.qid.tolist()
    assert again.feature_names == (tuple(names) if names else tuple(f"f{i + 1}" for i in range(d)))
    assert (again.doc_ids is None) == (doc_ids is None)
    assert doc_ids is None or again.doc_ids.tolist() == data.doc_ids.tolist()


def example(n=7):
    rng = np.random.default_rng(0)
    return rk.RankingData(
        rng.standard_normal((n, 3)), rng.integers(0, 3, n), np.arange(n) // 3, [f"d,{i}" for i in range(n)], list("abc")
    )


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".tab", ".csv.gz", ".tsv.xz", ".CSV", ".csv.zst", ".csv.bz2"])
def test_the_ending_tells_delimiter_and_compression(tmp_path, ending, monkeypatch):
    monkeypatch.setattr(delimited_write, "_VALUES_PER_BLOCK", 6)
    path = tmp_path / f"x{ending}"
    rk.save_csv(example(), path)
    again = rk.load_csv(path, dtype="float64")  # nothing is told: a warning would be an error
    assert again.X.tobytes() == example().X.tobytes()
    assert list(tmp_path.iterdir()) == [path]
    if ending in (".csv", ".tsv"):
        frame = pd.read_csv(path, sep="," if ending == ".csv" else "\t")
        assert list(frame) == ["label", "qid", "doc_id", "a", "b", "c"]
        assert frame["doc_id"].tolist() == example().doc_ids.tolist()
        assert frame[list("abc")].to_numpy().tolist() == example().X.tolist()


def test_what_csv_cannot_hold(tmp_path):
    X = [[1.0]]
    for data, message in (
        (rk.RankingData(X, [1], ["a\nb"]), "query id 'a\\\\nb' is empty, has blanks"),
        (rk.RankingData(X, [1], [" a"]), "query id ' a'"),
        (rk.RankingData(X, [1], [""]), "query id ''"),
        (rk.RankingData(X, [1], [1], ["a\0b"]), "document id"),
        (rk.RankingData(X, [1], [1], ["\ud800"]), "document id"),
        (rk.RankingData(X, [1], [1], None, [""]), "feature 1 is called ''"),
        (rk.RankingData(X, [1], [1], None, ["a "]), "feature 1 is called 'a '"),
        (rk.RankingData(X, [1], [1], None, ["qid"]), "'qid', which would be read as another column"),
        (rk.RankingData(X, [1], [1], None, ["DocNo"]), "'DocNo', which would be read as another column"),
        (rk.RankingData([[1.0, 2.0]], [1], [1], None, ["a", "a"]), "two features are called 'a'"),
        (rk.RankingData([[1.0], [2.0]], rk.Preferences([0], [1]), [1, 1]), "holds grades"),
    ):
        with pytest.raises(rk.InputError, match=message):
            rk.save_csv(data, tmp_path / "out.csv")
    with pytest.raises(rk.InputError, match="delimiter must be a comma"):
        rk.save_csv(example(), tmp_path / "out.csv", delimiter="x")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    rk.save_csv(example(), path)
    before = path.read_bytes()

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(delimited_write, "_lines", fail)
    with pytest.raises(OSError, match="No space left"):
        rk.save_csv(example(9), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_names_like_those_of_ids_are_features():
    out = io.BytesIO()
    data = rk.RankingData([[1.0, 2.0], [3.0, 4.0]], [1, 0], [7, 7], ["a", "b"], ["query_id", "pid"])
    rk.save_csv(data, out)
    out.seek(0)
    again = rk.load_csv(out)
    assert again.feature_names == ("query_id", "pid")
    assert (again.qid.tolist(), again.doc_ids.tolist()) == ([7, 7], ["a", "b"])
