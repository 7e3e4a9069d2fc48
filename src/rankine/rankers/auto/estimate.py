"""Choosing the best of many configurations by their values on held-out queries, and saying honestly how good it is.

The best of many means is too high: it was chosen for being high. So the choice is repeated on bootstrap samples of the
queries, and what it chooses is measured on the queries that were not drawn (Tsamardinos, Greasidou & Borboudakis 2018).
The mean over the samples is the estimate. About .368 of the queries are not drawn, so the means over them spread more
than a mean over all: the quantiles are drawn towards the estimate by √(.368/.632).

The samples themselves bring noise. Most of it is in which queries were left out, not in what was chosen: so the mean
over the samples is taken of the difference to the configuration that is best on all queries, whose mean is certain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError

GAIN = 0.001  # what a configuration must gain over the best of the classes below its own, from class DEAR on
FLOOR, PLAIN, DEAR, FUSED, FUSED_BY_QUERY = range(5)  # classes of configurations, from simple to involved
DRAWS = 1000
_SHRINK = float(np.sqrt(0.368 / 0.632))
_BATCH = 100
_NO_WIDTH = 1e-12
_MORE_THAN_ONE = 1 + 1e-9  # queries: fewer have no spread


class Estimate(NamedTuple):
    """An estimate of a measure, with the limits of its interval."""

    mean: float
    low: float
    high: float


def choose(means: np.ndarray, classes: np.ndarray, optimism: float = 0.0, end: float = np.inf) -> np.ndarray:
    """For each row of means, the column to choose: the largest mean, if it gains enough over simpler ones.

    A configuration of class ``PLAIN`` is preferred to one of class ``FLOOR`` if its mean is above; one of the classes
    ``DEAR``, ``FUSED`` and ``FUSED_BY_QUERY`` if its mean is above by at least ``GAIN``. Of equal means the
    first column is taken. The mean of a fusion was not chosen for being high, those of the others were: so theirs is
    lowered by ``optimism`` before they are compared with a fusion. No fusion is preferred to a mean that cannot be
    exceeded by ``GAIN``, for the measure has its largest value at ``end``.

    >>> choose(np.array([[0.5, 0.51, 0.5105], [0.5, 0.5, 0.7]]), np.array([FLOOR, PLAIN, DEAR])).tolist()
    [1, 2]
    >>> choose(np.array([[0.5, 0.49]]), np.array([PLAIN, FUSED]), optimism=0.02).tolist()
    [1]
    >>> choose(np.array([[1.0, 1.0]]), np.array([PLAIN, FUSED]), optimism=0.02, end=1.0).tolist()
    [0]
    """
    if not np.isfinite(means).all():
        raise InputError("a configuration has a mean that is not a number: it cannot be compared with others")
    best = np.full(len(means), -1)
    height, lowered, full = np.full(len(means), -np.inf), False, np.zeros(len(means), bool)
    for level in range(FUSED_BY_QUERY + 1):
        columns = np.flatnonzero(classes == level)
        if not len(columns):
            continue
        top = columns[np.argmax(means[:, columns], axis=1)]
        value = np.take_along_axis(means, top[:, None], 1)[:, 0]
        if level >= FUSED and not lowered:
            height, lowered, full = height - optimism, True, height + GAIN > end
        enough = value > height if level < DEAR else (value >= height + GAIN) & ~full
        best, height = np.where(enough, top, best), np.where(enough, value, height)
    return best


def optimism_of(values: np.ndarray, classes: np.ndarray, weights: np.ndarray | None = None, seed: int = 0) -> float:
    """By how much the mean of the best configuration that is no fusion is too high, for it was chosen by it.

    It is the difference to the corrected value of that choice. (To choose for each fold on the other folds, as a fusion
    is learned, gives about the same on the mean, and varies more.)
    """
    plain = classes < FUSED
    if plain.all() or not plain.any():
        return 0.0
    means = weighted_means(values[plain], weights)
    best = float(means[int(choose(means[None], classes[plain])[0])])
    return max(best - corrected(values[plain], classes[plain], weights, seed).mean, 0.0)


def weighted_means(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The mean of each row over the queries."""
    return np.average(values, axis=1, weights=weights)


