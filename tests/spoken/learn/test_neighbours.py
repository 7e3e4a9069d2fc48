"""How much neighbouring words count: the steps are those that gain most, one number at a time."""

import math

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.learn.neighbours import MANY, PENALTY, STEPS, STEPS_UP, NeighbourRanker, best_steps, multiplied

NAMES = ["heard-several-word", "heard-several-sound-all", "heard-several-word-pair", "heard-several-sound-join"]


def _queries(n, seed, wanted):
    """Queries whose relevant places are told by some columns."""
    rng = np.random.default_rng(seed)
    X = rng.random((8 * n, 4)).round(2)
    X[:, 3] *= 0.5
    want = X @ np.array(wanted) + 0.1 * rng.normal(size=8 * n)
    y = np.concatenate([(w >= np.sort(w)[-2]).astype(float) for w in want.reshape(n, 8)])
    return rk.RankingData(X, y, np.repeat(np.arange(n), 8), feature_names=NAMES)


def _slow_ap(y, scores):
    """AP of one query whose scores are all different."""
    order = sorted(range(len(y)), key=lambda i: -scores[i])
    hits, total = 0, 0.0
    for rank, i in enumerate(order, 1):
        if y[i] > 0:
            hits += 1
            total += hits / rank
    return total / hits


def _slow_fit(data, start):
    """The same search, from its definition."""
    n = data.n_queries

    def value(a, b):
        w = [
            start[0],
            start[1],
            math.exp(a) * (max(start[2], 0.01) if a > 0 else start[2]),
            math.exp(b) * (max(start[3], 0.01) if b > 0 else start[3]),
        ]
        means = 0.0
        for q in range(n):
            rows = range(data.ptr[q], data.ptr[q + 1])
            scores = [sum(w[j] * float(data.X[i, j]) for j in range(4)) + 1e-13 * i for i in rows]
            means += _slow_ap([data.y[i] for i in rows], scores)
        return means / n - PENALTY / n * (a * a + b * b)

    steps = STEPS if n >= MANY else STEPS_UP
    a = b = 0.0
    for _ in range(3):
        for s in steps:
            if value(s, b) > value(a, b) + 1e-9:
                a = s
        for s in steps:
            if value(a, s) > value(a, b) + 1e-9:
                b = s
    return a, b


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [5, 10, 25])
def test_steps_are_those_of_the_slow_search(n, seed):
    rng = np.random.default_rng(seed)
    data = _queries(n, seed, rng.random(4))
    start = np.array([0.9, 0.1, 0.4, 1e-4]) + 1e-3 * rng.random(4)
    model = NeighbourRanker(start).fit(data)
    assert model.logs_ == _slow_fit(data, start)
    np.testing.assert_array_equal(model.coef_, multiplied(NAMES, start, model.logs_))
    np.testing.assert_array_equal(model.predict(data), np.asarray(data.X, float) @ model.coef_)
    np.testing.assert_array_equal(model.coef_[:2], start[:2])  # words and sounds stay


def test_queries_that_are_phrases_raise_pairs():
    start = np.array([1.0, 0.1, 0.3, 0.01])
    data = _queries(12, 3, [0.3, 0.0, 3.0, 0.0])
    before, after = start, NeighbourRanker(start).fit(data).coef_
    assert after[2] > before[2]
    precision = [rk.evaluate("AP", data.y, data.X @ w, data.qid).mean["AP"] for w in (before, after)]
    assert precision[1] > precision[0]


def test_few_queries_lower_nothing_and_many_may():
    start = np.array([0.2, 0.0, 2.0, 0.5])
    wanted = [3.0, 0.0, 0.0, 0.0]
    assert (NeighbourRanker(start).fit(_queries(MANY - 1, 0, wanted)).coef_ >= start).all()
    assert NeighbourRanker(start).fit(_queries(MANY, 0, wanted)).coef_[2] < start[2]


def test_without_pairs_nothing_changes():
    data = _queries(10, 0, [1, 1, 1, 1]).select(NAMES[:2])
    np.testing.assert_array_equal(NeighbourRanker(np.array([1.0, 0.5])).fit(data).coef_, [1.0, 0.5])


def test_steps_begin_at_zero_and_need_a_gain():
    assert best_steps(lambda at: 0.0, STEPS, 2) == (0.0, 0.0)
    assert best_steps(lambda at: -abs(at[0] - 1.0) - abs(at[1] + 0.5), STEPS, 2) == (1.0, -0.5)
