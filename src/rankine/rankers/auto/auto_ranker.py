"""AutoRanker: name the measure, get a ranker that is good at it, and be told how good."""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from ...arrays import as_ids, check_positive, check_whole
from ...data.preferences import Preferences
from ...data.ranking_data import RankingData
from ...errors import InputError
from ...measures import parse
from ...system.console import say
from ...system.parallel import thread_count
from ...system.signals import partial_result
from ..base import Ranker
from ..baselines import performances
from ..folds import NEVER, fold_numbers, per_query, renumbered, warn_of_near_duplicates
from ..models.provenance import provenance_of
from ..scikit.fit_arguments import query_ids
from ..training import NothingLearnedWarning
from . import report_text as words
from .candidates import Candidate, Task, allowance, named
from .contest import Configuration, Contest
from .estimate import Estimate
from .fusion import FusedRanker, fused_configurations, fusion_folds
from .leaderboard import AutoReport, LeaderboardRow, ReportState, report_from, report_state
from .outcome import Outcome
from .race import FoldData, fitted, runner

SAMPLE = 200_000  # documents that candidates are compared on; the best is fitted on all
_SMALL = 5.0  # seconds of work that are done in this process: starting others takes a second or two


class AutoState(TypedDict):
    """What is stored of an AutoRanker: the best model whole, and what was said of it."""

    best: dict[str, Any]
    report: ReportState


