"""Loss-augmented arg max: the ranking π that maximises Δ(π) + F(π), F(π) = Σ_r A(r)·s_{π(r)}.

In every case the documents of one level (grade, or relevant / not) stand in score order in a best ranking (exchange
them, and F does not fall while Δ stays). ``docs`` lists the documents of a query level by level, best level first,
each level in descending score; ``first[l]:first[l + 1]`` is level l of L. Each function fills ``ranking`` with
positions in ``docs``, best rank first.
"""

# mypy: allow-untyped-defs

from typing import NamedTuple

import numpy as np

from ...kernel import kernel

INFINITY = np.inf


class Work(NamedTuple):
    """Room for one query at a time: ranks (and one more), levels, documents."""

    label: np.ndarray
    parent: np.ndarray
    done: np.ndarray
    used: np.ndarray
    most: np.ndarray
    a: np.ndarray
    d: np.ndarray
    u: np.ndarray
    w: np.ndarray
    key: np.ndarray
    held_s: np.ndarray
    held_h: np.ndarray
    waits: np.ndarray


@kernel
def make_work(longest, levels):
    """Room for queries of up to ``longest`` documents in ``levels`` levels."""
    n = longest + 1
    return Work(
        np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(levels, np.int64),
        np.empty(levels, np.int64), np.empty(n), np.empty(n), np.empty(n), np.empty(2 * n), np.empty(n), np.empty(n),
        np.empty(n), np.empty(n * levels, np.int64),
    )  # fmt: skip


@kernel
def count_states(s, first, L, K, most, waits):
    """How many documents of each level can come into the first K ranks: ``most``; the number of states they make.

    Of two documents the one with the higher (or equal) score and the lower gain stands above the other in a best
    ranking (exchange them: neither Δ nor F falls). So a document waits for all that are better by both:
    ``waits[i·L + l]`` of level l.
    """
    states = 1.0
    for level in range(L):
        n = 0
        for i in range(first[level], min(first[level + 1], first[level] + K)):
            above = n
            for other in range(level + 1, L):
                j = first[other]
                while j < first[other + 1] and s[j] >= s[i] and above < K:
                    above += 1
                    j += 1
                waits[i * L + other] = j - first[other]
            if above >= K:
                break
            n += 1
        most[level] = n
        states *= n + 1
    return states


@kernel
def least_count(level, first, L, waits, counts):
    """How many of ``level`` must have been taken before what ``counts`` holds of the levels above it."""
    least = 0
    for other in range(level):
        if counts[other] > 0:
            least = max(least, waits[(first[other] + counts[other] - 1) * L + level])
    return least


@kernel
def by_counts(s, first, L, A, D, h, K, ranking, value, most, waits, counts):
    """Assignment by dynamic programming over "how many taken from each level".

    V[n_1..n_L] is the best sum over the first Σn ranks with n_l documents of level l taken; the next one of level l
    adds A(r)·s − D(r)·h_l at rank r = Σn. States are numbered with the last level fastest, so that a state's
    predecessors come before it; the inner loops run along that level. States in which a document comes before one it
    waits for are left out. Cost: (states) × L.
    """
    last, stride = first[L - 1], most[L - 1] + 1
    counts[:L] = 0
    total, row, best_state, best = 0, 0, 0, -INFINITY
    while True:
        n_last = min(most[L - 1], K - total)
        least = least_count(L - 1, first, L, waits, counts)
        if least <= n_last:
            for n in range(least, n_last + 1):
                value[row + n] = -INFINITY
            back = stride
            for level in range(L - 2, -1, -1):
                if counts[level] > least_count(level, first, L, waits, counts):
                    score, gain, shift = s[first[level] + counts[level] - 1], h[level], row - back
                    for n in range(least, n_last + 1):
                        x = value[shift + n] + (A[total + n - 1] * score - D[total + n - 1] * gain)
                        value[row + n] = max(x, value[row + n])
                back *= most[level] + 1
            if total == 0:
                value[0] = 0.0
            x = value[row + least]
            for n in range(least + 1, n_last + 1):
                x = max(x + (A[total + n - 1] * s[last + n - 1] - D[total + n - 1] * h[L - 1]), value[row + n])
                value[row + n] = x
            if total + n_last == K and x > best:
                best, best_state = x, row + n_last
        level, back = L - 2, stride
        while level >= 0:  # the next counts of the other levels
            counts[level] += 1
            total += 1
            row += back
            if counts[level] <= most[level] and total <= K:
                break
            row -= counts[level] * back
            total -= counts[level]
            counts[level] = 0
            back *= most[level] + 1
            level -= 1
        if level < 0:
            break
        for after in range(level + 1, L - 1):
            back //= most[after] + 1
            counts[after] = least_count(after, first, L, waits, counts)
            total += counts[after]
            row += counts[after] * back
    state = best_state
    for level in range(L - 1, -1, -1):
        counts[level] = best_state % (most[level] + 1)
        best_state //= most[level] + 1
    for r in range(K - 1, -1, -1):
        which, step, top, back = 0, 0, -INFINITY, 1
        for level in range(L - 1, -1, -1):
            if counts[level] > least_count(level, first, L, waits, counts):
                x = value[state - back] + (A[r] * s[first[level] + counts[level] - 1] - D[r] * h[level])
                if x > top:
                    which, step, top = level, back, x
            back *= most[level] + 1
        counts[which] -= 1
        ranking[r] = first[which] + counts[which]
        state -= step
    return best


