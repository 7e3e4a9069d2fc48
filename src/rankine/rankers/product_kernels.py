"""Products of a few rows of X, on one thread: the rows of a query stay in cache between X @ w and X.T @ g.

Sums run in the precision of X, over at most 128 rows; what they are added to, ``out``, is float64.
"""

# mypy: allow-untyped-defs

import numpy as np

from ..kernel import kernel

_FAST = {"reassoc", "contract", "nsz"}


@kernel(fastmath=_FAST)
def dense_scores(X, lo, hi, w, scores):
    """scores[lo:hi] = X[lo:hi] @ w."""
    for i in range(lo, hi):
        total = X.dtype.type(0)
        for f in range(X.shape[1]):
            total += X[i, f] * w[f]
        scores[i] = total


@kernel(fastmath=_FAST)
def dense_add(X, lo, hi, g, out):
    """out += X[lo:hi].T @ g[lo:hi], four rows with g ≠ 0 at a time, the last rows first: they are still in cache."""
    n, number = X.shape[1], X.dtype.type
    part, rows = np.empty(n, X.dtype), np.empty(hi - lo + 1, np.int64)
    used = done = 0
    for i in range(hi - 1, lo - 1, -1):
        rows[used] = i
        used += g[i] != 0.0
    while done < used:
        part[:] = 0
        stop = min(done + 128, used)
        while done + 4 <= stop:
            i0, i1, i2, i3 = rows[done], rows[done + 1], rows[done + 2], rows[done + 3]
            g0, g1, g2, g3 = number(g[i0]), number(g[i1]), number(g[i2]), number(g[i3])
            for f in range(n):
                part[f] += (g0 * X[i0, f] + g1 * X[i1, f]) + (g2 * X[i2, f] + g3 * X[i3, f])
            done += 4
        while done < stop:
            g0 = number(g[rows[done]])
            for f in range(n):
                part[f] += g0 * X[rows[done], f]
            done += 1
        for f in range(n):
            out[f] += part[f]


@kernel
def sparse_scores(values, columns, ends, lo, hi, w, scores):
    """scores[lo:hi] = X[lo:hi] @ w for X in CSR form."""
    for i in range(lo, hi):
        total = 0.0
        for j in range(ends[i], ends[i + 1]):
            total += values[j] * w[columns[j]]
        scores[i] = total


@kernel
def sparse_add(values, columns, ends, lo, hi, g, out):
    """out += X[lo:hi].T @ g[lo:hi] for X in CSR form."""
    for i in range(lo, hi):
        if g[i] != 0.0:
            for j in range(ends[i], ends[i + 1]):
                out[columns[j]] += g[i] * values[j]
