"""Models whose scores are weighted sums of features."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import as_numbers
from ..data.ranking_data import RankingData
from ..errors import InputError
from ..system.records import Finite
from .base import Ranker


class LinearState(TypedDict):
    """What is stored of a linear model."""

    coef: list[Finite]


class LinearModel(Ranker):
    """A scorer X @ coef_."""

    form = "linear"
    _schema: Any = LinearState
    coef_: np.ndarray

    def layers(self) -> list[tuple[np.ndarray, np.ndarray | None]]:
        """The scorer as a network of one layer: weights, and no bias."""
        return [(self.coef_[None], None)]

    def _scores(self, X: Any) -> np.ndarray:
        return np.asarray(X @ self.coef_.astype(X.dtype, copy=False), np.float64)

    def _state(self) -> dict[str, Any]:
        return {"coef": self.coef_.tolist()}

    def _set_state(self, content: dict[str, Any]) -> None:
        self.coef_ = np.array(content["coef"], np.float64)
        if not len(self.coef_):
            raise InputError("not a model: it has no features")
        self.n_features_in_ = len(self.coef_)

    def explain(self, x: Any) -> list[tuple[str, float]]:
        """What each feature adds to the score of one row, largest first; with the names where they are known.

        >>> from rankine import LinearRanker
        >>> model = LinearRanker(C=10).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1], qid=[1, 1])
        >>> [name for name, _ in model.explain([1.0, 0.0])]
        ['0', '1']
        """
        check_is_fitted(self)
        row = as_numbers(x, "x")
        if len(row) != self.n_features_in_:
            raise InputError(f"the model has {self.n_features_in_} features, x has {len(row)}")
        if self.normaliser_ is not None:
            if self.normaliser_.by_query:
                raise InputError(f"{self.normaliser_!r} depends on the whole query: explain a row after normalising it")
            row = self.normaliser_.apply(RankingData(row[None], [0], [0])).X[0]
        names = getattr(self, "feature_names_in_", range(len(row)))
        parts = [(str(n), float(v)) for n, v in zip(names, row * self.coef_, strict=True)]
        return sorted(parts, key=lambda part: -abs(part[1]))
