"""Loss-augmented arg max: the ranking π that maximises Δ(π) + F(π), F(π) = Σ_r A(r)·s_{π(r)}.

In every case the documents of one level (grade, or relevant / not) stand in score order in a best ranking (exchange
them, and F does not fall while Δ stays). ``docs`` lists the documents of a query level by level, best level first,
each level in descending score; ``first[l]:first[l + 1]`` is level l. Each function fills ``ranking`` with positions in
``docs``, best rank first.
"""

import numpy as np

from ..kernel import kernel

INFINITY = np.inf


@kernel
def by_counts(s, first, A, D, h, K, ranking, value, choice, counts):
    """Assignment by dynamic programming over "how many taken from each level".

    V[n_1..n_L] is the best sum over the first Σn ranks with n_l documents of level l taken; the next one of level l
    adds A(r)·s − D(r)·h_l at rank r = Σn. States are numbered with the last level fastest, so that a state's
    predecessors come before it. Cost: (states) × L.
    """
    L = len(first) - 1
    n_states = 1
    for j in range(L):
        n_states *= min(first[j + 1] - first[j], K) + 1
    counts[:L] = 0
    value[0] = 0.0
    total, best_state, best = 0, 0, -INFINITY
    for state in range(n_states):
        if total <= K and state > 0:
            value[state] = -INFINITY
            back = 1
            for level in range(L - 1, -1, -1):
                n = counts[level]
                if n > 0:
                    v = value[state - back] + A[total - 1] * s[first[level] + n - 1] - D[total - 1] * h[level]
                    if v > value[state]:
                        value[state] = v
                        choice[state] = level
                back *= min(first[level + 1] - first[level], K) + 1
            if total == K and value[state] > best:
                best, best_state = value[state], state
        level = L - 1
        while level >= 0:  # the next state's counts
            counts[level] += 1
            total += 1
            if counts[level] <= min(first[level + 1] - first[level], K):
                break
            total -= counts[level]
            counts[level] = 0
            level -= 1
    rest = best_state
    for level in range(L - 1, -1, -1):
        size = min(first[level + 1] - first[level], K) + 1
        counts[level] = rest % size
        rest //= size
    state = best_state
    for r in range(K - 1, -1, -1):
        level = choice[state]
        counts[level] -= 1
        ranking[r] = first[level] + counts[level]
        back = 1
        for j in range(L - 1, level, -1):
            back *= min(first[j + 1] - first[j], K) + 1
        state -= back
    return best


@kernel
def by_sorting(s, first, A, D, h, K, ranking):
    """Where A = c·D the benefit is D(r)·(c·s − h): the K largest of c·s − h, in order. Levels are merged."""
    L = len(first) - 1
    c = A[0] / D[0]
    taken = np.zeros(L, np.int64)
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


@kernel
def by_augmenting(s, first, A, D, h, K, ranking, level_of, u, v, shortest, path, row_of, left):
    """Assignment by shortest augmenting paths.

    As Jonker and Volgenant (1987): rank after rank is assigned along the cheapest alternating path, found by Dijkstra's
    method on reduced costs D(r)·h − A(r)·s − u(r) − v(document), which are computed where they are needed. Of the
    documents that are still free only the best one of each level can end a path (the others cost more for every rank),
    so the search sees the assigned documents and one more per level.
    """
    L = len(first) - 1
    column = np.empty(min(K + L, len(s)), np.int64)  # documents in play; the first free one of each level is among them
    column_of = np.full(K, -1, np.int64)
    n = 0
    for level in range(L):
        if first[level] < first[level + 1]:
            column[n], level_of[n], v[n], row_of[n] = first[level], level, 0.0, -1
            n += 1
    for rank in range(K):
        for j in range(n):
            shortest[j] = INFINITY
            left[j] = j
        n_left = n
        row, reached, sink = rank, 0.0, -1
        u[rank] = 0.0
        while sink < 0:
            lowest, at = INFINITY, -1
            base, a, d = reached - u[row], A[row], D[row]
            for x in range(n_left):
                j = left[x]
                cost = base + d * h[level_of[j]] - a * s[column[j]] - v[j]
                if cost < shortest[j]:
                    shortest[j] = cost
                    path[j] = row
                if shortest[j] < lowest or (shortest[j] == lowest and row_of[j] < 0):
                    lowest, at = shortest[j], x
            reached = lowest
            j = left[at]
            n_left -= 1
            left[at] = left[n_left]
            left[n_left] = j
            if row_of[j] < 0:
                sink = j
            else:
                row = row_of[j]
        u[rank] += reached
        for x in range(n_left, n):  # the columns that were scanned: keep reduced costs non-negative
            j = left[x]
            if j != sink:
                u[row_of[j]] += reached - shortest[j]
                v[j] -= reached - shortest[j]
        j = sink
        while True:
            row = path[j]
            row_of[j] = row
            column_of[row], j = j, column_of[row]
            if row == rank:
                break
        follower = column[sink] + 1
        if follower < first[level_of[sink] + 1] and rank + 1 < K:
            column[n], level_of[n], v[n], row_of[n] = follower, level_of[sink], 0.0, -1
            n += 1
    best = 0.0
    for r in range(K):
        j = column_of[r]
        ranking[r] = column[j]
        best += A[r] * s[column[j]] - D[r] * h[level_of[j]]
    return best


@kernel
def ap_by_insertion(s, n_rel, scale, ranking, place):
    """AP with a pairwise map (Yue et al. 2007): each non-relevant document finds its place on its own.

    Standing above the relevant documents k, ..., R the j-th non-relevant one changes the sum by
    Σ_{l ≥ k} [ (j/(j+l) ... ) ]: relevant l loses precision l/(l+j−1) − l/(l+j), over R, and each pair costs
    2·scale·(s_l − s_j). The best k does not fall with j; of equal ones the last is taken.
    """
    m = len(s)
    n_non = m - n_rel
    for j in range(1, n_non + 1):
        z = s[n_rel + j - 1]
        total, best, where = 0.0, 0.0, n_rel
        for k in range(n_rel, 0, -1):
            total += (k / (k + j - 1) - k / (k + j)) / n_rel - 2 * scale * (s[k - 1] - z)
            if total > best:
                best, where = total, k - 1
        place[j - 1] = where
    r = j = 0
    for k in range(n_rel + 1):
        while j < n_non and place[j] <= k:
            ranking[r] = n_rel + j
            r += 1
            j += 1
        if k < n_rel:
            ranking[r] = k
            r += 1


@kernel
def ap_by_grid(s, n_rel, A, ranking, value, from_rel):
    """AP with any A: dynamic programming over (relevant taken, non-relevant taken), O(rel·nrel)."""
    m = len(s)
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
def rr_by_rank(s, n_rel, A, ranking):
    """RR: for each rank of the first relevant document the rest is in score order; the best of them. O(nrel·m)."""
    m = len(s)
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
