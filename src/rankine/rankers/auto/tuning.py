"""Model selection: every combination of a grid, on folds by query or on validation data."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from ...data.alignment import aligned
from ...data.ranking_data import Preferences, RankingData
from ...errors import InputError, in_one_line, nearest
from ...measures import parse
from ...measures.table import TABLE as MEASURES
from ...system.figures import BLUE, RED, check_picture, save_figure
from ...system.files import replacing
from ...system.parallel import thread_count
from ..training import NothingLearnedWarning
from .jobs import JobData, TuningJob, plain, run, stops_early
from .leaderboard import AutoReport, LeaderboardRow, verdict_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAILED, NOTHING, UNPROVED = "failed: ", "nothing was learned", "the gap was not reached"


@dataclass(frozen=True)
class Combination:
    """A combination of parameters, the measure on each fold, and the seconds its fits took.

    ``values`` has the measure of each held-out query, where it is kept. ``remark`` says that the combination failed
    (it has no scores then), or that it learned nothing.
    """

    params: dict[str, Any]
    scores: tuple[float, ...]
    seconds: float
    values: np.ndarray | None = field(default=None, repr=False, compare=False)
    remark: str = ""

    @property
    def mean(self) -> float:
        """The mean over the folds, NaN of one that failed."""
        return float(np.mean(self.scores)) if self.scores else np.nan


@dataclass(frozen=True)
class Tuning:
    """The result of :func:`tune`: all combinations, best first."""

    measure: str
    trials: tuple[Combination, ...]
    ranker: Any = field(repr=False)

    @property
    def best(self) -> Combination:
        """The combination with the best mean; of equal ones the first of the grid."""
        return self.trials[0]

    def refit(self, data: RankingData, valid: RankingData | None = None) -> Any:
        """The best combination, fitted on all of ``data``; ``valid`` is for a ranker that can stop early by it."""
        options = {"valid": valid} if valid is not None and stops_early(type(self.ranker)) else {}
        return clone(self.ranker).set_params(**self.best.params).fit(data, **options)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Column names and rows, for people."""
        names = list(self.best.params)
        remarks = any(t.remark for t in self.trials)
        rows = []
        for t in self.trials:
            numbers = [f"{t.mean:.4f}", f"{np.std(t.scores):.4f}"] if t.scores else ["-", "-"]
            row = [*(_text(t.params[n]) for n in names), *numbers, f"{t.seconds:.2f}"]
            rows.append([*row, t.remark or "-"] if remarks else row)
        return [*names, self.measure, "± over folds", "seconds", *(["remark"] if remarks else [])], rows

    @property
    def _ends(self) -> tuple[float, float]:
        """The least and the largest value of the measure."""
        return MEASURES[parse(self.measure).name].range

    def report(self) -> AutoReport:
        """The combinations as a leaderboard, and what the best is worth on new queries, corrected for the choosing."""
        from .estimate import PLAIN, Estimate, corrected, within

        judged = [t.values for t in self.trials if t.scores]
        sign = -1 if parse(self.measure).is_error else 1
        estimate, lines, queries = Estimate(np.nan, np.nan, np.nan), [], 0
        if all(values is not None for values in judged):
            table = sign * np.stack([v for v in judged if v is not None])
            mean, *ends = (sign * v for v in corrected(table, np.full(len(table), PLAIN)))
            queries = table.shape[1]
            estimate = within(Estimate(mean, min(ends), max(ends)), self._ends, queries)
            lines.append(
                f"On new queries expect {self.measure} {mean:.4f}, 90 % interval {estimate.low:.4f} to "
                f"{estimate.high:.4f}: corrected for the choice among {len(table)} combinations, whose best mean is "
                f"{self.best.mean:.4f}."
            )
        rows = tuple(self._row(t, sign) for t in self.trials)
        return AutoReport(self.measure, queries, tuple(lines), rows, estimate)

    def _row(self, t: Combination, sign: int) -> LeaderboardRow:
        from .estimate import interval, within

        mean, low, high = t.mean, np.nan, np.nan
        if t.values is not None:
            mean, low, high = within(interval(t.values), self._ends, len(t.values))
        verdict = t.remark
        if not verdict and t.values is not None and self.best.values is not None:
            verdict = "best" if t is self.best else verdict_of(sign * t.values, sign * self.best.values, None)
        return LeaderboardRow(type(self.ranker).__name__, t.params, mean, low, high, t.seconds, verdict)

    def to_json(self) -> str:
        """All trials as JSON."""
        trials = [
            {"params": t.params, "scores": t.scores, "mean": t.mean if t.scores else None, "seconds": t.seconds}
            | ({"remark": t.remark} if t.remark else {})
            for t in self.trials
        ]
        content = {"measure": self.measure, "best": self.best.params, "trials": trials}
        return json.dumps(content, indent=1, default=plain)

    def to_csv(self) -> str:
        """All trials as CSV."""
        out = io.StringIO()
        columns, rows = self.table()
        csv.writer(out).writerows([columns, *rows])
        return out.getvalue()

    def write(self, folder: Path) -> None:
        """Write ``tune.json`` and ``tune.csv``, their picture if there is an axis, and the leaderboard likewise."""
        report = self.report()
        texts = {
            "tune.json": self.to_json(), "tune.csv": self.to_csv(), "leaderboard.json": report.to_json(),
            "leaderboard.csv": report.to_csv(),
        }  # fmt: skip
        for name, text in texts.items():
            with replacing(folder / name) as temporary:
                temporary.write_text(text)
        if self.axis is not None:
            self.plot(folder / "tune.png")

    def plot(self, path: str | os.PathLike | None = None) -> Any:
        """The measure against C (or another number), a curve for every combination of the other parameters."""

        axis = self.axis
        if axis is None:
            raise InputError("no parameter of the grid is a row of numbers: there is no curve to draw")
        curves: dict[str, list[tuple[float, float]]] = {}
        for t in (t for t in self.trials if t.scores):
            label = ", ".join(_text(v) for n, v in t.params.items() if n != axis) or "all"
            curves.setdefault(label, []).append((t.params[axis], t.mean))
        return draw_curves({k: sorted(v) for k, v in curves.items()}, axis, self.measure, path)

    @property
    def axis(self) -> str | None:
        """The parameter that a curve is drawn against: C, or the first that has several numbers."""
        for name in sorted(self.best.params, key=lambda n: n != "C"):
            values = {repr(t.params[name]): t.params[name] for t in self.trials}.values()
            if len(values) > 1 and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
                return name
        return None


