"""Stochastic descent comes close to the optimum, and repeats with its seed."""

import numpy as np
import pytest

import rankine as rk


def problem(seed=0, n=25, m=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n * m, 6))
    y = np.clip(np.round(X @ [2.0, -1.0, 0.5, 0, 0, 0] + rng.standard_normal(n * m)), 0, 3)
    return X, y, np.repeat(np.arange(n), m)


@pytest.mark.parametrize("loss", ["ranksvm", "position-sensitive", "listmle", "preorder", "svm-map"])
def test_stochastic_descent_comes_close_and_repeats(loss):
    X, y, qid = problem(n=60)
    best = rk.LinearRanker(loss=loss, C=0.05, tol=1e-5).fit(X, y, qid=qid)
    fit = {"loss": loss, "C": 0.05, "solver": "sgd", "tol": 3e-2, "max_iter": 200}
    a, b = (rk.LinearRanker(**fit, seed=3).fit(X, y, qid=qid) for _ in range(2))
    assert np.array_equal(a.coef_, b.coef_)
    assert best.lower_bound_ <= a.objective_ <= best.objective_ * 1.035
    assert a.gap_ <= 3e-2
