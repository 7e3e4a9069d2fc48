"""RankingData: grouping, validation, no copies, and everything that cuts or joins it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.data.ranking_data import group_rows


@given(st.lists(st.one_of(st.integers(0, 5)), min_size=1, max_size=40), st.booleans())
def test_grouping_is_by_first_appearance_and_stable(ids, as_strings):
    qid = np.array([f"q{i}" for i in ids] if as_strings else ids)
    groups = group_rows(qid)
    order = np.arange(len(qid)) if groups.order is None else groups.order
    want = [i for q in dict.fromkeys(qid.tolist()) for i in range(len(qid)) if qid[i] == q]
    assert order.tolist() == want
    assert groups.ids.tolist() == list(dict.fromkeys(qid.tolist()))
    for n, q in enumerate(groups.ids):
        assert set(qid[order[groups.ptr[n] : groups.ptr[n + 1]]]) == {q}


def make(rng, n=30, d=4, sparse=False):
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5)
    X = sp.csr_array(X) if sparse else X
    return rk.RankingData(X, rng.integers(0, 3, n), rng.integers(0, 6, n), [f"d{i}" for i in range(n)], list("abcd"))


def rows(data):
    X = data.X.toarray() if data.is_sparse else data.X
    return sorted(zip(map(tuple, X.tolist()), data.y, data.qid, data.doc_ids, strict=True))


def test_order_maps_back_to_the_input():
    rng = np.random.default_rng(0)
    X, qid = rng.random((20, 2)), rng.integers(0, 4, 20)
    data = rk.RankingData(X, np.arange(20), qid)
    assert np.array_equal(data.X, X[data.order])
    assert np.array_equal(data.y, data.order)


def test_sorted_contiguous_input_is_not_copied():
    X, y, qid = np.ones((4, 2), np.float32), np.zeros(4), np.array([1, 1, 2, 2])
    ids = np.array(list("abcd"), object)
    data = rk.RankingData(X, y, qid, ids)
    for mine, given_ in ((data.X, X), (data.y, y), (data.qid, qid), (data.doc_ids, ids)):
        assert np.shares_memory(mine, given_)
    S = sp.csr_array(X)
    assert np.shares_memory(rk.RankingData(S, y, qid).X.data, S.data)
    assert np.shares_memory(data.query(1).X, X)


@pytest.mark.parametrize("sparse", [False, True])
def test_cutting_and_joining_keeps_every_row(sparse):
    data = make(np.random.default_rng(1), sparse=sparse)
    halves = data.subset(range(3)), data.subset(range(3, data.n_queries))
    assert rows(rk.concatenate(halves)) == rows(data)
    tested = [row for _, test in data.folds(3) for row in rows(test)]
    assert sorted(tested) == rows(data)
    for train, test in data.folds(3, seed=5):
        assert not set(train.query_ids) & set(test.query_ids)
        assert len(train) + len(test) == len(data)
    assert [list(t.query_ids) for _, t in data.folds(3, 5)] == [list(t.query_ids) for _, t in data.folds(3, 5)]
    picked = data.select(["c", 0])
    assert picked.feature_names == ("c", "a")
    assert np.array_equal(picked.dense().X, data.dense().X[:, [2, 0]])
    assert np.array_equal(data.subset(np.arange(data.n_queries) == 2).query_ids, data.query_ids[2:3])
    assert [q.id for q in data] == list(data.query_ids)


FRAME = {"f": [1.0, 2.0, 3.0], "g": [0.5, 0.25, 0.0]}


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(FRAME), pl.DataFrame(FRAME), pa.table(FRAME)], ids=["pandas", "polars", "arrow"]
)
def test_frames_are_accepted_as_features(frame):
    column = {"pandas": pd.Series, "polars": pl.Series}.get(type(frame).__module__.split(".")[0], pa.array)
    data = rk.RankingData(frame, column([0, 1, 2]), column(["x", "y", "x"]), column(["a", "b", "c"]))
    assert data.feature_names == ("f", "g")
    assert data.X.tolist() == [[1.0, 0.5], [3.0, 0.0], [2.0, 0.25]]
    assert data.doc_ids.tolist() == ["a", "c", "b"]
    with_labels = {**FRAME, "label": [0, 1, 2], "qid": ["x", "y", "x"], "docno": ["a", "b", "c"]}
    whole = rk.from_table(type(frame)(with_labels) if not isinstance(frame, pa.Table) else pa.table(with_labels))
    assert np.array_equal(whole.X, data.X)
    assert whole.doc_ids.tolist() == ["a", "c", "b"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], [1, 2], [1]), "X has 1 rows but y has 2"),
        (([[1.0]], [1], [1, 2]), "qid has 2"),
        (([[1.0]], [1], [1], ["a", "b"]), "doc_ids has 2"),
        (([[1.0]], [1], [1], None, ["a", "b"]), "1 columns but there are 2 feature names"),
        (([[np.nan]], [1], [1]), "X, row 0, column 0: expected a finite number, got nan"),
        (([[1.0], [np.inf]], [1, 1], [1, 1]), "X, row 1, column 0: expected a finite number, got inf"),
        (([[1.0]], [np.nan], [1]), "y, row 0"),
        (([1.0], [1], [1]), "X must have two dimensions"),
        (([["x"]], [1], [1]), "X must hold numbers"),
        (([[1.0]], ["x"], [1]), "y must hold numbers"),
        (([[1.0], [2.0]], [1, 1], [1, "a"]), "qid must be"),
        (([[1.0]], [1], [None]), "qid, row 0: an id is missing"),
        ((np.empty((0, 2)), [], np.empty(0, int)), "at least one row"),
        ((sp.csr_array([[0.0, np.nan]]), [1], [1]), "X, row 0, column 1"),
    ],
)
def test_bad_arrays(arguments, message):
    if len(arguments) == 3 and isinstance(arguments[2], list) and arguments[2] == [1, "a"]:
        arguments = (*arguments[:2], np.array([1, "a"], object))
    with pytest.raises(rk.InputError, match=message):
        rk.RankingData(*arguments)


def test_bad_cuts():
    data = make(np.random.default_rng(2))
    for call, message in (
        (lambda: data.subset([]), "at least one query"),
        (lambda: data.subset([0, 0]), "only once"),
        (lambda: data.subset([True]), "mask over"),
        (lambda: list(data.folds(1)), "between 2 and"),
        (lambda: list(data.folds(99)), "between 2 and"),
        (lambda: data.select(["z"]), "no feature named 'z'"),
        (lambda: data.select([9]), "no column 9"),
        (lambda: rk.concatenate([]), "at least one data set"),
        (lambda: rk.concatenate([data, data.select([0])]), "data set 1: 1 features, data set 0 has 4"),
    ):
        with pytest.raises(rk.InputError, match=message):
            call()
    with pytest.raises(IndexError):
        data.query(99)


def test_order_survives_what_keeps_the_rows():
    data = rk.RankingData([[1.0, 0.0], [2.0, 1.0], [3.0, 2.0]], [1, 0, 0], [1, 2, 1])
    for other in (data.select([0]), rk.Normaliser("query-minmax").fit(data).apply(data), data.with_features(data.X)):
        assert other.order.tolist() == [0, 2, 1]
    assert data.subset([1]).order.tolist() == [1]
    sparse = rk.RankingData(sp.csr_array(data.X[np.argsort(data.order)]), [1, 0, 0], [1, 2, 1])
    assert sparse.dense().order.tolist() == [0, 2, 1]


def test_sparse_input_is_put_in_order_without_touching_it():
    X = sp.csr_array((np.array([3.0, 1.0, 2.0]), np.array([1, 0, 0]), np.array([0, 3])), shape=(1, 2))
    before = X.indices.copy()
    data = rk.RankingData(X, [1], [1])
    assert data.X.toarray().tolist() == [[3.0, 3.0]]
    assert np.array_equal(X.indices, before)


def test_a_pandas_index_is_not_a_feature():
    frame = pd.DataFrame({"qid": [1, 1], "label": [0, 1], "f": [0.5, 0.1]}, index=pd.Index([7, 3], name="rowid"))
    assert rk.from_table(frame).feature_names == ("f",)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.select([True, False, False, False]), "column numbers or names"),
        (lambda d: d.select([0.9]), "column numbers or names"),
        (lambda d: d.select([]), "at least one feature"),
        (lambda d: d.subset([0.7]), "query numbers"),
        (lambda d: d.subset([99]), "query numbers"),
        (lambda d: d.subset(["a"]), "query numbers"),
        (lambda d: rk.RankingData(np.empty((1, 0)), [1], [1]), "at least one feature"),
        (lambda d: rk.from_table("x"), "expected a table or frame"),
        (lambda d: rk.from_table(pa.table({"qid": [1], "label": [1], "f": [1.0]}), features=["zz"]), "no column 'zz'"),
        (lambda d: rk.RankingData(d.X, d.y, pd.Series([1, None] * 15)), "an id is missing"),
    ],
)
def test_odd_calls_are_refused(call, message):
    with pytest.raises(rk.InputError, match=message):
        call(make(np.random.default_rng(2)))
