"""Least-squares regression on grades: the papers' first baseline and usual starting point."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from .base import LinearModel


class RegressionRanker(LinearModel):
    """Ridge regression of grades, or of gains 2^g − 1, on the features; the constant is fitted but not kept.

    Args:
        on: ``"grades"`` or ``"gains"``.
        alpha: the weight of the penalty ‖w‖².
        normalise: a kind of :class:`~rankine.Normaliser`, fitted with the model and applied when it predicts.

    >>> RegressionRanker().fit([[0.0], [1.0], [2.0]], [0, 1, 2], qid=[1, 1, 1]).coef_.round(3)
    array([1.])
    """

    def __init__(self, on: str = "grades", alpha: float = 1e-6, normalise: str | None = None) -> None:
        self.on = on
        self.alpha = alpha
        self.normalise = normalise

    def check_parameters(self) -> None:
        """Raise on a parameter that makes no sense."""
        super().check_parameters()
        if self.on not in ("grades", "gains"):
            raise InputError(f"on must be grades or gains, got {self.on!r}")
        if not self.alpha >= 0:
            raise InputError(f"alpha must be at least 0, got {self.alpha!r}")

    def fit(self, X: Any, y: Any = None, qid: Any = None, doc_weight: Any = None) -> RegressionRanker:
        """Learn from arrays, or from a :class:`~rankine.RankingData`; ``doc_weight`` multiplies the squared errors."""
        from sklearn.linear_model import Ridge

        self.check_parameters()
        data = self.training_data(X, y, qid)
        data, weights = self._weighted(data, X, doc_weight)
        target = data.y if self.on == "grades" else 2.0**data.y - 1
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                self.coef_ = np.asarray(Ridge(alpha=self.alpha).fit(data.X, target, weights).coef_, np.float64)
        except ValueError:  # squares that are too large even for scikit-learn's own precision
            raise InputError("features are too large to be squared: scale them down") from None
        return self