@kernel
def by_sorting(s, first, L, A, D, h, K, ranking, taken):
    """Where A = c·D the benefit is D(r)·(c·s − h): the K largest of c·s − h, in order. Levels are merged."""
    c = A[0] / D[0]
    taken[:L] = 0
    best = 0.0
    for r in range(K):
        top, which = -INFINITY, -1
        for level in range(L):
            i = first[level] + taken[level]
            if i < first[level + 1] and c * s[i] - h[level] > top:
                top, which = c * s[i] - h[level], level
        ranking[r] = first[which] + taken[which]
        taken[which] += 1
        best += D[r] * top
    return best


@kernel(fastmath={"nnan", "nsz"})
def by_augmenting(s, first, L, A, D, h, K, ranking, work):
    """Assignment by shortest augmenting paths, from the order of a simpler problem on.

    Cost of document i at rank r: d(r)·h − a(r)·s_i, where a = A, or A less its last value if every document is placed
    (A(r)·s sums to the same), so that a ≥ 0. With d = a/c the order of s − h/c is optimal and its dual prices are
    known; c makes a/c and D of one size, or is infinite where D ends before a. Then d becomes D, rank after rank: the
    rank lets go of its document, and the cheapest chain of exchanges that ends with that document is found by
    Dijkstra's method on reduced costs, as in Jonker and Volgenant (1987). The documents that are not placed belong to
    one more rank, K, with a = d = 0.

    The documents of a level stand in score order, so it is enough to know the level at each rank. ``u`` holds the dual
    prices of the ranks, ``w`` less those of the documents that they hold.
    """
    label, parent, done, used, free = work.label, work.parent, work.done, work.used, work.most
    a, d, u, w, key, held_s, held_h = work.a, work.d, work.u, work.w, work.key, work.held_s, work.held_h
    used[:L] = 0
    low = A[K - 1] if first[L] == K else 0.0
    sum_a = sum_d = 0.0
    for r in range(K):
        a[r] = A[r] - low
        sum_a += a[r]
        sum_d += D[r]
    slope = sum_d / sum_a if D[K - 1] > 0.0 and sum_a > 0.0 else 0.0
    for r in range(K):
        which, top = -1, -INFINITY
        for level in range(L):
            i = first[level] + used[level]
            if i < first[level + 1] and (which < 0 or s[i] - slope * h[level] > top):
                which, top = level, s[i] - slope * h[level]
        label[r] = which
        u[r] = top
        used[which] += 1
        d[r] = a[r] * slope
    a[K] = d[K] = u[K] = price = 0.0
    below = -INFINITY
    for level in range(L):
        if first[level] + used[level] < first[level + 1]:
            below = max(below, s[first[level] + used[level]] - slope * h[level])
    for r in range(K - 1, -1, -1):
        top = u[r]
        if below > -INFINITY:
            price += a[r] * (top - below)
        u[r] = price - a[r] * top
        below = top
    changed = True
    for rank in range(K - 1, -1, -1):
        if d[rank] == D[rank]:
            continue
        if changed:
            used[:L] = 0
            for x in range(K):
                level = label[x]
                held_s[x], held_h[x] = s[first[level] + used[level]], h[level]
                used[level] += 1
            n_free = 0
            for level in range(L):
                if first[level] + used[level] < first[level + 1]:
                    free[n_free] = level
                    n_free += 1
        for x in range(K):
            w[x] = u[x] - d[x] * held_h[x] + a[x] * held_s[x]
            key[x] = INFINITY
        w[K], key[K] = u[K], INFINITY
        d[rank] = D[rank]
        u[rank] = reached = 0.0
        x, n_done, free_level = rank, 0, -1
        while True:
            base, ax, dx = reached - u[x], a[x], d[x]
            for t in range(K):
                cost = base + w[t] + (dx * held_h[t] - ax * held_s[t])
                parent[t] = x if cost < key[t] else parent[t]
                key[t] = min(cost, key[t])
            for i in range(n_free):
                level = free[i]
                cost = base + w[K] + (dx * h[level] - ax * s[first[level] + used[level]])
                if cost < key[K]:
                    key[K], parent[K], free_level = cost, x, level
            reached = INFINITY
            for t in range(K + 1):
                reached = min(reached, key[t])
            x = 0
            while key[x] != reached:
                x += 1
            if x == rank:
                break
            done[n_done] = x
            w[n_done + K + 1] = reached
            n_done += 1
            w[x] = key[x] = INFINITY
        u[rank] = reached
        for i in range(n_done):
            u[done[i]] += reached - w[i + K + 1]
        x, level = parent[rank], label[rank]
        changed = x != rank
        while changed:
            if x == K:
                level = free_level
            else:
                level, label[x] = label[x], level
            if x == rank:
                break
            x = parent[x]
    used[:L] = 0
    best = 0.0
    for r in range(K):
        level = label[r]
        ranking[r] = first[level] + used[level]
        used[level] += 1
        best += A[r] * s[ranking[r]] - D[r] * h[level]
    return best


