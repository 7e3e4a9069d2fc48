"""The linear ranker: any loss of scores, minimised to a certified gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

import numpy as np
from msgspec import Meta
from sklearn.base import clone

from .. import losses, solvers
from ..arrays import as_numbers, check_whole
from ..data.ranking_data import RankingData
from ..errors import InputError
from ..losses.supervision import check_query_weight
from ..solvers.certificate import Planes, Solution
from ..solvers.cutting_plane import check_schedule
from ..solvers.run import show_progress
from ..system.parallel import thread_count
from ..system.records import Finite, Positive
from .base import LinearModel, LinearState, check_solver_options
from .baselines import regression_weights
from .oracle.learned_weights import learn_weights
from .oracle.linear import LinearOracle, first_step
from .oracle.starts import StartingPoints, start_names
from .scikit.fit_arguments import own_weights
from .training import (
    AUTO,
    FOLDS,
    LongQueryWarning,
    NothingLearnedWarning,
    best_setting,
    inverse_deviations,
    times,
    warn_if_constant,
    warn_of_long_queries,
)

__all__ = ["LinearRanker", "LongQueryWarning", "NothingLearnedWarning"]

_OF_THE_DATA = (
    "n_features_in_", "feature_names_in_", "normaliser_", "n_queries_in_", "longest_query_in_", "provenance_",
    "first_index_",
)  # fmt: skip

_POWERS = np.arange(-3, 8) / 2  # C="auto" tries 10 to these powers, in units of the first step
_RESULTS = ("coef_", "objective_", "lower_bound_", "gap_", "converged_", "history_", "seconds_", "n_iter_")
_POWER = 2.0  # where there are too few queries to choose


class LinearRankerState(LinearState):
    """What is stored of a linear ranker: position weights too, where they were learned."""

    A: NotRequired[Annotated[list[Finite], Meta(min_length=1)]]
    C_: NotRequired[Positive]


class LinearRanker(LinearModel):
    r"""Learn weights w by minimising :math:`\tfrac12\|w - w_0\|^2 + C \sum_q \mathrm{loss}_q(Xw)`.

    With a structural loss the sum bounds what the predicted rankings lose of the measure on the training queries, and
    ``gap_`` certifies how far the objective may be from its minimum: whatever rounding did, the minimum is not below
    ``lower_bound_``, and the exact objective J at ``coef_`` is above ``lower_bound_`` by at most ``gap_`` · J. (J
    may differ from ``objective_``, which is rounded; a ``gap_`` of 1 says nothing of J.)
    ``converged_`` says whether the gap asked for was proved. For a loss that is not convex nothing is certified but
    that no objective is below 0; ``converged_`` then says that the objective fell no more.

    Args:
        loss: a loss name (``"listmle"``, ``"svm-map"``, …) or a loss object.
        loss_options: options of a named loss, e.g. ``{"A": "partial-order"}``; ``{"A": "learn"}`` learns the position
            weights along with w.
        C: the weight of the losses against the regulariser. ``"auto"``: the regulariser is ½ Σ (σ w)² instead, with the
            deviation σ of each feature, and C is the best of eleven values on inner folds of the training queries, by
            the measure that the loss is made for. The values are 10^−1.5 to 10^3.5 times the C at which one gradient
            step from 0 gives scores with deviation 1 within queries. So neither the number of queries nor the scale of
            features or loss matters. Where there are fewer than five queries, or a ``max_time``, C is 100 times that
            one. ``C_`` is the C that was used; objective and gap are those of the scaled features.
        solver: a name of the table :data:`rankine.solvers.TABLE` (`rankine solvers` lists it), or ``"auto"``: for a
            convex loss Newton, else L-BFGS, else the bundle method, whichever fits first; for another CCCP, or
            subgradient descent where no convex bound that touches the loss is known.
        tol: the relative gap to reach. Where rounding stands in the way (C or features very large) a
            :class:`~rankine.solvers.ConvergenceWarning` says so, and ``gap_`` is what can be proved. With features in
            single precision sums are too, until that does not suffice.
        w0: the reference point, 0 by default; ``"regression"`` for the weights of least squares on the grades.
        n_starts: for losses that are not convex: from how many points to go down, the best end is taken. The first two
            are the optimum of the convex bound and (scaled) regression, further ones are random; 2 by default.
        normalise: a kind of :class:`~rankine.Normaliser`, fitted with the model and applied when it predicts.
        max_iter: the most iterations of the solver.
        max_time: the most seconds, None for no limit.
        threads: by default one per core.
        seed: of the order in which SGD takes the queries, and of random starts.
        start: where to begin instead: ``"zero"``, ``"regression"`` (least squares on the grades, not scaled), ``"w0"``,
            ``"random"``, ``"convex"`` (the optimum of the convex bound), or a list of them. For a convex loss it is one
            point, which decides only how long the fit takes. With it a :meth:`path` begins there for every C.
        schedule: of ``solver="cutting-plane"``: dual weights are improved after every ``"query"`` (the default), after
            so many queries (a number), or after every ``"pass"`` over all of them.

    >>> X, y, qid = [[0.1, 1.0], [0.9, 0.0], [0.4, 0.5]], [0, 2, 1], ["a", "a", "a"]
    >>> model = LinearRanker(loss="svm-ndcg@10", C=10).fit(X, y, qid=qid)
    >>> model.rank(X, qid)
    array([1, 2, 0])
    >>> model.gap_ <= model.tol
    True
    """

    def __init__(
        self,
        loss: Any = "listmle",
        C: float | str = AUTO,
        loss_options: dict[str, Any] | None = None,
        solver: str = "auto",
        tol: float = 1e-3,
        w0: Any = None,
        normalise: str | None = None,
        max_iter: int = 1000,
        max_time: float | None = None,
        threads: int | None = None,
        seed: int = 0,
        n_starts: int | None = None,
        start: Any = None,
        schedule: str | int | None = None,
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
        self.start = start
        self.schedule = schedule

    _certificate = ("objective_", "lower_bound_", "gap_", "n_iter_")
    _schema = LinearRankerState

    def _state(self) -> dict[str, Any]:
        return super()._state() | {"C_": self.C_} | ({"A": self.A_.tolist()} if hasattr(self, "A_") else {})

    def _set_state(self, content: dict[str, Any]) -> None:
        super()._set_state(content)
        if "A" in content:
            self.A_ = np.array(content["A"], np.float64)
        if "C_" not in content and isinstance(self.C, str):
            raise InputError(f"not a LinearRanker, or damaged: C is {self.C!r}, and the C that was used is missing")
        self.C_ = content.get("C_", self.C)

    @property
    def _measure(self) -> str:
        return self.check_parameters().measure

    def fit(
        self, X: Any, y: Any = None, qid: Any = None, query_weight: Any = None, doc_weight: Any = None
    ) -> LinearRanker:
        """Learn from arrays with query ids (without them all rows are one query), or from a :class:`RankingData`.

        ``query_weight`` multiplies the loss of each query, in order of first appearance. ``doc_weight`` has one number
        per row: documents of weight 0 are left out, and a loss that is a sum over documents or pairs weights its terms.
        """
        loss = self.check_parameters()
        data = self.training_data(X, y, qid)
        doc_weight = self._in_order(data, X, doc_weight)
        if isinstance(self.C, str):
            return self._fit_scaled(loss, data, query_weight, doc_weight)
        self.C_ = self.C
        if self._learns_A:
            return self._alternate(loss, data, query_weight, doc_weight)
        problem = self._problem(loss, data, query_weight, doc_weight)
        self._solve(problem, None, None)
        warn_of_long_queries(loss, problem[1])
        return self

    def _in_order(self, data: RankingData, X: Any, doc_weight: Any) -> Any:
        """Weights of documents in the order of ``data``, checked."""
        if doc_weight is None or isinstance(X, RankingData):
            return doc_weight
        self._weighted(data, X, doc_weight)
        return as_numbers(doc_weight, "doc_weight")[data.order]

    def _fit_scaled(self, loss: losses.Loss, data: RankingData, query_weight: Any, doc_weight: Any) -> LinearRanker:
        """Fit to features of deviation 1 with the best C; the weights are for the features as they are."""
        scale = inverse_deviations(data.X)
        scaled = data.with_features(times(data.X, scale))
        model = clone(self).set_params(normalise=None, C=self.best_C(loss, scaled, query_weight, doc_weight))
        if self.w0 is not None and not isinstance(self.w0, str):
            w0 = as_numbers(self.w0, "w0")
            model.w0 = w0 / np.where(scale > 0, scale, 1.0) if len(w0) == len(scale) else w0
        model.fit(scaled, query_weight=query_weight, doc_weight=doc_weight)
        for name in (*_RESULTS, "C_", "A_", "A_history_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        self.coef_ = model.coef_ * scale
        return self

    def best_C(self, loss: losses.Loss, data: RankingData, query_weight: Any = None, doc_weight: Any = None) -> float:
        """The C that ``"auto"`` means for features as they are."""
        problem = self._problem(loss, data, query_weight, doc_weight)
        unit = first_step(problem[0])
        if self.max_time is not None:
            return unit * 10**_POWER
        powers = _POWERS if loss.convex else _POWERS[1::2]
        plain = clone(self).set_params(normalise=None, tol=max(self.tol, 1e-2), C=1.0)
        if self._learns_A:
            plain.set_params(loss_options={**(self.loss_options or {}), "A": "linear"})
        of_query = None if query_weight is None else check_query_weight(query_weight, data.n_queries)

        def scores(queries: np.ndarray, held: RankingData) -> list[np.ndarray]:
            rows = np.isin(np.repeat(np.arange(data.n_queries), np.diff(data.ptr)), queries)
            part = None if doc_weight is None else np.asarray(doc_weight)[rows]
            models = plain.path(
                (unit * 10**powers).tolist(), data.subset(queries),
                query_weight=None if of_query is None else of_query[queries], doc_weight=part,
            )  # fmt: skip
            return [model.predict(held) for model in models]

        best = best_setting(
            scores, data, loss.measure, FOLDS if loss.convex else 3, self.seed, of_query, loss.as_grades
        )  # fmt: skip
        return unit * 10 ** (_POWER if best is None else float(powers[best]))

    def fit_from(self, data: RankingData, start: np.ndarray) -> LinearRanker:
        """Fit to normalised data, beginning at these weights."""
        loss = self.check_parameters()
        self.n_features_in_, self.normaliser_, self.C_ = data.n_features, None, self.C
        self._solve(self._problem(loss, data, None, None), None, start)
        return self

    @property
    def _learns_A(self) -> bool:
        return isinstance(self.loss_options, dict) and isinstance(A := self.loss_options.get("A"), str) and A == "learn"

    def _alternate(self, loss: Any, data: RankingData, query_weight: Any, doc_weight: Any) -> LinearRanker:
        """Learn the position weights too; ``A_`` and ``A_history_`` hold them and the objective on the way."""
        if not (query_weight is doc_weight is self.w0 is self.start is None):
            raise InputError("A='learn' takes neither weights of queries or documents nor w0 nor start")
        plain = clone(self).set_params(normalise=None, C=self.C_)
        model, self.A_history_ = learn_weights(plain, loss, data)
        for name in (*_RESULTS, "A_"):
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
        X, query_weight, doc_weight = own_weights(X, query_weight, doc_weight)
        if not values or any(isinstance(C, str) for C in values):
            raise InputError(f"expected at least one value of C, all numbers; got {list(values)!r:.60}")
        models = [clone(self).set_params(C=C) for C in sorted(values)]
        if self._learns_A:
            return [model.fit(X, y, qid, query_weight, doc_weight) for model in models]
        for model in models:
            loss = model.check_parameters()
        data = models[0].training_data(X, y, qid)
        doc_weight = self._in_order(data, X, doc_weight)
        problem, planes = self._problem(loss, data, query_weight, doc_weight), Planes(data.n_features)
        start = None
        for model in models:
            for name in _OF_THE_DATA:
                if hasattr(models[0], name):
                    setattr(model, name, getattr(models[0], name))
            model.C_ = model.C
            model._solve(problem, planes, start)
            start = model.coef_
        warn_of_long_queries(loss, problem[1])
        return models

    def sweep(self, name: str, values: Sequence[Any], data: RankingData, **options: Any) -> list[Any]:
        """A fitted copy for each value of a parameter; values of C are one warm-started path.

        ``C_steps`` is C in units of the first step on features of deviation 1, as ``C="auto"`` has them: those suit
        data of any size and scale.
        """
        if name == "C_steps":
            return self._scaled_path(values, data, **options)
        if name != "C" or len(set(values)) < len(values):
            return super().sweep(name, values, data, **options)
        models = {model.C: model for model in self.path(values, data, **options)}
        return [models[C] for C in values]

    def _scaled_path(self, steps: Sequence[float], data: RankingData, **weights: Any) -> list[Any]:
        """A path over C in units of the first step; the weights are for the features as the normaliser gives them."""
        own = clone(self).set_params(C=1.0)
        normalised = own.training_data(data, None, None)
        scale = inverse_deviations(normalised.X)
        scaled = normalised.with_features(times(normalised.X, scale))
        plain = clone(own).set_params(normalise=None)
        problem = plain._problem(plain.check_parameters(), scaled, weights.get("query_weight"), None)
        unit = first_step(problem[0])
        models = plain.sweep("C", [unit * step for step in steps], scaled, **weights)
        for model in models:
            model.normalise = self.normalise
            model.coef_ = model.coef_ * scale
            for name in _OF_THE_DATA:
                if hasattr(own, name):
                    setattr(model, name, getattr(own, name))
        return models

    def _problem(
        self, loss: losses.Loss, data: RankingData, query_weight: Any, doc_weight: Any
    ) -> tuple[LinearOracle, RankingData]:
        """The oracle of the loss, and the documents that it counts with their grades; weights in the order of data."""
        weights = None if query_weight is None else check_query_weight(query_weight, data.n_queries)
        counted, of_documents = self._weighted(data, data, doc_weight)
        if of_documents is not None and not loss.weighs_documents:
            raise InputError(f"doc_weight: {loss!r} accepts document weights 0 and 1 only")
        if weights is not None and counted.n_queries < data.n_queries:
            weights = weights[np.isin(data.query_ids, counted.query_ids)]
        y = counted.y if counted is data else loss.after_dropping(counted.y, counted.ptr)
        loss.remark(y, counted.ptr, counted.query_ids)  # an error there names the query by its id
        prepared = loss.prepare(y, counted.ptr, of_documents)
        oracle = LinearOracle(counted.X, prepared, weights, thread_count(self.threads))
        return oracle, RankingData.from_valid(counted.X, loss.as_grades(y), counted.qid)

    def _solve(
        self, problem: tuple[LinearOracle, RankingData], planes: Planes | None, start: np.ndarray | None
    ) -> None:  # fmt: skip
        oracle, data = problem
        name = solvers.choose(self.solver, oracle.prepared.loss.name, oracle.offers, oracle.convex)
        w0 = None if self.w0 is None else self.w0 if not isinstance(self.w0, str) else regression_weights(data)
        w0 = None if w0 is None else as_numbers(w0, "w0")
        if w0 is not None and len(w0) != oracle.size:
            raise InputError(f"w0 has {len(w0)} entries, the data has {oracle.size} features")
        options: dict[str, Any] = {
            "w0": w0, "planes": planes, "tol": self.tol, "max_iter": self.max_iter, "seed": self.seed,
            "max_time": np.inf if self.max_time is None else self.max_time,
            "progress": show_progress(f"{self.loss}, C = {self.C_:g}"),
        }  # fmt: skip
        row = solvers.TABLE[name]
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large ends in an error of its own
            points = StartingPoints(oracle, data, w0, self.C_, options)
            solution = points.solve(row, start_names(self.start, self.n_starts), self.n_starts, start, self.schedule)
        self._keep(solution)
        if w0 is None and np.linalg.norm(self.coef_) < 1e-9 and not self.problem_of(data):  # which is told already
            self._warn_of_zero(solution.converged and oracle.convex, data, oracle.prepared.loss.advice)

    def _warn_of_zero(self, certified: bool, data: RankingData, advice: str) -> None:
        """Warn that w is 0 although there was something to learn."""
        how = "certified optimum" if certified else "best point that was reached"
        warn_if_constant(
            np.zeros(data.n_documents), data,
            f"The {how} of {self.loss} here is w = 0. {advice or 'Try another loss, such as listmle'}; AutoRanker "
            "compares several on the data", stacklevel=5,
        )  # fmt: skip

    def _keep(self, solution: Solution) -> None:
        self.coef_ = solution.w
        self.objective_, self.lower_bound_, self.gap_ = solution.objective, solution.lower_bound, solution.gap
        self.converged_ = solution.converged
        self.history_, self.seconds_ = solution.history, solution.seconds
        self.n_iter_ = max(len(solution.history) - 1, 1)

    def check_parameters(self) -> losses.Loss:
        """Raise on a parameter that makes no sense; returns the loss."""
        super().check_parameters()
        check_solver_options(self)
        check_whole("seed", self.seed, 0)
        if self.n_starts is not None:
            check_whole("n_starts", self.n_starts, 1)
        if isinstance(self.w0, str) and self.w0 != "regression":
            raise InputError(f"w0 must be an array or 'regression', got {self.w0!r}")
        if self.max_time is not None and not isinstance(self.max_time, (int, float, np.number)):
            raise InputError(f"max_time must be a number of seconds or None, got {self.max_time!r}")
        options = self.loss_options
        if self._learns_A and isinstance(options, dict):
            options = {name: value for name, value in options.items() if name != "A"}
        loss = losses.resolve(self.loss, options, threads=self.threads)
        if self._learns_A:
            if not (isinstance(self.loss, str) and loss.learns_weights):
                raise InputError(f"A='learn' is for convex structural losses by name, got {loss!r}")
            loss = loss.with_options(A="linear")
        prepared_later = {"smooth", "hvp", "touching", "dual", "minibatch"}  # what the data decides
        solvers.choose(self.solver, loss.name, prepared_later, loss.convex)
        self._check_start(loss)
        return loss

    def _check_start(self, loss: losses.Loss) -> None:
        """Raise unless start and schedule fit the loss and the solver."""
        names = start_names(self.start, self.n_starts if not loss.convex else None)
        if self.schedule is not None:
            check_schedule(self.schedule)
            if self.solver != "cutting-plane":
                raise InputError(f"schedule is for solver='cutting-plane', got solver={self.solver!r}")
        if names is not None and self.solver == "cutting-plane":
            raise InputError("solver='cutting-plane' begins with no plane at all: leave start out")
        if names is not None and loss.convex and (len(names) > 1 or names[0] == "convex"):
            raise InputError(f"{loss.name} is convex, its optimum is the same from every start: start={self.start!r}")
