"""A lattice: what a recogniser thinks was said, as a directed acyclic graph of scored arcs."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import InputError
from . import lattice_kernels as kn

log = logging.getLogger("rankine.spoken")


@dataclass(frozen=True)
class Lattice:
    """Arcs in topological order between nodes 0 (the start) and ``n_nodes − 1`` (the end).

    ``unit`` numbers ``units``, −1 for an arc that says nothing (silence, fillers, epsilon). ``posterior`` is what the
    source itself gives, NaN where it gives none; times are in seconds, NaN where they are unknown.

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
        """From (from node, to node, unit or None, log score) and perhaps (start time, end time)."""
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

        ``where`` is what errors call the source, ``name`` where it is not given.
        """
        where = where or name or None
        source, target = np.asarray(source, np.int64), np.asarray(target, np.int64)
        if len(source) == 0:
            raise InputError("a lattice needs at least one arc", where)
        if min(source.min(), target.min(), start, end) < 0:
            raise InputError("nodes are numbered from 0", where)
        for values, what in ((acoustic, "acoustic score"), (language, "language score")):
            if not values.max() < np.inf:
                bad = np.flatnonzero(np.isnan(values) | (values == np.inf))
                raise InputError(f"arc {bad[0]} has the {what} {values[bad[0]]}", where)
        if np.isinf(times).any():
            bad = np.flatnonzero(np.isinf(times).any(axis=1))
            raise InputError(f"arc {bad[0]} has the times {times[bad[0], 0]} and {times[bad[0], 1]}", where)
        if np.min(unit) < -1 or np.max(unit) >= len(units):
            raise InputError(f"units are numbered from 0 to {len(units) - 1}, −1 is none", where)
        n_nodes = int(max(source.max(), target.max(), start, end)) + 1
        if n_nodes > 4 * len(source) + 100:  # numbers far apart
            used, ends = np.unique(np.concatenate([[start, end], source, target]), return_inverse=True)
            start, end, n_nodes = int(ends[0]), int(ends[1]), len(used)
            source, target = ends[2 : 2 + len(source)], ends[2 + len(source) :]
        number, keep, sorted_nodes = kn.arrange(n_nodes, source, target, start, end)
        if sorted_nodes < n_nodes:
            raise InputError("the arcs run in a circle: a lattice has none", where)
        if len(keep) == 0:
            raise InputError(f"no path leads from node {start} to node {end}", where)
        if len(keep) < len(source):
            named = np.unique(np.concatenate([source, target]))
            log.info(
                "%s: %d nodes and %d arcs lead nowhere and are left out",
                where or "a lattice", int((number[named] < 0).sum()), len(source) - len(keep),
            )  # fmt: skip
        unit = np.asarray(unit, np.int64)[keep]
        said = np.zeros(len(units) + 1, np.bool_)  # the last entry serves −1
        said[unit] = True
        used = np.flatnonzero(said[:-1])
        renumbered = np.full(len(units) + 1, -1, np.int64)
        renumbered[used] = np.arange(len(used))
        return cls(
            number[source[keep]],
            number[target[keep]],
            renumbered[unit],
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
        """How many paths there are."""
        return float(kn.count_paths(self.n_nodes, self.source, self.target))

    def keep(self, arcs: np.ndarray) -> Lattice:
        """Only these arcs (a mask), trimmed again."""
        chosen = np.flatnonzero(arcs)
        times = np.column_stack([self.start, self.end])[chosen]
        return Lattice.build(
            source=self.source[chosen],
            target=self.target[chosen],
            unit=self.unit[chosen],
            units=self.units,
            acoustic=self.acoustic[chosen],
            language=self.language[chosen],
            posterior=self.posterior[chosen],
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
        if not 0 <= threshold < 1:
            raise InputError(f"a threshold for posteriors must be at least 0 and below 1, got {threshold!r}")
        kept = np.asarray(posterior) > threshold
        with np.errstate(divide="ignore"):
            kept[self.best_path(np.log(posterior))] = True
        return self if kept.all() else self.keep(kept)

    def beam(self, width: float, weight: np.ndarray | None = None) -> Lattice:
        """Only arcs on a path whose sum of ``weight`` (by default of the scores) is within ``width`` of the best one.

        >>> lattice = Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", -9.0)], start=0, end=1)
        >>> lattice.beam(5.0).units, lattice.beam(10.0).units
        (('a',), ('a', 'b'))
        """
        if not width >= 0:
            raise InputError(f"the width of a beam must be at least 0, got {width!r}")
        given = self.acoustic + self.language if weight is None else np.asarray(weight, np.float64)
        through = np.empty(len(self))
        kn.best_through(self.n_nodes, self.source, self.target, given, through)
        best = through.max()
        if best == -np.inf:
            raise InputError("all paths together have probability 0", self.name or None)
        kept = through >= best - width - 1e-9 * abs(best)  # the best path's own sums differ by rounding
        return self if kept.all() else self.keep(kept)

    def best_path(self, weight: np.ndarray | None = None) -> list[int]:
        """The arcs of the path with the largest sum of ``weight`` (of the scores, if none is given)."""
        came_by = np.full(self.n_nodes, -1, np.int64)
        kn.best_path(
            self.n_nodes, self.source, self.target,
            self.acoustic + self.language if weight is None else np.asarray(weight, np.float64), came_by,
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
        """What these arcs say."""
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


def numbered(words: Sequence[str | None]) -> tuple[np.ndarray, list[str]]:
    """Words as numbers into a list of them, None as −1.

    >>> numbered(["b", None, "a", "b"])
    (array([ 0, -1,  1,  0]), ['b', 'a'])
    """
    names: dict[str, int] = {}
    unit = np.array([-1 if w is None else names.setdefault(w, len(names)) for w in words], np.int64)
    return unit, list(names)


def random_lattice(rng: np.random.Generator, n_nodes: int = 6, n_arcs: int = 12, n_units: int = 4) -> Lattice:
    """A small lattice for tests: a path through some nodes, and arcs at random; some say nothing, some take no time.

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