class AutoRanker(Ranker):
    """Try rankers from simple to involved, keep the one that is best at a measure, and say how good it is.

    Every candidate is judged on queries that it did not learn from, by folds that are the same for all. A fusion of
    the candidates is a candidate too. The best mean is kept; a dear or fused model must gain at least 0.001 over
    simpler ones. ``estimate_`` is what the best is worth on new queries, corrected for having been chosen, with a 90 %
    interval. ``report_`` says the rest.

    Args:
        measure: by which everything is judged; `rankine measures` lists all.
        candidates: ``"auto"``, or names of :data:`rankine.rankers.auto.candidates.CANDIDATES`.
        folds: a number of folds by query; or an array, the fold of each query or of each row, −1 for queries that are
            only learned from; or a splitter as scikit-learn has them.
        budget: seconds after which no dear candidate is begun or finished. None: what is tried depends on the size of
            the data alone, so that the result is the same on every machine: seconds for small data, a few minutes for
            a million documents.
        seed: of the folds and of all that is random in candidates.
        deployable: only linear models that score a document without the others of its query, and their fusions: these
            can be exported to every target of :func:`rankine.export.export`.
        workers: processes; by default as many as cores, or none besides this one for small data.
        folder: where finished pieces are kept; the next fit with the same data and settings takes them from there.
        verbose: print a line for each candidate.

    After fitting: ``best_`` (the fitted model), ``estimate_`` (mean, low, high), ``leaderboard_`` (rows name, params,
    mean, low, high, seconds, verdict), ``report_`` (print it, or ``report_.write(folder)``), ``learned_`` (whether the
    best is better than chance).

    >>> from rankine.sample import bundled_sample
    >>> auto = AutoRanker(candidates=["single feature", "linear ranksvm-l2"], folds=3, workers=1).fit(bundled_sample())
    >>> auto.estimate_.low < auto.estimate_.mean < auto.estimate_.high
    True
    >>> auto.learned_
    True
    """

    _schema = AutoState
    # groups that a search of scikit-learn has for its own folds are not handed on, unless set_fit_request asks for it
    __metadata_request__fit = {"groups": False}  # noqa: RUF012

    def __init__(
        self,
        measure: str = "nDCG@10",
        candidates: Any = "auto",
        folds: Any = 5,
        budget: float | None = None,
        seed: int = 0,
        deployable: bool = False,
        workers: int | None = None,
        folder: str | None = None,
        verbose: bool = False,
    ) -> None:
        self.measure = measure
        self.candidates = candidates
        self.folds = folds
        self.budget = budget
        self.seed = seed
        self.deployable = deployable
        self.workers = workers
        self.folder = folder
        self.verbose = verbose

    best_: Any
    estimate_: Estimate
    leaderboard_: tuple[LeaderboardRow, ...]
    report_: AutoReport
    learned_: bool

    @property
    def _measure(self) -> str:
        return self.measure

    def check_parameters(self) -> None:
        """Raise on a parameter that makes no sense."""
        measure = parse(self.measure)
        if measure.supervision != "grades":
            raise InputError(f"AutoRanker needs a measure of grades, which {measure} is not")
        if self.budget is not None:
            check_positive("budget", self.budget)
        if isinstance(self.folds, (int, np.integer)):
            check_whole("folds", self.folds, 2)
        for name, value in (("seed", self.seed), ("workers", self.workers)):
            if value is not None:
                check_whole(name, value, 0 if name == "seed" else 1)

    def fit(
        self,
        X: Any,
        y: Any = None,
        qid: Any = None,
        query_weight: Any = None,
        groups: Any = None,
        valid: RankingData | None = None,
    ) -> AutoRanker:
        """Learn from arrays or from a :class:`~rankine.RankingData`.

        ``query_weight`` has one number per query, in order of first appearance. ``groups`` are labels of rows (or of
        queries): queries with the same one stay in one fold. ``valid`` are judged queries to judge on instead of folds.
        """
        from ...losses.supervision import check_query_weight

        self.check_parameters()
        rows = _rows(self.candidates)
        data = self._read_named(X, y, qid)
        weights = None if query_weight is None else check_query_weight(query_weight, data.n_queries, some=True)
        order = None if isinstance(X, RankingData) else data.order
        labels = None if groups is None else per_query(as_ids(groups, "groups"), data, "groups", order)
        numbers = None if self._by_number else fold_numbers(data, self.folds, self.seed, labels, order)
        if weights is not None and not weights.all():  # a query without weight is as good as none
            some = weights > 0
            data, weights = data.subset(some), weights[some]
            labels = None if labels is None else labels[some]
            numbers = None if numbers is None else numbers[some]
        self.normaliser_, self.provenance_ = None, provenance_of(data, self.seed)
        self.n_queries_in_, self.longest_query_in_ = data.n_queries, int(np.diff(data.ptr).max())
        performances(data, np.zeros(data.n_documents), str(parse(self.measure)))  # these grades may not suit it
        notes = words.about_data(data, str(parse(self.measure)))
        if data.n_queries == 1 and valid is None:
            return self._without_folds(data, [*notes, words.ONE_QUERY])
        of, more = self._on_valid(data, weights, valid) if valid is not None else self._folds(
            data, weights, labels, numbers
        )  # fmt: skip
        outcome = self._contest(rows, of)
        self._keep(outcome, data, weights, [*notes, *more])
        return self

    @property
    def _by_number(self) -> bool:
        return isinstance(self.folds, (int, np.integer))

    def _read_named(self, X: Any, y: Any, qid: Any) -> RankingData:
        """The data, with the names of its features also if they came with a frame."""
        data = self._read(X, y, qid)
        if isinstance(data.y, Preferences):
            raise InputError("AutoRanker needs grades, the data has a preference graph")
        names = getattr(self, "feature_names_in_", None)
        if names is None or data.feature_names is not None:
            return data
        return RankingData.from_valid(data.X, data.y, data.qid, None, tuple(map(str, names)), data.order)

    def _on_valid(self, data: RankingData, weights: Any, valid: Any) -> tuple[FoldData, list[str]]:
        """Data whose queries are all learned from, and others that are all judged on."""
        valid = self.validation_data(valid)
        judged = np.concatenate([np.full(data.n_queries, NEVER), np.zeros(valid.n_queries, np.int64)])
        of_all = None if weights is None else np.concatenate([weights, np.ones(valid.n_queries)])
        return FoldData(_together(data, valid), judged, of_all), []

    def _folds(self, data: RankingData, weights: Any, labels: Any, numbers: Any) -> tuple[FoldData, list[str]]:
        """The data that candidates are compared on, and what is to be said of it."""
        notes = []
        if numbers is None:
            folds, most = int(self.folds), data.n_queries if labels is None else len(np.unique(labels))
            if folds > most > 1:
                one, many = ("query", "queries") if labels is None else ("group of queries", "groups of queries")
                notes.append(f"There are {most} {many}, fewer than {folds} folds: each {one} is a fold.")
                folds = most
            numbers = fold_numbers(data, folds, self.seed, labels)
        numbers = renumbered(numbers)
        warn_of_near_duplicates(data, numbers)
        if data.n_documents > SAMPLE:
            some = _sample(data, self.seed)
            if len(np.unique(numbers[some])) > 1 and (numbers[some] != NEVER).any():
                notes.append(
                    f"Candidates are compared on {len(some):,} of {data.n_queries:,} queries; the best is fitted on "
                    "all."
                )
                numbers = renumbered(numbers[some])
                data, weights = data.subset(some), None if weights is None else weights[some]
        return FoldData(data, numbers, weights), notes

    def _contest(self, rows: tuple[Candidate, ...], of: FoldData) -> Outcome:
        """Let the candidates compete on the folds."""
        measure = str(parse(self.measure))
        share = 1 - 1 / max(int(of.folds.max()) + 1, 2)
        task = self._task(of.data, share)
        contest = Contest(rows, of, task, of.weights, say if self.verbose else lambda line: None)
        contest.plan(allowance(task) if self.budget is None else np.inf)
        began = time.monotonic()
        deadline = np.inf if self.budget is None else began + self.budget
        folder = None if self.folder is None else Path(self.folder, "folds")
        with runner(of, self._workers(contest.predicted()), folder) as run:
            contest.run(run, deadline)
        configurations = contest.configurations()
        judged = of.data.subset(contest.judged)
        folds = fusion_folds(of.folds[contest.judged], self.seed)
        try:
            configurations += fused_configurations(
                configurations, judged, folds, measure, contest.weights, by_query=not self.deployable
            )
        except KeyboardInterrupt:
            partial_result(success=True)
            contest.interrupted = True
        return Outcome(contest, configurations, judged, contest.weights, self.seed, folds)

    def _task(self, data: RankingData, share: float = 1.0) -> Task:
        """What candidates must fit, if they learn from this share of the data."""
        return Task(
            str(parse(self.measure)), int(share * data.n_queries), int(share * data.n_documents), data.n_features,
            data.is_sparse, self.deployable, self.seed,
        )  # fmt: skip

    def _workers(self, seconds: float) -> int:
        if multiprocessing.parent_process() is not None:
            return 1  # a process of a pool must not start others
        if self.workers is not None:
            return int(self.workers)
        return 1 if seconds < _SMALL else thread_count()

    def _keep(self, outcome: Outcome, data: RankingData, weights: Any, notes: list[str]) -> None:
        """Fit the best on all data, and write down what there is to say."""
        if not outcome.configurations:
            raise InputError(f"no candidate could be judged: {outcome.failures()}")
        try:
            self.best_ = self._fitted(outcome.best, data, weights)
        except KeyboardInterrupt:  # without this fit all work would be lost
            partial_result(success=True)
            if self.verbose:
                say("the best is fitted from its beginning; the next Ctrl-C ends without a model")
            self.best_ = self._fitted(outcome.best, data, weights)
        self.estimate_, self.learned_ = outcome.estimate, outcome.learned
        lines = words.report_lines(outcome, self.best_, data, str(parse(self.measure)))
        self.report_ = AutoReport(
            str(parse(self.measure)), outcome.judged.n_queries, (*lines, *notes), outcome.rows(), self.estimate_
        )
        self.leaderboard_ = self.report_.rows
        if self.folder is not None:
            self.report_.write(self.folder)

    def _fitted(self, best: Configuration, data: RankingData, weights: Any) -> Any:
        if best.members:
            members = [self._fitted(member, data, weights) for member in best.members]
            return FusedRanker.of(members, best.weights, best.scales, best.by_query)
        assert best.candidate is not None
        settings = best.candidate.settings_for(self._task(data))
        settings = {name: value for name, value in settings.items() if name not in ("tol", "threads")}
        sweep = best.candidate.sweep
        value = None if sweep is None else (sweep[0], (sweep[1][best.setting],))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingLearnedWarning)  # the report says it of the whole
            return fitted(best.candidate.ranker, settings, value, data, weights)[0]

    def _without_folds(self, data: RankingData, notes: list[str]) -> AutoRanker:
        """One query: nothing can be judged."""
        from ..linear import LinearRanker

        self.best_ = LinearRanker(seed=self.seed).fit(data)
        self.estimate_, self.learned_ = Estimate(np.nan, np.nan, np.nan), False
        self.leaderboard_ = ()
        if not self.best_.coef_.any():
            notes = [*notes, words.NULL_MODEL]
        self.report_ = AutoReport(str(parse(self.measure)), 1, tuple(notes), (), self.estimate_)
        if self.folder is not None:
            self.report_.write(self.folder)
        return self

    def _predicted(self, X: Any, qid: Any) -> np.ndarray:
        if isinstance(X, RankingData):
            return np.asarray(self.best_.predict(X))
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        n = X.shape[0]
        data = RankingData(X, np.zeros(n), query_ids(qid, n))
        scores = np.empty(n)
        scores[data.order] = self.best_.predict(data)
        return scores

    @property
    def needs_queries(self) -> bool:
        """Whether the score of a document depends on the other documents of its query."""
        return hasattr(self, "best_") and self.best_.needs_queries

    def _fitted_to(self) -> str:
        if not hasattr(self, "report_"):  # not fitted to the end
            return super()._fitted_to()
        best = next((row.name for row in self.leaderboard_ if row.verdict == "best"), type(self.best_).__name__)
        return f"{super()._fitted_to()} for {self.report_.measure}; the best is {best}"

    def explain(self, x: Any) -> list[tuple[str, float]]:
        """What each feature adds to the score of one row, where the best is linear."""
        if not hasattr(self.best_, "explain"):
            raise InputError(
                f"only linear models can be explained by feature, the best is a {type(self.best_).__name__}"
            )
        return self.best_.explain(x)

    def _stored_parameters(self) -> dict[str, Any]:
        """Own candidates by their names, a splitter by its text: neither can be stored."""
        parameters, names = self.get_params(), self.candidates
        if isinstance(names, (list, tuple)):  # a file may have held anything
            rows = [names] if isinstance(names, Candidate) else names
            parameters["candidates"] = [row.name if isinstance(row, Candidate) else str(row) for row in rows]
        if hasattr(self.folds, "split") and not isinstance(self.folds, str):  # a splitter
            parameters["folds"] = repr(self.folds)
        if self.folder is not None:
            parameters["folder"] = os.fspath(self.folder)
        return parameters

    def _state(self) -> dict[str, Any]:
        return {"best": self.best_.content(), "report": report_state(self.report_, self.learned_)}

    def _set_state(self, content: dict[str, Any]) -> None:
        from ..table import model_of

        self.best_ = model_of(content["best"])
        self.n_features_in_ = self.best_.n_features_in_
        self.report_ = report_from(content["report"])
        self.leaderboard_, self.estimate_ = self.report_.rows, Estimate(*self.report_.estimate)
        self.learned_ = content["report"]["learned"]