def corrected(
    values: np.ndarray,
    classes: np.ndarray,
    weights: np.ndarray | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    level: float = 0.9,
    against: int | None = None,
    optimism: float = 0.0,
    end: float = np.inf,
) -> Estimate:
    """The value of what is chosen, corrected for the choosing; with ``against`` its difference to that row.

    ``values`` has a row for each configuration and a column for each query, larger is better. With one query there is
    no interval: its limits are NaN. For ``optimism`` and ``end`` see :func:`choose`.

    >>> values = np.random.default_rng(0).uniform(size=(30, 50))  # nothing is better than anything
    >>> estimate = corrected(values, np.full(30, PLAIN))
    >>> bool(estimate.mean < values.mean(axis=1).max()), bool(estimate.low < 0.5 < estimate.high)
    (True, True)
    """
    n = values.shape[1]
    weights = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    means = weighted_means(values, weights)
    top = int(choose(means[None], classes, optimism, end)[0])
    certain = float(means[top] - (0.0 if against is None else means[against]))
    if size_of(weights) < _MORE_THAN_ONE:  # nothing can be left out
        return Estimate(certain, np.nan, np.nan)
    rng = np.random.default_rng(seed)
    out: list[np.ndarray] = []
    lost: list[np.ndarray] = []
    for first in range(0, draws, _BATCH):
        drawn = np.stack([
            np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(min(_BATCH, draws - first))
        ])  # fmt: skip
        inside, outside = drawn * weights, (drawn == 0) * weights
        usable = (outside.sum(axis=1) > 0) & (inside.sum(axis=1) > 0)
        inside, outside = inside[usable], outside[usable]
        best = choose(inside @ values.T / inside.sum(axis=1, keepdims=True), classes, optimism, end)
        measured = outside @ values.T / outside.sum(axis=1, keepdims=True)
        picked = np.take_along_axis(measured, best[:, None], 1)[:, 0]
        out.append(picked if against is None else picked - measured[:, against])
        lost.append(picked - measured[:, top])
    sample = np.concatenate(out)
    mean = certain + float(np.concatenate(lost).mean())
    tail = (1 - level) / 2
    low, high = _SHRINK * (np.quantile(sample, [tail, 1 - tail]) - sample.mean())
    return Estimate(mean, mean + float(low), mean + float(high))


def size_of(weights: np.ndarray) -> float:
    """How many queries of equal weight are worth as much as these."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def interval(values: np.ndarray, weights: np.ndarray | None = None, level: float = 0.9) -> Estimate:
    """The mean over queries with the interval of Student's t, NaN for one query; not corrected for any choice.

    >>> interval(np.array([0.2, 0.4, 0.6]))
    Estimate(mean=0.4..., low=0.06..., high=0.73...)
    """
    from scipy.stats import t

    weights = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    mean = float(np.average(values, weights=weights))
    size = size_of(weights)
    if size < _MORE_THAN_ONE:
        return Estimate(mean, np.nan, np.nan)
    spread = float(np.sqrt(np.average((values - mean) ** 2, weights=weights) / (size - 1)))
    half = float(t.ppf((1 + level) / 2, size - 1)) * spread
    return Estimate(mean, mean - half, mean + half)


def within(estimate: Estimate, ends: tuple[float, float], n: float, level: float = 0.9) -> Estimate:
    """The estimate of a measure that goes from ``ends[0]`` to ``ends[1]``: its interval stays between them.

    An interval without width, for all n values were equal, is widened: as far as a share of other queries that n
    queries can miss with probability (1 − level)/2 could move the mean, were their values at the ends.

    >>> within(Estimate(0.98, 0.95, 1.01), (0.0, 1.0), 30)
    Estimate(mean=0.98, low=0.95, high=1.0)
    >>> within(Estimate(1.0, 1.0, 1.0), (0.0, 1.0), 30)
    Estimate(mean=1.0, low=0.90..., high=1.0)
    """
    mean, low, high = estimate
    if high - low <= _NO_WIDTH:
        unseen = 1 - ((1 - level) / 2) ** (1 / n)
        low, high = (mean + unseen * (end - mean) if np.isfinite(end) else mean for end in ends)
    low, high = np.clip([low, high], *ends)  # NaN stays
    return Estimate(mean, float(low), float(high))


def p_better(difference: np.ndarray, weights: np.ndarray | None = None) -> float:
    """The p-value of Student's paired test that the mean difference is above 0 (one-sided).

    It is never below 2^−n, the least that the signs of n differences can show; those that are 0 have none.

    >>> p_better(np.zeros(5)), p_better(np.ones(5)), p_better(np.array([0, 0, 0, 1.0, 1.0]))
    (1.0, 0.03125, 0.25)
    """
    from scipy.stats import t

    weights = np.ones(len(difference)) if weights is None else np.asarray(weights, np.float64)
    mean = float(np.average(difference, weights=weights))
    size = size_of(weights)
    if mean <= 0 or size < _MORE_THAN_ONE:
        return 1.0
    spread = float(np.sqrt(np.average((difference - mean) ** 2, weights=weights) / (size - 1)))
    by_signs = 0.5 ** size_of(weights[difference != 0])
    return by_signs if spread <= 1e-12 * mean else max(by_signs, float(t.sf(mean / spread, size - 1)))
