"""Position-specific posterior lattices (Chelba & Acero 2005)."""

from __future__ import annotations

import numpy as np

from . import lattice_kernels as kn
from .lattice import Lattice, check_threshold
from .posteriors import ArcPosteriors, UnitPosteriors, arc_posteriors, from_cells


def pspl(lattice: Lattice, posteriors: ArcPosteriors | None = None, prune: float = 0.0) -> UnitPosteriors:
    """The posterior of every unit at every position from 0; entries up to ``prune`` are left out.

    The sum over the units at a position is the probability of a path that has so many units, not 1. Empty
    arcs take no position. Cost: arcs × longest path.

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
    order, ptr = np.empty(len(lattice), np.int64), np.zeros(len(lattice.units) + 2, np.int64)
    kn.by_unit(lattice.unit, order, ptr)
    most = kn.count_cells(lattice.source, order, ptr, low, high)
    position, unit, cells = np.empty(most, np.int64), np.empty(most, np.int64), np.empty((3, most))
    n = kn.by_position(
        lattice.source, lattice.target, lattice.unit, by_arc.transition, lattice.start, lattice.end, low, high,
        offset[:-1], np.empty(offset[-1]), order, ptr, int(high[-1]), prune, position, unit, cells,
    )  # fmt: skip
    return from_cells(
        "pspl", position[:n], unit[:n], list(cells[:, :n]), lattice.units, prune, max(int(high[-1]), 1), lattice.name
    )  # fmt: skip
