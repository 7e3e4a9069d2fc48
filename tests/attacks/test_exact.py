"""Minimisers in exact numbers."""

from fractions import Fraction as F

import numpy as np
import pytest

from attacks.exact import refine, simplex
from attacks.problems import Problem, not_indefinite


def minimum(loss, C=1e8, **changes):
    X, y = np.array([[-1.0], [1.0], [0.625], [-0.75]]), np.array([2.0, 1.0, 2.0, 0.0])
    problem = Problem(X, y, np.zeros(4, int), loss, C, **changes)

    class Model:
        pass

    Model.C = C
    objective = problem.objective(Model)
    return objective, refine(objective, [F(0)])


def test_a_minimum_that_is_known():
    """J is convex and piecewise quadratic in one number; the minimum stands in the middle of a flat stretch."""
    objective, best = minimum("ranksvm")
    assert best.exact
    for step in (F(1, 10**9), F(-1, 10**9)):
        assert objective.value([best.z[0] + step]) > best.value
    assert float(best.value) == pytest.approx(471428571.59183675, rel=1e-15)


@pytest.mark.parametrize("loss", ["ranksvm-l2", "preorder", "squared", "svm-ndcg", "sum-map", "svm-map:slack"])
def test_no_point_near_by_is_better(loss):
    objective, best = minimum(loss, C=3.0)
    assert best.exact
    assert all(objective.value([best.z[0] + step]) >= best.value for step in (F(1, 10**12), F(-1, 10**12)))


@pytest.mark.parametrize("loss", ["listnet", "listmle", "softmax-ndcg"])
def test_no_point_near_by_is_better_with_exponentials(loss):
    objective, best = minimum(loss, C=3.0)
    assert all(objective.value([best.z[0] + step]) >= best.value for step in (F(1, 10**12), F(-1, 10**12)))


def test_programmes_without_a_unique_solution():
    share = [F(1), F(0), F(0)]
    G = [[F(0)] * 3, [F(0), F(1), F(1)], [F(0), F(1), F(1)]]  # the last two planes are parallel
    assert simplex(G, [F(0), F(1), F(1, 2)], F(1), share) == F(1, 2)
    assert share == [0, 1, 0]


def test_matrices_that_are_not_indefinite():
    assert not_indefinite([[F(1), F(1)], [F(1), F(1)]])
    assert not not_indefinite([[F(1), F(2)], [F(2), F(1)]])
    assert not not_indefinite([[F(0), F(1)], [F(1), F(0)]])
    assert not_indefinite([[F(0), F(0)], [F(0), F(2)]])
