"""Folds by query: every kind keeps queries whole, judges each at most once, and is refused in words otherwise."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, KFold, LeaveOneGroupOut, PredefinedSplit, check_cv

import rankine as rk
from rankine.rankers.folds import (
    NEVER,
    NearDuplicateWarning,
    QueryKFold,
    fold_numbers,
    per_query,
    renumbered,
    seeded,
    warn_of_near_duplicates,
)


def sized(lengths, seed=0):
    rng = np.random.default_rng(seed)
    n = sum(lengths)
    qid = np.repeat(np.arange(len(lengths)), lengths)
    return rk.RankingData(rng.standard_normal((n, 3)), rng.integers(0, 3, n), qid)


@given(st.integers(2, 40), st.integers(2, 10), st.integers(0, 99))
def test_seeded_folds_are_of_one_size(n, k, seed):
    if k > n:
        with pytest.raises(
            rk.InputError, match=rf"expected between 2 and {n} folds \(the queries there are\), got {k}"
        ):
            seeded(n, k, seed)
        return
    folds = seeded(n, k, seed)
    counts = np.bincount(folds, minlength=k)
    assert counts.max() - counts.min() <= 1
    assert folds.tolist() == seeded(n, k, seed).tolist()


@given(st.lists(st.integers(1, 4), min_size=4, max_size=12), st.integers(2, 4), st.integers(0, 9), st.randoms())
def test_query_k_fold(lengths, k, seed, random):
    qid = np.repeat(np.arange(len(lengths)), lengths)
    rows = list(range(len(qid)))
    random.shuffle(rows)
    qid = qid[rows]
    splitter = QueryKFold(k, seed)
    assert splitter.get_n_splits() == k
    judged = []
    for train, test in splitter.split(np.zeros((len(qid), 1)), groups=qid):
        assert not set(qid[train]) & set(qid[test])
        assert sorted([*train, *test]) == list(range(len(qid)))
        judged += test.tolist()
    assert sorted(judged) == list(range(len(qid)))


def test_query_k_fold_needs_groups():
    with pytest.raises(rk.InputError, match="needs the query of each row: pass groups=qid"):
        next(QueryKFold(2).split(np.zeros((4, 1))))
    assert repr(QueryKFold(3, 1)) == "QueryKFold(n_splits=3, seed=1)"


def test_arrays():
    data = sized([2, 3, 1, 2])
    assert fold_numbers(data, [5, -3, 2, 5]).tolist() == [1, NEVER, 0, 1]
    assert fold_numbers(data, [5, 5, -1, -1, -1, 2, 5, 5]).tolist() == [1, NEVER, 0, 1]
    assert fold_numbers(data, np.array([0, -1, -1, -1])).tolist() == [0, -1, -1, -1]
    for folds, error in [
        ([0, 0, 0, 0], "at least two different numbers"),
        ([-1, -1, -1, -1], "a number from 0 on for some queries"),
        ([0, 1], "a value for each of the 4 queries or the 8 rows, got 2"),
        ([0, 1, 0, 0, 0, 0, 0, 0], "the same in all rows of a query; query 0 has several"),
        ([0.5, 1, 0, 1], "an array of whole numbers"),
        ([[0, 1, 0, 1]], "an array of whole numbers"),
        (True, "an array of whole numbers"),
        (None, "an array of whole numbers"),
        ("x y", "an array of whole numbers"),
    ]:
        with pytest.raises(rk.InputError, match=error):
            fold_numbers(data, folds)


def test_where_each_query_is_a_row():
    data = sized([1, 1, 1])
    assert fold_numbers(data, [0, 1, 1]).tolist() == [0, 1, 1]


@given(st.lists(st.integers(1, 4), min_size=3, max_size=8), st.randoms())
def test_rows_as_they_came(lengths, random):
    qid = np.repeat(np.arange(len(lengths)), lengths)
    rows = list(range(len(qid)))
    random.shuffle(rows)
    qid = qid[rows]
    data = rk.RankingData(np.zeros((len(qid), 1)), np.zeros(len(qid)), qid)
    expected = [int(q) % 3 for q in data.query_ids]
    if len(set(expected)) < 2:
        return
    np.testing.assert_array_equal(fold_numbers(data, qid % 3, order=data.order), renumbered(np.array(expected)))
    split = fold_numbers(data, PredefinedSplit(qid % 3), order=data.order)
    np.testing.assert_array_equal(split, renumbered(np.array(expected)))
    assert per_query(qid % 3, data, "x", data.order).tolist() == expected


def test_groups():
    data = sized([2] * 9)
    groups = list("aabbbcdde")
    for seed in range(5):
        folds = fold_numbers(data, 3, seed, groups)
        assert len(set(zip(groups, folds.tolist(), strict=True))) == 5
        assert set(folds.tolist()) == {0, 1, 2}
        assert folds.tolist() == fold_numbers(data, 3, seed, np.repeat(groups, 2)).tolist()
    with pytest.raises(rk.InputError, match=r"between 2 and 5 folds \(the groups of queries there are\), got 6"):
        fold_numbers(data, 6, 0, groups)


def test_splitters():
    data = sized([2, 3, 1, 2, 4, 2])
    groups = np.array(["a", "a", "b", "b", "c", "c"])
    assert set(fold_numbers(data, GroupKFold(3)).tolist()) == {0, 1, 2}
    assert fold_numbers(data, LeaveOneGroupOut(), groups=groups).tolist() == [0, 0, 1, 1, 2, 2]
    assert fold_numbers(data, QueryKFold(3, 7)).tolist() == seeded(6, 3, 7).tolist()
    once = fold_numbers(data, GroupShuffleSplit(1, test_size=2, random_state=0))
    assert sorted(once.tolist()) == [-1, -1, -1, -1, 0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that groups are ignored
        fold_numbers(data, PredefinedSplit(np.repeat([0, 0, 1, 1, 1, -1], np.diff(data.ptr))))


class Odd:
    def __init__(self, *splits):
        self.splits = splits

    def split(self, X, y, groups):
        return iter(self.splits)


def test_splitters_that_cannot_be_used():
    data = sized([2, 2, 2])
    with pytest.raises(rk.InputError, match="cuts query 0: split by groups, as QueryKFold does"):
        fold_numbers(data, KFold(6))
    with pytest.raises(rk.InputError, match="judges on a query twice; each may be in one fold only"):
        fold_numbers(data, Odd(*[([0, 1, 4, 5], [2, 3])] * 2))
    with pytest.raises(rk.InputError, match="gave no folds"):
        fold_numbers(data, Odd())
    with pytest.raises(rk.InputError, match=r"GroupKFold\(.*cannot split the data: Cannot have number of splits"):
        fold_numbers(data, GroupKFold(4))
    holes = Odd((range(6), []), ([2, 3, 4, 5], [0, 1]), ([0, 1, 4, 5], [2, 3]))
    assert fold_numbers(data, holes).tolist() == [0, 1, -1]  # a fold without queries is none


# Near duplicates ------------------------------------------------------------------------------------------------------


def pairs_warned_of(data, folds):
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        warn_of_near_duplicates(data, np.asarray(folds))
    assert all(w.category is NearDuplicateWarning for w in raised)
    return [str(w.message).split(" ")[0] for w in raised]


@given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=8), min_size=2, max_size=6), st.booleans())
def test_near_duplicates_against_a_slow_version(queries, sparse):
    """Documents are numbers; two queries are near duplicates if they share 2 documents, and half of the shorter one."""
    vectors = np.random.default_rng(0).standard_normal((31, 5)).astype(np.float32)
    X = np.concatenate([vectors[q] for q in queries])
    qid = np.repeat(np.arange(len(queries)), [len(q) for q in queries])
    data = rk.RankingData(sp.csr_matrix(X) if sparse else X, np.zeros(len(X)), qid)
    count = 0
    for i, a in enumerate(queries):
        for b in queries[i + 1 :]:
            count += len(set(a) & set(b)) >= max(2, 0.5 * min(len(a), len(b)))
    assert pairs_warned_of(data, np.arange(len(queries))) == ([str(count)] if count else [])
    assert pairs_warned_of(data, np.zeros(len(queries))) == []


def test_rows_that_are_everywhere_say_nothing():
    X = np.random.default_rng(0).standard_normal((30 * 4, 3))
    X[::4], X[1::4] = 0.0, 1.0  # two rows that all queries have
    data = rk.RankingData(X, np.zeros(120), np.repeat(np.arange(30), 4))
    assert pairs_warned_of(data, np.arange(30)) == []


@given(
    qid=st.lists(st.integers(0, 30), min_size=4, max_size=60).filter(lambda ids: len(set(ids)) >= 3),
    seed=st.integers(0, 5),
    letters=st.booleans(),
)
def test_folds_are_whole_queries(qid, seed, letters):
    qid = np.array([f"q{i}" for i in qid] if letters else qid)
    splits = list(rk.QueryKFold(3, seed).split(np.zeros((len(qid), 1)), groups=qid))
    assert sorted(np.concatenate([test for _, test in splits]).tolist()) == list(range(len(qid)))
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(len(qid)))
        assert not set(qid[train]) & set(qid[test])
    sizes = [len(set(qid[test])) for _, test in splits]
    assert max(sizes) - min(sizes) <= 1


def test_the_splitter_is_one_of_scikit_learn():
    cv = rk.QueryKFold(4, seed=2)
    assert check_cv(cv) is cv
    assert cv.get_n_splits() == cv.get_n_splits([[1]], [1], groups=[1], qid=[1]) == 4
    assert repr(pickle.loads(pickle.dumps(copy.deepcopy(cv)))) == "QueryKFold(n_splits=4, seed=2)"
    assert cv.get_metadata_routing().consumes("split", ["groups", "qid", "other"]) == {"groups", "qid"}


def rows(splits):
    return [test.tolist() for _, test in splits]


def test_query_ids_and_groups_name_the_same_folds():
    qid, X = np.repeat(np.arange(9), 3), sp.csr_array(np.ones((27, 2)))
    cv = rk.QueryKFold(3)
    want = rows(cv.split(X, groups=qid))
    assert want == rows(cv.split(X, None, qid)) == rows(cv.split(X, qid=qid)) == rows(cv.split(X, groups=qid, qid=qid))
    assert want != rows(rk.QueryKFold(3, seed=1).split(X, groups=qid))


def test_groups_of_queries_stay_together():
    qid, sessions = np.repeat(np.arange(8), 2), np.repeat(["a", "b", "c", "d"], 4)
    for train, test in rk.QueryKFold(2).split(qid, groups=sessions, qid=qid):
        assert not set(sessions[train]) & set(sessions[test])
    with pytest.raises(rk.InputError, match="groups must be the same in all rows of a query; query 3 has several"):
        rk.QueryKFold(2).split(qid, groups=[*sessions[:7], "z", *sessions[8:]], qid=qid)


def test_bad_folds_of_the_splitter():
    with pytest.raises(rk.InputError, match=r"pass groups=qid, or qid=qid after sklearn\.set_config"):
        rk.QueryKFold(2).split([[1], [2]])
    with pytest.raises(rk.InputError, match="there are 2 rows but qid has 3 entries"):
        rk.QueryKFold(2).split([[1], [2]], qid=[1, 2, 3])
    with pytest.raises(rk.InputError, match=r"between 2 and 2 folds \(the queries there are\), got 3"):
        list(rk.QueryKFold(3).split([[1], [2]], groups=[1, 2]))
    for bad in (1, 2.5, True, "3"):
        with pytest.raises(rk.InputError, match="n_splits must be a whole number, at least 2"):
            rk.QueryKFold(bad)
