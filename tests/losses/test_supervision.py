"""Grades, ranks and weights are checked and converted in one place."""

import itertools

import numpy as np
import pytest

import rankine as rk
from rankine.losses import supervision as s


@pytest.mark.parametrize("ptr", [[0], [], [1, 3], [0, 2, 2], [0, 3, 1], [[0, 1]], [0, 0]])
def test_query_bounds_rise_from_zero(ptr):
    with pytest.raises(rk.InputError, match="ptr must rise from 0"):
        s.check_ptr(ptr)


def test_query_bounds_are_whole_numbers():
    ends = s.check_ptr((0, 2, 5))
    assert ends.dtype == np.int64
    assert ends.tolist() == [0, 2, 5]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 0], "one grade for each of the 3 rows"),
        ([[1, 0, 2]], "one grade for each of the 3 rows"),
        ([1, np.nan, 0], "y"),
        ([1, np.inf, 0], "y"),
        (rk.Preferences([0], [1]), "ranksvm needs grades"),
    ],
)
def test_bad_grades(y, message):
    with pytest.raises(rk.InputError, match=message):
        s.check_grades("ranksvm", y, [0, 1, 3])


def test_grades_are_floats():
    grades, ends = s.check_grades("ranksvm", [2, -1, 0], [0, 1, 3])
    assert grades.dtype == np.float64
    assert (grades.tolist(), ends.tolist()) == ([2.0, -1.0, 0.0], [0, 1, 3])


def test_ranks_are_permutations():
    """All vectors of the numbers 0 to 4 for a query of two and a query of three documents."""
    ptr, accepted = np.array([0, 2, 5]), 0
    for ranks in itertools.product(range(5), repeat=5):
        first, second = sorted(ranks[:2]) == [1, 2], sorted(ranks[2:]) == [1, 2, 3]
        if first and second:
            assert s.check_ranks(ranks, ptr).tolist() == list(ranks)
            accepted += 1
        else:
            place = r"^query 1: expected the ranks 1 to 3" if first else r"^query 0: expected the ranks 1 to 2"
            with pytest.raises(rk.InputError, match=place):
                s.check_ranks(ranks, ptr)
    assert accepted == 2 * 6


@pytest.mark.parametrize(
    ("y", "message"),
    [([1, 2], "one rank for each of the 3 rows"), (rk.Preferences([0], [1]), "got a preference graph")],
)
def test_bad_ranks(y, message):
    with pytest.raises(rk.InputError, match=message):
        s.check_ranks(y, np.array([0, 3]))


@pytest.mark.parametrize("weight", [[1, -1], [1, np.nan], [1, np.inf], [1], [1, 1, 1]])
def test_bad_weights_of_queries(weight):
    with pytest.raises(rk.InputError, match="query_weight must hold 2 numbers"):
        s.check_query_weight(weight, 2)


def test_weights_of_queries():
    assert s.check_query_weight([0, 2], 2, some=True).tolist() == [0, 2]
    assert s.check_query_weight([0, 0], 2).tolist() == [0, 0]
    with pytest.raises(rk.InputError, match="and not all 0"):
        s.check_query_weight([0, 0], 2, some=True)


def test_ranks_close_up_within_their_query():
    """Whichever documents of two queries are left out, the others get the ranks of their order."""
    rng = np.random.default_rng(0)
    for kept in itertools.product([False, True], repeat=7):
        first, second = rng.permutation(3) + 1.0, rng.permutation(4) + 1.0
        queries = [first[list(kept[:3])], second[list(kept[3:])]]
        queries = [ranks for ranks in queries if len(ranks)]
        if queries:
            ptr = np.cumsum([0, *map(len, queries)])
            expected = [1 + sum(other < rank for other in ranks) for ranks in queries for rank in ranks]
            assert s.close_ranks(np.concatenate(queries), ptr).tolist() == expected


def test_grades_of_ranks_order_documents_alike():
    for ranks in itertools.permutations([1, 2, 3, 4]):
        grades = s.ranks_to_grades(ranks)
        assert sorted(range(4), key=lambda i: -grades[i]) == sorted(range(4), key=lambda i: ranks[i])
        assert grades.min() == 1
