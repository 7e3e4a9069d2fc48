"""The papers' simplest baselines: one feature alone, and all features with equal weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import column
from ..data.ranking_data import RankingData
from ..measures import evaluate, parse
from ..system.parallel import ordered_map, thread_count
from .linear_model import LinearModel


def feature_performances(data: RankingData, measure: str, both_signs: bool = False) -> np.ndarray:
    """The measure of every feature as a ranker, for every query: one row per feature, then per negated feature.

    Computed once and used again: AdaRank's rounds look only at this table. For a measure of errors it is 1 − value.

    >>> data = RankingData([[0.1, 2.0], [0.9, 1.0]], [0, 1], [1, 1])
    >>> feature_performances(data, "RR")
    array([[1. ],
           [0.5]])
    """
    name = str(parse(measure))
    signed_features = [(f, sign) for sign in ((1, -1) if both_signs else (1,)) for f in range(data.n_features)]

    def one(signed: tuple[int, int]) -> np.ndarray:
        f, sign = signed
        return performances(data, sign * column(data.X, f, np.float64), name, threads=1)

    return np.stack(list(ordered_map(one, signed_features, thread_count())))


def performances(data: RankingData, scores: np.ndarray, measure: str, threads: int | None = None) -> np.ndarray:
    """The measure of each query, larger is better: errors as 1 − value."""
    values = evaluate(measure, data.y, scores, data.qid, threads=threads).per_query[measure]
    return 1 - values if parse(measure).is_error else values


class SingleFeature(LinearModel):
    """The feature that ranks the training queries best on its own.

    Args:
        measure: by which the best feature is chosen.
        both_signs: also try each feature the other way round.

    >>> SingleFeature().fit([[0.0, 5.0], [1.0, 4.0], [2.0, 6.0]], [0, 1, 2], qid=[1, 1, 1]).feature_
    0
    """

    def __init__(self, measure: str = "nDCG@10", both_signs: bool = False) -> None:
        self.measure = measure
        self.both_signs = both_signs

    @property
    def _measure(self) -> str:
        return self.measure

    def check_parameters(self) -> None:
        """Raise on a parameter that makes no sense."""
        super().check_parameters()
        parse(self.measure)

    def fit(self, X: Any, y: Any = None, qid: Any = None) -> SingleFeature:
        """Learn from arrays, or from a :class:`~rankine.RankingData`."""
        self.check_parameters()
        data = self.training_data(X, y, qid)
        best = int(np.argmax(feature_performances(data, self.measure, self.both_signs).mean(axis=1)))
        self.feature_, sign = best % data.n_features, 1.0 if best < data.n_features else -1.0
        self.coef_ = np.zeros(data.n_features)
        self.coef_[self.feature_] = sign
        return self

    def _set_state(self, content: dict[str, Any]) -> None:
        super()._set_state(content)
        self.feature_ = int(np.argmax(np.abs(self.coef_)))


class UniformFusion(LinearModel):
    """The mean of all features, brought to one scale by the normaliser; nothing but that scale is learned.

    Args:
        normalise: a kind of :class:`~rankine.Normaliser`, or None for features that have one scale already.

    >>> UniformFusion().fit([[0.0, 5.0], [1.0, 4.0], [2.0, 9.0]], [0, 1, 2], qid=[1, 1, 1]).coef_
    array([0.5, 0.5])
    """

    def __init__(self, normalise: str | None = "zscore") -> None:
        self.normalise = normalise

    def fit(self, X: Any, y: Any = None, qid: Any = None) -> UniformFusion:
        """Learn from arrays, or from a :class:`~rankine.RankingData`."""
        data = self.training_data(X, y, qid)
        self.coef_ = np.full(data.n_features, 1 / data.n_features)
        return self
