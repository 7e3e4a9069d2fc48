"""The outcome of a contest: which configuration is best, what it is worth, and the rows of the leaderboard."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...data.ranking_data import RankingData
from ...measures import parse
from ...measures.table import TABLE as MEASURES
from ..baselines import performances
from .contest import Configuration, Contest
from .estimate import (
    FLOOR,
    FUSED,
    Estimate,
    choose,
    corrected,
    interval,
    optimism_of,
    p_better,
    size_of,
    weighted_means,
    within,
)
from .leaderboard import LeaderboardRow, verdict_of

CHANCE = 0.01  # the level of the test whether anything is better than chance


class Outcome:
    """Configurations with their values on the judged queries, and what follows from them."""

    def __init__(
        self, contest: Contest, configurations: list[Configuration], judged: RankingData, weights: np.ndarray | None,
        seed: int, folds: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self.contest, self.configurations, self.judged = contest, configurations, judged
        self.folds = np.zeros(judged.n_queries, np.int64) if folds is None else folds  # those of the fusions
        self.weights, self.seed, self.measure = weights, seed, contest.task.measure
        self.is_error = parse(self.measure).is_error
        self.ends = MEASURES[parse(self.measure).name].range
        self.end = self.in_units_of(self.ends[0]) if self.is_error else self.ends[1]  # of values, the largest

    @cached_property
    def values(self) -> np.ndarray:
        """A row for each configuration, a column for each judged query; larger is better."""
        return np.stack([c.values for c in self.configurations])

    @cached_property
    def classes(self) -> np.ndarray:
        """The class of each configuration."""
        return np.array([c.level for c in self.configurations])

    @cached_property
    def means(self) -> np.ndarray:
        """The mean of each configuration; larger is better."""
        return weighted_means(self.values, self.weights)

    @cached_property
    def number(self) -> int:
        """The number of the best configuration."""
        return int(choose(self.means[None], self.classes, self.optimism, self.end)[0])

    @cached_property
    def optimism(self) -> float:
        """By how much the best mean of those that are no fusion is too high."""
        return optimism_of(self.values, self.classes, self.weights, self.seed)

    @property
    def without_fusion(self) -> float | None:
        """What the best that is no fusion is worth on new queries, in units of the measure."""
        plain = self.classes < FUSED
        if not plain.any():
            return None
        means = self.means[plain]
        best = float(means[int(choose(means[None], self.classes[plain])[0])])
        return self.in_units_of(best - self.optimism)

    @property
    def best(self) -> Configuration:
        """The configuration that is chosen."""
        return self.configurations[self.number]

    @cached_property
    def estimate(self) -> Estimate:
        """What the best is worth on new queries, in units of the measure."""
        return self.in_units(self.corrected())

    @property
    def uncorrected(self) -> float:
        """The best mean of all on held-out queries: too high, for it was chosen for being high."""
        return self.in_units_of(float(self.means.max()))

    def in_units_of(self, value: float) -> float:
        """A value in units of the measure: an error is kept as 1 − value."""
        return 1 - value if self.is_error else value

    def in_units(self, e: Estimate) -> Estimate:
        """An estimate in units of the measure, within its range: an error is kept as 1 − value."""
        e = Estimate(1 - e.mean, 1 - e.high, 1 - e.low) if self.is_error else e
        n = self.values.shape[1] if self.weights is None else size_of(self.weights)
        return within(e, self.ends, n)

    def corrected(self, against: int | None = None) -> Estimate:
        """The value of what is chosen, or its difference to a configuration, corrected for the choosing."""
        return corrected(
            self.values, self.classes, self.weights, self.seed, against=against, optimism=self.optimism, end=self.end
        )

    @cached_property
    def chance(self) -> np.ndarray:
        """The measure of each query if documents are in random order, exactly."""
        return performances(self.judged, np.zeros(self.judged.n_documents), self.measure)

    @cached_property
    def p_of_chance(self) -> float:
        """The least p-value that a configuration is better than chance, times the number of configurations."""
        tests = [p_better(row - self.chance, self.weights) for row in self.values]
        return min(1.0, min(tests) * len(tests))

    @property
    def learned(self) -> bool:
        """Whether something is better than chance."""
        return self.p_of_chance < CHANCE

    @cached_property
    def floor(self) -> int | None:
        """The number of the best of the simplest configurations, if one was judged."""
        floors = np.flatnonzero(self.classes == FLOOR)
        return int(floors[np.argmax(self.means[floors])]) if len(floors) else None

    @cached_property
    def over_floor(self) -> Estimate | None:
        """How much the choice gains over the floor, corrected for the choosing."""
        if self.floor is None or self.floor == self.number:
            return None
        return self.corrected(against=self.floor)

    def failures(self) -> str:
        """Why candidates were not judged."""
        return "; ".join(f"{e.candidate.name}: {e.stopped}" for e in self.contest.entries if e.stopped)

    def of_candidate(self, name: str) -> np.ndarray:
        """The values of a candidate whose setting is chosen, for each fold, on the queries of the other folds."""
        own = np.flatnonzero([c.name == name for c in self.configurations])
        if len(own) == 1 or not self.folds.any():
            return self.values[own[np.argmax(self.means[own])]]
        out = np.empty(self.values.shape[1])
        for fold in np.unique(self.folds):
            apart = self.folds == fold
            weights = None if self.weights is None else self.weights[~apart]
            best = own[np.argmax(weighted_means(self.values[np.ix_(own, ~apart)], weights))]
            out[apart] = self.values[best, apart]
        return out

    def rows(self) -> tuple[LeaderboardRow, ...]:
        """A row for each candidate, with its best setting; best first. Means are those of :meth:`of_candidate`."""
        best_of: dict[str, int] = {}
        for i, c in enumerate(self.configurations):
            if c.name not in best_of or self.means[i] > self.means[best_of[c.name]]:
                best_of[c.name] = i
        best_of[self.best.name] = self.number
        rows = []
        of_best = self.of_candidate(self.best.name)
        for i in best_of.values():
            c, values = self.configurations[i], self.of_candidate(self.configurations[i].name)
            e = self.in_units(interval(values, self.weights))
            verdict = "best" if i == self.number else verdict_of(values, of_best, self.weights)
            rows.append(LeaderboardRow(c.name, c.params, e.mean, e.low, e.high, c.seconds, verdict))
        ordered = sorted(rows, key=lambda r: r.mean, reverse=not self.is_error)
        rest = [
            LeaderboardRow(e.candidate.name, {}, np.nan, np.nan, np.nan, e.seconds, e.stopped)
            for e in self.contest.entries
            if e.stopped
        ]
        return (*ordered, *rest)
