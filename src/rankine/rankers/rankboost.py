r"""RankBoost (Freund, Iyer, Schapire & Singer 2003) with threshold weak rankers.

A distribution D over the pairs (i, j) of a query in which i has the higher grade is kept implicitly,
:math:`D(i, j) \propto e^{H_j - H_i}`. A weak ranker h(x) = [x_f > θ] has
:math:`r = \sum_{i,j} D(i, j)(h(i) - h(j)) = \sum_i \pi_i h(i)` with the potential
:math:`\pi_i = \sum_{j < i} D(i, j) - \sum_{k > i} D(k, i)`, so one histogram of π per feature finds the best threshold.
Its weight is :math:`\alpha = \tfrac12 \ln \frac{1 + r}{1 - r}`, negative for a feature that ranks the wrong way round.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np
from msgspec import Meta
from sklearn.base import clone

from ..arrays import check_whole, column
from ..data.ranking_data import Preferences, RankingData
from ..errors import InputError
from ..losses.pairwise import levels_of, pairs_of
from ..losses.pairwise_kernels import order_by_level
from ..system.parallel import shared_map, thread_count
from ..system.progress import bar
from ..system.records import Count, Finite
from . import rankboost_kernels as kn
from .base import Ranker
from .training import warn_if_constant

_PERFECT = 1e-10
_SAMPLE = 100_000


class Stump(NamedTuple):
    """A weak ranker: alpha where the feature is above the threshold."""

    feature: int
    threshold: float
    alpha: float


class RankBoostState(TypedDict):
    """What is stored of RankBoost."""

    n_features: Annotated[int, Meta(ge=1, le=2**31)]
    stumps: list[tuple[Count, Finite, Finite]]


class RankBoost(Ranker):
    """Boost thresholds of single features on pairs of different grade.

    Args:
        n_rounds: how many thresholds.
        n_bins: the most thresholds that are tried for a feature: all between its values, or that many quantiles.
        by_query: give every query the same weight instead of every pair.
        normalise: a kind of :class:`~rankine.Normaliser`, fitted with the model and applied when it predicts.

    >>> X, y, qid = [[0.1], [0.9], [0.4]], [0, 2, 1], [1, 1, 1]
    >>> RankBoost(n_rounds=10).fit(X, y, qid=qid).rank(X, qid)
    array([1, 2, 0])
    """

    _schema = RankBoostState

    def __init__(
        self, n_rounds: int = 50, n_bins: int = 255, by_query: bool = True, normalise: str | None = None
    ) -> None:
        self.n_rounds = n_rounds
        self.n_bins = n_bins
        self.by_query = by_query
        self.normalise = normalise

    def check_parameters(self) -> None:
        """Raise on a parameter that makes no sense."""
        super().check_parameters()
        check_whole("n_rounds", self.n_rounds, 1)
        check_whole("n_bins", self.n_bins, 1, 255)

    def fit(self, X: Any, y: Any = None, qid: Any = None) -> RankBoost:
        """Learn from arrays, or from a :class:`~rankine.RankingData`."""
        self.check_parameters()
        data = self.training_data(X, y, qid)
        if isinstance(data.y, Preferences):
            raise InputError("RankBoost learns from grades, got a preference graph")
        bins, edges = _binned(data, self.n_bins)
        level, n_levels = levels_of(np.ascontiguousarray(data.y, np.float64), data.ptr)
        members, below = np.empty(len(level), np.int64), np.empty(len(level), np.int64)
        order_by_level(level, n_levels, data.ptr, members, below)
        pairs = pairs_of(level, n_levels, data.ptr)
        weight = np.where(pairs > 0, 1 / np.maximum(pairs, 1), 0.0) if self.by_query else np.ones(len(pairs))
        H, pi = np.zeros(data.n_documents), np.empty(data.n_documents)
        sums = np.empty((data.n_features, self.n_bins + 1))
        tasks = [(f, min(f + 8, data.n_features)) for f in range(0, data.n_features, 8)]
        stumps: list[Stump] = []
        first = 0.0
        with bar("RankBoost", self.n_rounds) as update:
            for t in range(self.n_rounds):
                total = kn.potentials(H, members, below, data.ptr, weight, pi)
                first = max(first, total)
                if total <= 1e-12 * first:  # nothing to rank, or every pair is right by a wide margin
                    break
                shared_map(
                    lambda task: kn.histograms(bins, *task, pi, self.n_bins + 1, sums), tasks, thread_count()
                )  # fmt: skip
                r = np.cumsum(sums[:, :0:-1], axis=1)[:, ::-1] / total  # r[f, b]: above edge b of feature f
                r[~np.isfinite(edges)] = 0.0
                f, b = np.unravel_index(int(np.argmax(np.abs(r))), r.shape)
                best = float(np.clip(r[f, b], -1, 1))
                if abs(best) < 1e-12:
                    break
                alpha = 0.5 * np.log((1 + best + _PERFECT) / (1 - best + _PERFECT))
                stumps.append(Stump(int(f), float(edges[f, b]), float(alpha)))
                H += alpha * (bins[f] > b)
                update(t + 1)
        self.stumps_ = tuple(stumps)
        advice = "No threshold of a feature ranks better than chance. AutoRanker compares rankers on the data"
        warn_if_constant(H, data, advice)
        return self

    def sweep(self, name: str, values: Sequence[Any], data: RankingData, **options: Any) -> list[Any]:
        """A fitted copy for each value of a parameter; numbers of rounds are stages of one fit."""
        if name != "n_rounds":
            return super().sweep(name, values, data, **options)
        whole = clone(self).set_params(n_rounds=max(values)).fit(data, **options)
        models = [copy.copy(whole).set_params(n_rounds=value) for value in values]
        for model in models:
            model.stumps_ = whole.stumps_[: model.n_rounds]
        return models

    def _scores(self, X: Any) -> np.ndarray:
        out = np.zeros(X.shape[0])
        by_feature: dict[int, list[Stump]] = {}
        for stump in self.stumps_:
            by_feature.setdefault(stump.feature, []).append(stump)
        for f, mine in by_feature.items():
            values = column(X, f, np.float64)
            thresholds = np.array([s.threshold for s in mine])
            order = np.argsort(thresholds)
            steps = np.concatenate([[0.0], np.cumsum(np.array([s.alpha for s in mine])[order])])
            out += steps[np.searchsorted(thresholds[order], values, side="left")]
        return out

    def _state(self) -> dict[str, Any]:
        return {"n_features": int(self.n_features_in_), "stumps": [list(s) for s in self.stumps_]}

    def _set_state(self, content: dict[str, Any]) -> None:
        self.n_features_in_ = content["n_features"]
        self.stumps_ = tuple(Stump(*stump) for stump in content["stumps"])
        if any(s.feature >= self.n_features_in_ for s in self.stumps_):
            raise InputError("not a RankBoost: a threshold of a feature that the model has not")


def _binned(data: RankingData, n_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Features as bin numbers, feature by feature, and the upper edges of the bins (infinite where there is none).

    A value v falls into bin b if edge[b − 1] < v ≤ edge[b]; an edge lies halfway between two values that occur. Where
    there are very many rows, edges are taken from an even sample of them.
    """
    bins = np.empty((data.n_features, data.n_documents), np.uint8)
    edges = np.full((data.n_features, n_bins), np.inf)
    stride = max(data.n_documents // _SAMPLE, 1)

    def one(f: int) -> None:
        values = column(data.X, f, np.float64)
        sample = values[::stride]
        distinct = np.unique(sample)
        cuts = distinct[:-1] + 0.5 * np.diff(distinct)
        if len(cuts) > n_bins:
            quantiles = np.quantile(sample, np.linspace(0, 1, n_bins + 2)[1:-1])
            cuts = np.unique(cuts[np.minimum(np.searchsorted(cuts, quantiles), len(cuts) - 1)])
        edges[f, : len(cuts)] = cuts
        kn.place(values, cuts, bins, f)

    shared_map(one, range(data.n_features), thread_count())
    return bins, edges
