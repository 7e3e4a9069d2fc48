"""Long lattices in stretches, each a lattice of its own.

Positions blur with every uncertain word before them, and position-specific posteriors cost time with the square of the
length. So a lattice is cut, and what is computed of a stretch depends on nothing outside it:

1. It is cut at every pause: at a node that all paths pass, where no word is spoken for ``PAUSE`` seconds. Whether there
   is such a pause depends only on the words around it. So recordings that are joined at pauses, or one that is cut at a
   pause, have the same stretches.
2. A stretch that still lasts longer than ``LONGEST_SECONDS``, or has more than ``LONGEST_WORDS`` expected words, is cut
   again, at a node in the second half of this length: that of the widest pause, or without pauses the node that most
   of the mass passes, of several the one that makes the pieces alike. Where no node in this half is passed by
   ``ENOUGH`` of the mass, the stretch ends at the next one that is.

The mass of a node is the posterior of the paths that pass it; *all* paths means ``ALL`` of the mass. Paths beside a
node at which a lattice is cut are lost: posteriors in a stretch are those given that its first and last node are
passed. These nodes lie on the likeliest path, so none of its words is lost. Stretches do not overlap. The cost is
linear in the number of arcs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .lattice import Lattice
from .posteriors import arc_posteriors

PAUSE = 0.5  # seconds
ALL = 0.999  # of the mass; a word with a posterior up to the rest does not end a pause
ENOUGH = 0.9  # of the mass
LONGEST_SECONDS = 10.0
LONGEST_WORDS = 30.0
_ROUNDING = 1e-6  # seconds: a pause of 0.5 s stays one when times count from elsewhere


class Stretch(NamedTuple):
    """A stretch: where it begins in the whole, in seconds, how long it lasts, and its lattice, with times from there.

    The first begins at 0, and each lasts at least until the next one begins. Without times all begin at 0, and their
    length is NaN.
    """

    start: float
    length: float
    lattice: Lattice


def stretches(lattice: Lattice) -> list[Stretch]:
    """The stretches of a lattice, in order; one that is not cut stays as it is.

    >>> arcs = [(0, 1, "a", 0.0, 0.0, 0.4), (1, 2, None, 0.0, 0.4, 1.5), (2, 3, "b", 0.0, 1.5, 2.0)]
    >>> [(s.start, s.length, s.lattice.units) for s in stretches(Lattice.from_arcs(arcs, 0, 3))]
    [(0.0, 1.5, ('a',)), (1.5, 0.5, ('b',))]
    """
    nodes = cut_nodes(lattice)
    ends = [0, *nodes, lattice.n_nodes - 1]
    parts = [_between(lattice, u, v) for u, v in pairwise(ends)] if nodes else [lattice]
    starts = [0.0]
    for part in parts[1:]:
        start = float(np.fmin.reduce(part.start))
        starts.append(starts[-1] if math.isnan(start) else start)
    out = []
    for part, start, following in zip(parts, starts, [*starts[1:], math.nan], strict=True):
        end = np.fmax.reduce(part.end)
        length = float(np.fmax(end, following)) - start if not math.isnan(end) else math.nan
        shifted = replace(part, start=part.start - start, end=part.end - start) if start else part
        out.append(Stretch(start, length, shifted))
    return out


def _between(lattice: Lattice, first: int, last: int) -> Lattice:
    """The paths from one node to another."""
    rows = np.arange(*np.searchsorted(lattice.source, [first, last]))
    rows = rows[lattice.target[rows] <= last]
    used, unit = np.unique(np.append(lattice.unit[rows], -1), return_inverse=True)  # −1 becomes 0
    return Lattice.build(
        source=lattice.source[rows] - first,
        target=lattice.target[rows] - first,
        unit=unit[:-1] - 1,
        units=[lattice.units[u] for u in used[1:].tolist()],
        acoustic=lattice.acoustic[rows],
        language=lattice.language[rows],
        posterior=lattice.posterior[rows],
        times=np.column_stack([lattice.start[rows], lattice.end[rows]]),
        start=0,
        end=last - first,
        name=lattice.name,
    )


class Boundary(NamedTuple):
    """A node where a lattice may be cut.

    Args:
        node: its number.
        mass: the posterior of the paths that pass it.
        pause: how many seconds pass around it without a word.
        time: when the words after it begin.
        before: when the words before it end.
        words: how many words are expected on arcs from earlier nodes.
    """

    node: int
    mass: float
    pause: float
    time: float
    before: float
    words: float


def cut_nodes(lattice: Lattice) -> list[int]:
    """The nodes at which a lattice is cut, in order."""
    with np.errstate(invalid="ignore"):  # times that are not known
        boundaries = _boundaries(lattice)
    if not boundaries:
        return []
    nodes: list[int] = []
    start, between = boundaries[0], list[Boundary]()
    for boundary in boundaries[1:]:
        if boundary.pause < PAUSE - _ROUNDING:
            between.append(boundary)
            continue
        nodes += _cuts_within(start, between, boundary)
        nodes.append(boundary.node)
        start, between = boundary, []
    return nodes[:-1]


def _cuts_within(start: Boundary, between: list[Boundary], end: Boundary) -> Iterator[int]:
    """Where what lies between two pauses is cut again; of the boundaries each is looked at a few times."""
    at, whole = 0, end._replace(time=end.before)
    while (left := _lengths(start, whole)) > 1:
        window: list[tuple[tuple[float, ...], int]] = []
        for i in range(at, len(between)):
            boundary, length = between[i], _lengths(start, between[i])
            if length >= 0.5 and (length <= 1 or not window):
                uneven = abs(length - left / math.ceil(left))
                window.append(((round(boundary.pause, 3), round(boundary.mass, 6), -round(uneven, 6)), i))
            if length > 1:
                break
        if not window:
            return
        best = max(window)[1]
        yield between[best].node
        start, at = between[best], best + 1


def _lengths(start: Boundary, end: Boundary) -> float:
    """How long a stretch is, in greatest lengths; rounded, so that it is the same from wherever times count."""
    seconds, words = (end.time - start.time) / LONGEST_SECONDS, (end.words - start.words) / LONGEST_WORDS
    return round(words if math.isnan(seconds) else max(seconds, words), 6)


def _boundaries(lattice: Lattice) -> list[Boundary]:
    """The start, all nodes where a lattice may be cut, and the end; none where nothing is spoken.

    Of the nodes between two words that all paths pass one is a boundary: that with the largest mass, of several the
    last. So is every node that less of the mass passes, but enough of it.
    """
    posterior = arc_posteriors(lattice).posterior
    with np.errstate(divide="ignore"):
        nodes = lattice.target[lattice.best_path(np.log(posterior))[:-1]]
    mass = np.bincount(lattice.target, posterior, lattice.n_nodes)
    passed = np.concatenate([[0], nodes[mass[nodes] >= ALL], [lattice.n_nodes - 1]])
    speech = _speech(lattice, posterior, passed)
    if len(speech.at) == 0:
        return []
    pause_of = np.searchsorted(speech.at, np.arange(len(passed)))
    order = np.lexsort((passed, np.round(mass[passed], 9), pause_of))
    last = order[np.searchsorted(pause_of, np.arange(1, len(speech.at)), side="right") - 1]
    words = np.append(0.0, np.cumsum(posterior * (lattice.unit >= 0)))  # before each arc
    latest = np.where(np.isnan(speech.end), np.nan, np.fmax.accumulate(speech.end))
    pause = np.nan_to_num(np.maximum(speech.begin[1:] - latest[:-1], 0.0))
    sure = [passed[last], mass[passed[last]], pause, speech.begin[1:], latest[:-1]]
    node = nodes[(mass[nodes] < ALL) & (mass[nodes] >= ENOUGH)]
    begin = np.full(lattice.n_nodes, np.inf)
    np.minimum.at(begin, lattice.source, lattice.start)
    unsure = [node, mass[node], np.zeros(len(node)), begin[node], begin[node]]
    columns = [np.concatenate(pair) for pair in zip(sure, unsure, strict=True)]
    columns.append(words[np.searchsorted(lattice.source, columns[0])])
    rows = zip(*(c[np.argsort(columns[0])].tolist() for c in columns), strict=True)
    start = Boundary(0, 1.0, math.inf, float(speech.begin[0]), math.nan, 0.0)
    end = Boundary(lattice.n_nodes - 1, 1.0, math.inf, math.nan, float(latest[-1]), float(words[-1]))
    return [start, *(Boundary(*row) for row in rows), end]


class _Speech(NamedTuple):
    """Where words are spoken: behind which of the nodes that all paths pass, when they begin, and when they end."""

    at: np.ndarray
    begin: np.ndarray
    end: np.ndarray


def _speech(lattice: Lattice, posterior: np.ndarray, passed: np.ndarray) -> _Speech:
    """What is spoken between neighbours of the nodes ``passed``, where more than a negligible word is expected.

    Times are those of the words that are not negligible, or else of the likeliest.
    """
    arcs = np.flatnonzero(lattice.unit >= 0)
    at = np.searchsorted(passed, lattice.source[arcs], side="right") - 1
    inside = lattice.target[arcs] <= passed[at + 1]  # other words lie on paths beside a node
    arcs, at = arcs[inside], at[inside]
    p, n = posterior[arcs], len(passed) - 1
    most = np.zeros(n)
    np.maximum.at(most, at, p)
    matters = (p > 1 - ALL) | (p == most[at])
    begin, end = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(begin, at[matters], lattice.start[arcs[matters]])
    np.maximum.at(end, at[matters], lattice.end[arcs[matters]])
    spoken = np.flatnonzero(np.bincount(at, p, n) > 1 - ALL)
    return _Speech(spoken, begin[spoken], end[spoken])
