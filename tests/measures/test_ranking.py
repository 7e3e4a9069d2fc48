"""Ranking of scores: ties, last bits, queries of unequal length."""

import math

import numpy as np
import pytest
from scipy import stats

import rankine as rk

from .. import reference as ref
from .cases import CASES, NAMES, small_case


def test_stable_ties_keep_the_input_order():
    rng = np.random.default_rng(1)
    for _ in range(400):
        grades, scores = small_case(rng)
        report = rk.evaluate(NAMES, grades, scores, ties="stable", threads=1)
        for name, measure, params in CASES:
            want = ref.stable(measure, grades, scores, **params)
            assert math.isclose(report.mean[name], want, rel_tol=1e-12, abs_tol=1e-13), (name, grades, scores)


def test_many_queries_of_unequal_length_at_once_equal_one_at_a_time():
    rng = np.random.default_rng(2)
    lengths = np.concatenate([rng.integers(1, 300, 400), [5000]])
    n = lengths.sum()
    qid = np.repeat(np.arange(len(lengths)), lengths)
    y, s = rng.integers(0, 5, n), np.round(rng.standard_normal(n), 2)
    order = rng.permutation(n)
    shuffled = rk.evaluate(NAMES, y[order], s[order], qid[order], threads=2)
    first = {q: i for i, q in enumerate(shuffled.query_ids)}
    ERRS = [name for name in NAMES if "ERR" not in name]
    for q in range(len(lengths)):
        alone = rk.evaluate(ERRS, y[qid == q], s[qid == q], qid[qid == q], threads=1)
        for name in ERRS:
            assert math.isclose(shuffled.per_query[name][first[q]], alone.mean[name], rel_tol=1e-9, abs_tol=1e-12)


def test_scores_that_differ_in_their_last_bits_are_told_apart():
    rng = np.random.default_rng(3)
    for m in (2, 3, 17, 100, 500):
        bits = np.float64(1.5).view(np.int64) + rng.permutation(m)
        s = bits.view(np.float64) * rng.choice([-1, 1])
        y = np.arange(m)
        report = rk.evaluate(["KendallTau", "Disagreement"], y, s, ties="stable")
        want = stats.kendalltau(y, s).statistic
        assert math.isclose(report.mean["KendallTau"], want, abs_tol=1e-12)


def test_trec_ties_need_document_ids():
    with pytest.raises(rk.InputError, match="pass doc_ids"):
        rk.evaluate("AP", [1, 0], [1.0, 1.0], ties="trec")
    with pytest.raises(rk.InputError, match="ties must be one of"):
        rk.evaluate("AP", [1, 0], [1.0, 1.0], ties="random")


def test_trec_rounds_scores_to_single_precision():
    y, s, ids = [1, 0], [1.0 + 1e-9, 1.0], ["a", "b"]
    assert rk.evaluate("RR", y, s, ties="stable").mean["RR"] == 1.0
    assert rk.evaluate("RR", y, s, ties="trec", doc_ids=ids).mean["RR"] == 0.5  # b before a


def test_trec_ties_compare_numeric_document_ids_as_strings():
    for ids in ([9, 10], ["9", "10"]):
        assert rk.evaluate("AP", [1, 0], [1.0, 1.0], ties="trec", doc_ids=ids).mean["AP"] == 1.0
