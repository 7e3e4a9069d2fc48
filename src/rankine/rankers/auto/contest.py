"""The contest of candidates: which are tried, in which order, and which are stopped early.

Cheap candidates are tried first, on all folds. Dear ones follow fold by fold. After each fold a dear candidate is
stopped if every configuration of it is worse than the best complete one on the queries seen so far: by Student's test,
paired by query, at the level ``LEVEL`` divided by the number of dear candidates, of looks, and of complete
configurations, for the best of them was chosen by the same queries. All decisions wait for the end of a round, so they
do not depend on which job ends first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...measures import parse
from ...measures.table import TABLE as MEASURES
from ...system.signals import partial_result
from ..folds import NEVER
from .candidates import Candidate, Task
from .estimate import DEAR, Estimate, interval, p_better, size_of, weighted_means, within
from .race import FoldData, FoldJob, FoldResult, Runner

LEVEL = 0.05


@dataclass(frozen=True)
class Configuration:
    """A candidate with a setting, judged on all folds.

    ``values`` has the measure of each judged query, larger is better; ``scores`` those of each judged document.
    """

    name: str
    params: dict[str, Any]
    level: int
    values: np.ndarray
    scores: np.ndarray
    seconds: float
    candidate: Candidate | None = None
    setting: int = 0
    members: tuple[Configuration, ...] = ()
    weights: tuple[float, ...] = ()
    scales: tuple[float, ...] = ()
    by_query: bool = False


@dataclass
class Entry:
    """A candidate in the contest, its results by fold, and why it went no further (empty if it did)."""

    candidate: Candidate
    settings: dict[str, Any]
    results: dict[int, FoldResult] = field(default_factory=dict)
    stopped: str = ""
    remark: str = ""

    @property
    def seconds(self) -> float:
        """The seconds that its jobs took."""
        return sum(result.seconds for result in self.results.values())


class Contest:
    """Candidates on folds."""

    def __init__(
        self, candidates: Sequence[Candidate], of: FoldData, task: Task, weights: np.ndarray | None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:  # fmt: skip
        self.of, self.task, self.tell = of, task, tell
        self.n_folds = int(of.folds.max()) + 1
        self.judged = np.flatnonzero(of.folds != NEVER)
        self.weights = None if weights is None else weights[self.judged]
        self.entries = [
            Entry(c, c.settings_for(task), stopped=_not_tried(c, task))
            for c in (row.for_task(task) for row in candidates)
        ]
        self.interrupted = False
        self.out_of_time = False
        self._print = of.fingerprint()

    def plan(self, allowance: float) -> None:
        """Leave out dear candidates whose predicted time does not fit any more."""
        total = 0.0
        for entry in self.entries:
            if entry.stopped:
                continue
            cost = entry.candidate.cost(self.task) * (self.n_folds + 1)
            if entry.candidate.level >= DEAR and total + cost > allowance:
                entry.stopped = f"not tried: would take about {cost:.0f} s more (budget)"
            else:
                total += cost

    def predicted(self) -> float:
        """About the seconds that everything will take on one core."""
        return sum(e.candidate.cost(self.task) * (self.n_folds + 1) for e in self.entries if not e.stopped)

    def run(self, runner: Runner, deadline: float = np.inf) -> None:
        """Try the candidates; Ctrl-C ends it with what there is, if something is complete."""
        try:
            cheap = [e for e in self.entries if not e.stopped and e.candidate.level < DEAR]
            self._round(runner, cheap, list(range(self.n_folds)), np.inf)
            dear = [e for e in self.entries if not e.stopped and e.candidate.level >= DEAR]
            for fold in range(self.n_folds):
                self._round(runner, [e for e in dear if not e.stopped], [fold], deadline)
                if fold + 1 < self.n_folds:
                    self._stop_the_worse(dear, fold + 1)
        except KeyboardInterrupt:
            if not any(self.complete(e) for e in self.entries):
                raise
            partial_result(success=True)
            self.interrupted = True
        for entry in self.entries:
            if not entry.stopped and not self.complete(entry):
                why = "Ctrl-C" if self.interrupted else "the time was over"
                entry.stopped = f"not finished: {why}"

    def _round(self, runner: Runner, entries: list[Entry], folds: list[int], deadline: float) -> None:
        """All entries on these folds; each is told of when it is complete."""
        by_job = {}
        for entry in entries:
            for fold in folds:
                by_job[self._job(entry, fold).key] = entry
        jobs = [self._job(entry, fold) for entry in entries for fold in folds]
        if jobs and time.monotonic() > deadline:
            self.out_of_time = True
            return
        runner.deadline = deadline
        done = 0
        for job, result in runner.results(jobs):
            done += 1
            entry = by_job[job.key]
            if isinstance(result, str):
                entry.stopped = entry.stopped or f"failed: {result}"
                self.tell(f"{entry.candidate.name}: {entry.stopped}")
                continue
            entry.results[job.fold] = result
            entry.remark = entry.remark or result.remark
            if self.complete(entry) and not entry.stopped:
                self.tell(self._line(entry))
        self.out_of_time = self.out_of_time or done < len(jobs)

    def _job(self, entry: Entry, fold: int) -> FoldJob:
        c = entry.candidate
        return FoldJob(c.ranker, entry.settings, c.sweep, fold, self.task.measure, self._print)

    def complete(self, entry: Entry) -> bool:
        """Whether it was judged on all folds."""
        return len(entry.results) == self.n_folds

    def values(self, entry: Entry, folds: Sequence[int] | None = None) -> np.ndarray:
        """The measure of the queries of these folds: a row per configuration, queries in the order of the data."""
        return self._gathered([entry.results[f].values for f in self._all(folds)], self._queries(folds))

    def scores(self, entry: Entry) -> np.ndarray:
        """The scores of all judged documents: a row per configuration, documents in the order of the data."""
        lengths = np.diff(self.of.data.ptr)
        rows = [np.repeat(self.of.folds == f, lengths).nonzero()[0] for f in range(self.n_folds)]
        return self._gathered([entry.results[f].scores for f in range(self.n_folds)], rows)

    def _all(self, folds: Sequence[int] | None) -> Sequence[int]:
        return range(self.n_folds) if folds is None else folds

    def _queries(self, folds: Sequence[int] | None) -> list[np.ndarray]:
        return [np.flatnonzero(self.of.folds == f) for f in self._all(folds)]

    @staticmethod
    def _gathered(parts: list[np.ndarray], places: list[np.ndarray]) -> np.ndarray:
        order = np.argsort(np.concatenate(places), kind="stable")
        return np.concatenate(parts, axis=1)[:, order]

    def _stop_the_worse(self, dear: list[Entry], n_folds: int) -> None:
        """After so many folds, stop the candidates that are shown to be worse than the best complete configuration."""
        folds = range(n_folds)
        standing = [e for e in self.entries if self.complete(e) and not e.stopped]
        alive = [e for e in dear if not e.stopped and len(e.results) == n_folds]  # the time may be over for others
        if not standing or not alive:
            return
        queries = np.sort(np.concatenate(self._queries(folds)))
        weights = None if self.of.weights is None else self.of.weights[queries]
        tables = [self.values(e, folds) for e in standing]
        leader = max((row for table in tables for row in table), key=lambda row: weighted_means(row[None], weights)[0])
        tests = len(dear) * (self.n_folds - 1) * sum(map(len, tables))
        for entry in alive:
            p = max(p_better(leader - row, weights) for row in self.values(entry, folds))
            if p < LEVEL / tests:
                entry.stopped = f"stopped after {n_folds} of {self.n_folds} folds: worse (p = {p:.1g})"
                self.tell(f"{entry.candidate.name}: {entry.stopped}")

    def configurations(self) -> list[Configuration]:
        """Every configuration of the candidates that are complete."""
        out = []
        for entry in self.entries:
            if not self.complete(entry) or entry.stopped:
                continue
            values, scores = self.values(entry), self.scores(entry)
            for i in range(len(values)):
                sweep = entry.candidate.sweep
                params = {} if sweep is None else {sweep[0]: sweep[1][i]}
                out.append(Configuration(
                    entry.candidate.name, params, entry.candidate.level, values[i], scores[i], entry.seconds,
                    entry.candidate, i,
                ))  # fmt: skip
        return out

    def _line(self, entry: Entry) -> str:
        """A complete candidate in one line: its best configuration."""
        from .leaderboard import settings_text

        values = self.values(entry)
        best = int(np.argmax(weighted_means(values, self.weights)))
        e: Estimate = interval(values[best], self.weights)
        sweep = entry.candidate.sweep
        setting = "" if sweep is None else settings_text({sweep[0]: sweep[1][best]})
        e = Estimate(1 - e.mean, 1 - e.high, 1 - e.low) if parse(self.task.measure).is_error else e
        n = values.shape[1] if self.weights is None else size_of(self.weights)
        mean, low, high = within(e, MEASURES[parse(self.task.measure).name].range, n)
        limits = f"[{low:.4f}, {high:.4f}]" if np.isfinite(low) else "-"
        return f"{entry.candidate.name:<28} {setting:<14} {mean:.4f} {limits:<16} {entry.seconds:6.1f} s"


def _not_tried(candidate: Candidate, task: Task) -> str:
    reason = candidate.reason_against(task)
    return f"not tried: {reason}" if reason else ""
