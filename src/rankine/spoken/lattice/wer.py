"""Word error rates: of one sequence, and of the best path that a lattice holds (the oracle)."""

# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...kernel import kernel
from .lattice import Lattice


def edit_distance(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """The fewest insertions, deletions and substitutions.

    >>> edit_distance("the cat sat".split(), "a cat sat down".split())
    2
    """
    row = list(range(len(reference) + 1))
    for i, word in enumerate(hypothesis, 1):
        diagonal, row[0] = row[0], i
        for j, wanted in enumerate(reference, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != wanted))
    return row[-1]


def oracle_distance(lattice: Lattice, reference: Sequence[str]) -> int:
    """The edit distance of the closest path of a lattice.

    >>> lattice = Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", -9.0), (1, 2, "c", 0.0)], start=0, end=2)
    >>> oracle_distance(lattice, ["b", "c"])
    0
    """
    known = {w: i for i, w in enumerate(lattice.units)}
    wanted = np.array([known.get(w, -2) for w in reference], np.int64)
    return int(_oracle(lattice.n_nodes, lattice.source, lattice.target, lattice.unit, wanted))


@kernel
def _oracle(n_nodes, source, target, unit, wanted):
    """best[v, j]: the fewest errors of a path to v against the first j words."""
    m = len(wanted)
    best = np.full((n_nodes, m + 1), 1 << 30, np.int64)
    for j in range(m + 1):
        best[0, j] = j
    for a in range(len(source)):
        u, v, w = source[a], target[a], unit[a]
        if w < 0:
            for j in range(m + 1):
                best[v, j] = min(best[v, j], best[u, j])
        else:
            best[v, 0] = min(best[v, 0], best[u, 0] + 1)
            for j in range(1, m + 1):
                best[v, j] = min(best[v, j], best[u, j] + 1, best[u, j - 1] + (w != wanted[j - 1]))
        for j in range(1, m + 1):
            best[v, j] = min(best[v, j], best[v, j - 1] + 1)
    return best[n_nodes - 1, m]
