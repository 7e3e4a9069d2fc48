"""The papers' simplest baselines: one feature alone, and all features with equal weights."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import LinAlgWarning

from ..arrays import column
from ..data.ranking_data import Preferences, RankingData
from ..errors import InputError
from ..measures import evaluate, parse
from ..system.parallel import ordered_map, thread_count
from .base import LinearModel
from .training import AUTO, NothingLearnedWarning, inverse_deviations, times, warn_if_constant

_SHARE = 0.1  # of the documents: the penalty of alpha="auto"


class RegressionRanker(LinearModel):
    """Ridge regression of grades, or of gains 2^g − 1, on the features; the constant is fitted but not kept.

    Args:
        on: ``"grades"`` or ``"gains"``.
        alpha: the weight of the penalty ‖w‖². ``"auto"``: 0.1 × documents, with features scaled to deviation 1.
        normalise: a kind of :class:`~rankine.Normaliser`, fitted with the model and applied when it predicts.

    >>> RegressionRanker(alpha=0.0).fit([[0.0], [1.0], [2.0]], [0, 1, 2], qid=[1, 1, 1]).coef_.round(3)
    array([1.])
    """

    def __init__(self, on: str = "grades", alpha: float | str = AUTO, normalise: str | None = None) -> None:
        self.on = on
        self.alpha = alpha
        self.normalise = normalise

    def check_parameters(self) -> None:
        """Raise on a parameter that makes no sense."""
        super().check_parameters()
        if self.on not in ("grades", "gains"):
            raise InputError(f"on must be grades or gains, got {self.on!r}")
        if self.alpha != AUTO and (isinstance(self.alpha, str) or not self.alpha >= 0):
            raise InputError(f"alpha must be a number, at least 0, or 'auto'; got {self.alpha!r}")

    def fit(self, X: Any, y: Any = None, qid: Any = None, doc_weight: Any = None) -> RegressionRanker:
        """Learn from arrays, or from a :class:`~rankine.RankingData`; ``doc_weight`` multiplies the squared errors."""
        from sklearn.linear_model import Ridge

        self.check_parameters()
        data = self.training_data(X, y, qid)
        data, weights = self._weighted(data, X, doc_weight)
        target = data.y if self.on == "grades" else 2.0**data.y - 1
        scale = inverse_deviations(data.X) if self.alpha == AUTO else np.ones(data.n_features)
        alpha = _SHARE * data.n_documents if isinstance(self.alpha, str) else self.alpha
        features = data.X if self.alpha != AUTO else times(data.X, scale)
        try:
            with np.errstate(over="ignore", invalid="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", LinAlgWarning)  # features that depend on each other are no news
                self.coef_ = scale * np.asarray(Ridge(alpha=alpha).fit(features, target, weights).coef_, np.float64)
        except ValueError:  # squares that are too large even for scikit-learn's own precision
            raise InputError("features are too large to be squared: scale them down") from None
        warn_if_constant(self._scores(data.X), data)
        return self


def regression_weights(data: RankingData) -> np.ndarray:
    """The weights of least squares on the grades, where another ranker begins; what is to be said, that one says."""
    if isinstance(data.y, Preferences):
        raise InputError("a regression needs grades, the data has a preference graph")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingLearnedWarning)
        return RegressionRanker(alpha=1e-6).fit(data).coef_


# -- The papers' simplest baselines: one feature alone, and all features with equal weights


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
