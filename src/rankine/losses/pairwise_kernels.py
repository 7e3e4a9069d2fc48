r"""The pairwise engine: sums over pairs of documents in O(m log m), never forming a pair.

For a query it computes

.. math:: \sum_k c_k \sum_{(i, j)} a_i b_j \, (M_k - (t_i - t_j))_+^p , \qquad p = 1, 2,

over the pairs in which i stands a level above j, or over all pairs i ≠ j. Documents are sorted by t. Going down from
the top, the j with t_j > t_i − M are a growing prefix; what is needed of them, sums of b, bt and bt² over the levels
below that of i, is kept up to date: plainly for a few levels, in a Fenwick tree over the levels (Fenwick 1994) for
many. The gradient with respect to j is the same on the way up.

A short query is faster served by the double loop itself, without a sort and with vector instructions: in the order of
levels (``members``) the j below i are the first ``below[i]``.
"""

# mypy: allow-untyped-defs

import numpy as np

from ..kernel import kernel

SHORT = 256  # documents up to which a query is served by the double loop
FEW = 12  # levels up to which sums are kept plainly


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
def order_by_level(level, n_levels, ptr, members, below):
    """The rows of each query from the lowest level to the highest, and how many stand on lower ones."""
    for q in range(len(ptr) - 1):
        lo, hi = ptr[q], ptr[q + 1]
        start = np.zeros(n_levels[q] + 1, np.int64)
        for i in range(lo, hi):
            start[level[i] + 1] += 1
        for k in range(n_levels[q]):
            start[k + 1] += start[k]
        taken = np.zeros(n_levels[q], np.int64)
        for i in range(lo, hi):
            k = level[i]
            place = lo + start[k] + taken[k]
            members[place] = i
            below[place] = start[k]
            taken[k] += 1


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
def insert(sums, few, place, x, y, z):
    """Add (x, y, z) at ``place``, from 0."""
    n = len(sums) - 1
    i = place + 1
    if few:
        while i <= n:
            sums[i, 0] += x
            sums[i, 1] += y
            sums[i, 2] += z
            i += 1
    else:
        while i <= n:
            sums[i, 0] += x
            sums[i, 1] += y
            sums[i, 2] += z
            i += i & -i


@kernel
def insert_two(sums, few, place, x, y):
    """The same where two sums are enough."""
    n = len(sums) - 1
    i = place + 1
    while i <= n:
        sums[i, 0] += x
        sums[i, 1] += y
        i += 1 if few else i & -i


@kernel
def prefix(sums, few, n):
    """The sums over the first ``n`` places."""
    if few:
        return sums[n, 0], sums[n, 1], sums[n, 2]
    x = y = z = 0.0
    while n > 0:
        x += sums[n, 0]
        y += sums[n, 1]
        z += sums[n, 2]
        n -= n & -n
    return x, y, z


