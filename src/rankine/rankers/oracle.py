"""The oracle of a linear scorer: the two places where features meet a loss, X @ w and X.T @ g."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class LinearOracle:
    """R(w) = Σ_q weight_q · loss_q(Xw), for any loss that is a function of scores."""

    def __init__(
        self, X: Any, prepared: Callable[[np.ndarray], Any], ptr: np.ndarray, query_weight: np.ndarray | None
    ) -> None:
        self.X, self.size, self.prepared = X, X.shape[1], prepared
        self.query_weight = query_weight
        self.row_weight = None if query_weight is None else np.repeat(query_weight, np.diff(ptr))

    def scores(self, w: np.ndarray) -> np.ndarray:
        """X @ w in the precision of X."""
        return np.asarray(self.X @ w.astype(self.X.dtype, copy=False), np.float64)

    def _loss(self, scores: np.ndarray) -> tuple[float, np.ndarray]:
        values, grad = self.prepared(scores)
        if self.query_weight is None:
            return float(values.sum()), grad
        return float(values @ self.query_weight), grad * self.row_weight

    def value_grad(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """R(w) and a subgradient."""
        value, grad = self._loss(self.scores(w))
        return value, np.asarray(self.X.T @ grad.astype(self.X.dtype, copy=False), np.float64)

    def along(self, w: np.ndarray, d: np.ndarray) -> Callable[[float], tuple[float, float]]:
        """R on the line w + t·d: two products with X for the whole line."""
        at, step = self.scores(w), self.scores(d)

        def on_line(t: float) -> tuple[float, float]:
            value, grad = self._loss(at + t * step)
            return value, float(grad @ step)

        return on_line
