"""How steep a loss is and how large it can be, on given judgments: the constants that risk bounds are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Constants(NamedTuple):
    """Of each query: the largest norm ``l2`` of the loss's gradient by the scores; its largest value is
    ``base`` + ``l1`` · (the largest |score|); both times exp(``log_times``).
    """

    l2: np.ndarray
    l1: np.ndarray
    base: np.ndarray
    log_times: np.ndarray
    sizes: list[list[int]]  # of each query's levels, best first

    def log_largest(self, log_score: float) -> float:
        """The logarithm of the largest loss of any query while no score is larger than exp(``log_score``)."""
        with np.errstate(divide="ignore"):
            return float((np.logaddexp(np.log(self.base), np.log(self.l1) + log_score) + self.log_times).max())


def constants_of_pairs(sizes: list[list[int]], weighted: bool, norm: bool) -> Constants:
    """Hinges of pairs, with margin 1 or (``weighted``) |r/y_i − r/y_j|; over the number of pairs where ``norm``.

    A document pulls one way for the active pairs in which it is better, the other way for the others.
    """
    rows = []
    for query in sizes:
        below, above, squares = sum(query), 0, 0
        for size in query:
            below -= size
            squares += size * max(below, above) ** 2
            above += size
        pairs = count_pairs(query)
        margins = weighted_pairs(query) if weighted else pairs
        over = max(pairs, 1) if norm else 1
        rows.append((squares**0.5 / over, 2 * pairs / over, margins / over))
    l2, l1, base = np.array(rows, float).T
    return Constants(l2, l1, base, np.zeros(len(sizes)), sizes)


def reach_of_weights(A: Sequence[float], target: Sequence[float] | None = None) -> tuple[float, float]:
    """The largest Euclidean norm and sum of |A(π) − target| over all rankings: at the opposite order.

    >>> reach_of_weights([2.0, 1.0, 0.0])
    (2.828..., 4.0)
    """
    opposite = zip(sorted(A), sorted(A if target is None else target, reverse=True), strict=True)
    far = [abs(a - b) for a, b in opposite]
    return math.hypot(*far), sum(far)


def reach_of_levels(sizes: Sequence[int], scale: float, free: bool = False) -> tuple[float, float]:
    """The same for the maps that count pairs of different level: a document's weight lies within ± its pairs.

    The target's weight is fixed, or (``free``) that of any ranking.
    """
    m, above, far = sum(sizes), 0, []
    for size in sizes:
        below = m - above - size
        far.append((size, scale * (above + below + (above + below if free else abs(below - above)))))
        above += size
    return math.sqrt(sum(size * f * f for size, f in far)), sum(size * f for size, f in far)


def count_pairs(sizes: Sequence[int]) -> int:
    """The number of pairs of different level."""
    m = sum(sizes)
    return (m * m - sum(s * s for s in sizes)) // 2


def weighted_pairs(sizes: Sequence[int]) -> float:
    """Σ |r/y_i − r/y_j| over the pairs of different level: the largest position-weighted error."""
    r, total, above, weight = len(sizes), 0.0, 0, 0.0
    for y, size in enumerate(sizes, 1):
        total += size * (weight - above * r / y)
        above, weight = above + size, weight + size * r / y
    return total
