"""Confusion networks by the pivot algorithm (Hakkani-Tür & Riccardi 2003)."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from . import confusion_kernels as kn
from .lattice import Lattice
from .posterior import ArcPosteriors, arc_posteriors
from .sparse import Posteriors, from_cells


def confusion_network(
    lattice: Lattice, method: str = "pivot", posteriors: ArcPosteriors | None = None, prune: float = 0.0
) -> Posteriors:
    """Slots in the order of time, each with the posteriors of what was said in it.

    The arcs of the likeliest path are the first slots. The other arcs, in topological order, go to the slot they
    overlap most in time (in the order of nodes where there are no times), among those that lie after every arc that can
    come before and before every arc of the likeliest path that can come after; where there is none a new slot is made
    in between. So arcs that can follow each other never share a slot, a slot sums to at most 1, and the order is kept.

    >>> lattice = Lattice.from_arcs([(0, 1, "a", np.log(0.6)), (0, 1, "b", np.log(0.4)), (1, 2, "c", 0.0)], 0, 2)
    >>> [(p, u, round(x, 3)) for p, u, x in confusion_network(lattice).triples()]
    [(0, 'a', 0.6), (0, 'b', 0.4), (1, 'c', 1.0)]
    """
    if method != "pivot":
        raise InputError(f"method must be pivot, got {method!r}")
    found = arc_posteriors(lattice) if posteriors is None else posteriors
    with np.errstate(divide="ignore"):
        pivot = [a for a in lattice.best_path(np.log(found.posterior)) if lattice.unit[a] >= 0]
    start, end = _spans(lattice)
    key_of, is_pivot = np.zeros(len(lattice)), np.zeros(len(lattice), np.bool_)
    key_of[pivot], is_pivot[pivot] = np.arange(len(pivot)), True
    keys, spans = np.empty(len(lattice) + 1), np.empty((len(lattice) + 1, 2))
    keys[: len(pivot)] = np.arange(len(pivot))
    spans[: len(pivot)] = np.column_stack([start[pivot], end[pivot]])
    after, before = np.empty(lattice.n_nodes), np.empty(lattice.n_nodes)
    n = kn.assign_slots(
        lattice.n_nodes, lattice.source, lattice.target, lattice.unit, found.posterior, start, end, is_pivot, key_of,
        after, before, keys, spans, len(pivot),
    )  # fmt: skip
    said = np.flatnonzero((lattice.unit >= 0) & (found.posterior > 0))
    slot, unit, p = np.searchsorted(keys[:n], key_of[said]), lattice.unit[said], found.posterior[said]
    shape = (max(n, 1), max(len(lattice.units), 1))
    table, begins, ends = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    np.add.at(table, (slot, unit), p)
    np.add.at(begins, (slot, unit), p * lattice.start[said])
    np.add.at(ends, (slot, unit), p * lattice.end[said])
    return from_cells("cn", table, begins, ends, lattice.units, prune, lattice.name)


def _spans(lattice: Lattice) -> tuple[np.ndarray, np.ndarray]:
    """When arcs begin and end; by the order of the nodes where times are unknown."""
    if np.isnan(lattice.start).any() or np.isnan(lattice.end).any():
        return lattice.source.astype(np.float64), lattice.target.astype(np.float64)
    return lattice.start, lattice.end
