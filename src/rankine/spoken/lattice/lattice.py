"""A lattice: the hypotheses of a recogniser as a directed acyclic graph of scored arcs."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import InputError, shorten
from .kernels import lattice as kn

log = logging.getLogger("rankine.spoken")

MOST_SCORE = 1e100  # a log; −∞ is possible, and so is what is meant to be as much
LONGEST_WORD = 1000  # letters; no word of speech has more than some hundred, and a longer one is no word
MOST_TIME = 1e12  # seconds; sums and differences of times stay finite and exact enough


@dataclass(frozen=True)
class Lattice:
    """Arcs in topological order between nodes 0 (the start) and ``n_nodes − 1`` (the end).

    ``unit`` numbers ``units``, −1 for an empty arc (silence, fillers, epsilon). ``posterior`` is what the source itself
    gives, NaN where it gives none; times are in seconds, NaN where they are unknown.

    >>> lattice = Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", -1.0), (1, 2, "c", 0.0)], start=0, end=2)
    >>> lattice
    Lattice(3 nodes, 3 arcs, 3 units)
    >>> lattice.n_paths
    2.0
    """

    source: np.ndarray
    target: np.ndarray
    unit: np.ndarray
    acoustic: np.ndarray
    language: np.ndarray
    posterior: np.ndarray
    start: np.ndarray
    end: np.ndarray
    n_nodes: int
    units: tuple[str, ...]
    name: str = ""

    def __repr__(self) -> str:
        return f"Lattice({self.n_nodes:,} nodes, {len(self.source):,} arcs, {len(self.units):,} units)"

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def from_arcs(
        cls, arcs: Sequence[tuple[Any, ...]], start: int, end: int, name: str = "", where: str | None = None
    ) -> Lattice:
        """A lattice from (from node, to node, unit or None, log score) and perhaps (start time, end time)."""
        if not arcs:
            raise InputError("a lattice needs at least one arc", where or name or None)
        unit, units = numbered([a[2] for a in arcs])
        times = np.array([a[4:6] if len(a) > 4 else (np.nan, np.nan) for a in arcs], np.float64)
        n = len(arcs)
        return cls.build(
            source=np.array([a[0] for a in arcs]),
            target=np.array([a[1] for a in arcs]),
            unit=unit,
            units=units,
            acoustic=np.array([a[3] for a in arcs], np.float64),
            language=np.zeros(n),
            posterior=np.full(n, np.nan),
            times=times,
            start=start,
            end=end,
            name=name,
            where=where,
        )

    @classmethod
    def build(
        cls,
        *,
        source: np.ndarray,
        target: np.ndarray,
        unit: np.ndarray,
        units: Sequence[str],
        acoustic: np.ndarray,
        language: np.ndarray,
        posterior: np.ndarray,
        times: np.ndarray,
        start: int,
        end: int,
        name: str = "",
        where: str | None = None,
    ) -> Lattice:
        """Validate, trim and sort arcs given in any order; nodes may have any numbers from 0, −1 is no unit.

        ``where`` is the place that errors name; by default ``name``.
        """
        where = where or name or None
        source, target = np.asarray(source, np.int64), np.asarray(target, np.int64)
        _check_nodes(source, target, start, end, where)
        _check_columns(acoustic, language, posterior, times, unit, len(units), where)
        _check_units(units, where)
        source, target, start, end = _near_numbers(source, target, start, end)
        number, keep = _arranged(source, target, start, end, where)
        unit, used = _used_units(np.asarray(unit, np.int64)[keep], len(units))
        return cls(
            number[source[keep]],
            number[target[keep]],
            unit,
            np.asarray(acoustic, np.float64)[keep],
            np.asarray(language, np.float64)[keep],
            np.asarray(posterior, np.float64)[keep],
            times[keep, 0],
            times[keep, 1],
            int(number[end]) + 1,
            tuple(units[u] for u in used.tolist()),
            name,
        )

    @property
    def n_paths(self) -> float:
        """The number of paths."""
        return float(kn.count_paths(self.n_nodes, self.source, self.target))

    @property
    def is_network(self) -> bool:
        """Whether every arc leads to the next node: then the lattice is a confusion network, each step a slot.

        >>> Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, None, -1.0), (1, 2, "b", 0.0)], start=0, end=2).is_network
        True
        """
        return bool((self.target == self.source + 1).all())

    def keep(self, arcs: np.ndarray) -> Lattice:
        """The lattice with only these arcs (a mask), trimmed again."""
        rows = np.flatnonzero(arcs)
        times = np.column_stack([self.start, self.end])[rows]
        return Lattice.build(
            source=self.source[rows],
            target=self.target[rows],
            unit=self.unit[rows],
            units=self.units,
            acoustic=self.acoustic[rows],
            language=self.language[rows],
            posterior=self.posterior[rows],
            times=times,
            start=0,
            end=self.n_nodes - 1,
            name=self.name,
        )

    def prune(self, posterior: np.ndarray, threshold: float) -> Lattice:
        """Only the arcs whose posterior is above ``threshold``; the likeliest path always stays.

        >>> lattice = Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", -9.0)], start=0, end=1)
        >>> lattice.prune(np.array([0.99, 0.01]), 0.1).units
        ('a',)
        """
        check_threshold(threshold, "threshold")
        stays = np.asarray(posterior) > threshold
        with np.errstate(divide="ignore"):
            stays[self.best_path(np.log(posterior))] = True
        return self if stays.all() else self.keep(stays)

    def beam(self, width: float, weight: np.ndarray | None = None) -> Lattice:
        """Only arcs on a path whose sum of ``weight`` (by default of the scores) is within ``width`` of the best one.

        >>> lattice = Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", -9.0)], start=0, end=1)
        >>> lattice.beam(5.0).units, lattice.beam(10.0).units
        (('a',), ('a', 'b'))
        """
        if not width >= 0:
            raise InputError(f"the width of a beam must be at least 0, got {width!r}")
        weights = self._scores() if weight is None else np.asarray(weight, np.float64)
        through = np.empty(len(self))
        kn.best_through(self.n_nodes, self.source, self.target, weights, through)
        best = through.max()
        if not np.isfinite(best):
            raise InputError("all paths together have probability 0", self.name or None)
        stays = through >= best - width - 1e-9 * abs(best)  # the best path's own sums differ by rounding
        return self if stays.all() else self.keep(stays)

    def _scores(self) -> np.ndarray:
        with np.errstate(over="ignore"):
            return self.acoustic + self.language

    def best_path(self, weight: np.ndarray | None = None) -> list[int]:
        """The arcs of the path with the largest sum of ``weight`` (of the scores, if none is given)."""
        came_by = np.full(self.n_nodes, -1, np.int64)
        kn.best_path(
            self.n_nodes, self.source, self.target,
            self._scores() if weight is None else np.asarray(weight, np.float64), came_by,
        )  # fmt: skip
        arcs: list[int] = []
        node = self.n_nodes - 1
        if came_by[node] < 0:
            raise InputError("all paths together have probability 0", self.name or None)
        while node != 0:
            arcs.append(int(came_by[node]))
            node = int(self.source[came_by[node]])
        return arcs[::-1]

    def words(self, arcs: Sequence[int]) -> list[str]:
        """The units of these arcs, without empty arcs."""
        return [self.units[self.unit[a]] for a in arcs if self.unit[a] >= 0]

    def paths(self) -> Iterator[list[int]]:
        """All paths, arc by arc: for small lattices.

        >>> lattice = Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", -1.0)], start=0, end=1)
        >>> [lattice.words(path) for path in lattice.paths()]
        [['a'], ['b']]
        """
        leaving: dict[int, list[int]] = {}
        for a, v in enumerate(self.source.tolist()):
            leaving.setdefault(v, []).append(a)
        stack: list[tuple[int, list[int]]] = [(0, [])]
        while stack:
            node, path = stack.pop()
            if node == self.n_nodes - 1:
                yield path
                continue
            for a in reversed(leaving.get(node, [])):
                stack.append((int(self.target[a]), [*path, a]))


def _check_nodes(source: np.ndarray, target: np.ndarray, start: int, end: int, where: str | None) -> None:
    if len(source) == 0:
        raise InputError("a lattice needs at least one arc", where)
    if min(source.min(), target.min(), start, end) < 0:
        raise InputError("nodes are numbered from 0", where)


def _check_columns(
    acoustic: np.ndarray,
    language: np.ndarray,
    posterior: np.ndarray,
    times: np.ndarray,
    unit: np.ndarray,
    n_units: int,
    where: str | None,
) -> None:
    for values, what in ((acoustic, "acoustic score"), (language, "language score")):
        if not values.max() <= MOST_SCORE:
            bad = np.flatnonzero(np.isnan(values) | (values > MOST_SCORE))
            raise InputError(f"arc {bad[0]} has the {what} {values[bad[0]]}", where)
    if (np.abs(times) > MOST_TIME).any():
        bad = np.flatnonzero((np.abs(times) > MOST_TIME).any(axis=1))
        raise InputError(f"arc {bad[0]} has the times {times[bad[0], 0]} and {times[bad[0], 1]}", where)
    if ((posterior < 0) | (posterior == np.inf)).any():
        bad = np.flatnonzero((posterior < 0) | (posterior == np.inf))
        raise InputError(f"arc {bad[0]} has the posterior {posterior[bad[0]]}", where)
    if np.min(unit) < -1 or np.max(unit) >= n_units:
        raise InputError(f"units are numbered from 0 to {n_units - 1}, −1 is none", where)


def _check_units(units: Sequence[str], where: str | None) -> None:
    longest = max(units, key=len, default="")
    if len(longest) > LONGEST_WORD:
        raise InputError(
            f"the word {shorten(longest)} has {len(longest):,} letters; expected at most {LONGEST_WORD:,}", where
        )


def _near_numbers(
    source: np.ndarray, target: np.ndarray, start: int, end: int
) -> tuple[np.ndarray, np.ndarray, int, int]:
    """The same arcs with nodes numbered one after the other, where their numbers are far apart."""
    if max(source.max(), target.max(), start, end) < 4 * len(source) + 100:
        return source, target, start, end
    _, ends = np.unique(np.concatenate([[start, end], source, target]), return_inverse=True)
    return ends[2 : 2 + len(source)], ends[2 + len(source) :], int(ends[0]), int(ends[1])


def _arranged(
    source: np.ndarray, target: np.ndarray, start: int, end: int, where: str | None
) -> tuple[np.ndarray, np.ndarray]:
    """New numbers of the nodes, in topological order (−1: on no path), and the arcs on a path, sorted."""
    n_nodes = int(max(source.max(), target.max(), start, end)) + 1
    number, keep, sorted_nodes = kn.arrange(n_nodes, source, target, start, end)
    if sorted_nodes < n_nodes:
        raise InputError("the arcs run in a circle: a lattice has none", where)
    if len(keep) == 0:
        raise InputError(f"no path leads from node {start} to node {end}", where)
    if len(keep) < len(source):
        nodes = np.unique(np.concatenate([source, target]))
        log.info(
            "%s: %d nodes and %d arcs are on no path from start to end and are left out",
            where or "a lattice", int((number[nodes] < 0).sum()), len(source) - len(keep),
        )  # fmt: skip
    return number, keep


def _used_units(unit: np.ndarray, n_units: int) -> tuple[np.ndarray, np.ndarray]:
    """The units of arcs numbered anew, without gaps, and the old numbers of those that occur."""
    occurs = np.zeros(n_units + 1, np.bool_)  # the last entry serves −1
    occurs[unit] = True
    used = np.flatnonzero(occurs[:-1])
    renumbered = np.full(n_units + 1, -1, np.int64)
    renumbered[used] = np.arange(len(used))
    return renumbered[unit], used


def check_threshold(value: float, name: str = "prune") -> None:
    """Raise InputError unless a threshold for posteriors is at least 0 and below 1.

    >>> check_threshold(2.0, "--prune")
    Traceback (most recent call last):
    rankine.errors.InputError: --prune must be at least 0 and below 1, got 2.0
    """
    if not 0 <= value < 1:
        raise InputError(f"{name} must be at least 0 and below 1, got {value!r}")


def numbered(words: Sequence[str | None]) -> tuple[np.ndarray, list[str]]:
    """Words as numbers into a list of them, None as −1.

    >>> numbered(["b", None, "a", "b"])
    (array([ 0, -1,  1,  0]), ['b', 'a'])
    """
    names: dict[str, int] = {}
    unit = np.array([-1 if w is None else names.setdefault(w, len(names)) for w in words], np.int64)
    return unit, list(names)


def random_lattice(rng: np.random.Generator, n_nodes: int = 6, n_arcs: int = 12, n_units: int = 4) -> Lattice:
    """A small lattice for tests: a path through some nodes, and arcs at random; some are empty, some take no time.

    >>> random_lattice(np.random.default_rng(0)).n_nodes <= 6
    True
    """
    times = np.sort(rng.random(n_nodes)) * n_nodes
    if rng.random() < 0.3:
        times = np.floor(times)
    on_path = [0, *(v for v in range(1, n_nodes - 1) if rng.random() < 0.6), n_nodes - 1]
    ends = list(pairwise(on_path))
    while len(ends) < n_arcs:
        u, v = sorted(rng.choice(n_nodes, 2, replace=False).tolist())
        ends.append((u, v))
    arcs = []
    for u, v in ends:
        unit = None if rng.random() < 0.2 else f"w{rng.integers(n_units)}"
        arcs.append((u, v, unit, float(rng.normal()), times[u], times[v]))
    return Lattice.from_arcs(arcs, 0, n_nodes - 1)
