"""The linear ranker: any loss of scores, minimised to a certified gap."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from .. import losses
from ..arrays import as_numbers
from ..data import RankingData
from ..errors import InputError, nearest
from ..losses.structured.slack import PreparedSlack
from ..parallel import thread_count
from ..solvers.bundle import bundle
from ..solvers.cccp import best_of, cccp
from ..solvers.certificate import Planes, Solution, relative_gap, show_progress
from ..solvers.cutting_plane import cutting_plane
from ..solvers.newton import lbfgs, newton
from ..solvers.sgd import sgd
from ..solvers.subgradient import conjugate_subgradient, subgradient
from .base import LinearModel
from .dual import LinearDual
from .oracle import LinearOracle


class _Solver(NamedTuple):
    """A solver, and what it asks of a loss."""

    run: Callable[..., Solution]
    needs: str = ""


_SOLVERS = {
    "bundle": _Solver(bundle),
    "newton": _Solver(newton, "curved"),
    "lbfgs": _Solver(lbfgs, "smooth"),
    "sgd": _Solver(sgd),
    "subgradient": _Solver(subgradient),
    "conjugate": _Solver(conjugate_subgradient),
    "cccp": _Solver(cccp, "touching"),
    "cutting-plane": _Solver(cutting_plane),
}
_NOT_CONVEX = ("cccp", "subgradient", "conjugate")
_NEEDED = {
    "curved": "a Hessian",
    "smooth": "a gradient everywhere",
    "touching": "a convex bound that touches it (…:tight, target='best')",
}


class NothingLearnedWarning(UserWarning):
    """The optimum is w = 0: the loss is smallest where nothing is learned."""


def _regression(data: RankingData) -> np.ndarray:
    """Weights of least squares on the grades; of the direction alone, as rankings go."""
    from .regression import RegressionRanker

    return np.asarray(RegressionRanker().fit(data).coef_, np.float64)


class LinearRanker(LinearModel):
    r"""Learn weights w by minimising :math:`\tfrac12\|w - w_0\|^2 + C \sum_q \mathrm{loss}_q(Xw)`.

    With a structural loss the sum bounds what the predicted rankings lose of the measure on the training queries, and
    ``gap_`` certifies how far the objective may be from its minimum.

    Args:
        loss: a loss name (``"svm-ndcg@10"``, ``"svm-map"``, …) or a loss object.
        loss_options: options of a named loss, e.g. ``{"A": "partial-order"}``; ``{"A": "learn"}`` learns the position
            weights along with w.
        C: the weight of the losses against the regulariser.
        solver: ``"bundle"`` (any convex loss), ``"newton"`` (losses with a Hessian), ``"lbfgs"`` (differentiable ones),
            ``"sgd"`` (any, one query at a time), ``"cutting-plane"`` (the n-slack dual, for features of one scale),
            ``"subgradient"`` and ``"conjugate"`` (any, also those that are not convex), ``"cccp"`` (differences of
            convex ones: ``…:tight``, ``target="best"``), or ``"auto"``: CCCP where the loss is not convex, else Newton,
            else L-BFGS, else the bundle method.
        tol: the relative gap to reach. With features in single precision sums are too, and what is certified holds to
            about 1e-5.
        w0: the reference point, 0 by default; ``"regression"`` for the weights of least squares on the grades.
        n_starts: for losses that are not convex: from how many points to go down, the best end is taken. The first two
            are the optimum of the convex bound and (scaled) regression, further ones are random.
        normalise: a kind of :class:`~rankine.Normaliser`, fitted with the model and applied when it predicts.
        max_iter: the most iterations of the solver.
        max_time: the most seconds, None for no limit.
        threads: by default one per core.
        seed: of the order in which SGD takes the queries, and of random starts.

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
        loss_options: dict[str, Any] | None = None,
        solver: str = "auto",
        tol: float = 1e-3,
        w0: Any = None,
        normalise: str | None = None,
        max_iter: int = 1000,
        max_time: float | None = None,
        threads: int | None = None,
        seed: int = 0,
        n_starts: int = 2,
    ) -> None:
        self.loss = loss
        self.C = C
        self.loss_options = loss_options
        self.solver = solver
        self.tol = tol
        self.w0 = w0
        self.normalise = normalise
        self.max_iter = max_iter
        self.max_time = max_time
        self.threads = threads
        self.seed = seed
        self.n_starts = n_starts

    _certificate = ("objective_", "lower_bound_", "gap_", "n_iter_")

    def _state(self) -> dict[str, Any]:
        return super()._state() | ({"A": self.A_.tolist()} if hasattr(self, "A_") else {})

    def _set_state(self, content: dict[str, Any]) -> None:
        super()._set_state(content)
        if "A" in content:
            self.A_ = np.array(content["A"], np.float64)

    @property
    def _measure(self) -> str:
        return self._check_parameters().measure

    def fit(
        self, X: Any, y: Any = None, qid: Any = None, query_weight: Any = None, doc_weight: Any = None
    ) -> LinearRanker:
        """Learn from arrays with query ids (without them all rows are one query), or from a :class:`RankingData`.

        ``query_weight`` multiplies the loss of each query, in order of first appearance. ``doc_weight`` has one number
        per row: documents of weight 0 are left out, and a loss that is a sum over documents or pairs weights its terms.
        """
        loss = self._check_parameters()
        data = self._normalised(self._training_data(X, y, qid), self.normalise)
        if self._learns_A:
            return self._alternate(loss, data, query_weight, doc_weight)
        self._solve(self._oracle(loss, X, data, query_weight, doc_weight), data, None, None)
        return self

    def _fit_from(self, data: RankingData, start: np.ndarray) -> LinearRanker:
        """Fit to normalised data, beginning at these weights."""
        loss = self._check_parameters()
        self.n_features_in_, self.normaliser_ = data.n_features, None
        self._solve(self._oracle(loss, data, data, None, None), data, None, start)
        return self

    @property
    def _learns_A(self) -> bool:
        return isinstance(A := (self.loss_options or {}).get("A"), str) and A == "learn"

    def _alternate(self, loss: Any, data: RankingData, query_weight: Any, doc_weight: Any) -> LinearRanker:
        """Learn the position weights too; ``A_`` and ``A_history_`` hold them and the objective on the way."""
        from .position_weights import learn_weights

        if query_weight is not None or doc_weight is not None or self.w0 is not None:
            raise InputError("A='learn' takes neither weights of queries or documents nor w0")
        plain = clone(self).set_params(normalise=None)
        model, self.A_history_ = learn_weights(plain, loss, data, data)
        for name in ("coef_", "objective_", "lower_bound_", "gap_", "history_", "seconds_", "n_iter_", "A_"):
            setattr(self, name, getattr(model, name))
        return self

    def path(
        self,
        values: Sequence[float],
        X: Any,
        y: Any = None,
        qid: Any = None,
        query_weight: Any = None,
        doc_weight: Any = None,
    ) -> list[LinearRanker]:
        """One fitted ranker for each C, in ascending order; each starts from what the one before has learned.

        >>> X, y, qid = [[0.1], [0.9], [0.4]], [0, 2, 1], ["a", "a", "a"]
        >>> [model.C for model in LinearRanker(loss="svm-map").path([1.0, 0.1], X, y, qid=qid)]
        [0.1, 1.0]
        """
        models = [clone(self).set_params(C=C) for C in sorted(values)]
        if not models:
            raise InputError("expected at least one value of C, got none")
        if self._learns_A:
            return [model.fit(X, y, qid, query_weight, doc_weight) for model in models]
        losses_ = [model._check_parameters() for model in models]
        data = models[0]._normalised(models[0]._training_data(X, y, qid), self.normalise)
        oracle, planes = self._oracle(losses_[0], X, data, query_weight, doc_weight), Planes(data.n_features)
        start = None
        for model in models:
            for name in ("n_features_in_", "feature_names_in_", "normaliser_"):
                if hasattr(models[0], name):
                    setattr(model, name, getattr(models[0], name))
            model._solve(oracle, data, planes, start)
            start = model.coef_
        return models

    def _oracle(self, loss: Any, X: Any, data: RankingData, query_weight: Any, doc_weight: Any) -> LinearOracle:
        weights = None if query_weight is None else as_numbers(query_weight, "query_weight")
        if weights is not None and (
            len(weights) != data.n_queries or not (np.isfinite(weights) & (weights >= 0)).all()
        ):
            raise InputError(f"query_weight must hold {data.n_queries} numbers ≥ 0, one per query")
        kept, of_documents = self._weighted(data, X, doc_weight)
        if of_documents is not None and not loss.weighs_documents:
            raise InputError(f"doc_weight: {loss!r} cannot weigh documents; in its rankings one counts (1) or not (0)")
        if weights is not None and kept.n_queries < data.n_queries:
            weights = weights[np.isin(data.query_ids, kept.query_ids)]
        y = kept.y if kept is data else loss.after_dropping(kept.y, kept.ptr)
        prepared = loss.prepare(y, kept.ptr, of_documents)
        return LinearOracle(kept.X, prepared, weights, thread_count(self.threads))

    def _solve(
        self, oracle: LinearOracle, data: RankingData, planes: Planes | None, start: np.ndarray | None
    ) -> None:  # fmt: skip
        regression = _regression(data) if isinstance(self.w0, str) or not oracle.convex else None
        w0 = regression if isinstance(self.w0, str) else None if self.w0 is None else as_numbers(self.w0, "w0")
        if w0 is not None and len(w0) != oracle.size:
            raise InputError(f"w0 has {len(w0)} entries, the data has {oracle.size} features")
        name = self._choose_solver(oracle.prepared)
        options: dict[str, Any] = {
            "w0": w0, "planes": planes, "tol": self.tol, "max_iter": self.max_iter,
            "max_time": np.inf if self.max_time is None else self.max_time,
            "progress": show_progress(f"{self.loss}, C = {self.C:g}"),
        }  # fmt: skip
        if name == "sgd":
            options["seed"] = self.seed
        if name == "cutting-plane":
            dual = LinearDual(oracle.X, oracle.prepared, oracle.query_weight, w0)
            solution = cutting_plane(dual, self.C, **options)
        elif oracle.convex:
            solution = _SOLVERS[name].run(oracle, self.C, start=start, **options)
        else:
            starts = self._starts(oracle, regression, w0, options) + ([] if start is None else [start])
            solution = best_of(_SOLVERS[name].run, starts, oracle, self.C, **options)
        self.coef_ = solution.w
        self.objective_, self.lower_bound_, self.gap_ = solution.objective, solution.lower_bound, solution.gap
        self.history_, self.seconds_ = solution.history, solution.seconds
        if isinstance(
            oracle.prepared, PreparedSlack
        ):  # what was found is a lower bound of the loss: count the upper one
            self._count_upper(oracle, w0)
        self.n_iter_ = max(len(solution.history) - 1, 1)
        nothing = w0 is None and self.objective_ > 0 and np.linalg.norm(self.coef_) < 1e-9
        if solution.converged and nothing and oracle.prepared.loss.bounds and oracle.convex:
            warnings.warn(
                f"the certified optimum of {self.loss} here is w = 0, all scores equal: the convex bound gains nothing "
                "on this data. Try the position weights A='partial-order' (--weights partial-order), or svm-map",
                NothingLearnedWarning,
                stacklevel=4,
            )

    def _count_upper(self, oracle: LinearOracle, w0: np.ndarray | None) -> None:
        step = self.coef_ if w0 is None else self.coef_ - w0
        high = oracle.prepared.certified(oracle._scores(self.coef_))[1]
        total = float(high.sum() if oracle.query_weight is None else high @ oracle.query_weight)
        self.objective_ = max(self.objective_, 0.5 * float(step @ step) + self.C * total)
        self.gap_ = relative_gap(self.objective_, self.lower_bound_)

    def _starts(
        self, oracle: LinearOracle, regression: np.ndarray | None, w0: np.ndarray | None, options: dict[str, Any]
    ) -> list[np.ndarray]:
        """Where to begin with a loss that is not convex: see ``n_starts``."""
        convex = LinearOracle(oracle.X, oracle.prepared.base, oracle.query_weight, oracle.threads)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [bundle(convex, self.C, **{**options, "planes": None, "progress": None}).w]
        origin = np.zeros(oracle.size) if w0 is None else w0
        if regression is not None:
            scaled = [regression * 10.0**e for e in range(-2, 5)]
            heights = [0.5 * float((w - origin) @ (w - origin)) + self.C * oracle.value_grad(w)[0] for w in scaled]
            found.append(scaled[int(np.argmin(heights))])
        rng = np.random.default_rng(self.seed)
        size = max(float(np.linalg.norm(found[-1])), 1e-3)
        while len(found) < self.n_starts:
            w = rng.normal(size=oracle.size)
            found.append(w * size / np.linalg.norm(w))
        return found[: self.n_starts]

    def _choose_solver(self, prepared: Any) -> str:
        """The solver asked for, if the loss has what it needs."""
        if self.solver == "auto" and not prepared.loss.convex:
            return "cccp"
        if self.solver == "auto":
            return "newton" if prepared.curved else "lbfgs" if prepared.smooth else "bundle"
        needs = _SOLVERS[self.solver].needs
        if needs and not getattr(prepared, needs, False):
            raise InputError(
                f"solver={self.solver!r} needs a loss with {_NEEDED[needs]}, which {prepared.loss.name} has not: "
                "use solver='bundle' or 'sgd'" + (" or 'lbfgs'" if prepared.smooth else "")
            )
        return self.solver

    def _check_parameters(self) -> Any:
        """Raise on a parameter that makes no sense; the loss."""
        super()._check_parameters()
        for name, value in (("C", self.C), ("tol", self.tol)):
            if not (isinstance(value, (int, float, np.number)) and 0 < value < np.inf):
                raise InputError(f"{name} must be a positive number, got {value!r}")
        if not (isinstance(self.max_iter, (int, np.integer)) and self.max_iter >= 1):
            raise InputError(f"max_iter must be a whole number, at least 1; got {self.max_iter!r}")
        if not (isinstance(self.n_starts, (int, np.integer)) and self.n_starts >= 1):
            raise InputError(f"n_starts must be a whole number, at least 1; got {self.n_starts!r}")
        if isinstance(self.w0, str) and self.w0 != "regression":
            raise InputError(f"w0 must be an array or 'regression', got {self.w0!r}")
        if not (isinstance(self.seed, (int, np.integer)) and self.seed >= 0):
            raise InputError(f"seed must be a whole number, at least 0; got {self.seed!r}")
        if self.max_time is not None and not isinstance(self.max_time, (int, float, np.number)):
            raise InputError(f"max_time must be a number of seconds or None, got {self.max_time!r}")
        if not isinstance(self.loss, (str, losses.Loss)):
            raise InputError(f"loss must be a name or a loss, got {self.loss!r}")
        if not isinstance(self.loss_options, (dict, type(None))):
            raise InputError(f"loss_options must be a dictionary or None, got {self.loss_options!r}")
        if not isinstance(self.solver, str) or self.solver not in ("auto", *_SOLVERS):
            known = ["auto", *_SOLVERS]
            raise InputError(
                f"unknown solver {self.solver!r}.{nearest(str(self.solver), known)} There are: {', '.join(known)}"
            )
        options: dict[str, Any] = {"threads": self.threads} | (self.loss_options or {})
        if self._learns_A:
            if not (isinstance(self.loss, str) and self.loss.startswith("svm-") and ":" not in self.loss):
                raise InputError(f"A='learn' is for convex structural losses by name, got {self.loss!r}")
            options["A"] = "linear"
        loss = losses.get(self.loss, **options) if isinstance(self.loss, str) else self.loss
        if self._learns_A and not loss.convex:
            raise InputError(f"A='learn' is for convex structural losses by name, got {loss!r}")
        if not loss.convex and self.solver not in ("auto", *_NOT_CONVEX):
            raise InputError(
                f"{loss!r} is not convex, solver={self.solver!r} needs a convex loss: use {', '.join(_NOT_CONVEX)}"
            )
        return loss
