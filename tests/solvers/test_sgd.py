"""Stochastic descent comes close to the optimum, and repeats with its seed."""

import numpy as np
import pytest

import rankine as rk

from ..cases import linear_problem


@pytest.mark.parametrize("loss", ["ranksvm", "position-sensitive", "listmle", "preorder", "svm-map"])
def test_stochastic_descent_comes_close_and_repeats(loss):
    X, y, qid = linear_problem(n=60)
    best = rk.LinearRanker(loss=loss, C=0.05, tol=1e-5).fit(X, y, qid=qid)
    fit = {"loss": loss, "C": 0.05, "solver": "sgd", "tol": 3e-2, "max_iter": 200}
    a, b = (rk.LinearRanker(**fit, seed=3).fit(X, y, qid=qid) for _ in range(2))
    assert np.array_equal(a.coef_, b.coef_)
    assert best.lower_bound_ <= a.objective_ <= best.objective_ * 1.035
    assert a.gap_ <= 3e-2
