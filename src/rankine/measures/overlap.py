r"""How much two rankings of the same documents differ, without any judgments.

Rank-biased overlap (Webber, Moffat & Zobel 2010) is the expected agreement of the two tops seen by someone who looks
one rank further with probability p. Here both rankings hold the same m documents, so that it needs no extrapolation
beyond them: the overlap at depth m is 1, and stays so.

.. math:: (1 - p) \sum_{d=1}^{m} p^{d-1} \frac{|A_{1..d} \cap B_{1..d}|}{d} + p^m
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError


@dataclass(frozen=True)
class Drift:
    """The change between two models by query: rank-biased overlap, and the share of the top k that is new."""

    queries: np.ndarray
    overlap: np.ndarray
    turnover: np.ndarray
    moved: np.ndarray  # mean absolute change of rank
    first_changed: np.ndarray  # whether another document comes first
    p: float
    k: int


def rank_biased_overlap(a: Any, b: Any, p: float = 0.9) -> float:
    """The rank-biased overlap of two rankings of the same documents, best first.

    >>> rank_biased_overlap([1, 2, 3], [1, 2, 3]), round(rank_biased_overlap([1, 2], [2, 1], p=0.5), 3)
    (1.0, 0.5)
    """
    first, second = np.asarray(a).tolist(), np.asarray(b).tolist()
    if sorted(map(repr, first)) != sorted(map(repr, second)) or len(set(map(repr, first))) < len(first):
        raise InputError("rank-biased overlap here is of two rankings of the same documents, each once")
    if not 0 < p < 1:
        raise InputError(f"p must lie between 0 and 1, got {p!r}")
    place = {repr(x): r for r, x in enumerate(second)}
    ranks = np.array([place[repr(x)] for x in first], np.int64)
    return float(_overlap(ranks, p))


def _overlap(ranks: np.ndarray, p: float) -> float:
    """``ranks[r]`` is where the document at rank r of the first ranking stands in the second."""
    m = len(ranks)
    depth = np.maximum(ranks, np.arange(m))  # from this depth on a document is in both tops
    common = np.cumsum(np.bincount(depth, minlength=m))
    weights = (1 - p) * p ** np.arange(m)
    return float(weights @ (common / np.arange(1, m + 1)) + p**m)


def drift(scores_a: Any, scores_b: Any, qid: Any, ptr: np.ndarray, p: float = 0.9, k: int = 10) -> Drift:
    """The change from the ranking by some scores to the ranking by others; equal scores stay in input order."""
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    if not 0 < p < 1:
        raise InputError(f"p must lie between 0 and 1, got {p!r}")
    a, b = np.asarray(scores_a, float), np.asarray(scores_b, float)
    if not a.shape == b.shape == (int(ptr[-1]),) or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError(f"expected {ptr[-1]} finite scores of each model, got {a.shape} and {b.shape}")
    values = []
    for lo, hi in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True):
        first, second = (np.argsort(-s[lo:hi], kind="stable") for s in (a, b))
        place = np.empty(hi - lo, np.int64)
        place[second] = np.arange(hi - lo)
        ranks, cut = place[first], min(k, hi - lo)
        values.append((_overlap(ranks, p), float((ranks[:cut] >= cut).mean()),
                      float(np.abs(ranks - np.arange(hi - lo)).mean()), float(first[0] != second[0])))  # fmt: skip
    overlap, turnover, moved, top = np.array(values).T
    return Drift(np.asarray(qid)[ptr[:-1]], overlap, turnover, moved, top.astype(bool), p, k)