def tune(
    ranker: Any,
    data: RankingData,
    grid: Mapping[str, Sequence[Any]],
    *,
    measure: str = "nDCG@10",
    valid: RankingData | None = None,
    folds: int = 5,
    seed: int = 0,
    workers: int | None = None,
    folder: str | os.PathLike | None = None,
) -> Tuning:
    """Try every combination of ``grid`` and rank them by ``measure``.

    Args:
        ranker: an estimator; its other parameters stay as they are.
        data: the training data.
        grid: values to try for each parameter. All values of ``C`` are one warm-started path.
        measure: by which the combinations are ranked.
        valid: validation data; without it ``data`` is split into ``folds`` by query. A ranker that can stop early does
            so by it.
        folds: the number of folds.
        seed: of the random split into folds.
        workers: processes, by default one per core; 1 works in this one.
        folder: where finished jobs are kept for a later call, which does not do them again; the results go there too.

    >>> from rankine import LinearRanker
    >>> from rankine.sample import bundled_sample
    >>> grid = {"loss": ["svm-map", "ranksvm-l2"], "C": [0.001, 0.1]}
    >>> tuning = tune(LinearRanker(normalise="query-zscore"), bundled_sample(), grid, folds=3, workers=1)
    >>> len(tuning.trials), tuning.best.mean > 0.7
    (4, True)
    """
    measure = str(parse(measure))
    valid = _check_data(data, valid, folds)
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}")
    values = _check_grid(ranker, grid)
    path = values.pop("C", None) if hasattr(ranker, "path") else None
    combinations = [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]
    problems = [_problem(ranker, combination, path, data, measure) for combination in combinations]
    if all(p.startswith(FAILED) for p in problems):  # before anything is written
        raise InputError(f"every combination {problems[0]}" if len(problems) > 1 else problems[0].removeprefix(FAILED))
    job_data = JobData(data, valid, folds, seed)
    to_fit = [c for c, problem in zip(combinations, problems, strict=True) if not problem.startswith(FAILED)]
    jobs = _jobs(ranker, to_fit, path, measure, job_data)
    place = None if folder is None else Path(folder, "jobs")
    results = run([job for of in jobs for job in of], type(ranker), job_data, thread_count(workers), place)
    on_folds = iter([[results[job.key] for job in of] for of in jobs])
    trials = []
    for combination, problem in zip(combinations, problems, strict=True):
        of = [] if problem.startswith(FAILED) else next(on_folds)
        trials += _measured(combination, path, of, list(grid), problem)
    _warn_of_trials(trials)
    tuning = Tuning(measure, _sorted(trials, parse(measure).is_error), ranker)
    if folder is not None:
        tuning.write(Path(folder))
    return tuning


