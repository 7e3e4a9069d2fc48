"""Constants of losses hold for random scores, and are nearly reached."""

import numpy as np
import pytest

from rankine.losses import get

LOSSES = [
    "position-sensitive", "position-sensitive:norm", "ranksvm", "ranksvm:norm", "svm-ndcg", "svm-ndcg@2", "svm-map",
    "svm-p@2", "svm-rr", "svm-ndcg:tight", "svm-map:tight", "svm-ndcg@3:slack", "sum-ndcg", "sum-map", "softmax-ndcg",
    "softmax-map",
]  # fmt: skip


OPTIONS = [{"A": "partial-order"}, {"A": "discount", "target": "best"}]


CASES = [(name, {}) for name in LOSSES] + [
    (name, o) for name in LOSSES for o in OPTIONS if name.startswith("svm-") and (":" not in name or "target" not in o)
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_constants_hold_for_random_scores(name, options):
    """No gradient is longer than l2, no loss larger than said; both are reached nearly somewhere."""
    loss, rng = get(name, **options), np.random.default_rng(3)
    nearest_slope = nearest_value = 0.0
    for _ in range(60):
        m = int(rng.integers(1, 6))
        y = rng.integers(0, 3, m).astype(float)
        ptr = np.array([0, m])
        s = loss.prepare(y, ptr).constants()
        for scale in (0.01, 1.0, 30.0):
            scores = rng.uniform(-1, 1, m) * scale
            if rng.random() < 0.5:
                scores = -np.sort(-scores)[np.argsort(np.argsort(y))] * rng.choice([-1, 1])  # all right or all wrong
            value, grad = loss.value_and_grad(scores, y, ptr)
            assert np.linalg.norm(grad) <= s.l2[0] * np.exp(s.log_times[0]) + 1e-9
            largest = np.exp(s.log_largest(np.log(np.abs(scores).max())))
            assert value[0] <= largest * (1 + 1e-12) + 1e-9
            if s.l2[0] > 0:
                nearest_slope = max(nearest_slope, np.linalg.norm(grad) / s.l2[0] / np.exp(s.log_times[0]))
                nearest_value = max(nearest_value, value[0] / largest)
    assert nearest_slope > 0.3
    assert nearest_value > 0.3
