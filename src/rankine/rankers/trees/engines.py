"""The libraries that boost trees, as engines of :class:`~rankine.BoostedRanker`; scores begin at 0."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...adapters.boosting import Gradients, Metric
from ...arrays import dense
from ...data.ranking_data import RankingData
from ...errors import InputError, in_one_line, needs
from .validation import check_lightgbm, check_xgboost


class TreeSettings(NamedTuple):
    """Settings of a run: those of :class:`~rankine.BoostedRanker`, features by number."""

    trees: int
    patience: int
    leaves: int
    rate: float
    documents: int
    feature_share: float
    document_share: float
    monotone: list[int]  # a sign for each feature, or empty
    categorical: list[int]
    threads: int | None
    seed: int
    params: dict[str, Any]


class Held(NamedTuple):
    """Validation data, and the measure that decides on it when to stop."""

    data: RankingData
    metric: Metric


class Engine:
    """A library that boosts trees."""

    package: str

    def __init__(self) -> None:
        self.library = needs(self.package, "boost")

    def train(
        self, data: RankingData, objective: Gradients, held: Held | None, settings: TreeSettings
    ) -> tuple[Any, list[float]]:
        """A booster, and the measure on the validation data after each tree."""
        raise NotImplementedError

    def size(self, booster: Any) -> int:
        """The number of trees."""
        raise NotImplementedError

    def predict(self, booster: Any, X: Any, trees: int) -> np.ndarray:
        """Scores by the first ``trees`` trees."""
        raise NotImplementedError

    def to_text(self, booster: Any) -> str:
        """A booster as text."""
        raise NotImplementedError

    def from_text(self, text: str, features: int) -> Any:
        """The booster that :meth:`to_text` wrote, of so many features; raise InputError if it is another text."""
        raise NotImplementedError


_SHARES = {  # names of the shares of features and documents that each tree sees, which ``params`` may hold
    "feature_share": ("feature_fraction", "sub_feature", "colsample_bytree"),
    "document_share": ("bagging_fraction", "sub_row", "subsample", "bagging", "bagging_freq", "subsample_freq"),
}


def _shares(s: TreeSettings, feature: str, document: str) -> dict[str, Any]:
    """The shares of features and documents of a tree under the library's names, unless ``params`` has them."""
    values = {"feature_share": (feature, s.feature_share), "document_share": (document, s.document_share)}
    return {name: value for own, (name, value) in values.items() if not {*_SHARES[own]} & {*s.params}}


def _optional(s: TreeSettings, threads: str, monotone: str) -> dict[str, Any]:
    """The settings that are handed over only if they are set, under the library's names for them."""
    values = {threads: s.threads, monotone: tuple(s.monotone) or None}
    return {name: value for name, value in values.items() if value is not None}


class LightGBM(Engine):
    """LightGBM as an engine."""

    package = "lightgbm"
    _OPTIONS = {"params": {"verbose": -1, "feature_pre_filter": False}, "free_raw_data": False}  # noqa: RUF012

    def train(
        self, data: RankingData, objective: Gradients, held: Held | None, settings: TreeSettings
    ) -> tuple[Any, list[float]]:
        """A booster, and the measure on the validation data after each tree."""
        s, lgb = settings, self.library
        params: dict[str, Any] = {
            "objective": lambda p, d: objective(p, data.y), "num_leaves": s.leaves, "learning_rate": s.rate,
            "min_data_in_leaf": s.documents, "min_sum_hessian_in_leaf": 1e-6,
            "feature_pre_filter": False, "verbose": -1, "seed": s.seed,
            "deterministic": True, "force_row_wise": True, "metric": "None",
            "bagging_freq": 1, **_shares(s, "feature_fraction", "bagging_fraction"), **s.params,
            **_optional(s, "num_threads", "monotone_constraints"),
        }  # fmt: skip
        train = self._rows(data, categorical_feature=s.categorical or "auto")
        if held is None:
            return self._train(params, train, s.trees), []
        record: dict[str, dict[str, list[float]]] = {}
        booster = self._train(
            params, train, s.trees, valid_sets=[self._rows(held.data, reference=train)],
            feval=lambda p, d: ("measure", held.metric(p, held.data.y), not held.metric.measure.is_error),
            callbacks=[lgb.early_stopping(s.patience, verbose=False), lgb.record_evaluation(record)],
        )  # fmt: skip
        return booster, list(record["valid_0"]["measure"])

    def _rows(self, data: RankingData, **options: Any) -> Any:
        return self.library.Dataset(_matrix(data.X), data.y, **options, **self._OPTIONS)

    def _train(self, *args: Any, **options: Any) -> Any:
        """LightGBM's training, its errors as ours."""
        try:
            return self.library.train(*args, **options)
        except self.library.basic.LightGBMError as error:
            if "num_features()" in str(error) or "(num_data) > (0)" in str(error):
                raise InputError(
                    "no feature has two values to split between: only 1 sample, or all are constant"
                ) from None
            raise InputError(f"LightGBM: {error}") from None

    def size(self, booster: Any) -> int:
        """The number of trees."""
        return int(booster.num_trees())

    def predict(self, booster: Any, X: Any, trees: int) -> np.ndarray:
        """Scores by the first ``trees`` trees."""
        return np.asarray(booster.predict(_matrix(X), num_iteration=trees, raw_score=True), np.float64)

    def to_text(self, booster: Any) -> str:
        """A booster as text."""
        return str(booster.model_to_string(num_iteration=-1))

    def from_text(self, text: str, features: int) -> Any:
        """The booster that :meth:`to_text` wrote, of so many features; raise InputError if it is another text."""
        check_lightgbm(text, features)
        try:
            return self.library.Booster(model_str=text)
        except self.library.basic.LightGBMError as error:
            raise InputError(f"LightGBM: {in_one_line(error)}") from None


