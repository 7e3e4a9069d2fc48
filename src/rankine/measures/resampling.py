"""Resampling of many rows of differences at once: signs and samples of queries are drawn once for all rows.

A row holds the differences of two systems on the same queries. One matrix product with the signs (or with how often a
sample has each query) gives the sums of all rows, so 45 pairs of systems cost little more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

DRAWS = 99_999  # of signs
SAMPLES = 9_999  # of queries
_BATCH = 1 << 22
_ROWS = 256  # at once
_EXACT = 16  # differences: all patterns of signs are tried

Update = Callable[[int], None]


def randomisation(rows: np.ndarray, seed: int, draws: int = DRAWS, update: Update = lambda done: None) -> np.ndarray:
    """The p-value of each row by the paired randomisation test (Fisher).

    If the systems are alike, the signs of the differences are exchangeable. Exact over all 2^n patterns of signs for up
    to 16 differences that are not 0, else (1 + hits)/(1 + draws). ``update`` is told how many rows are done.

    >>> randomisation(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]), seed=0)
    array([0.25, 1.  ])
    """
    p = np.ones(len(rows))
    observed = np.abs(rows.sum(axis=1)) * (1 - 1e-12)
    several = np.count_nonzero(rows, axis=1)
    few = np.flatnonzero((several > 0) & (several <= _EXACT))
    for done, i in enumerate(few):
        d = rows[i][rows[i] != 0]
        signs = 1 - 2 * ((np.arange(2 ** len(d))[:, None] >> np.arange(len(d))) & 1)
        p[i] = (np.abs(signs @ d) >= observed[i]).mean()
        update(done + 1)
    many = np.flatnonzero(several > _EXACT)
    for some in _groups(many):
        hits = np.zeros(len(some))
        columns, totals = np.ascontiguousarray(rows[some].T), rows[some].sum(axis=1)
        rng = np.random.default_rng(seed)
        for n in _batches(draws, rows.shape[1]):
            flips = (rng.random((n, rows.shape[1]), np.float32) < 0.5).astype(np.float64)
            hits += (np.abs(totals - 2 * (flips @ columns)) >= observed[some]).sum(axis=0)
        p[some] = (1 + hits) / (1 + draws)
        update(len(few) + int(np.searchsorted(many, some[-1])) + 1)
    return p


def mean_intervals(
    rows: np.ndarray, confidence: float, seed: int, update: Update = lambda done: None
) -> list[tuple[float, float]]:
    """Bootstrap intervals (BCa, Efron 1987) of the mean of each row; the mean itself where all numbers are equal."""
    out = [(float(row.mean()),) * 2 for row in rows]
    varied = np.flatnonzero(np.ptp(rows, axis=1) > 0) if rows.shape[1] > 1 else np.zeros(0, np.int64)
    for some in _groups(varied):
        columns = np.ascontiguousarray(rows[some].T)
        rng = np.random.default_rng(seed)
        means = np.concatenate([_times(rng, n, rows.shape[1]) @ columns for n in _batches(SAMPLES, rows.shape[1])])
        means /= rows.shape[1]
        for i, of_row in zip(some, means.T, strict=True):
            out[i] = _bca(rows[i], of_row, confidence)
        update(int(np.searchsorted(varied, some[-1])) + 1)
    return out


def _times(rng: np.random.Generator, samples: int, n: int) -> np.ndarray:
    """How often each sample, with replacement, has each query."""
    index = rng.integers(0, n, (samples, n)) + np.arange(samples)[:, None] * n
    return np.bincount(index.ravel(), minlength=samples * n).reshape(samples, n).astype(np.float64)


def _bca(row: np.ndarray, means: np.ndarray, confidence: float) -> tuple[float, float]:
    r"""The bias-corrected and accelerated interval: quantiles of the samples' means at

    :math:`\Phi(z_0 + (z_0 + z_\alpha)/(1 - a(z_0 + z_\alpha)))`, where :math:`z_0` is from the share of means below the
    row's own and a from the skewness of the jackknife; at plain α where that is not a number.
    """
    from scipy.special import ndtr, ndtri

    mean, n, alpha = row.mean(), len(row), (1 - confidence) / 2
    z0 = ndtri(((means < mean).sum() + (means <= mean).sum()) / (2 * len(means)))
    jackknife = (row.sum() - row) / (n - 1)
    lever = (n - 1) * (jackknife.mean() - jackknife)
    with np.errstate(invalid="ignore", divide="ignore"):
        a = (lever**3).sum() / n**3 / (6 * ((lever**2).sum() / n**2) ** 1.5)
        z = z0 + np.array([ndtri(alpha), -ndtri(alpha)])
        shares = ndtr(z0 + z / (1 - a * z))
    if not np.isfinite(shares).all():
        shares = np.array([alpha, 1 - alpha])
    low, high = np.percentile(means, 100 * shares)
    return float(low), float(high)


def _groups(numbers: np.ndarray) -> Iterator[np.ndarray]:
    """Numbers of rows, so many at a time that their sums fit."""
    for start in range(0, len(numbers), _ROWS):
        yield numbers[start : start + _ROWS]


def _batches(draws: int, n: int) -> Iterator[int]:
    """Numbers of draws that add up to all of them."""
    step = max(_BATCH // max(n, _ROWS), 1)
    for start in range(0, draws, step):
        yield min(step, draws - start)
