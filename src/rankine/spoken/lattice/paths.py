"""The likeliest different hypotheses of a lattice."""

from __future__ import annotations

import heapq

import numpy as np

from ...errors import InputError
from .kernels import lattice as kn
from .lattice import Lattice
from .posteriors import ArcPosteriors, arc_posteriors

_MOST_STEPS = 5_000_000
_DECIMALS = 9


def best_hypotheses(
    lattice: Lattice, n: int = 100, posteriors: ArcPosteriors | None = None
) -> list[tuple[float, list[str]]]:
    """(log posterior of its likeliest path, words) of the n likeliest different sequences of words, best first.

    Beginnings of paths are followed in the order of the best path that goes on from them, and of those that are equal
    (to nine decimals: sums are rounded) the one that has come furthest. Else, where most hypotheses are equally likely,
    all their beginnings would be followed before one of them ends. Of beginnings with the same words that end at one
    node only the best is followed: what follows is the same.

    >>> lattice = Lattice.from_arcs([(0, 1, "a", np.log(0.7)), (0, 1, "b", np.log(0.3)), (1, 2, "c", 0.0)], 0, 2)
    >>> [(round(float(np.exp(p)), 3), words) for p, words in best_hypotheses(lattice)]
    [(0.7, ['a', 'c']), (0.3, ['b', 'c'])]
    """
    if n < 1:
        raise InputError(f"the number of paths must be at least 1, got {n!r}")
    by_arc = arc_posteriors(lattice) if posteriors is None else posteriors
    with np.errstate(divide="ignore"):
        weight = np.log(by_arc.transition)
    ahead = np.empty(lattice.n_nodes)
    kn.best_ahead(lattice.n_nodes, lattice.source, lattice.target, weight, ahead)
    leaving = np.searchsorted(lattice.source, np.arange(lattice.n_nodes + 1)).tolist()
    target, unit, weights, rest = lattice.target.tolist(), lattice.unit.tolist(), weight.tolist(), ahead.tolist()
    histories: dict[tuple[int, int], int] = {}  # (history before, word) → history
    steps: list[tuple[int, int]] = [(-1, -1)]  # of each history: the one before, and its last word
    heap, seen, out = [(-round(rest[0], _DECIMALS), 0, 0, 0.0)], set[tuple[int, int]](), list[tuple[float, list[str]]]()
    for _ in range(_MOST_STEPS):
        if not heap or len(out) == n:
            return sorted(out, key=lambda hypothesis: -hypothesis[0])
        _, negative, history, score = heapq.heappop(heap)
        node = -negative
        if (node, history) in seen:
            continue
        seen.add((node, history))
        if node == lattice.n_nodes - 1:
            out.append((score, _words(steps, history, lattice.units)))
            continue
        for a in range(leaving[node], leaving[node + 1]):
            following = score + weights[a]
            if following + rest[target[a]] > -np.inf:
                longer = history
                if unit[a] >= 0:
                    longer = histories.setdefault((history, unit[a]), len(steps))
                    steps += [(history, unit[a])] if longer == len(steps) else []
                whole = round(following + rest[target[a]], _DECIMALS)
                heapq.heappush(heap, (-whole, -target[a], longer, following))
    raise InputError(f"{n} different hypotheses take too long to find: prune the lattice first", lattice.name or None)


def _words(steps: list[tuple[int, int]], history: int, units: tuple[str, ...]) -> list[str]:
    """The words of a history."""
    words: list[str] = []
    while history > 0:
        history, unit = steps[history]
        words.append(units[unit])
    return words[::-1]
