"""How much neighbouring words count: the step is the one that gains most."""

import math

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.learn.neighbours import PENALTY, STEPS, NeighbourRanker, multiplied

NAMES = ["heard-several-word", "heard-several-sound-all", "heard-several-word-pair", "heard-several-sound-join"]


def _queries(n, seed, wanted):
    """Queries whose relevant places are told by some columns."""
    rng = np.random.default_rng(seed)
    X = rng.random((8 * n, 4)).round(2)
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


def _slow_step(data, start):
    """The same step, from its definition."""
    n, best, step = data.n_queries, -math.inf, None
    for log in sorted(STEPS, key=abs):
        pair = math.exp(log) * (max(start[2], 0.01) if log > 0 else start[2])
        w, total = [start[0], start[1], pair, start[3]], 0.0
        for q in range(n):
            rows = range(data.ptr[q], data.ptr[q + 1])
            scores = [sum(w[j] * float(data.X[i, j]) for j in range(4)) for i in rows]
            total += _slow_ap([data.y[i] for i in rows], scores)
        value = total / n - PENALTY / n * log * log
        if value > best + 1e-9:
            best, step = value, log
    return step


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [1, 10, 40])
def test_the_step_is_that_of_the_slow_search(n, seed):
    rng = np.random.default_rng(seed)
    data = _queries(n, seed, rng.random(4))
    start = np.array([0.9, 0.1, rng.choice([0.4, 1e-4]), 0.05]) + 1e-3 * rng.random(4)
    model = NeighbourRanker(start).fit(data)
    assert model.log_ == _slow_step(data, start)
    np.testing.assert_array_equal(model.coef_, multiplied(NAMES, start, model.log_))
    np.testing.assert_array_equal(model.predict(data), np.asarray(data.X, float) @ model.coef_)
    np.testing.assert_array_equal(model.coef_[[0, 1, 3]], start[[0, 1, 3]])  # all else stays


def test_queries_that_are_phrases_raise_pairs():
    start = np.array([1.0, 0.1, 0.3, 0.01])
    data = _queries(12, 3, [0.3, 0.0, 3.0, 0.0])
    after = NeighbourRanker(start).fit(data).coef_
    assert after[2] > start[2]
    precision = [rk.evaluate("AP", data.y, data.X @ w, data.qid).mean["AP"] for w in (start, after)]
    assert precision[1] > precision[0]


def test_queries_of_which_any_word_will_do_lower_them():
    start = np.array([0.2, 0.0, 2.0, 0.0])
    assert NeighbourRanker(start).fit(_queries(20, 0, [3.0, 0.0, 0.0, 0.0])).log_ < 0


def test_without_pairs_nothing_changes():
    data = _queries(10, 0, [1, 1, 1, 1]).select(NAMES[:2])
    model = NeighbourRanker(np.array([1.0, 0.5])).fit(data)
    assert model.log_ == 0.0
    np.testing.assert_array_equal(model.coef_, [1.0, 0.5])
