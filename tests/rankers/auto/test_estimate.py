"""Choosing by means, and the correction for it, against slow versions; intervals and tests against SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankine.errors import InputError
from rankine.rankers.auto.estimate import (
    DEAR,
    FLOOR,
    FUSED,
    FUSED_BY_QUERY,
    GAIN,
    PLAIN,
    Estimate,
    choose,
    corrected,
    interval,
    p_better,
    weighted_means,
    within,
)

from ... import reference

CLASSES = [FLOOR, PLAIN, DEAR, FUSED, FUSED_BY_QUERY]


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from(CLASSES)), min_size=1, max_size=12), st.integers(0, 5),
       st.sampled_from([math.inf, 5.1 * GAIN / 2, 6.1 * GAIN / 2]))  # fmt: skip
def test_the_choice_is_that_of_the_slow_version(rows, lowered, end):
    """Steps of half the gain: there are ties, and differences below, at and above it."""
    means, classes = [k * GAIN / 2 for k, _ in rows], [c for _, c in rows]
    optimism = lowered * GAIN / 2.1
    slow = reference.choice(means, classes, GAIN, optimism, end)
    assert choose(np.array([means]), np.array(classes), optimism, end).tolist() == [slow]


def test_many_rows_are_chosen_from_at_once():
    rng = np.random.default_rng(0)
    means, classes = rng.uniform(0, 0.005, (50, 9)), rng.integers(0, 5, 9)
    assert choose(means, classes).tolist() == [reference.choice(row, classes, GAIN) for row in means.tolist()]


def test_what_an_involved_one_must_gain():
    classes = np.array([FLOOR, PLAIN, DEAR, FUSED])
    assert choose(np.array([[0.5, 0.5, 0.5, 0.5]]), classes).tolist() == [0]
    assert choose(np.array([[0.5, 0.5001, 0.501, 0.5]]), classes).tolist() == [1]
    assert choose(np.array([[0.5, 0.5001, 0.5012, 0.502]]), classes).tolist() == [2]
    assert choose(np.array([[0.5, 0.4, 0.3, 0.6]]), classes).tolist() == [3]


def test_an_interval_stays_in_the_range_and_has_width():
    assert within(Estimate(0.5, -0.1, 1.1), (0.0, 1.0), 9) == (0.5, 0.0, 1.0)
    low = within(Estimate(1.0, 1.0, 1.0), (0.0, 1.0), 30).low
    assert low**30 == pytest.approx(0.05)
    half = within(Estimate(0.5, 0.5, 0.5), (0.0, 1.0), 30)
    assert 0.5 - half.low == pytest.approx(half.high - 0.5) == pytest.approx((1 - low) / 2)
    gain = within(Estimate(3.0, 3.0, 3.0), (0.0, np.inf), 30)
    assert gain.low == pytest.approx(3 * low)
    assert gain.high == 3.0
    assert math.isnan(within(Estimate(0.5, np.nan, np.nan), (0.0, 1.0), 1).low)


def test_nan_is_refused():
    with pytest.raises(InputError, match="not a number"):
        choose(np.array([[0.5, np.nan]]), np.array([FLOOR, PLAIN]))
    with pytest.raises(InputError, match="not a number"):
        corrected(np.array([[0.5, np.nan]]), np.array([FLOOR]))


@settings(max_examples=30)
@given(
    st.integers(1, 6), st.integers(2, 9), st.integers(0, 10**6), st.booleans(),
    st.sampled_from([None, 0]), st.sampled_from([0.0, 0.5]),
)  # fmt: skip
def test_the_correction_is_that_of_the_slow_version(n, queries, seed, weighted, against, zeros):
    rng = np.random.default_rng(seed)
    values = np.round(rng.uniform(size=(n, queries)), 1)  # ties
    classes = rng.integers(0, 5, n)
    weights = np.where(rng.uniform(size=queries) < zeros, 0, rng.uniform(0.1, 3, queries)) if weighted else None
    if weighted and (weights > 0).sum() < 2:
        weights[:2] = 1.0
    draws = 40
    generator = np.random.default_rng(seed)
    samples = [generator.integers(0, queries, queries).tolist() for _ in range(draws)]
    of = [1.0] * queries if weights is None else weights.tolist()
    optimism = float(rng.choice([0.0, 0.03, 0.3]))
    slow = reference.bootstrap_correction(values.tolist(), classes.tolist(), of, samples, GAIN, against, optimism)
    fast = corrected(values, classes, weights, seed, draws, against=against, optimism=optimism)
    np.testing.assert_allclose(fast, slow, atol=1e-9)


def test_the_correction_is_downward_where_nothing_is_better():
    gaps = []
    for seed in range(20):
        values = np.random.default_rng(seed).uniform(size=(40, 60))
        gaps.append(values.mean(axis=1).max() - corrected(values, np.full(40, PLAIN), seed=seed, draws=200).mean)
    assert np.mean(gaps) > 0.05
    assert abs(np.mean(gaps) - np.mean([np.random.default_rng(s).uniform(size=(40, 60)).mean(axis=1).max() - 0.5
                                        for s in range(20)])) < 0.02  # fmt: skip


def test_one_configuration_needs_no_correction():
    values = np.random.default_rng(0).uniform(size=(1, 30))
    estimate = corrected(values, np.array([PLAIN]))
    assert estimate.mean == values.mean()
    student = interval(values[0])
    assert abs((estimate.high - estimate.low) / (student.high - student.low) - 1) < 0.1


def test_the_interval_covers_the_mean_of_the_population():
    """One configuration of 60 queries from a skewed population: about 90 of 100 intervals hold its mean."""
    rng = np.random.default_rng(1)
    estimates = [corrected(rng.beta(1, 2, (1, 60)), np.array([PLAIN]), seed=i, draws=200) for i in range(200)]
    assert 0.84 <= np.mean([e.low <= 1 / 3 <= e.high for e in estimates]) <= 0.95


def test_whole_weights_are_repeated_queries():
    values = np.random.default_rng(0).uniform(size=(3, 6))
    weights = np.array([1, 2, 0, 1, 3, 1])
    np.testing.assert_allclose(weighted_means(values, weights), np.repeat(values, weights, axis=1).mean(axis=1))
    assert weighted_means(values).tolist() == values.mean(axis=1).tolist()


@pytest.mark.parametrize("weights", [None, np.array([2.0])])
def test_one_query_has_no_interval(weights):
    estimate = corrected(np.array([[0.2], [0.7]]), np.array([FLOOR, PLAIN]), weights)
    assert estimate.mean == 0.7
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    against = corrected(np.array([[0.2], [0.7]]), np.array([FLOOR, PLAIN]), weights, against=0)
    assert against.mean == pytest.approx(0.5)
    assert math.isnan(interval(np.array([0.5]), weights).low)
    assert p_better(np.array([0.5]), weights) == 1.0


def test_one_query_of_weight_is_one_query():
    weights = np.array([0.0, 3.0, 0.0])
    estimate = corrected(np.array([[0.2, 0.4, 0.9]]), np.array([PLAIN]), weights)
    assert estimate.mean == pytest.approx(0.4)
    assert math.isnan(estimate.low)
    assert p_better(np.array([0.5, 0.5, 0.5]), weights) == 1.0
    assert math.isnan(interval(np.array([0.5, 0.4, 0.3]), np.array([1.0, 1e-30, 1e-30])).high)


def test_interval_and_test_are_students():
    values = np.random.default_rng(0).normal(0.1, 0.5, 25)
    low, high = stats.t.interval(0.9, 24, values.mean(), stats.sem(values))
    np.testing.assert_allclose(interval(values), (values.mean(), low, high))
    assert p_better(values) == pytest.approx(stats.ttest_1samp(values, 0, alternative="greater").pvalue)
    assert p_better(-values) == 1.0
    np.testing.assert_allclose(interval(values, np.full(25, 7.0)), interval(values))
    assert p_better(values, np.full(25, 7.0)) == pytest.approx(p_better(values))


def test_p_is_at_least_what_signs_can_show():
    assert p_better(np.full(8, 0.1)) == 0.5**8
    assert p_better(np.linspace(0.1, 0.1001, 8)) == 0.5**8
    rare = np.zeros(1000)
    rare[:3] = 0.1  # three queries cannot show more than three signs do
    assert p_better(rare) == 0.125
