"""Kernels of measures against brute force over all permutations, SciPy and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

import rankine as rk

from .. import reference as ref
from .cases import CASES, NAMES, small_case


@pytest.mark.parametrize("seed", range(6))
def test_expected_ties_are_the_mean_over_all_permutations(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        grades, scores = small_case(rng)
        report = rk.evaluate(NAMES, grades, scores, threads=1)
        for name, measure, params in CASES:
            want = ref.expected(measure, grades, scores, **params)
            assert math.isclose(report.mean[name], want, rel_tol=1e-12, abs_tol=1e-13), (name, grades, scores)


def test_kendall_b_and_auc_equal_scipy():
    rng = np.random.default_rng(4)
    for _ in range(300):
        m = int(rng.integers(2, 30))
        y, s = rng.integers(0, 4, m), rng.integers(0, 5, m).astype(float)
        tau = stats.kendalltau(y, s).statistic
        report = rk.evaluate(["KendallTau(variant='b')", "AUC"], y, s)
        if np.ptp(y) and np.ptp(s):
            assert math.isclose(report.mean["KendallTau(variant='b')"], tau, abs_tol=1e-12)
        rel, non = s[y >= 1], s[y < 1]
        if len(rel) and len(non):
            u = stats.mannwhitneyu(rel, non).statistic / (len(rel) * len(non))
            assert math.isclose(report.mean["AUC"], u, abs_tol=1e-12)


def test_err_of_a_large_tie_group_keeps_its_digits():
    y = np.tile([0, 1, 2, 3, 4], 40)
    tied = rk.evaluate("ERR(gmax=4)", y, np.zeros(200)).mean["ERR(gmax=4)"]
    rng = np.random.default_rng(0)
    sampled = rk.evaluate("ERR(gmax=4)", np.tile(y, 4000), rng.random(800_000), np.repeat(np.arange(4000), 200))
    spread = sampled.per_query["ERR(gmax=4)"].std() / np.sqrt(4000)
    assert 0 < tied < 1
    assert abs(tied - sampled.mean["ERR(gmax=4)"]) < 5 * spread
