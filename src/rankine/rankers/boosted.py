"""Gradient boosting of trees on any loss, with LightGBM or XGBoost as the engine."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..adapters.boosting import Metric, Objective, checked_weights
from ..data import Preferences, RankingData
from ..errors import InputError, needs
from ..losses import Loss
from ..progress import bar
from .base import Ranker, check_whole, checked_valid, loss_of

# settings of the libraries, under all their names, that are arguments of the ranker or its own business
_SET_ELSEWHERE = {
    **dict.fromkeys(("objective", "objective_type", "app", "application", "loss"), "loss"),
    **dict.fromkeys(("num_leaves", "num_leaf", "max_leaves", "max_leaf", "max_leaf_nodes"), "n_leaves"),
    **dict.fromkeys(("learning_rate", "shrinkage_rate", "eta"), "learning_rate"),
    **dict.fromkeys(
        ("min_data_in_leaf", "min_data_per_leaf", "min_data", "min_child_samples", "min_samples_leaf"), "min_documents"
    ),
    **dict.fromkeys(("num_threads", "num_thread", "nthread", "nthreads", "n_jobs"), "threads"),
    **dict.fromkeys(("seed", "random_seed", "random_state"), "seed"),
    **dict.fromkeys(("monotone_constraints", "mc", "monotone_constraint", "monotonic_cst"), "monotone"),
    **dict.fromkeys(("num_iterations", "num_boost_round", "n_estimators", "num_trees", "num_round"), "n_trees"),
    "base_score": "the ranker",
}


Gradients = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


class BoostedRanker(Ranker):
    """Trees that are boosted on a ranking loss.

    Args:
        loss: a name (see :func:`rankine.losses.get`) or a loss.
        library: ``"lightgbm"`` or ``"xgboost"``.
        n_trees: at most so many.
        learning_rate: what each tree's step is multiplied by.
        n_leaves: of each tree.
        min_documents: in each leaf, as far as the library keeps to it: LightGBM estimates the number from curvature, so
            that leaves can be smaller; XGBoost has no such limit.
        measure: what decides on validation data when to stop; by default the one that the loss is made for.
        patience: stop when so many trees have not improved it.
        monotone: feature (name or number) → 1 or −1, for features that must only raise or only lower the score.
        categorical: features (names or numbers) whose values are categories.
        params: further settings of the library, by its own names; what is an argument here is not among them.
        loss_options: keywords of the loss.
        normalise: a normaliser of features; trees hardly need one.
        threads: by default one per core.
        seed: of everything random in the library.

    After fitting: ``booster_``, ``n_trees_`` (those that are used), ``history_`` (the measure after each tree).

    >>> from rankine.sample import bundled_sample
    >>> data = bundled_sample()
    >>> model = BoostedRanker("svm-ndcg@10", n_trees=20).fit(data)
    >>> model.score(data) > 0.8
    True
    """

    def __init__(
        self,
        loss: str | Loss = "svm-ndcg@10:tight",
        library: str = "lightgbm",
        n_trees: int = 200,
        learning_rate: float = 0.1,
        n_leaves: int = 31,
        min_documents: int = 20,
        measure: str | None = None,
        patience: int = 50,
        monotone: Mapping[Any, int] | None = None,
        categorical: Any = None,
        params: Mapping[str, Any] | None = None,
        loss_options: Mapping[str, Any] | None = None,
        normalise: str | None = None,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        self.loss = loss
        self.library = library
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.n_leaves = n_leaves
        self.min_documents = min_documents
        self.measure = measure
        self.patience = patience
        self.monotone = monotone
        self.categorical = categorical
        self.params = params
        self.loss_options = loss_options
        self.normalise = normalise
        self.threads = threads
        self.seed = seed

    _certificate = ("n_trees_",)

    @property
    def _measure(self) -> str:
        return self.measure or self._check_parameters().measure

    def _check_parameters(self) -> Loss:
        super()._check_parameters()
        if self.library not in _ENGINES:
            raise InputError(f"library must be lightgbm or xgboost, got {self.library!r}")
        for name, low in (("n_trees", 1), ("n_leaves", 2), ("min_documents", 1), ("patience", 1), ("seed", 0)):
            check_whole(name, getattr(self, name), low)
        if self.threads is not None:
            check_whole("threads", self.threads, 1)
        if not (isinstance(self.learning_rate, Real) and 0 < self.learning_rate <= 1):
            raise InputError(f"learning_rate must be a number above 0, at most 1; got {self.learning_rate!r}")
        if self.monotone is not None and not isinstance(self.monotone, Mapping):
            raise InputError(f"monotone must say 1 or -1 of features, as {{'bm25': 1}}; got {self.monotone!r:.60}")
        if isinstance(self.categorical, str):
            raise InputError(f"categorical must be a list of features, got {self.categorical!r}")
        for key in self.params or {}:
            if key in _SET_ELSEWHERE:
                raise InputError(f"params: {key!r} is what {_SET_ELSEWHERE[key]} says, or cannot be changed")
        return loss_of(self.loss, self.loss_options)

    def fit(
        self, X: Any, y: Any = None, qid: Any = None, query_weight: Any = None, valid: RankingData | None = None
    ) -> BoostedRanker:
        """Boost; with ``valid`` (judged queries) until its measure has not risen for ``patience`` trees."""
        loss = self._check_parameters()
        data = self._normalised(self._single(self._training_data(X, y, qid)), self.normalise)
        if isinstance(data.y, Preferences):
            raise InputError("boosting needs grades, the data has a preference graph")
        ids = np.repeat(np.arange(data.n_queries), np.diff(data.ptr))
        weight = None if query_weight is None else checked_weights(query_weight, data.n_queries)
        objective = Objective(loss, ids, weight=weight)
        held = None if valid is None else checked_valid(self, valid)
        if held is not None:
            if "dart" in (self.params or {}).values():
                raise InputError("dart changes trees that it made earlier, so it cannot stop early: leave out valid")
            held = self._single(held) if self.normaliser_ is None else self.normaliser_.apply(self._single(held))
        engine = _ENGINES[self.library]
        settings = {
            "leaves": int(self.n_leaves), "rate": float(self.learning_rate), "documents": int(self.min_documents),
            "monotone": self._signs(data),
            "categorical": [] if self.categorical is None else [self._number(c, data) for c in self.categorical],
            "threads": self.threads, "seed": int(self.seed), "params": dict(self.params or {}),
        }  # fmt: skip
        metric = None if held is None else Metric(self._measure, held.qid)
        self.library_ = self.library
        with bar("trees", self.n_trees) as update:
            made = 0

            def counted(scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                nonlocal made
                update(made)  # it is called once for each tree
                made += 1
                return objective(scores, labels)

            self.booster_, self.history_ = engine.train(
                data, counted, held, metric, self.n_trees, self.patience, settings
            )  # fmt: skip
        better = max if metric is None or not metric.measure.is_error else min
        self.n_trees_ = self.history_.index(better(self.history_)) + 1 if self.history_ else engine.size(self.booster_)
        return self

    def _number(self, feature: Any, data: RankingData) -> int:
        """The column that a name or number means."""
        names = [str(n) for n in getattr(self, "feature_names_in_", ())]
        if isinstance(feature, str):
            if feature in names:
                return names.index(feature)
            if not feature.isdigit():
                raise InputError(f"no feature is called {feature!r}" + ("" if names else ": the data has no names"))
            feature = int(feature)  # as it comes out of a file
        if not (isinstance(feature, (int, np.integer)) and 0 <= feature < data.n_features):
            raise InputError(f"features are numbered from 0 to {data.n_features - 1}, got {feature!r}")
        return int(feature)

    def _signs(self, data: RankingData) -> list[int]:
        signs = [0] * data.n_features
        for feature, sign in (self.monotone or {}).items():
            if sign not in (1, -1, 0):
                raise InputError(
                    f"monotone: {feature!r} must be 1 (raises the score), -1 (lowers it) or 0; got {sign!r}"
                )
            signs[self._number(feature, data)] = sign
        return signs if any(signs) else []

    def _single(self, data: RankingData) -> RankingData:
        """XGBoost splits at values of single precision: features are rounded to it before they are normalised."""
        if self.library == "xgboost" and data.X.dtype != np.float32:
            return data.with_features(data.X.astype(np.float32))
        return data

    def predict(self, X: Any, qid: Any = None) -> np.ndarray:
        """Scores, one per row; ``qid`` is needed by a per-query normaliser only."""
        return super().predict(self._single(X) if isinstance(X, RankingData) else X, qid)

    def _scores(self, X: Any) -> np.ndarray:
        return _ENGINES[self.library_].predict(self.booster_, X, self.n_trees_)

    def _state(self) -> dict[str, Any]:
        text = _ENGINES[self.library_].to_text(self.booster_)
        return {"booster": text, "checksum": _checksum(text), "n_features": self.n_features_in_}

    def _set_state(self, content: dict[str, Any]) -> None:
        if content["checksum"] != _checksum(content["booster"]):  # a library may crash on a damaged one
            raise ValueError("the trees are not those that were saved")
        self.library_ = self.library
        self.booster_ = _ENGINES[self.library].from_text(content["booster"])
        self.n_features_in_ = int(content["n_features"])
        self.history_ = []


def _checksum(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


class _LightGBM:
    """LightGBM as an engine; scores begin at 0."""

    @staticmethod
    def train(
        data: RankingData, objective: Gradients, held: RankingData | None, metric: Metric | None, trees: int,
        patience: int, s: dict[str, Any],
    ) -> tuple[Any, list[float]]:  # fmt: skip
        lgb = needs("lightgbm", "boost")
        settings: dict[str, Any] = {
            "objective": lambda p, d: objective(p, data.y), "num_leaves": s["leaves"], "learning_rate": s["rate"],
            "min_data_in_leaf": s["documents"], "min_sum_hessian_in_leaf": 1e-6,
            "feature_pre_filter": False, "verbose": -1, "seed": s["seed"],
            "deterministic": True, "force_row_wise": True, "metric": "None", **s["params"],
        }  # fmt: skip
        if s["threads"] is not None:
            settings["num_threads"] = s["threads"]
        if s["monotone"]:
            settings["monotone_constraints"] = s["monotone"]
        options = {"params": {"verbose": -1, "feature_pre_filter": False}, "free_raw_data": False}
        train = lgb.Dataset(_rows(data.X), data.y, categorical_feature=s["categorical"] or "auto", **options)
        if held is None or metric is None:
            return _trained(lgb, settings, train, trees), []
        seen: dict[str, dict[str, list[float]]] = {}
        stop = [lgb.early_stopping(patience, verbose=False), lgb.record_evaluation(seen)]
        sign = not metric.measure.is_error
        booster = _trained(
            lgb, settings, train, trees, valid_sets=[lgb.Dataset(_rows(held.X), held.y, reference=train, **options)],
            feval=lambda p, d: ("measure", metric(p, held.y), sign), callbacks=stop,
        )  # fmt: skip
        return booster, list(seen["valid_0"]["measure"])

    @staticmethod
    def size(booster: Any) -> int:
        return int(booster.num_trees())

    @staticmethod
    def predict(booster: Any, X: Any, trees: int) -> np.ndarray:
        return np.asarray(booster.predict(_rows(X), num_iteration=trees, raw_score=True), np.float64)

    @staticmethod
    def to_text(booster: Any) -> str:
        return str(booster.model_to_string(num_iteration=-1))

    @staticmethod
    def from_text(text: str) -> Any:
        lgb = needs("lightgbm", "boost")
        return lgb.Booster(model_str=text)


def _rows(X: Any) -> Any:
    """Features as LightGBM takes them: it knows matrices, not arrays, of sparse rows."""
    return sp.csr_matrix(X) if sp.issparse(X) else X


def _trained(lgb: Any, settings: dict[str, Any], train: Any, trees: int, **options: Any) -> Any:
    """LightGBM's training, its errors as ours."""
    try:
        return lgb.train(settings, train, trees, **options)
    except lgb.basic.LightGBMError as error:
        if "num_features()" in str(error):
            raise InputError("no feature has two values to split between: only 1 sample, or all are constant") from None
        raise InputError(f"LightGBM: {error}") from None


