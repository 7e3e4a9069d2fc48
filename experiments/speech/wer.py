"""Word errors of the best path that a lattice holds (the oracle)."""

# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankine.errors import InputError
from rankine.spoken.lattice.lattice import Lattice

from . import wer_kernels as kn

_MOST = 1 << 26  # pairs of a node and a word, half a gigabyte


def oracle_distance(lattice: Lattice, reference: Sequence[str]) -> int:
    """The edit distance of the closest path of a lattice.

    >>> lattice = Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", -9.0), (1, 2, "c", 0.0)], start=0, end=2)
    >>> oracle_distance(lattice, ["b", "c"])
    0
    """
    if lattice.n_nodes * (len(reference) + 1) > _MOST:
        raise InputError(
            f"{lattice.n_nodes:,} nodes against {len(reference):,} words: too many to compare", lattice.name or None
        )
    numbers = {w: i for i, w in enumerate(lattice.units)}
    units = np.array([numbers.get(w, -2) for w in reference], np.int64)
    return int(kn.oracle(lattice.n_nodes, lattice.source, lattice.target, lattice.unit, units))