def _matrix(X: Any) -> Any:
    """Features as LightGBM takes them: sparse rows as a matrix of SciPy's, not as an array."""
    return sp.csr_matrix(X) if sp.issparse(X) else X


class XGBoost(Engine):
    """XGBoost as an engine."""

    package = "xgboost"

    def train(
        self, data: RankingData, objective: Gradients, held: Held | None, settings: TreeSettings
    ) -> tuple[Any, list[float]]:
        """A booster, and the measure on the validation data after each tree."""
        s = settings
        params: dict[str, Any] = {
            "max_leaves": s.leaves, "max_depth": 0, "grow_policy": "lossguide", "tree_method": "hist",
            "learning_rate": s.rate, "min_child_weight": 0.0, "lambda": 0.0, "base_score": 0.0, "seed": s.seed,
            "disable_default_eval_metric": True, **_shares(s, "colsample_bytree", "subsample"), **s.params,
            **_optional(s, "nthread", "monotone_constraints"),
        }  # fmt: skip
        types = ["c" if j in s.categorical else "q" for j in range(data.n_features)] if s.categorical else None

        def gradients(p: np.ndarray, d: Any) -> tuple[np.ndarray, np.ndarray]:
            grad, curve = objective(p, data.y)
            return grad.astype(np.float32), curve.astype(np.float32)

        options: dict[str, Any] = {"obj": gradients}
        history: list[float] = []  # the library's own record has six digits
        if held is not None:

            def measure(p: np.ndarray, d: Any) -> tuple[str, float]:
                history.append(held.metric(p, held.data.y))
                return "measure", history[-1]

            options |= {
                "evals": [(self._rows(held.data.X, held.data.y, types), "valid")], "custom_metric": measure,
                "maximize": not held.metric.measure.is_error, "verbose_eval": False,
                "early_stopping_rounds": s.patience,
            }  # fmt: skip
        rows = self._rows(data.X, data.y, types)
        return self._translated(self.library.train, params, rows, s.trees, **options), history

    def _rows(self, X: Any, y: Any, types: Any) -> Any:
        """Rows for XGBoost; sparse ones are filled, for what they leave out is 0 here and missing there."""
        return self._translated(
            self.library.DMatrix, dense(X, np.float32), y, feature_types=types, enable_categorical=types is not None
        )

    def _translated(self, call: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """A call of XGBoost, its errors as ours."""
        try:
            return call(*args, **options)
        except self.library.core.XGBoostError as error:
            lines = [line for line in str(error).splitlines() if line.strip()]
            raise InputError(f"XGBoost: {lines[0][:200] if lines else type(error).__name__}") from None

    def size(self, booster: Any) -> int:
        """The number of trees."""
        return int(booster.num_boosted_rounds())

    def predict(self, booster: Any, X: Any, trees: int) -> np.ndarray:
        """Scores by the first ``trees`` trees."""
        rows = self._rows(X, None, booster.feature_types)
        scores = self._translated(booster.predict, rows, output_margin=True, iteration_range=(0, trees))
        return np.asarray(scores, np.float64)

    def to_text(self, booster: Any) -> str:
        """A booster as text."""
        return base64.b64encode(booster.save_raw("ubj")).decode()

    def from_text(self, text: str, features: int) -> Any:
        """The booster that :meth:`to_text` wrote, of so many features; raise InputError if it is another text."""
        try:
            data = base64.b64decode(text, validate=True)
        except ValueError as error:
            raise InputError(f"not trees of XGBoost, or damaged: {error}") from None
        check_xgboost(data, features)
        booster = self.library.Booster()
        self._translated(booster.load_model, bytearray(data))
        return booster


ENGINES: dict[str, type[Engine]] = {"lightgbm": LightGBM, "xgboost": XGBoost}
