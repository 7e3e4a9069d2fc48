r"""The pairwise engine: sums over pairs of documents in O(m log m), never forming a pair.

For a query it computes

.. math:: \sum_k c_k \sum_{(i, j)} a_i b_j \, (M_k - (t_i - t_j))_+^p , \qquad p = 1, 2,

over the pairs in which i stands a level above j, or over all pairs i ≠ j. Documents are sorted by t. Going down from
the top, the j with t_j > t_i − M are a growing prefix; what is needed of them (Σb, Σbt, Σbt² of the levels below i) is
kept in a Fenwick tree over levels (Fenwick 1994). The gradient with respect to j is the same on the way up.
"""

import numpy as np

from ..kernel import kernel
from .sorting import sort_descending


@kernel
def dense_levels(y, ptr, level, n_levels):
    """Number the grades of each query from 0, the lowest; how many there are."""
    for q in range(len(ptr) - 1):
        lo, hi = ptr[q], ptr[q + 1]
        m = hi - lo
        order, spare = np.empty(m, np.int64), np.empty(m, np.int64)
        sort_descending(y[lo:hi], m, order, spare)
        current = 0
        for r in range(m - 1, -1, -1):
            if r < m - 1 and y[lo + order[r]] != y[lo + order[r + 1]]:
                current += 1
            level[lo + order[r]] = current
        n_levels[q] = current + 1


@kernel
def count_pairs(level, n_levels, ptr, pairs):
    """How many pairs of different level each query has."""
    for q in range(len(ptr) - 1):
        lo, hi = ptr[q], ptr[q + 1]
        sizes = np.zeros(n_levels[q], np.int64)
        for i in range(lo, hi):
            sizes[level[i]] += 1
        same = 0
        for size in sizes:
            same += size * (size - 1)
        pairs[q] = ((hi - lo) * (hi - lo - 1) - same) / 2


@kernel
def insert(tree, place, x, y, z):
    """Add (x, y, z) at ``place`` from 0."""
    n = len(tree) - 1
    i = place + 1
    while i <= n:
        tree[i, 0] += x
        tree[i, 1] += y
        tree[i, 2] += z
        i += i & -i


@kernel
def prefix(tree, n):
    """The sums over the first ``n`` places."""
    x = y = z = 0.0
    while n > 0:
        x += tree[n, 0]
        y += tree[n, 1]
        z += tree[n, 2]
        n -= n & -n
    return x, y, z


@kernel
def pair_losses(power, every, coefs, margins, scores, offset, level, n_levels, a, b, ptr, q0, q1, values, grad):
    """Values of queries q0..q1−1 and gradients of their rows. ``every``: all pairs, not those of different level."""
    longest = most = 1
    for q in range(q0, q1):
        longest = max(longest, ptr[q + 1] - ptr[q])
        most = max(most, n_levels[q])
    t, order, spare = np.empty(longest), np.empty(longest, np.int64), np.empty(longest, np.int64)
    s, left, right, slope = np.empty(longest), np.empty(longest), np.empty(longest), np.empty(longest)
    lev = np.empty(longest, np.int64)
    forest = np.empty((most + 1, 3))
    for q in range(q0, q1):
        lo, m, L = ptr[q], ptr[q + 1] - ptr[q], n_levels[q]
        values[q] = 0.0
        grad[lo : lo + m] = 0.0
        if L < 2 and not every:
            continue
        for i in range(m):
            t[i] = scores[lo + i] - offset[lo + i]
        sort_descending(t, m, order, spare)
        top = t[order[0]]
        for r in range(m):
            s[r] = t[order[r]] - top
            lev[r] = level[lo + order[r]]
            slope[r] = 0.0
        tree = forest[: L + 1]
        for term in range(len(a)):
            for r in range(m):
                left[r] = a[term, lo + order[r]]
                right[r] = b[term, lo + order[r]]
            for k in range(len(margins)):
                values[q] += _one_margin(power, every, coefs[k], margins[k], m, s, lev, L, left, right, tree, slope)
        for r in range(m):
            grad[lo + order[r]] = slope[r]