@kernel
def pair_losses(power, every, coefs, margins, scores, lay, q0, q1, values, grad):
    """Values of queries q0..q1−1 and gradients of their rows. ``every``: all pairs, not those of different level."""
    ptr, n_levels, members, below = lay.ptr, lay.n_levels, lay.members, lay.below
    longest = most = 1
    for q in range(q0, q1):
        longest = max(longest, ptr[q + 1] - ptr[q])
        most = max(most, n_levels[q])
    t, order, spare = np.empty(longest), np.empty(longest, np.int64), np.empty(longest, np.int64)
    s, left, right, slope = np.empty(longest), np.empty(longest), np.empty(longest), np.empty(longest)
    lev = np.empty(longest, np.int64)
    room = np.empty((most + 1, 3))
    for q in range(q0, q1):
        lo, m, L = ptr[q], ptr[q + 1] - ptr[q], n_levels[q]
        values[q] = 0.0
        grad[lo : lo + m] = 0.0
        if L < 2 and not every:
            continue
        for i in range(m):
            t[i] = scores[lo + i] - lay.offset[lo + i]
        if m > SHORT:
            sort_descending(t, m, order, spare)
        else:
            for r in range(m):
                order[r] = members[lo + r] - lo
        middle = t[order[m // 2]]  # far from no one but outliers
        for r in range(m):
            s[r] = t[order[r]] - middle
            lev[r] = lay.level[lo + order[r]] if m > SHORT else below[lo + r]
            slope[r] = 0.0
        for term in range(len(lay.a)):
            for r in range(m):
                left[r] = lay.a[term, lo + order[r]]
                right[r] = lay.b[term, lo + order[r]]
            for k in range(len(margins)):
                c, M = coefs[k], margins[k]
                if m > SHORT:
                    values[q] += _one_margin(power, every, c, M, m, s, lev, L, left, right, room[: L + 1], slope)
                else:
                    values[q] += _double_loop(power, every, c, M, m, s, lev, left, right, slope)
        for r in range(m):
            grad[lo + order[r]] = slope[r]


@kernel(fastmath={"reassoc", "contract", "nsz", "nnan"})
def _double_loop(power, every, c, M, m, s, below, left, right, slope):
    """One margin's part of a short query, in the order of levels."""
    value = 0.0
    for i in range(m):
        if left[i] == 0.0:
            continue
        z, a, inner, push = M - s[i], c * left[i], 0.0, 0.0
        if power == 2:
            for j in range(below[i]):
                x = max(z + s[j], 0.0)
                y = right[j] * x
                inner += y * x
                push += y
                slope[j] += 2 * a * y
            slope[i] -= 2 * a * push
        else:
            for j in range(below[i]):
                x = z + s[j]
                y = right[j] if x > 0.0 else 0.0
                inner += y * x
                push += y
                slope[j] += a * y
            slope[i] -= a * push
        value += a * inner
        if every and M > 0:
            value -= a * right[i] * M**power
    return value


@kernel(fastmath={"reassoc", "contract", "nsz", "nnan"})
def _double_bend(c, M, m, s, x, below, left, right, bent):
    """One margin's part of a product with the Hessian of a short query."""
    for i in range(m):
        if left[i] == 0.0:
            continue
        z, a, mine, push = M - s[i], c * left[i], x[i], 0.0
        for j in range(below[i]):
            y = right[j] * (mine - x[j]) if z + s[j] > 0.0 else 0.0
            push += y
            bent[j] -= a * y
        bent[i] += a * push


@kernel
def _one_margin(power, every, c, M, m, s, lev, L, left, right, sums, slope):
    """One margin's part of a query's loss; adds to ``slope``. Everything in score order."""
    few = L <= FEW
    value = 0.0
    sums[:] = 0.0
    p = 0
    for r in range(m):
        while p < m and s[p] > s[r] - M:
            x = right[p] * s[p]
            if power == 2:
                insert(sums, few, lev[p], right[p], x, x * s[p])
            else:
                insert_two(sums, few, lev[p], right[p], x)
            p += 1
        count, total, squares = prefix(sums, few, lev[r] + every)
        z = M - s[r]
        if power == 2:
            value += left[r] * (count * z * z + 2 * z * total + squares)
            slope[r] -= 2 * c * left[r] * (count * z + total)
        else:
            value += left[r] * (count * z + total)
            slope[r] -= c * left[r] * count
        if every and M > 0:
            value -= left[r] * right[r] * M**power
    sums[:] = 0.0
    p = m - 1
    for r in range(m - 1, -1, -1):
        while p >= 0 and s[r] > s[p] - M:  # the same comparison as above: a pair counts for both or for neither
            insert_two(sums, few, L - 1 - lev[p], left[p], left[p] * s[p])
            p -= 1
        count, total, _ = prefix(sums, few, L - 1 - lev[r] + every)
        if power == 2:
            slope[r] += 2 * c * right[r] * (count * (M + s[r]) - total)
        else:
            slope[r] += c * right[r] * count
    return c * value


@kernel
def sort_queries(scores, lay, q0, q1, order):
    """Rows of queries q0..q1−1 in order of descending t; short ones in the order of levels."""
    ptr = lay.ptr
    longest = 0
    for q in range(q0, q1):
        longest = max(longest, ptr[q + 1] - ptr[q])
    t, places, spare = np.empty(longest), np.empty(longest, np.int64), np.empty(longest, np.int64)
    for q in range(q0, q1):
        lo, m = ptr[q], ptr[q + 1] - ptr[q]
        if m <= SHORT:
            order[lo : lo + m] = lay.members[lo : lo + m]
            continue
        for i in range(m):
            t[i] = scores[lo + i] - lay.offset[lo + i]
        sort_descending(t, m, places, spare)
        for r in range(m):
            order[lo + r] = lo + places[r]


@kernel
def pair_curvature(every, coefs, margins, scores, lay, order, q0, q1, v, out):
    """Hessian of squared pairs times v: Σ 2·c·a_i·b_j·(v_i − v_j) over the pairs with t_i − t_j < M."""
    ptr, n_levels, below = lay.ptr, lay.n_levels, lay.below
    longest = most = 1
    for q in range(q0, q1):
        longest = max(longest, ptr[q + 1] - ptr[q])
        most = max(most, n_levels[q])
    s, x, left, right = np.empty(longest), np.empty(longest), np.empty(longest), np.empty(longest)
    lev, bent = np.empty(longest, np.int64), np.empty(longest)
    room = np.empty((most + 1, 3))
    for q in range(q0, q1):
        lo, m, L = ptr[q], ptr[q + 1] - ptr[q], n_levels[q]
        out[lo : lo + m] = 0.0
        if L < 2 and not every:
            continue
        for r in range(m):
            i = order[lo + r]
            s[r], x[r], bent[r] = scores[i] - lay.offset[i], v[i], 0.0
            lev[r] = lay.level[i] if m > SHORT else below[lo + r]
        for term in range(len(lay.a)):
            for r in range(m):
                left[r] = lay.a[term, order[lo + r]]
                right[r] = lay.b[term, order[lo + r]]
            for k in range(len(margins)):
                c, M = 2 * coefs[k], margins[k]
                if m > SHORT:
                    _bend(every, c, M, m, L, s, x, lev, left, right, room[: L + 1], bent)
                else:
                    _double_bend(c, M, m, s, x, lev, left, right, bent)
        for r in range(m):
            out[order[lo + r]] = bent[r]


@kernel
def _bend(every, c, M, m, L, s, x, lev, left, right, sums, bent):
    """One margin's part of a product with the Hessian, in score order."""
    few = L <= FEW
    sums[:] = 0.0
    p = 0
    for r in range(m):
        while p < m and s[p] > s[r] - M:
            insert_two(sums, few, lev[p], right[p], right[p] * x[p])
            p += 1
        count, total, _ = prefix(sums, few, lev[r] + every)
        bent[r] += c * left[r] * (count * x[r] - total)
    sums[:] = 0.0
    p = m - 1
    for r in range(m - 1, -1, -1):
        while p >= 0 and s[p] < s[r] + M:
            insert_two(sums, few, L - 1 - lev[p], left[p], left[p] * x[p])
            p -= 1
        count, total, _ = prefix(sums, few, L - 1 - lev[r] + every)
        bent[r] += c * right[r] * (count * x[r] - total)


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
                insert_two(tree, False, level[lo + order[strictly]], 0.5, 0.0)
                strictly += 1
            while loosely < m and scores[lo + order[loosely]] >= s:
                insert_two(tree, False, level[lo + order[loosely]], 0.5, 0.0)
                loosely += 1
            values[q] += prefix(tree, False, level[lo + order[r]])[0]


# -- Sorting the documents of one query inside a kernel


CHUNK = 128


@kernel
def sort_descending(t, n, order, spare):
    """order[:n] = places in ``t`` from the highest value to the lowest, equal ones as they stand; ``spare`` is scratch.

    Chunks are ranked by counting, for each value, the higher ones: n² comparisons, but vectorised ones. Then they are
    merged: O(n log n).
    """
    chunk = np.empty(CHUNK, t.dtype)
    for lo in range(0, n, CHUNK):
        size = min(CHUNK, n - lo)
        padded = (size + 15) & ~15
        for i in range(size):
            chunk[i] = t[lo + i]
            order[lo + i] = -1
        for i in range(size, padded):
            chunk[i] = -np.inf
        for i in range(size):
            value = chunk[i]
            place = lo
            for j in range(padded):
                place += chunk[j] > value
            while order[place] >= 0:
                place += 1
            order[place] = lo + i
    width = CHUNK
    while width < n:
        for lo in range(0, n, 2 * width):
            i, middle, end = lo, min(lo + width, n), min(lo + 2 * width, n)
            j = middle
            for r in range(lo, end):
                left = j >= end or (i < middle and t[order[i]] >= t[order[j]])
                spare[r] = order[i] if left else order[j]
                i += left
                j += not left
        for r in range(n):
            order[r] = spare[r]
        width *= 2
