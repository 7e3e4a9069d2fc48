"""Ranking problems that tests of several rooms share."""

import numpy as np

import rankine as rk
from rankine.sample import judged_set


def linear_problem(seed=0, n=25, m=12, noise=1.0):
    """Features, grades and query ids: n queries of m documents, graded by a linear function of the features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n * m, 6))
    y = np.clip(np.round(X @ [2.0, -1.0, 0.5, 0, 0, 0] + noise * rng.standard_normal(n * m)), 0, 3)
    return X, y, np.repeat(np.arange(n), m)


def unit_problem(seed=0, n=40, m=5, d=4, noise=0.5):
    """Data whose features have norm 1, as the risk bounds like them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n * m, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.digitize(X[:, 0] + noise * rng.standard_normal(n * m), [0.0, 0.6])
    return rk.RankingData(X, y, np.repeat(np.arange(n), m))


def normalised_sample(n_queries):
    """The bundled judged set, every feature with mean 0 and standard deviation 1."""
    data = judged_set(n_queries=n_queries)
    return rk.Normaliser("zscore").fit(data).apply(data)