def _matrix(xgb: Any, X: Any, y: Any, kinds: Any) -> Any:
    """Rows for XGBoost; sparse ones are filled, for what they leave out is 0 here and missing there."""
    rows = np.asarray(X.todense() if sp.issparse(X) else X, np.float32)
    try:
        return xgb.DMatrix(rows, y, feature_types=kinds, enable_categorical=kinds is not None)
    except xgb.core.XGBoostError as error:
        raise InputError(f"XGBoost: {_first_line(error)}") from None


def _xgb_trained(xgb: Any, *args: Any, **options: Any) -> Any:
    """XGBoost's training, its errors as ours."""
    try:
        return xgb.train(*args, **options)
    except xgb.core.XGBoostError as error:
        raise InputError(f"XGBoost: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(error).__name__


class _XGBoost:
    """XGBoost as an engine; scores begin at 0."""

    @staticmethod
    def train(
        data: RankingData, objective: Gradients, held: RankingData | None, metric: Metric | None, trees: int,
        patience: int, s: dict[str, Any],
    ) -> tuple[Any, list[float]]:  # fmt: skip
        xgb = needs("xgboost", "boost")
        settings: dict[str, Any] = {
            "max_leaves": s["leaves"], "max_depth": 0, "grow_policy": "lossguide", "tree_method": "hist",
            "learning_rate": s["rate"], "min_child_weight": 0.0, "lambda": 0.0, "base_score": 0.0, "seed": s["seed"],
            "disable_default_eval_metric": True, **s["params"],
        }  # fmt: skip
        if s["threads"] is not None:
            settings["nthread"] = s["threads"]
        if s["monotone"]:
            settings["monotone_constraints"] = tuple(s["monotone"])
        kinds = ["c" if j in s["categorical"] else "q" for j in range(data.n_features)] if s["categorical"] else None

        def matrix(given: RankingData) -> Any:
            return _matrix(xgb, given.X, given.y, kinds)

        def of(p: np.ndarray, d: Any) -> tuple[np.ndarray, np.ndarray]:
            grad, curve = objective(p, data.y)
            return grad.astype(np.float32), curve.astype(np.float32)

        if held is None or metric is None:
            return _xgb_trained(xgb, settings, matrix(data), trees, obj=of), []
        reached: list[float] = []  # the library's own record has six digits

        def measure(p: np.ndarray, d: Any) -> tuple[str, float]:
            reached.append(metric(p, held.y))
            return "measure", reached[-1]

        booster = _xgb_trained(
            xgb, settings, matrix(data), trees, obj=of, evals=[(matrix(held), "valid")], verbose_eval=False,
            custom_metric=measure, maximize=not metric.measure.is_error,
            early_stopping_rounds=patience,
        )  # fmt: skip
        return booster, reached

    @staticmethod
    def size(booster: Any) -> int:
        return int(booster.num_boosted_rounds())

    @staticmethod
    def predict(booster: Any, X: Any, trees: int) -> np.ndarray:
        xgb = needs("xgboost", "boost")
        matrix = _matrix(xgb, X, None, booster.feature_types)
        return np.asarray(booster.predict(matrix, output_margin=True, iteration_range=(0, trees)), np.float64)

    @staticmethod
    def to_text(booster: Any) -> str:
        return base64.b64encode(booster.save_raw("ubj")).decode()

    @staticmethod
    def from_text(text: str) -> Any:
        xgb = needs("xgboost", "boost")
        booster = xgb.Booster()
        booster.load_model(bytearray(base64.b64decode(text)))
        return booster


_ENGINES: dict[str, Any] = {"lightgbm": _LightGBM, "xgboost": _XGBoost}
