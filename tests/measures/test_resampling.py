"""Resampling of many rows at once against one row after the other, SciPy and enumeration."""

import numpy as np
import pytest
from scipy import stats

from rankine.measures.resampling import mean_intervals, randomisation


def slow_randomisation(d, seed, draws):
    """The signs of one row after the other."""
    flips = np.random.default_rng(seed).random((draws, len(d)), np.float32) < 0.5
    sums = [abs(sum(-x if flip else x for x, flip in zip(d, row, strict=True))) for row in flips.tolist()]
    return (1 + sum(s >= abs(sum(d)) * (1 - 1e-9) for s in sums)) / (1 + draws)


def test_rows_together_are_rows_one_by_one():
    rng = np.random.default_rng(0)
    rows = rng.normal(0.2, 1, (5, 25))
    rows[3:][rng.random((2, 25)) < 0.2] = 0.0  # a difference of 0 has no sign, and changes no sum
    assert randomisation(rows, 1, draws=500) == pytest.approx([slow_randomisation(d, 1, 500) for d in rows])


def test_intervals_are_those_of_scipy():
    rng = np.random.default_rng(1)
    rows = np.concatenate([rng.normal(0.2, 1, (3, 30)), rng.exponential(1, (3, 30)) - 1, rng.integers(0, 2, (2, 30))])
    for row, interval in zip(rows, mean_intervals(rows, 0.9, 3), strict=True):
        want = stats.bootstrap((row,), np.mean, n_resamples=9999, confidence_level=0.9, rng=3).confidence_interval
        assert interval == pytest.approx(tuple(want), abs=1e-12)


def test_rows_that_cannot_be_resampled():
    rows = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    (one, zero, other) = mean_intervals(rows, 0.95, 0)
    assert (one, zero) == ((1.0, 1.0), (0.0, 0.0))
    assert 1 <= other[0] < other[1] <= 3
    assert randomisation(rows, 0).tolist() == [0.25, 1.0, 0.25]
    assert mean_intervals(np.array([[2.0]]), 0.95, 0) == [(2.0, 2.0)]


def test_more_rows_than_fit_at_once_and_what_is_done():
    rng = np.random.default_rng(2)
    rows, done = rng.normal(0.2, 1, (600, 20)), []
    p = randomisation(rows, 0, draws=50, update=done.append)
    assert done == [256, 512, 600]
    assert p[599] == randomisation(rows[599:], 0, draws=50)[0]


def test_randomisation_is_exact_for_few_queries():
    rng = np.random.default_rng(3)
    for _ in range(50):
        d = rng.integers(-3, 4, rng.integers(1, 9)).astype(float)
        signs = np.array(np.meshgrid(*[[1, -1]] * len(d))).reshape(len(d), -1)
        want = np.mean(np.abs(signs.T @ d) >= abs(d.sum()) - 1e-9)
        assert randomisation(d[None], 0)[0] == pytest.approx(want)


def test_randomisation_is_uniform_under_the_null():
    rng = np.random.default_rng(4)
    p = [randomisation(rng.standard_normal((1, 30)), 0, draws=999)[0] for _ in range(300)]
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_interval_covers_the_truth():
    rng = np.random.default_rng(5)
    covered = [low <= 0.3 <= high for low, high in mean_intervals(rng.normal(0.3, 1, (100, 40)), 0.9, 0)]
    assert 0.8 <= np.mean(covered) <= 0.98
