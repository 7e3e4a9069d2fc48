"""Kernel rankers. The n-slack dual uses only inner products, so the feature space is never computed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Annotated, Any, TypedDict

import numpy as np
from msgspec import Meta
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import pairwise_kernels

from .. import losses
from ..arrays import check_finite, check_whole, dense
from ..data.normalisers import Normaliser
from ..data.ranking_data import RankingData
from ..errors import InputError
from ..solvers.cutting_plane import check_schedule, cutting_plane
from ..solvers.run import show_progress
from ..system.records import Finite, Positive
from .base import Ranker, check_solver_options
from .linear import LinearRanker
from .oracle.dual import KernelDual
from .training import AUTO, warn_if_constant, warn_of_long_queries

_NAMES = ("linear", "rbf", "poly")
_SAMPLE = 300


class ApproximationWarning(UserWarning):
    """The data is too large for the exact kernel; a low-rank one stands in for it."""


class KernelState(TypedDict):
    """What is stored of a kernel ranker."""

    support: list[list[Finite]]
    dual_coef: list[Finite]
    gamma: Positive
    features: Annotated[int, Meta(ge=1, le=2**31)]


class KernelRanker(Ranker):
    r"""A scorer :math:`f(x) = \sum_i \beta_i k(x_i, x)`, least in :math:`\tfrac12\|f\|^2 + C \sum_q \mathrm{loss}_q`.

    ``lower_bound_`` and ``gap_`` certify it whatever rounding did, for the Gram matrix as it was computed (for that of
    the approximation where there is one); ``converged_`` says whether the gap asked for was proved.

    Args:
        loss: a convex loss, by name or as an object.
        C: the weight of the losses against the regulariser; ``"auto"``: the best on inner folds of training queries,
            as in :class:`~rankine.LinearRanker`, with the approximation in place of the kernel. ``C_`` is the C used.
        kernel: ``"rbf"``, ``"poly"``, ``"linear"``, or a function of two arrays that returns all their inner products.
        gamma: of rbf and poly; None: 1 / (features × variance).
        degree: of poly.
        coef0: of poly.
        loss_options: options of a named loss.
        tol: the relative gap to reach.
        normalise: a kind of :class:`~rankine.Normaliser`; None is ``"zscore"`` with ``C="auto"`` and dense data.
        max_iter: the most passes.
        max_documents: above this the kernel is approximated (Nyström), with a warning unless C is ``"auto"``.
        n_components: of the approximation.
        cache_mb: room for rows of the Gram matrix.
        seed: of the approximation.
        schedule: when dual weights are improved, as in :class:`~rankine.LinearRanker`; not with the approximation.

    >>> X, y, qid = [[0.0], [1.0], [2.0]], [0, 1, 0], [1, 1, 1]  # the middle is best: no line can say so
    >>> model = KernelRanker("svm-map", C=100.0).fit(X, y, qid=qid)
    >>> int(model.rank(X, qid)[0])
    1
    """

    _schema = KernelState
    _certificate = ("objective_", "lower_bound_", "gap_", "n_iter_")

    def __init__(
        self,
        loss: Any = "listmle",
        C: float | str = AUTO,
        kernel: Any = "rbf",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        loss_options: dict[str, Any] | None = None,
        tol: float = 1e-2,
        normalise: str | None = None,
        max_iter: int = 1000,
        max_documents: int = 2_000,
        n_components: int = 200,
        cache_mb: int = 4000,
        seed: int = 0,
        schedule: str | int | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss_options = loss_options
        self.tol = tol
        self.normalise = normalise
        self.max_iter = max_iter
        self.max_documents = max_documents
        self.n_components = n_components
        self.cache_mb = cache_mb
        self.seed = seed
        self.schedule = schedule

    @property
    def _measure(self) -> str:
        return str(self.check_parameters().measure)

    def fit(self, X: Any, y: Any = None, qid: Any = None) -> KernelRanker:
        """Learn from arrays with query ids (without them all rows are one query), or from a :class:`RankingData`."""
        loss = self.check_parameters()
        data = self.training_data(X, y, qid)
        loss.remark(data.y, data.ptr, data.query_ids)  # an error there names the query by its id
        if self.schedule is not None and data.n_documents > self.max_documents:
            raise InputError(
                f"schedule is for the exact kernel: {data.n_documents:,} documents are more than max_documents, "
                f"{self.max_documents:,}"
            )
        features = dense(data.X, np.float64)
        self.gamma_ = self._gamma(features)
        function = self._function()
        _check_kernel(function, features, self.kernel, self.seed)
        mapped, basis = None, None
        if data.n_documents > self.max_documents or isinstance(self.C, str):
            mapped, basis = self._mapped(data, features)
        self.C_ = self._best_C(loss, mapped) if mapped is not None and isinstance(self.C, str) else float(self.C)
        if data.n_documents > self.max_documents and mapped is not None:
            self._approximate(mapped, basis)
        else:
            self._exact(loss, data, features, function)
            warn_of_long_queries(loss, data)
        warn_if_constant(self._scores(data.X), data)
        return self

    def training_data(self, X: Any, y: Any, qid: Any) -> RankingData:
        """The data that is learned from, with the features normalised by a normaliser that is fitted to them."""
        data = super().training_data(X, y, qid)
        if self.normaliser_ is None and isinstance(self.C, str) and not data.is_sparse:
            self.normaliser_ = Normaliser("zscore").fit(data)
            data = self.normaliser_.apply(data)
        return data

    def _exact(self, loss: losses.Loss, data: RankingData, features: np.ndarray, function: Callable[..., Any]) -> None:
        dual = KernelDual(features, loss.prepare(data.y, data.ptr), None, function, self.cache_mb << 20)
        solution = cutting_plane(
            dual, self.C_, schedule=self.schedule or "query", tol=self.tol, max_iter=self.max_iter,
            progress=show_progress(f"{self.loss}, {self.kernel}"),
        )  # fmt: skip
        used = np.flatnonzero(solution.w)
        self.support_, self.dual_coef_ = features[used], solution.w[used]
        self.converged_ = solution.converged
        self._keep(solution.objective, solution.lower_bound, solution.gap, len(solution.history) - 1, solution.history)

    def _mapped(self, data: RankingData, features: np.ndarray) -> tuple[RankingData, Any]:
        """The data with Nyström's features, and what makes them."""
        own = {} if callable(self.kernel) or self.kernel == "linear" else {"gamma": self.gamma_}
        if self.kernel == "poly":
            own |= {"degree": self.degree, "coef0": self.coef0}
        count = min(self.n_components, data.n_documents)
        basis = Nystroem(kernel=self._pairs(), n_components=count, random_state=self.seed, **own)
        return data.with_features(basis.fit_transform(features)), basis

    def _best_C(self, loss: losses.Loss, mapped: RankingData) -> float:
        return self._linear().best_C(loss, mapped)

    def _linear(self, C: float = 1.0) -> LinearRanker:
        return LinearRanker(loss=self.loss, C=C, loss_options=self.loss_options, tol=self.tol, seed=self.seed)

    def _approximate(self, mapped: RankingData, basis: Any) -> None:
        """A linear ranker on Nyström's features; written back as a combination of kernel functions."""
        if not isinstance(self.C, str):
            warnings.warn(
                f"{mapped.n_documents:,} documents are too many for the exact kernel: {self.n_components} of Nyström's "
                "features stand in for it (max_documents, n_components)", ApproximationWarning, stacklevel=3,
            )  # fmt: skip
        model = self._linear(self.C_).fit(mapped)
        self.support_, self.dual_coef_ = basis.components_, basis.normalization_.T @ model.coef_
        self.converged_ = model.converged_
        self._keep(model.objective_, model.lower_bound_, model.gap_, model.n_iter_, model.history_)

    def _pairs(self) -> Any:
        """The kernel as scikit-learn's approximation wants it: by name, or of two rows."""
        if not callable(self.kernel):
            return self.kernel
        return lambda a, b: float(np.asarray(self.kernel(a[None], b[None]))[0, 0])

    def _keep(self, objective: float, lower: float, gap: float, iterations: int, history: Any) -> None:
        self.objective_, self.lower_bound_, self.gap_ = objective, lower, gap
        self.n_iter_, self.history_ = max(iterations, 1), history

    def _scores(self, X: Any) -> np.ndarray:
        features, out = dense(X, np.float64), np.zeros(X.shape[0])
        if len(self.dual_coef_) == 0:
            return out
        function = self._function()
        check_finite(features, "the features after normalisation")  # the numbers of a normaliser may be huge
        for i in range(0, len(out), 4096):
            out[i : i + 4096] = function(features[i : i + 4096], self.support_) @ self.dual_coef_
        return out

    def _gamma(self, X: np.ndarray) -> float:
        if self.gamma is not None:
            return float(self.gamma)
        spread = float(X.var())
        return 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0

    def _function(self) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        if callable(self.kernel):
            return lambda a, b: np.asarray(self.kernel(a, b), np.float64)
        options = {} if self.kernel == "linear" else {"gamma": self.gamma_}
        if self.kernel == "poly":
            options |= {"degree": self.degree, "coef0": self.coef0}
        return lambda a, b: pairwise_kernels(a, b, metric=self.kernel, **options)

    def check_parameters(self) -> losses.Loss:
        """Raise on a parameter that makes no sense; returns the loss."""
        super().check_parameters()
        check_solver_options(self)
        if not callable(self.kernel) and self.kernel not in _NAMES:
            raise InputError(f"kernel must be one of {', '.join(_NAMES)}, or a function; got {self.kernel!r}")
        if self.gamma is not None and not self.gamma > 0:
            raise InputError(f"gamma must be a positive number or None, got {self.gamma!r}")
        for name in ("max_documents", "n_components", "cache_mb", "degree"):
            check_whole(name, getattr(self, name), 1)
        if not (isinstance(self.coef0, Real) and np.isfinite(float(self.coef0))):
            raise InputError(f"coef0 must be a finite number, got {self.coef0!r}")
        loss = losses.resolve(self.loss, self.loss_options)
        if self.schedule is not None:
            check_schedule(self.schedule)
        if not loss.convex:
            raise InputError(f"{loss!r} is not convex: the dual needs a convex loss")
        return loss

    def _state(self) -> dict[str, Any]:
        return {"support": self.support_.tolist(), "dual_coef": self.dual_coef_.tolist(), "gamma": self.gamma_,
                "features": self.n_features_in_}  # fmt: skip

    def _set_state(self, content: dict[str, Any]) -> None:
        self.dual_coef_ = np.array(content["dual_coef"], np.float64)
        self.n_features_in_, self.gamma_ = content["features"], content["gamma"]
        if len(content["support"]) != len(self.dual_coef_) or {*map(len, content["support"])} - {self.n_features_in_}:
            raise InputError("not a KernelRanker: its documents, weights and features do not agree in number")
        self.support_ = np.array(content["support"], np.float64).reshape(len(self.dual_coef_), self.n_features_in_)


def _check_kernel(function: Callable[..., np.ndarray], X: np.ndarray, kernel: Any, seed: int) -> None:
    """A kernel must be symmetric and positive semi-definite; on a sample of documents it is looked at."""
    rows = np.random.default_rng(seed).permutation(len(X))[:_SAMPLE]
    G = np.asarray(function(X[rows], X[rows]), np.float64)
    called = getattr(kernel, "__name__", str(kernel))
    if G.shape != (len(rows), len(rows)) or not np.isfinite(G).all():
        raise InputError(f"the kernel {called} must give a finite number for every pair of rows, got shape {G.shape}")
    largest = max(float(np.abs(G).max()), 1e-300)
    if np.abs(G - G.T).max() > 1e-6 * largest:
        raise InputError(f"the kernel {called} is not symmetric")
    least = float(np.linalg.eigvalsh((G + G.T) / 2)[0])
    if least < -1e-6 * largest * len(rows):
        raise InputError(f"the kernel {called} is not positive semi-definite: an eigenvalue is {least:.3g}")
