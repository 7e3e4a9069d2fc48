"""The linear ranker: any loss of scores, minimised to a certified gap."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import losses
from ..data import RankingData, as_ids, as_numbers, group_rows
from ..errors import InputError, nearest
from ..measures import evaluate
from ..normalise import Normaliser
from ..solvers.bundle import Planes, bundle, show_progress
from . import model_file
from .oracle import LinearOracle

_SOLVERS = ("auto", "bundle")


class LinearRanker(BaseEstimator):
    r"""Learn weights w by minimising :math:`\tfrac12\|w - w_0\|^2 + C \sum_q \mathrm{loss}_q(Xw)`.

    With a structural loss the sum bounds what the predicted rankings lose of the measure on the training queries, and
    ``gap_`` certifies how far the objective may be from its minimum.

    Args:
        loss: a loss name (``"svm-ndcg@10"``, ``"svm-map"``, …) or a loss object.
        C: the weight of the losses against the regulariser.
        solver: ``"auto"`` or ``"bundle"``.
        tol: the relative gap to reach.
        w0: the reference point, 0 by default.
        normalise: a kind of :class:`~rankine.Normaliser`, fitted with the model and applied when it predicts.
        max_iter: the most iterations of the solver.
        max_time: the most seconds, None for no limit.
        threads: by default one per core.

    >>> X, y, qid = [[0.1, 1.0], [0.9, 0.0], [0.4, 0.5]], [0, 2, 1], ["a", "a", "a"]
    >>> model = LinearRanker(loss="svm-ndcg@10", C=10).fit(X, y, qid=qid)
    >>> model.rank(X, qid)
    array([1, 2, 0])
    >>> model.gap_ <= model.tol
    True
    """

    def __init__(
        self,
        loss: Any = "svm-ndcg@10",
        C: float = 1.0,
        solver: str = "auto",
        tol: float = 1e-3,
        w0: Any = None,
        normalise: str | None = None,
        max_iter: int = 1000,
        max_time: float | None = None,
        threads: int | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.solver = solver
        self.tol = tol
        self.w0 = w0
        self.normalise = normalise
        self.max_iter = max_iter
        self.max_time = max_time
        self.threads = threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags

    def fit(self, X: Any, y: Any = None, qid: Any = None, query_weight: Any = None) -> LinearRanker:
        """Learn from arrays with query ids (without them all rows are one query), or from a :class:`RankingData`.

        ``query_weight`` multiplies the loss of each query, in order of first appearance.
        """
        loss = self._check_parameters()
        data = self._training_data(X, y, qid)
        normaliser = None if self.normalise is None else Normaliser(self.normalise).fit(data)
        if normaliser is not None:
            data = normaliser.apply(data)
        weights = None if query_weight is None else as_numbers(query_weight, "query_weight")
        if weights is not None and (
            len(weights) != data.n_queries or not (np.isfinite(weights) & (weights >= 0)).all()
        ):
            raise InputError(f"query_weight must hold {data.n_queries} numbers ≥ 0, one per query")
        w0 = None if self.w0 is None else as_numbers(self.w0, "w0")
        if w0 is not None and len(w0) != data.n_features:
            raise InputError(f"w0 has {len(w0)} entries, the data has {data.n_features} features")
        oracle = LinearOracle(data.X, loss.prepare(data.y, data.ptr), data.ptr, weights)
        solution = bundle(
            oracle,
            self.C,
            w0=w0,
            planes=Planes(data.n_features),
            tol=self.tol,
            max_iter=self.max_iter,
            max_time=np.inf if self.max_time is None else self.max_time,
            progress=show_progress(f"{self.loss}"),
        )
        self.coef_ = solution.w
        self.objective_, self.lower_bound_, self.gap_ = solution.objective, solution.lower_bound, solution.gap
        self.history_, self.seconds_ = solution.history, solution.seconds
        self.n_iter_ = max(len(solution.history) - 1, 1)
        self.normaliser_ = normaliser
        return self

    def _check_parameters(self) -> Any:
        """Raise on a parameter that makes no sense; the loss."""
        for name, value in (("C", self.C), ("tol", self.tol)):
            if not (isinstance(value, (int, float, np.number)) and 0 < value < np.inf):
                raise InputError(f"{name} must be a positive number, got {value!r}")
        if self.max_iter < 1:
            raise InputError(f"max_iter must be at least 1, got {self.max_iter}")
        if self.solver not in _SOLVERS:
            raise InputError(f"unknown solver {self.solver!r}.{nearest(self.solver, _SOLVERS)}")
        loss = losses.get(self.loss, threads=self.threads) if isinstance(self.loss, str) else self.loss
        if not loss.convex:
            raise InputError(
                f"{loss!r} is not convex: the bundle solver needs a convex loss, target='mean' or 'random'"
            )
        return loss

    def _training_data(self, X: Any, y: Any, qid: Any) -> RankingData:
        if isinstance(X, RankingData):
            if y is not None or qid is not None:
                raise InputError("a RankingData brings its grades and query ids along: pass nothing else")
            self.n_features_in_ = X.n_features
            if X.feature_names is not None:
                self.feature_names_in_ = np.array(X.feature_names, object)
            return X
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)
        ids = np.zeros(X.shape[0], np.int64) if qid is None else as_ids(qid, "qid")
        return RankingData(X, y, ids)

    def predict(self, X: Any, qid: Any = None) -> np.ndarray:
        """Scores, one per row; ``qid`` is needed by a per-query normaliser only (without it all rows are one query)."""
        check_is_fitted(self)
        if isinstance(X, RankingData):
            if X.n_features != self.n_features_in_:
                raise InputError(f"the model has {self.n_features_in_} features, the data has {X.n_features}")
            data = X
        else:
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
            if self.normaliser_ is None:
                return np.asarray(X @ self.coef_.astype(X.dtype, copy=False), np.float64)
            ids = np.zeros(X.shape[0], np.int64) if qid is None else as_ids(qid, "qid")
            data = RankingData(X, np.zeros(X.shape[0]), ids)
        if self.normaliser_ is not None:
            data = self.normaliser_.apply(data)
        scores = np.empty(data.n_documents)
        scores[data.order if not isinstance(X, RankingData) else np.arange(data.n_documents)] = np.asarray(
            data.X @ self.coef_.astype(data.X.dtype, copy=False), np.float64
        )
        return scores

    def rank(self, X: Any, qid: Any = None) -> np.ndarray:
        """Row numbers, best first, query after query in order of first appearance; equal scores in input order."""
        scores = self.predict(X, qid)
        if isinstance(X, RankingData):
            qid = X.qid
        ids = np.zeros(len(scores), np.int64) if qid is None else as_ids(qid, "qid")
        groups = group_rows(ids)
        order = np.arange(len(scores)) if groups.order is None else groups.order
        query = np.repeat(np.arange(len(groups.ptr) - 1), np.diff(groups.ptr))
        return order[np.lexsort((-scores[order], query))]

    def score(self, X: Any, y: Any = None, qid: Any = None) -> float:
        """Mean of the measure that the loss is made for."""
        measure = self._check_parameters().measure
        scores = self.predict(X, qid)
        grades, ids = (X.y, X.qid) if isinstance(X, RankingData) else (y, qid)
        return evaluate(measure, grades, scores, ids).mean[measure]

    def explain(self, x: Any) -> list[tuple[str, float]]:
        """What each feature adds to the score of one row, largest first; with the names where they are known.

        >>> model = LinearRanker(C=10).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1], qid=[1, 1])
        >>> [name for name, _ in model.explain([1.0, 0.0])]
        ['0', '1']
        """
        check_is_fitted(self)
        row = as_numbers(x, "x")
        if len(row) != self.n_features_in_:
            raise InputError(f"the model has {self.n_features_in_} features, x has {len(row)}")
        if self.normaliser_ is not None:
            if self.normaliser_.kind != "zscore":
                raise InputError(f"{self.normaliser_!r} depends on the whole query: explain a row after normalising it")
            row = self.normaliser_.apply(RankingData(row[None], [0], [0])).X[0]
        names = getattr(self, "feature_names_in_", range(len(row)))
        parts = [(str(n), float(v)) for n, v in zip(names, row * self.coef_, strict=True)]
        return sorted(parts, key=lambda part: -abs(part[1]))

    def save(self, path: str | os.PathLike) -> None:
        """Write the model as JSON, for :func:`rankine.load`."""
        check_is_fitted(self)
        if not isinstance(self.loss, str):
            raise InputError("a model with a loss object cannot be saved: name the loss")
        parameters = self.get_params()
        parameters["w0"] = None if self.w0 is None else np.asarray(self.w0, np.float64).tolist()
        names = getattr(self, "feature_names_in_", None)
        content = {
            "parameters": parameters,
            "coef": self.coef_.tolist(),
            "feature_names": None if names is None else [str(n) for n in names],
            "normaliser": None if self.normaliser_ is None else self.normaliser_.to_dict(),
            "objective": self.objective_,
            "lower_bound": self.lower_bound_,
            "gap": self.gap_,
            "n_iter": self.n_iter_,
        }
        model_file.write(path, "LinearRanker", content)

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> LinearRanker:
        model = cls(**content["parameters"])
        model.coef_ = np.array(content["coef"], np.float64)
        if model.coef_.ndim != 1 or not np.isfinite(model.coef_).all():
            raise ValueError("coef is not a list of finite numbers")
        model.n_features_in_ = len(model.coef_)
        if content["feature_names"] is not None:
            model.feature_names_in_ = np.array(content["feature_names"], object)
        state = content["normaliser"]
        model.normaliser_ = None if state is None else Normaliser.from_dict(state)
        model.objective_, model.lower_bound_ = content["objective"], content["lower_bound"]
        model.gap_, model.n_iter_ = content["gap"], content["n_iter"]
        model.history_, model.seconds_ = (), {}
        return model