def _jobs(
    ranker: Any, combinations: Sequence[dict[str, Any]], path: Sequence[float] | None, measure: str, data: JobData
) -> list[list[TuningJob]]:
    """The jobs of each combination, one for each fold."""
    kind, prints = type(ranker), data.fingerprint()
    folds, stops = (data.folds, False) if data.valid is None else (1, stops_early(kind))
    return [
        [
            TuningJob(kind.__name__, ranker.get_params() | combination, path, fold, measure, prints, stops)
            for fold in range(folds)
        ]
        for combination in combinations
    ]


def _problem(
    ranker: Any, combination: dict[str, Any], path: Sequence[float] | None, data: RankingData, measure: str
) -> str:
    """Why a combination cannot be fitted, or learns nothing from the data; empty if there is no such reason."""
    for C in path if path is not None else [None]:
        estimator = clone(ranker).set_params(**combination, **({} if C is None else {"C": C}))
        try:
            estimator.check_parameters()
        except InputError as error:
            return FAILED + in_one_line(error)
    return estimator.problem_of(data, measure)


def _measured(
    combination: dict[str, Any], path: Sequence[float] | None, on_folds: list[Any], order: list[str], problem: str
) -> list[Combination]:
    """The results of a combination on all folds, for each C of the path; parameters in the order of the grid."""
    out = []
    failures = [FAILED + result for result in on_folds if isinstance(result, str)] or [problem] * (not on_folds)
    for i, C in enumerate(sorted(path) if path is not None else [None]):
        params = combination | ({} if C is None else {"C": C})
        params = {name: params[name] for name in order if name in params}
        if failures:
            out.append(Combination(params, (), 0.0, None, failures[0]))
            continue
        scores = tuple(result["scores"][i] for result in on_folds)
        seconds = sum(result["seconds"][i] for result in on_folds)
        kept = all("values" in result for result in on_folds)
        values = np.concatenate([result["values"][i] for result in on_folds]) if kept else None
        out.append(Combination(params, scores, seconds, values, _remark(on_folds, i, problem)))
    return out


def _remark(on_folds: list[Any], i: int, problem: str) -> str:
    """What is to be said of the results of a combination that did not fail."""
    if problem or all(result.get("constant", [False] * (i + 1))[i] for result in on_folds):
        return f"{NOTHING}: {problem}" if problem else NOTHING
    unproved = any(result.get("unproved", [False] * (i + 1))[i] for result in on_folds)
    return UNPROVED if unproved else ""


def _sorted(trials: Sequence[Combination], is_error: bool) -> tuple[Combination, ...]:
    """The best first, those that failed last."""
    sign = 1 if is_error else -1
    return tuple(sorted(trials, key=lambda t: sign * t.mean if t.scores else np.inf))