@kernel
def _one_margin(power, every, c, M, m, s, lev, L, left, right, tree, slope):
    """One margin's part of a query's loss; adds to ``slope``. Everything in score order."""
    value = 0.0
    tree[:] = 0.0
    p = 0
    for r in range(m):
        while p < m and s[p] > s[r] - M:
            insert(tree, lev[p], right[p], right[p] * s[p], right[p] * s[p] * s[p])
            p += 1
        count, total, squares = prefix(tree, lev[r] + every)
        z = M - s[r]
        if power == 2:
            value += left[r] * (count * z * z + 2 * z * total + squares)
            slope[r] -= 2 * c * left[r] * (count * z + total)
        else:
            value += left[r] * (count * z + total)
            slope[r] -= c * left[r] * count
        if every and M > 0:
            value -= left[r] * right[r] * M**power
    tree[:] = 0.0
    p = m - 1
    for r in range(m - 1, -1, -1):
        while p >= 0 and s[p] < s[r] + M:
            insert(tree, L - 1 - lev[p], left[p], left[p] * s[p], 0.0)
            p -= 1
        count, total, _ = prefix(tree, L - 1 - lev[r] + every)
        if power == 2:
            slope[r] += 2 * c * right[r] * (count * (M + s[r]) - total)
        else:
            slope[r] += c * right[r] * count
    return c * value


@kernel
def sort_queries(scores, offset, ptr, q0, q1, order):
    """Rows of queries q0..q1−1 in order of descending t."""
    for q in range(q0, q1):
        lo, m = ptr[q], ptr[q + 1] - ptr[q]
        t, spare = np.empty(m), np.empty(m, np.int64)
        for i in range(m):
            t[i] = scores[lo + i] - offset[lo + i]
        sort_descending(t, m, order[lo:], spare)
        for r in range(m):
            order[lo + r] += lo


@kernel
def pair_curvature(every, coefs, margins, scores, offset, level, n_levels, a, b, ptr, order, q0, q1, v, out):
    """Hessian of squared pairs times v: Σ 2·c·a_i·b_j·(v_i − v_j) over the pairs with t_i − t_j < M."""
    for q in range(q0, q1):
        lo, hi, L = ptr[q], ptr[q + 1], n_levels[q]
        out[lo:hi] = 0.0
        if L < 2 and not every:
            continue
        tree = np.empty((L + 1, 3))
        for term in range(len(a)):
            for k in range(len(margins)):
                M, c = margins[k], 2 * coefs[k]
                tree[:] = 0.0
                p = lo
                for r in range(lo, hi):
                    i = order[r]
                    bound = scores[i] - offset[i] - M
                    while p < hi and scores[order[p]] - offset[order[p]] > bound:
                        j = order[p]
                        insert(tree, level[j], b[term, j], b[term, j] * v[j], 0.0)
                        p += 1
                    count, total, _ = prefix(tree, level[i] + every)
                    out[i] += c * a[term, i] * (count * v[i] - total)
                tree[:] = 0.0
                p = hi - 1
                for r in range(hi - 1, lo - 1, -1):
                    j = order[r]
                    bound = scores[j] - offset[j] + M
                    while p >= lo and scores[order[p]] - offset[order[p]] < bound:
                        i = order[p]
                        insert(tree, L - 1 - level[i], a[term, i], a[term, i] * v[i], 0.0)
                        p -= 1
                    count, total, _ = prefix(tree, L - 1 - level[j] + every)
                    out[j] += c * b[term, j] * (count * v[j] - total)


@kernel
def pair_errors(scores, level, n_levels, ptr, values):
    """Pairs of different level that the scores put in the wrong order, tied ones counted ½."""
    for q in range(len(ptr) - 1):
        lo, m, L = ptr[q], ptr[q + 1] - ptr[q], n_levels[q]
        order, spare = np.empty(m, np.int64), np.empty(m, np.int64)
        sort_descending(scores[lo : lo + m], m, order, spare)
        tree = np.zeros((L + 1, 3))
        values[q] = 0.0
        strictly = loosely = 0
        for r in range(m):
            s = scores[lo + order[r]]
            while strictly < m and scores[lo + order[strictly]] > s:
                insert(tree, level[lo + order[strictly]], 0.5, 0.0, 0.0)
                strictly += 1
            while loosely < m and scores[lo + order[loosely]] >= s:
                insert(tree, level[lo + order[loosely]], 0.5, 0.0, 0.0)
                loosely += 1
            values[q] += prefix(tree, level[lo + order[r]])[0]
