"""Position-specific posterior lattices (Chelba & Acero 2005)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...errors import InputError
from .kernels import lattice as kn
from .lattice import Lattice, check_threshold
from .posteriors import ArcPosteriors, UnitPosteriors, arc_posteriors, from_cells

_MOST_MASS = 1 << 26  # numbers, half a gigabyte
_MOST_CELLS = 1 << 24
_MOST_EFFORT = 10**8  # steps of a kernel at once: Ctrl-C is heard in between


def pspl(lattice: Lattice, posteriors: ArcPosteriors | None = None, prune: float = 0.0) -> UnitPosteriors:
    """The posterior of every unit at every position from 0; entries up to ``prune`` are left out.

    The sum over the units at a position is the probability of a path that has so many units, not 1. Empty
    arcs take no position. Cost: arcs × longest path; what would take more than a gigabyte is refused.

    >>> lattice = Lattice.from_arcs(
    ...     [(0, 1, "a", np.log(0.5)), (0, 1, None, np.log(0.5)), (1, 2, "b", 0.0)], start=0, end=2
    ... )
    >>> pspl(lattice).triples()
    [(0, 'a', 0.5), (0, 'b', 0.5), (1, 'b', 0.5)]
    """
    check_threshold(prune)
    by_arc = arc_posteriors(lattice) if posteriors is None else posteriors
    low, high = np.empty(lattice.n_nodes, np.int64), np.empty(lattice.n_nodes, np.int64)
    kn.position_ranges(lattice.n_nodes, lattice.source, lattice.target, lattice.unit, low, high)
    offset = np.concatenate([[0], np.cumsum(high - low + 1)])
    if offset[-1] > _MOST_MASS:
        raise _too_large(lattice, f"{offset[-1]:,} pairs of a node and a position")
    mass = np.zeros(offset[-1])
    mass[0] = 1.0
    effort = (high - low + 1)[lattice.source]
    for a0, a1 in _ranges(effort):
        kn.move_mass(
            lattice.source, lattice.target, lattice.unit, by_arc.transition, low, high, offset, mass, a0, a1
        )  # fmt: skip
    order, ptr = np.empty(len(lattice), np.int64), np.zeros(len(lattice.units) + 2, np.int64)
    kn.by_unit(lattice.unit, order, ptr)
    longest = int(high[-1])
    sums, parts, size = np.zeros((3, longest + 1)), [], 0
    for w0, w1 in _ranges(effort[order], ptr[1:]):
        most = kn.count_cells(lattice.source, order, ptr, low, high, w0, w1)
        position, unit, cells = np.empty(most, np.int64), np.empty(most, np.int64), np.empty((3, most))
        n = kn.by_position(
            lattice.source, by_arc.transition, lattice.start, lattice.end, low, high, offset, mass, order, ptr,
            w0, w1, sums, prune, position, unit, cells,
        )  # fmt: skip
        parts.append((position[:n], unit[:n], *cells[:, :n]))
        size += n
        if size > _MOST_CELLS:
            raise _too_large(lattice, f"more than {_MOST_CELLS:,} units at positions")
    position, unit, *sums_of = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
    return from_cells("pspl", position, unit, sums_of, lattice.units, prune, max(longest, 1), lattice.name)


def _ranges(effort: np.ndarray, starts: np.ndarray | None = None) -> list[tuple[int, int]]:
    """Ranges of arcs, or of groups of arcs that begin at ``starts``, that a kernel does in a fraction of a second."""
    n = len(effort) if starts is None else len(starts) - 1
    if n == 0 or effort.sum() <= _MOST_EFFORT:
        return [(0, n)]
    so_far = np.concatenate([[0], np.cumsum(effort)])
    so_far = so_far if starts is None else so_far[starts]
    cuts = np.searchsorted(so_far - so_far[0], np.arange(_MOST_EFFORT, so_far[-1] - so_far[0], _MOST_EFFORT))
    ends = np.unique(np.concatenate([[0], cuts, [n]])).tolist()
    return list(pairwise(ends))


def _too_large(lattice: Lattice, what: str) -> InputError:
    return InputError(f"{what}: cut the utterance into shorter ones, or prune it first", lattice.name or None)