def _rows(candidates: Any) -> tuple[Candidate, ...]:
    """The candidates that the parameter means, each once."""
    several = isinstance(candidates, (list, tuple)) and not isinstance(candidates, Candidate)
    if not all(isinstance(c, (str, Candidate)) for c in (candidates if several else [candidates])):
        raise InputError(f"candidates must be 'auto' or a list of names of candidates, got {candidates!r:.60}")
    rows = named(candidates)
    if not rows:
        raise InputError("candidates must name at least one candidate, got none")
    twice = [name for name, count in Counter(row.name for row in rows).items() if count > 1]
    if twice:
        raise InputError(f"candidates must have different names, got {twice[0]!r} twice")
    return rows


def _together(data: RankingData, valid: RankingData) -> RankingData:
    """Both sets, one after the other; queries with the same id stay apart."""
    X = sp.vstack([data.X, valid.X], "csr") if data.is_sparse else np.concatenate([data.X, valid.dense().X])
    lengths = np.concatenate([np.diff(data.ptr), np.diff(valid.ptr)])
    return RankingData.from_valid(
        X, np.concatenate([data.y, valid.y]), np.repeat(np.arange(len(lengths)), lengths), None, data.feature_names
    )


def _sample(data: RankingData, seed: int) -> np.ndarray:
    """Numbers of random queries with about ``SAMPLE`` documents together, in order."""
    shuffled = np.random.default_rng(seed).permutation(data.n_queries)
    total = np.cumsum(np.diff(data.ptr)[shuffled])
    return np.sort(shuffled[: max(int(np.searchsorted(total, SAMPLE)), 2)])
