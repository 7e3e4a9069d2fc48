"""Expected counts of n-grams of units in a lattice: how often a sequence of units is said, over all paths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from .kernels import grams as kn
from .lattice import Lattice
from .posteriors import ArcPosteriors, arc_posteriors

DROPPED = 1e-5  # of the mass: what is likely to follow a rarer history is not counted after it
_MOST_HISTORIES = 1 << 25  # half a gigabyte
_LARGEST_CODE = 1 << 62


class GramCounts(NamedTuple):
    """Expected counts of n-grams: a row of unit numbers for each, in rising order, and the counts."""

    grams: np.ndarray
    counts: np.ndarray


def gram_counts(
    lattice: Lattice, order: int, posteriors: ArcPosteriors | None = None, dropped: float = DROPPED
) -> list[GramCounts]:
    """Expected counts of all n-grams of the orders 1 to ``order``; empty arcs do not break a gram.

    Histories (the last order − 1 units, at a node) with less mass than ``dropped`` are left out: counts lack what
    follows them. With 0 counts are exact.

    >>> lattice = Lattice.from_arcs(
    ...     [(0, 1, "a", np.log(0.5)), (0, 1, None, np.log(0.5)), (1, 2, "a", 0.0), (2, 3, "b", 0.0)], start=0, end=3
    ... )
    >>> [(g.grams.tolist(), g.counts.tolist()) for g in gram_counts(lattice, 2)]
    [([[0], [1]], [1.5, 1.0]), ([[0, 0], [0, 1]], [0.5, 1.0])]
    """
    by_arc = arc_posteriors(lattice) if posteriors is None else posteriors
    base = len(lattice.units) + 1
    if base**order > _LARGEST_CODE:
        raise InputError(f"{base - 1:,} units: their {order}-grams cannot be counted", lattice.name or None)
    by_target = np.argsort(lattice.target, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(lattice.target, minlength=lattice.n_nodes))])
    codes, counts = kn.gram_counts(
        lattice.n_nodes, lattice.source, by_target, first, lattice.unit, by_arc.transition, base, order, dropped,
        _MOST_HISTORIES,
    )  # fmt: skip
    if len(codes) == 0 and bool(((lattice.unit >= 0) & (by_arc.transition > 0)).any()):
        raise InputError(
            f"more than {_MOST_HISTORIES:,} histories of units: cut the utterance into shorter ones, or prune it first",
            lattice.name or None,
        )
    return [_of_order(codes, counts, base, n) for n in range(1, order + 1)]


def _of_order(codes: np.ndarray, counts: np.ndarray, base: int, order: int) -> GramCounts:
    """The counts of the last ``order`` units of longer grams, those that have so many."""
    endings = codes % base**order
    long = endings >= base ** (order - 1)  # the first digit is a unit; behind a unit there are only units
    grams, place = np.unique(endings[long], return_inverse=True)
    digits = [grams // base**i % base - 1 for i in range(order - 1, -1, -1)]
    return GramCounts(np.column_stack(digits), np.bincount(place, counts[long], len(grams)))