@kernel
def ap_by_insertion(s, m, n_rel, scale, place, harmonic, summed):
    """AP with a pairwise map (Yue et al. 2007): each non-relevant document finds its place on its own.

    Standing above the relevant documents k, ..., R the j-th non-relevant one takes from each of them, l, the precision
    l/(l+j−1) − l/(l+j), over R, and each pair costs 2·scale·(s_l − s_j). Summed over l, less what does not depend on k:
    −(H(k+j−1) + (j−1)/(k+j−1))/R + 2·scale·(S(k−1) − k·s_j), with harmonic numbers H and sums S of the relevant scores.
    The best k (of equal ones the last) does not fall with j, so the middle j is placed first and bounds the others:
    O(m log m). ``place`` gets k − 1, the number of relevant documents above.
    """
    n_non = m - n_rel
    summed[0] = 0.0
    for k in range(n_rel):
        summed[k + 1] = summed[k] + s[k]
    step = 1
    while 2 * step <= n_non:
        step *= 2
    while step > 0:
        for j in range(step, n_non + 1, 2 * step):
            low = place[j - step - 1] if j > step else 0
            high = place[j + step - 1] if j + step <= n_non else n_rel
            z, top, where = s[n_rel + j - 1], -INFINITY, low
            for k in range(low, high + 1):
                n = k + j
                gain = 2 * scale * (summed[k] - k * z) - (harmonic[n] + (j - 1.0) / n) / n_rel
                if gain >= top:
                    top, where = gain, k
            place[j - 1] = where
        step //= 2


@kernel
def by_places(m, n_rel, place, ranking):
    """The ranking in which each non-relevant document has ``place`` relevant ones above it."""
    r = j = 0
    for k in range(n_rel + 1):
        while j < m - n_rel and place[j] <= k:
            ranking[r] = n_rel + j
            r += 1
            j += 1
        if k < n_rel:
            ranking[r] = k
            r += 1


@kernel
def ap_by_grid(s, m, n_rel, A, ranking, value, from_rel):
    """AP with any A: dynamic programming over (relevant taken, non-relevant taken), O(rel·nrel)."""
    width = m - n_rel + 1
    value[0] = 0.0
    for a in range(n_rel + 1):
        for b in range(width):
            if a + b == 0:
                continue
            r = a + b
            best, relevant = -INFINITY, False
            if a > 0:
                best = value[(a - 1) * width + b] + A[r - 1] * s[a - 1] - a / r / n_rel
                relevant = True
            if b > 0:
                v = value[a * width + b - 1] + A[r - 1] * s[n_rel + b - 1]
                if v > best:
                    best, relevant = v, False
            value[a * width + b] = best
            from_rel[a * width + b] = relevant
    a, b = n_rel, width - 1
    for r in range(m - 1, -1, -1):
        if from_rel[a * width + b]:
            a -= 1
            ranking[r] = a
        else:
            b -= 1
            ranking[r] = n_rel + b


@kernel
def rr_by_rank(s, m, n_rel, A, ranking):
    """RR: for each rank of the first relevant document the rest is in score order; the best of them. O(nrel·m)."""
    top, best_rank = -INFINITY, 0
    for before in range(m - n_rel + 1):
        total = 1 - 1 / (before + 1) + A[before] * s[0]
        for r in range(before):
            total += A[r] * s[n_rel + r]
        a, b = 1, n_rel + before
        for r in range(before + 1, m):
            if b == m or (a < n_rel and s[a] >= s[b]):
                total += A[r] * s[a]
                a += 1
            else:
                total += A[r] * s[b]
                b += 1
        if total > top:
            top, best_rank = total, before
    for r in range(best_rank):
        ranking[r] = n_rel + r
    ranking[best_rank] = 0
    a, b = 1, n_rel + best_rank
    for r in range(best_rank + 1, m):
        if b == m or (a < n_rel and s[a] >= s[b]):
            ranking[r] = a
            a += 1
        else:
            ranking[r] = b
            b += 1
