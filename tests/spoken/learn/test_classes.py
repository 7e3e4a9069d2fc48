"""Weights by classes of words: the substitution is the regulariser, and one-word queries keep their promise."""

import numpy as np
import pytest

import rankine as rk
from rankine.losses import get
from rankine.spoken.index.evidence import evidence_names
from rankine.spoken.learn import classes
from rankine.spoken.learn.classes import ContinuedRanker, feature_of, promised, substituted, substitution
from rankine.spoken.learn.weights import shipped

NAMES = evidence_names(["word", "syllable", "phone"])


def regulariser(moves, common, names, mu):
    """The formula, feature by feature, for one way to move all classes together."""
    features = sorted({feature_of(n) for n in names})
    own = sum((moves[i] - common[features.index(feature_of(n))]) ** 2 for i, n in enumerate(names))
    return (common @ common + mu * own) / 2


def least_regulariser(moves, names, mu):
    """The same for the best one, where the derivative is 0."""
    common = []
    for feature in sorted({feature_of(n) for n in names}):
        some = [m for m, n in zip(moves, names, strict=True) if feature_of(n) == feature]
        common.append(mu * sum(some) / (1 + mu * len(some)))
    return regulariser(moves, np.array(common), names, mu)


def test_substituted_weights_are_the_weights():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        mu, weights, start = float(rng.uniform(0.1, 10)), rng.normal(size=45), rng.normal(size=45)
        matrix = substitution(NAMES, mu)
        theta, theta0 = substituted(weights, matrix), substituted(start, matrix)
        moved = theta0 + np.linalg.pinv(matrix) @ (weights - start)  # the nearest that gives these weights
        np.testing.assert_allclose(matrix @ theta, weights, atol=1e-12)
        X = rng.random((3, 45))
        np.testing.assert_allclose((X @ matrix) @ theta, X @ weights, atol=1e-11)
        least = least_regulariser(weights - start, NAMES, mu)
        assert ((moved - theta0) ** 2).sum() / 2 == pytest.approx(least)
        assert regulariser(weights - start, rng.normal(size=10), NAMES, mu) >= least


def random_queries(rng, n=8):
    qid = np.repeat(np.arange(n), 12)
    X = np.zeros((len(qid), 45))
    for q in range(n):
        columns = rng.choice(45, 6, replace=False)
        X[np.ix_(qid == q, columns)] = rng.random((12, 6))
    y = (rng.random(len(qid)) < 0.3).astype(float)
    y[::12], y[1::12] = 1.0, 0.0
    return rk.RankingData(X, y, qid, feature_names=NAMES)


def test_the_minimum_is_that_of_the_formula(monkeypatch):
    """No step of the weights lowers loss and regulariser together."""
    rng = np.random.default_rng(1)
    monkeypatch.setattr(classes, "promised", lambda names, weights: weights)
    data, start, C, mu = random_queries(rng), rng.random(45), 0.01, 3.0
    weights = ContinuedRanker("ranksvm-l2", C, start, mu).fit(data).coef_
    loss = get("ranksvm-l2").prepare(data.y, data.ptr)

    def objective(w):
        return least_regulariser(w - start, NAMES, mu) + C * loss(classes.SCALE * (data.X @ w))[0].sum()

    least = objective(weights)
    assert least < objective(start)
    for size in (0.001, 0.01, 0.1):
        for _ in range(100):
            assert objective(weights + size * rng.normal(size=45)) >= least * (1 - 2e-3)


def test_where_queries_count_nothing_nothing_moves():
    rng = np.random.default_rng(2)
    data, start = random_queries(rng), promised(NAMES, rng.random(45))
    np.testing.assert_allclose(ContinuedRanker("svm-map", 1e-12, start).fit(data).coef_, start, atol=1e-6)


def test_the_promise():
    rng = np.random.default_rng(3)
    ones = [i for i, n in enumerate(NAMES) if n.startswith("heard-one-")]
    p = 1 - np.exp(-3 * 0.9)
    for _ in range(1000):
        weights = promised(NAMES, rng.normal(size=45) * rng.integers(0, 3, 45))
        rho = rng.random(2).repeat(2)
        there = np.concatenate([[p], rho * np.maximum(p, rng.random(4))])
        elsewhere = np.concatenate([[0.0], rho * rng.random(4)])
        assert there @ weights[ones] >= elsewhere @ weights[ones]
        assert weights[NAMES.index("heard-several-word")] >= 0
        np.testing.assert_array_equal(promised(NAMES, weights), weights)


@pytest.mark.parametrize("kinds", [["word"], ["word", "character"], ["word", "character", "syllable"]])
def test_the_shipped_weights_keep_it(kinds):
    weights = shipped(kinds)
    assert all(value >= 0 for value in weights.values)
    np.testing.assert_array_equal(promised(weights.names, np.array(weights.values)), weights.values)
    assert set(weights.names) == set(evidence_names(kinds))
