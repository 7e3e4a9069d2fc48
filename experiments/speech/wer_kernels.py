"""Kernel of the oracle word error of a lattice."""

# mypy: allow-untyped-defs

import numpy as np

from rankine.kernel import kernel


@kernel
def oracle(n_nodes, source, target, unit, reference):
    """best[v, j]: the fewest errors of a path to v against the first j words."""
    m = len(reference)
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
                best[v, j] = min(best[v, j], best[u, j] + 1, best[u, j - 1] + (w != reference[j - 1]))
        for j in range(1, m + 1):
            best[v, j] = min(best[v, j], best[v, j - 1] + 1)
    return best[n_nodes - 1, m]
