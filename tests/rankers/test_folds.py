"""Folds by query: no query is cut, whatever the folds are made from; near duplicates are warned of."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, RepeatedKFold, check_cv

import rankine as rk
from rankine.rankers.folds import NEVER, NearDuplicateWarning, fold_numbers, seeded, warn_of_near_duplicates


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


@pytest.fixture
def data():
    return rk.RankingData(np.arange(24.0).reshape(12, 2), np.arange(12) % 3, np.repeat([5, 6, 7, 8], 3))


def test_folds_from_a_number(data):
    assert fold_numbers(data, 2).tolist() == seeded(4, 2, 0).tolist()
    assert sorted(fold_numbers(data, 4, seed=3).tolist()) == [0, 1, 2, 3]
    together = fold_numbers(data, 2, groups=["a", "a", "b", "c"])
    assert together[0] == together[1]
    assert np.bincount(together).tolist() == [2, 2]
    with pytest.raises(rk.InputError, match="between 2 and 3 folds"):
        fold_numbers(data, 4, groups=["a", "a", "b", "c"])


def test_folds_from_numbers(data):
    assert fold_numbers(data, [3, 3, 9, -7]).tolist() == [0, 0, 1, NEVER]
    assert fold_numbers(data, np.repeat([0, 1, 0, 1], 3)).tolist() == [0, 1, 0, 1]
    with pytest.raises(rk.InputError, match="same in all rows of a query; query 6 has several"):
        fold_numbers(data, [0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1])
    with pytest.raises(rk.InputError, match="at least two different numbers"):
        fold_numbers(data, [1, 1, 1, 1])
    with pytest.raises(rk.InputError, match="from 0 on for some queries"):
        fold_numbers(data, [-1, -1, -1, -1])
    with pytest.raises(rk.InputError, match="each of the 4 queries or the 12 rows, got 5"):
        fold_numbers(data, [0, 1, 0, 1, 0])
    with pytest.raises(rk.InputError, match="an array of whole numbers or have a method split"):
        fold_numbers(data, "five")


def test_folds_from_a_splitter(data):
    for splitter in (rk.QueryKFold(2), GroupKFold(2)):
        numbers = fold_numbers(data, splitter)
        for fold, (_, test) in enumerate(splitter.split(data.X, data.y, data.qid)):
            assert set(data.qid[test]) == set(data.query_ids[numbers == fold])
    with pytest.raises(rk.InputError, match="cuts query 6: split by groups, as QueryKFold does"):
        fold_numbers(data, KFold(3, shuffle=True, random_state=0))
    assert fold_numbers(data, PredefinedSplit(np.repeat([1, -1, 0, 1], 3))).tolist() == [1, NEVER, 0, 1]
    single = rk.RankingData(data.X, data.y, np.arange(12))
    with pytest.raises(rk.InputError, match="judges on a query twice"):
        fold_numbers(single, RepeatedKFold(n_splits=2, n_repeats=2, random_state=0))
    together = fold_numbers(data, rk.QueryKFold(2), groups=["a", "a", "b", "b"])
    assert together[0] == together[1] != together[2] == together[3]


def test_near_duplicates_are_warned_of():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    X[6:8] = X[0:2]  # the third query has two of the three documents of the first
    data = rk.RankingData(X, np.zeros(12), np.repeat([5, 6, 7, 8], 3))
    with pytest.warns(NearDuplicateWarning, match="1 pairs of queries .* such as 5 and 7: .*groups="):
        warn_of_near_duplicates(data, np.array([0, 0, 1, 1]))
    warn_of_near_duplicates(data, np.array([0, 1, 0, 1]))
