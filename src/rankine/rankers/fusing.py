"""Fusion as a candidate: for each fold the members are chosen and the weights learned on the other folds."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ..data.ranking_data import RankingData
from .choosing import FUSED, FUSED_BY_QUERY, p_better, weighted_means
from .contest import Configuration
from .folds import seeded
from .fused import Fusion, learn_fusion, spread, standardised
from .fusion import performances

WORSE = 0.05  # the p-value below which a candidate is shown to be worse
POOL = 10  # configurations that a fusion chooses its members from: the best of each of the best candidates


def fusion_folds(folds: np.ndarray, seed: int = 0) -> np.ndarray:
    """The folds of fusions: those of the candidates; one fold alone is split, for no member has learned from it.

    >>> fusion_folds(np.array([0, 1, 1])), len(set(fusion_folds(np.zeros(9, int)).tolist()))
    (array([0, 1, 1]), 5)
    """
    if folds.max() > 0 or len(folds) < 2:
        return folds
    return seeded(len(folds), min(5, len(folds)), seed)


def fused_configurations(
    configurations: Sequence[Configuration], data: RankingData, folds: np.ndarray, measure: str,
    weights: np.ndarray | None, by_query: bool,
) -> list[Configuration]:  # fmt: skip
    """The fusion of configurations with one scale for all queries and, if ``by_query``, with one for each query.

    ``data`` holds the judged queries, ``folds`` the fold of each, as :func:`fusion_folds` gives them.
    """
    n_folds = int(folds.max()) + 1
    if len({c.name for c in configurations}) < 2 or n_folds < 2:
        return []
    kinds = [False, True] if by_query else [False]
    return [_fused(list(configurations), data, folds, n_folds, measure, weights, kind) for kind in kinds]


def _fused(
    configurations: list[Configuration], data: RankingData, folds: np.ndarray, n_folds: int, measure: str,
    weights: np.ndarray | None, by_query: bool,
) -> Configuration:  # fmt: skip
    began = time.perf_counter()
    values = np.empty(data.n_queries)
    scores = np.empty(data.n_documents, np.float32)
    lengths = np.diff(data.ptr)
    for fold in range(n_folds):
        out = folds == fold
        pool, fusion, scales = _learned(configurations, data, ~out, measure, weights, by_query)
        rows, held_out = np.repeat(out, lengths), data.subset(out)
        total = np.zeros(held_out.n_documents)
        for m, weight in zip(fusion.members, fusion.weights, strict=True):
            total += weight * _scaled(pool[m].scores[rows], held_out.ptr, scales[m], by_query)
        scores[rows] = total
        values[out] = performances(held_out, total, measure)
    pool, fusion, scales = _learned(configurations, data, np.ones(data.n_queries, bool), measure, weights, by_query)
    members = tuple(pool[m] for m in fusion.members)
    name = "fusion by query" if by_query else "fusion"
    shares = {m.name: f"{w:.2f}" for m, w in zip(members, fusion.weights, strict=True)}
    seconds = time.perf_counter() - began
    return Configuration(
        name, shares, FUSED_BY_QUERY if by_query else FUSED, values, scores, seconds, None, 0, members, fusion.weights,
        tuple(scales[m] for m in fusion.members), by_query,
    )  # fmt: skip


def _learned(
    configurations: list[Configuration], data: RankingData, inside: np.ndarray, measure: str,
    weights: np.ndarray | None, by_query: bool,
) -> tuple[list[Configuration], Fusion, list[float]]:  # fmt: skip
    """The pool, the fusion of it that is best on the queries ``inside``, and the scale of each of the pool."""
    part = data.subset(inside)
    rows = np.repeat(inside, np.diff(data.ptr))
    of_part = None if weights is None else weights[inside]
    pool = _pool(configurations, inside, of_part)
    scales = [spread(c.scores[rows].astype(np.float64), part.ptr) for c in pool]
    columns = np.stack([_scaled(c.scores[rows], part.ptr, s, by_query) for c, s in zip(pool, scales, strict=True)])
    return pool, learn_fusion(columns, part, measure, of_part), scales


def _pool(configurations: list[Configuration], inside: np.ndarray, weights: np.ndarray | None) -> list[Configuration]:
    """The best configuration of each candidate on the queries ``inside``, the best candidates first.

    A candidate that is shown to be worse than the best one is left out.
    """
    means = weighted_means(np.stack([c.values[inside] for c in configurations]), weights)
    best: dict[str, int] = {}
    for i, c in enumerate(configurations):
        if c.name not in best or means[i] > means[best[c.name]]:
            best[c.name] = i
    order = sorted(best.values(), key=lambda i: -means[i])
    top = configurations[order[0]].values[inside]
    good = [i for i in order if i == order[0] or p_better(top - configurations[i].values[inside], weights) >= WORSE]
    return [configurations[i] for i in good[:POOL]]


def _scaled(scores: np.ndarray, ptr: np.ndarray, scale: float, by_query: bool) -> np.ndarray:
    numbers = scores.astype(np.float64)
    return standardised(numbers, ptr) if by_query else numbers / scale
