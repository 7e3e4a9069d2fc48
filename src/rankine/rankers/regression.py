"""Least-squares regression on grades: the papers' first baseline and usual starting point."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import LinAlgWarning

from ..data.ranking_data import Preferences, RankingData
from ..errors import InputError
from .inner import AUTO, NothingLearnedWarning, inverse_deviations, times, warn_if_constant
from .linear_model import LinearModel

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
