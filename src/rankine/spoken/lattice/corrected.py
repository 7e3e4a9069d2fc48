r"""A lattice in which a span of time is corrected: whatever was heard there, the written words were said.

An arc lies before the span, in it, or after it: by the middle of its time. On every path let the *prefix* be its first
arcs that lie before the span, and the *suffix* everything from its first arc after the span on. What is between them
is replaced by the written words. In the new lattice every path consists of a prefix, the written words, and a suffix,
and prefixes and suffixes have the probabilities that they had:

.. math:: P'(x\,w\,y) = P(\text{prefix } x)\, P(\text{suffix } y).

So arcs outside the span keep their posteriors, and those of the written words are 1. Only what was heard before the
span and what was heard after it do not depend on each other any more: the words between them are certain.

With transition probabilities :math:`p(a)`, a prefix leaves node n with what its arcs before the span lack to 1. A
suffix begins at node n with the probability that n is reached without arcs after the span, times p(a) of an arc a after
it. The cost is linear in the number of arcs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from .formats.transcripts.transcript import spread
from .kernels import lattice as kn
from .lattice import Lattice
from .posteriors import arc_posteriors

_NONE = 1e-12  # of the mass: rounding


def corrected(lattice: Lattice, start: float, end: float, words: Sequence[str]) -> Lattice:
    """The lattice with these words, and no others, from ``start`` to ``end`` in seconds; no words: nothing was said.

    Words share the time by their lengths. Scores are the logs of transition probabilities.

    >>> heard = Lattice.from_arcs([(0, 1, "a", 0.0, 0, 1), (1, 2, "b", 0.0, 1, 2), (1, 2, "c", 0.0, 1, 2)], 0, 2)
    >>> fixed = corrected(heard, 0.9, 2.1, ["bee", "sea"])
    >>> fixed.words(next(fixed.paths())), fixed.n_paths
    (['a', 'bee', 'sea'], 1.0)
    """
    before, after = _sides(lattice, start, end)
    p, n = arc_posteriors(lattice).transition, lattice.n_nodes
    first, last = n, n + max(len(words), 1)  # nodes around the written words
    entry, end_of = last + 1, last + 1 + n  # copies of all nodes: where suffixes begin, and where they go on
    arcs = _CorrectedArcs(lattice, p)
    prefix = _reached(lattice, p, before)
    arcs.copy(before, 0, 0)
    arcs.leave(prefix, 1.0 - np.bincount(lattice.source, p * before, n), first, start)
    _write(arcs, spread(words, start, end), first, start, end)
    onwards = np.bincount(lattice.source, p * after, n)
    begins = _reached(lattice, p, ~after)
    arcs.enter(begins * onwards, last, entry, end)
    arcs.enter(begins * (np.arange(n) == n - 1), last, end_of, end)
    arcs.copy(after, entry, end_of, onwards)
    arcs.copy(np.ones(len(lattice), np.bool_), end_of, end_of)
    return arcs.build(end_of + n - 1)


def _write(
    arcs: _CorrectedArcs, words: Sequence[tuple[str, float, float, float]], node: int, start: float, end: float
) -> None:
    """The written words, one after the other; an empty arc where nothing was said."""
    said: list[tuple[str | None, float, float]] = [(word[0], word[1], word[2]) for word in words]
    said = said or [(None, start, end)]
    for number, (word, begin, stop) in enumerate(said):
        arcs.add(node + number, node + number + 1, word, 1.0, begin, stop)


def _sides(lattice: Lattice, start: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the arcs before and after a span; an arc without times lies where its nodes do."""
    if not start <= end:
        raise InputError(f"expected a span from a time to a later one, got {start:g} to {end:g}", lattice.name or None)
    time = _node_times(lattice)
    begin = np.where(np.isnan(lattice.start), time[lattice.source], lattice.start)
    stop = np.where(np.isnan(lattice.end), time[lattice.target], lattice.end)
    middle = (begin + stop) / 2
    return middle < start, middle > end


