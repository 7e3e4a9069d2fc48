"""Gradient boosting of trees on any loss, with LightGBM or XGBoost as the engine."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Annotated, Any, TypedDict

import numpy as np
from msgspec import Meta
from sklearn.base import clone

from ..adapters.boosting import Metric, Objective
from ..arrays import check_whole
from ..data.ranking_data import Preferences, RankingData
from ..errors import InputError
from ..losses import Loss, resolve
from ..losses.supervision import check_query_weight, per_row
from ..measures import parse
from ..system.files import fingerprint
from ..system.progress import bar
from ..system.records import Count
from .base import Ranker
from .scikit.foreign_arguments import other_names
from .training import AUTO, first_best, inner_folds, warn_if_constant, warn_of_long_queries
from .trees.engines import ENGINES, Held, TreeSettings

_MOST, _FEW = 400, 100  # trees that n_trees="auto" may have; those where there are too few queries to choose

# settings of the libraries, under all their names, that params must not contain, and the argument to use instead
_ARGUMENTS = {
    "loss": ("objective", "objective_type", "app", "application", "loss"),
    "n_leaves": ("num_leaves", "num_leaf", "max_leaves", "max_leaf", "max_leaf_nodes"),
    "learning_rate": ("learning_rate", "shrinkage_rate", "eta"),
    "min_documents": (
        "min_data_in_leaf", "min_data_per_leaf", "min_data", "min_child_samples", "min_samples_leaf",
    ),
    "threads": ("num_threads", "num_thread", "nthread", "nthreads", "n_jobs"),
    "seed": ("seed", "random_seed", "random_state"),
    "monotone": ("monotone_constraints", "mc", "monotone_constraint", "monotonic_cst"),
    "n_trees": ("num_iterations", "num_boost_round", "n_estimators", "num_trees", "num_round"),
}  # fmt: skip
OTHER_NAMES = {name: argument for argument, names in _ARGUMENTS.items() for name in names if name != argument} | {
    "early_stopping_rounds": "patience", "eval_metric": "measure", "categorical_feature": "categorical",
}  # fmt: skip
_SET_ELSEWHERE = {
    **{name: f"set {argument} instead" for argument, names in _ARGUMENTS.items() for name in names},
    "base_score": "scores begin at 0",
}


class BoostedCertificate(TypedDict):
    """How many of the trees are used."""

    n_trees_: Count


class BoostedState(TypedDict):
    """What is stored of boosted trees, as their library writes them."""

    booster: str
    checksum: str
    n_features: Annotated[int, Meta(ge=1, le=2**31)]
    certificate: BoostedCertificate


class BoostedRanker(Ranker):
    """Trees that are boosted on a ranking loss.

    Args:
        loss: a name (see :func:`rankine.losses.get`) or a loss.
        library: ``"lightgbm"`` or ``"xgboost"``.
        n_trees: how many; with validation data at most so many. ``"auto"``: up to 400, as many as are best on
            validation data; without it, on inner folds of the training queries, and then boosted on all of them.
        learning_rate: what each tree's step is multiplied by.
        n_leaves: of each tree.
        min_documents: in each leaf, as far as the library keeps to it: LightGBM estimates the number from curvature, so
            that leaves can be smaller; XGBoost has no such limit.
        feature_share: of the features, drawn anew for each tree.
        document_share: of the documents, drawn anew for each tree.
        measure: the measure on validation data that decides when to stop; by default the one that the loss is made for.
        patience: stop when so many trees have not improved it.
        monotone: feature (name or number) → 1 or −1, for features that must only raise or only lower the score.
        categorical: features (names or numbers) whose values are categories.
        params: further settings of the library, by its own names; what is an argument here is not among them.
        loss_options: keywords of the loss.
        normalise: a normaliser of features; trees hardly need one.
        threads: by default one per core.
        seed: of everything random in the library.

    After fitting: ``booster_``, ``n_trees_`` (those that are used), ``history_`` (the measure after each tree on
    queries that were not learned from).

    >>> from rankine.sample import bundled_sample
    >>> data = bundled_sample()
    >>> model = BoostedRanker("svm-ndcg@10", n_trees=20).fit(data)
    >>> model.score(data) > 0.8
    True
    """

    @other_names(OTHER_NAMES)
    def __init__(
        self,
        loss: str | Loss = "listmle",
        library: str = "lightgbm",
        n_trees: int | str = AUTO,
        learning_rate: float = 0.05,
        n_leaves: int = 7,
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
        feature_share: float = 0.3,
        document_share: float = 0.5,
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
        self.feature_share = feature_share
        self.document_share = document_share

    form = "trees"
    habits = OTHER_NAMES
    _schema = BoostedState
    _certificate = ("n_trees_",)

    @property
    def _measure(self) -> str:
        return self.measure or self.check_parameters().measure

    def check_parameters(self) -> Loss:
        """Raise on a parameter that makes no sense; returns the loss."""
        super().check_parameters()
        if self.library not in ENGINES:
            raise InputError(f"library must be {' or '.join(ENGINES)}, got {self.library!r}")
        if isinstance(self.n_trees, str) and self.n_trees != AUTO:
            raise InputError(f"n_trees must be a whole number or 'auto', got {self.n_trees!r}")
        for name, low in (("n_trees", 1), ("n_leaves", 2), ("min_documents", 1), ("patience", 1), ("seed", 0)):
            if not isinstance(getattr(self, name), str) or name != "n_trees":
                check_whole(name, getattr(self, name), low)
        if self.threads is not None:
            check_whole("threads", self.threads, 1)
        for name in ("learning_rate", "feature_share", "document_share"):
            value: Any = getattr(self, name)
            if not (isinstance(value, Real) and 0 < float(value) <= 1):
                raise InputError(f"{name} must be a number above 0, at most 1; got {value!r}")
        if self.monotone is not None and not isinstance(self.monotone, Mapping):
            raise InputError(f"monotone must say 1 or -1 of features, as {{'bm25': 1}}; got {self.monotone!r:.60}")
        if isinstance(self.categorical, str):
            raise InputError(f"categorical must be a list of features, got {self.categorical!r}")
        for key in self.params or {}:
            if key in _SET_ELSEWHERE:
                raise InputError(f"params must not contain {key!r}: {_SET_ELSEWHERE[key]}")
        return resolve(self.loss, self.loss_options)

    def fit(
        self, X: Any, y: Any = None, qid: Any = None, query_weight: Any = None, valid: RankingData | None = None
    ) -> BoostedRanker:
        """Boost; with ``valid`` (judged queries) until its measure has not risen for ``patience`` trees."""
        loss = self.check_parameters()
        data = self.training_data(X, y, qid)
        if isinstance(data.y, Preferences):
            raise InputError("boosting needs grades, the data has a preference graph")
        loss.remark(data.y, data.ptr, data.query_ids)  # an error there names the query by its id
        held = None
        if valid is not None:
            if self._dart:
                raise InputError("dart changes trees that it made earlier, so it cannot stop early: leave out valid")
            judged = self.validation_data(valid)
            held = Held(judged, Metric(self._measure, judged.qid))
        curve = None
        if held is None and self.n_trees == AUTO and not self._dart:
            curve = self._curve(data, query_weight)
        trees = self.n_trees if self.n_trees != AUTO else _FEW if held is None else _MOST
        self._boost(loss, data, held, query_weight, int(trees) if curve is None else first_best(curve) + 1)
        if curve is not None:
            self.history_ = curve.tolist()
        warn_of_long_queries(loss, data)
        warn_if_constant(self._scores(data.X), data, "Leaves hold at least min_documents documents: lower it, or use "
                         "LinearRanker; AutoRanker compares rankers on the data")  # fmt: skip
        return self

    @property
    def _dart(self) -> bool:
        return "dart" in (self.params or {}).values()

    def _boost(self, loss: Loss, data: RankingData, held: Held | None, query_weight: Any, trees: int) -> None:
        objective = Objective(loss, per_row(np.arange(data.n_queries), data.ptr), weight=query_weight)
        engine = ENGINES[self.library]()
        self.library_ = self.library
        with bar("trees", trees) as update:
            done = 0

            def counted(scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                nonlocal done
                update(done)  # it is called once for each tree
                done += 1
                return objective(scores, labels)

            self.booster_, self.history_ = engine.train(data, counted, held, self._settings(data, trees))
        better = max if held is None or not held.metric.measure.is_error else min
        self.n_trees_ = self.history_.index(better(self.history_)) + 1 if self.history_ else engine.size(self.booster_)

    def _curve(self, data: RankingData, query_weight: Any) -> np.ndarray | None:
        """The mean of the measure after each tree on inner folds, larger is better; None where there are too few."""
        weight = None if query_weight is None else check_query_weight(query_weight, data.n_queries)
        settings = self._settings(data, _MOST)
        part = clone(self).set_params(
            n_trees=_MOST, patience=_MOST, normalise=None, categorical=settings.categorical or None,
            monotone={f: sign for f, sign in enumerate(settings.monotone) if sign} or None,
        )  # fmt: skip
        total, sums = 0.0, np.zeros(_MOST)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for queries, apart in inner_folds(data, seed=self.seed):
                try:
                    mine = None if weight is None else weight[queries]
                    part.fit(data.subset(queries), query_weight=mine, valid=data.subset(apart))
                except InputError:
                    return None
                share = float(len(apart) if weight is None else weight[apart].sum())
                sums += share * np.array(part.history_ + part.history_[-1:] * (_MOST - len(part.history_)))
                total += share
        if total == 0:
            return None
        return sums / total * (-1 if parse(self._measure).is_error else 1)

    def sweep(self, name: str, values: Sequence[Any], data: RankingData, **options: Any) -> list[Any]:
        """A fitted copy for each value of a parameter; numbers of trees are stages of one fit."""
        if name != "n_trees" or self._dart or AUTO in values:
            return super().sweep(name, values, data, **options)
        whole = clone(self).set_params(n_trees=max(values)).fit(data, **options)
        models = []
        for value in values:
            model = copy.copy(whole).set_params(n_trees=value)
            model.n_trees_ = min(value, whole.n_trees_)
            models.append(model)
        return models

    def _settings(self, data: RankingData, trees: int) -> TreeSettings:
        categorical = [] if self.categorical is None else [self._number(c, data) for c in self.categorical]
        return TreeSettings(
            trees, int(self.patience), int(self.n_leaves), float(self.learning_rate),
            int(self.min_documents), float(self.feature_share), float(self.document_share), self._signs(data),
            categorical, self.threads, int(self.seed), dict(self.params or {}),
        )  # fmt: skip

    def _read(self, X: Any, y: Any, qid: Any) -> RankingData:
        return self._single(super()._read(X, y, qid))

    def validation_data(self, valid: Any) -> RankingData:
        """Validation data with the features of the training data, normalised like those, and with grades."""
        return super().validation_data(self._single(valid) if isinstance(valid, RankingData) else valid)

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
        return ENGINES[self.library_]().predict(self.booster_, X, self.n_trees_)

    def _state(self) -> dict[str, Any]:
        text = ENGINES[self.library_]().to_text(self.booster_)
        return {"booster": text, "checksum": _checksum(text), "n_features": self.n_features_in_}

    def _set_state(self, content: dict[str, Any]) -> None:
        if content["checksum"] != _checksum(content["booster"]):
            raise InputError("not a BoostedRanker, or damaged: the trees are not those that were saved")
        self.library_, self.n_features_in_ = self.library, content["n_features"]
        engine = ENGINES[self.library]()
        self.booster_ = engine.from_text(content["booster"], self.n_features_in_)
        if content["certificate"]["n_trees_"] > engine.size(self.booster_):
            raise InputError("not a BoostedRanker, or damaged: it uses more trees than there are")
        self.history_ = []


def _checksum(text: str) -> str:
    return fingerprint(text, size=12)
