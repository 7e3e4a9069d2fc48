"""The verdict on learned weights: numbers against plain loops, and sentences on weights."""

import numpy as np
import pytest

from rankine.measures.compare import mean_interval, wilcoxon
from rankine.spoken.learn.learning import IN_USE, SHIPPED, CrossValidation
from rankine.spoken.learn.verdict import baseline_of, learning_verdict, weight_changes
from rankine.spoken.learn.weights import Weights

NAMES = ("heard-several-word", "heard-several-sound-all", "heard-several-word-pair")


def weights(*values, ranker="x"):
    return Weights(NAMES, values, None, ranker, {})


def trial(**precision):
    arrays = {name.replace("_", " "): np.array(x) for name, x in precision.items()}
    n = len(next(iter(arrays.values())))
    return CrossValidation(arrays, (), np.ones(n, np.bool_), query_ids=tuple(f"q{i}" for i in range(n)))


def test_numbers():
    before, after = [0.5, 1.0, 0.2, 0.4, 0.3], [0.75, 1.0, 0.1, 0.6, 0.9]
    verdict = learning_verdict(trial(shipped=before, x=after), weights(1, 1, 1), weights(1, 1, 1), {"q4": "the words"})
    d = np.array(after) - before
    assert (verdict.measure, verdict.baseline) == ("AP", "shipped")
    assert (verdict.before, verdict.after) == (pytest.approx(0.48), pytest.approx(0.67))
    assert verdict.difference == pytest.approx(d.mean())
    assert (verdict.low, verdict.high) == mean_interval(d, 0.95, 0)
    assert verdict.low < verdict.difference < verdict.high
    assert (verdict.won, verdict.equal, verdict.lost) == (3, 1, 1)
    assert verdict.wilcoxon == wilcoxon(d)
    signs = [[1 - 2 * (i >> k & 1) for k in range(4)] for i in range(16)]
    sums = [abs(sum(s * x for s, x in zip(row, d[d != 0], strict=True))) for row in signs]
    assert verdict.p == pytest.approx(np.mean([s >= abs(d.sum()) - 1e-9 for s in sums]))
    assert [q.query for q in verdict.queries] == ["q4", "q0", "q3", "q1", "q2"]  # those that won most first
    assert verdict.queries[0][1:] == ("the words", 0.3, 0.9)
    assert "mean AP 0.4800 → 0.6700 (+0.1900" in str(verdict)
    assert verdict.summary()["after"] == verdict.after


def test_the_baseline_is_the_better_of_shipped_and_in_use():
    assert baseline_of(trial(shipped=[0.5], x=[1.0])) == SHIPPED
    both = trial(shipped=[0.5], x=[1.0])
    both.precision[IN_USE] = np.array([0.6])
    assert baseline_of(both) == IN_USE
    both.precision[IN_USE] = np.array([0.4])
    assert baseline_of(both) == SHIPPED


def test_weights_in_plain_words():
    old = weights(1.0, 0.5, 0.4)
    assert weight_changes(old, old) == ["everything counts as before"]
    assert weight_changes(old, weights(1.0, 0.25, 1.0)) == [
        "sounds count 0.50 times as much as before",
        "words that follow each other count 2.50 times as much as before",
        "all else counts as before",
    ]
    assert weight_changes(old, weights(2.0, 1.0, 0.8)) == [
        f"{group} count 2.00 times as much as before" for group in ("words", "sounds", "words that follow each other")
    ]
    assert weight_changes(old, weights(1.0, 0.0, 0.4))[0] == "sounds had the weight +0.500 and have +0.000 now"
    papers = Weights(("word-cn-1", "word-cn-2"), (0.1, -0.9), "query-minmax", "svm-map", {})
    (line,) = weight_changes(old, papers)
    assert line.endswith("the largest are word-cn-2 (-0.900), word-cn-1 (+0.100)")