def _node_times(lattice: Lattice) -> np.ndarray:
    """When each node is passed, by the arcs that have times; between them as the node before."""
    time = np.full(lattice.n_nodes, -np.inf)
    np.fmax.at(time, lattice.target, lattice.end)
    later = np.full(lattice.n_nodes, np.inf)
    np.fmin.at(later, lattice.source, lattice.start)
    time = np.where(np.isfinite(time), time, later)
    time[~np.isfinite(time)] = np.nan
    if np.isnan(time).all():
        raise InputError("a correction needs times, and this lattice has none", lattice.name or None)
    timed = np.where(np.isnan(time), 0, np.arange(len(time)))
    time = time[np.maximum.accumulate(timed)]
    return np.where(np.isnan(time), np.nanmin(time), time)


def _reached(lattice: Lattice, p: np.ndarray, arcs: np.ndarray) -> np.ndarray:
    """The probability of each node to be reached by these arcs (a mask) alone."""
    alpha, beta = np.empty(lattice.n_nodes), np.empty(lattice.n_nodes)
    with np.errstate(divide="ignore"):
        weight = np.where(arcs, np.log(p), -np.inf)
    kn.forward_backward(lattice.n_nodes, lattice.source, lattice.target, weight, alpha, beta)
    return np.exp(alpha)


class _CorrectedArcs:
    """The arcs of the new lattice, as columns: from, to, unit, probability, start, end."""

    def __init__(self, lattice: Lattice, p: np.ndarray) -> None:
        self.lattice, self.p, self.units = lattice, p, list(lattice.units)
        self.columns: list[tuple[np.ndarray, ...]] = []

    def copy(self, arcs: np.ndarray, source: int, target: int, share: np.ndarray | None = None) -> None:
        """Arcs of the lattice (a mask) between copies of its nodes; ``share`` of those that leave a node is 1 there."""
        rows = np.flatnonzero(arcs & (self.p > 0))
        old = self.lattice
        p = self.p[rows] if share is None else self.p[rows] / share[old.source[rows]]
        self.columns.append(
            (old.source[rows] + source, old.target[rows] + target, old.unit[rows], p, old.start[rows], old.end[rows])
        )

    def leave(self, reached: np.ndarray, p: np.ndarray, target: int, time: float) -> None:
        """Empty arcs from nodes that are reached to one node."""
        nodes = np.flatnonzero((reached > _NONE) & (p > _NONE))
        self._empty(nodes, np.full(len(nodes), target), p[nodes], time)

    def enter(self, p: np.ndarray, source: int, target: int, time: float) -> None:
        """Empty arcs from one node to copies of others."""
        nodes = np.flatnonzero(p > _NONE)
        self._empty(np.full(len(nodes), source), nodes + target, p[nodes], time)

    def _empty(self, source: np.ndarray, target: np.ndarray, p: np.ndarray, time: float) -> None:
        times = np.full(len(source), time)
        self.columns.append((source, target, np.full(len(source), -1), p, times, times))

    def add(self, source: int, target: int, word: str | None, p: float, start: float, end: float) -> None:
        """One arc."""
        unit = -1
        if word is not None:
            self.units += [] if word in self.units else [word]
            unit = self.units.index(word)
        self.columns.append(tuple(np.array([x]) for x in (source, target, unit, p, start, end)))

    def build(self, end: int) -> Lattice:
        """The lattice of the arcs that are on a path."""
        source, target, unit, p, begin, stop = (np.concatenate(c) for c in zip(*self.columns, strict=True))
        return Lattice.build(
            source=source, target=target, unit=unit, units=self.units, acoustic=np.zeros(len(p)), language=np.log(p),
            posterior=np.full(len(p), np.nan), times=np.column_stack([begin, stop]).astype(np.float64), start=0,
            end=end, name=self.lattice.name,
        )  # fmt: skip
