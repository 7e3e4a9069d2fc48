"""Products of a few rows of X, on one thread: the rows of a query stay in cache between X @ w and X.T @ g.

Sums run in the precision of X, or a better one, over at most 128 rows; what they are added to, ``out``, is float64. So
an entry of X.T @ g goes through no more than ``SUMMED`` roundings in the precision of the sums; a score through one for
each feature, in the precision of w.
"""

# mypy: allow-untyped-defs

import numpy as np

from ...kernel import kernel

_FAST = {"reassoc", "contract", "nsz"}
LARGEST = 1e290  # so that a line between two points ends at numbers, too
SUMMED = 136  # 128 rows in whatever order: g in that precision, products, sums


@kernel(fastmath=_FAST)
def dense_scores(X, lo, hi, w, scores):
    """scores[lo:hi] = X[lo:hi] @ w, in the precision of w."""
    for i in range(lo, hi):
        total = w.dtype.type(0)
        for f in range(X.shape[1]):
            total += X[i, f] * w[f]
        scores[i] = total


@kernel(fastmath=_FAST)
def dense_add(X, lo, hi, g, part, out):
    """out += X[lo:hi].T @ g[lo:hi], four rows with g ≠ 0 at a time, the last rows first: they are still in cache.

    ``part`` is scratch; its precision is that of the sums.
    """
    n, number = X.shape[1], part.dtype.type
    rows = np.empty(hi - lo + 1, np.int64)
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
def held(scores, lo, hi):
    """Whether all of scores[lo:hi] are numbers that can be held."""
    bad = 0
    for i in range(lo, hi):
        bad += not abs(scores[i]) < LARGEST
    return bad == 0


@kernel
def sparse_add(values, columns, ends, lo, hi, g, out):
    """out += X[lo:hi].T @ g[lo:hi] for X in CSR form."""
    for i in range(lo, hi):
        if g[i] != 0.0:
            for j in range(ends[i], ends[i + 1]):
                out[columns[j]] += g[i] * values[j]


@kernel(fastmath=_FAST)
def dense_norms(X, lo, hi, norms):
    """Squares of the Euclidean norms of rows, in float64."""
    for i in range(lo, hi):
        total = 0.0
        for f in range(X.shape[1]):
            x = np.float64(X[i, f])
            total += x * x
        norms[i] = total


@kernel
def sparse_norms(values, ends, lo, hi, norms):
    """The same for X in CSR form."""
    for i in range(lo, hi):
        total = 0.0
        for j in range(ends[i], ends[i + 1]):
            x = np.float64(values[j])
            total += x * x
        norms[i] = total


@kernel(fastmath=_FAST)
def query_sizes(ptr, q0, q1, scores, g, norms, out):
    """Of each query Σ g·s, Σ |g·s|, Σ |g|·norm, Σ |g| and the largest |s|, into the columns of ``out``."""
    for q in range(q0, q1):
        inner = absolute = weighted = steep = largest = 0.0
        for i in range(ptr[q], ptr[q + 1]):
            size, product = abs(g[i]), g[i] * scores[i]
            inner += product
            absolute += abs(product)
            weighted += size * norms[i]
            steep += size
            largest = max(largest, abs(scores[i]))
        out[0, q], out[1, q], out[2, q], out[3, q], out[4, q] = inner, absolute, weighted, steep, largest