def _warn_of_trials(trials: Sequence[Combination]) -> None:
    """Say how many combinations failed, learned nothing, or were not solved; raise if all failed."""
    from ...solvers import ConvergenceWarning

    failed = [t for t in trials if not t.scores]
    if len(failed) == len(trials):
        raise InputError(f"every combination {failed[0].remark}")
    said = [
        (failed, "failed", UserWarning, f": {failed[0].remark}" if failed else ""),
        ([t for t in trials if t.remark.startswith(NOTHING)], "learned nothing", NothingLearnedWarning,
         ": all documents of a query have the same score"),
        ([t for t in trials if t.remark == UNPROVED], "ended before the gap tol was reached", ConvergenceWarning,
         ": more iterations (max_iter) may help"),
    ]  # fmt: skip
    for some, what, kind, why in said:
        if some:
            one = ", ".join(f"{name} {_text(value)}" for name, value in some[0].params.items())
            text = f"{len(some)} of {len(trials)} combinations {what}, e.g. {one}{why}"
            warnings.warn(text, kind, stacklevel=3)


def _check_data(data: Any, valid: Any, folds: int) -> Any:
    """Raise on data that cannot be tuned with; the validation data with the features of the training data."""
    for part, name in ((data, "data"), (valid, "valid")):
        if not isinstance(part, RankingData) and not (part is None and name == "valid"):
            raise InputError(f"{name} must be a RankingData, got {type(part).__name__}")
        if part is not None and isinstance(part.y, Preferences):
            raise InputError(f"tune measures by grades; the {name} holds a preference graph")
    if valid is None and data.n_queries == 1:
        raise InputError("there is one query, which cannot be cut into folds: give validation data, valid= (--valid)")
    if valid is None and not 2 <= folds <= data.n_queries:
        raise InputError(f"expected between 2 and {data.n_queries} folds (the queries there are), got {folds}")
    first = None if data.numbering is None else data.numbering.first
    return None if valid is None else aligned(valid, data.n_features, first, valid=True)


def _check_grid(ranker: Any, grid: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The grid with plain numbers; an error if it is empty or names a parameter that the ranker has not."""
    parameters = ranker.get_params()
    if not grid:
        raise InputError("the grid is empty: give at least one parameter with its values")
    for name, values in grid.items():
        if name not in parameters:
            raise InputError(f"{type(ranker).__name__} has no parameter {name!r}.{nearest(name, parameters)}")
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or len(values) == 0:
            raise InputError(f"the grid needs a list of at least one value for {name!r}, got {values!r}")
    return {name: [v.item() if isinstance(v, np.generic) else v for v in values] for name, values in grid.items()}


def _text(value: Any) -> str:
    """A value of the grid, in a table."""
    if isinstance(value, dict):
        return " ".join(f"{k}={v}" for k, v in value.items()) or "-"
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


# -- Pictures of a choice of parameters: a measure on validation queries against a parameter


def draw_path(values: list[float], scores: list[float], measure: str, best: float, path: str | os.PathLike) -> None:
    """Validation against C on a logarithmic axis, the best value marked."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axis = figure.subplots()
    axis.semilogx(values, scores, "o-", color=BLUE)
    axis.plot([best], [scores[values.index(best)]], "o", color=RED, markersize=9, label=f"best: C = {best:g}")
    axis.set_xlabel("C")
    axis.set_ylabel(f"validation {measure}")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    save_figure(figure, path)


def draw_curves(
    curves: dict[str, list[tuple[float, float]]], against: str, measure: str, path: str | os.PathLike | None = None
) -> Figure:
    """A measure against a parameter on a logarithmic axis, one curve for each setting of the rest."""
    from matplotlib.figure import Figure

    if path is not None:
        check_picture(path)
    figure = Figure(figsize=(7.5, 4.2), layout="constrained")
    axis = figure.subplots()
    for label, points in curves.items():
        axis.semilogx(*zip(*points, strict=True), "o-", markersize=4, label=label)
    axis.set_xlabel(against)
    axis.set_ylabel(f"validation {measure}")
    axis.spines[["top", "right"]].set_visible(False)
    if len(curves) > 1:
        axis.legend(frameon=False, fontsize="small")
    if path is not None:
        save_figure(figure, path)
    return figure
