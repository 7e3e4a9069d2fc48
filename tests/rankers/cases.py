"""Ranking problems that tests of several rankers share."""

import numpy as np

from ..cases import linear_problem


def problem(seed=0, n=30, noise=1.0):
    """Queries of 15 documents."""
    return linear_problem(seed, n, 15, noise)


def rounded_problem(seed=0, n=12, m=8, d=5, decimals=1):
    """Features are rounded, so that many values are equal."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n * m, d)), decimals)
    y = np.clip(np.round(X[:, 0] + 0.7 * X[:, 1] - 0.4 * X[:, -1] + rng.standard_normal(n * m)), 0, 2)
    return X, y, np.repeat(np.arange(n), m)
