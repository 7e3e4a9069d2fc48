"""Kernels of confusion networks: the assignment of arcs to slots by a pivot path, and the clustering of arcs."""

# mypy: allow-untyped-defs

import numpy as np

from ....kernel import kernel

_NOTHING = 1e-6  # seconds: overlaps that differ by less are equal, from wherever times count


@kernel
def pivot_ahead(source, target, pivot, key_of, before):
    """The first key of the pivot path that can come after each node; arcs sorted by source."""
    before[:] = np.inf
    for a in range(len(source) - 1, -1, -1):
        mine = key_of[a] if pivot[a] else np.inf
        before[source[a]] = min(before[source[a]], mine, before[target[a]])


@kernel
def assign_slots(
    source, target, unit, posterior, start, end, pivot, key_of, after, before, keys, spans, n_keys, a0, a1
):
    """Fill the keys of the slots of arcs a0 to a1 − 1 that have a unit; return the number of slots. Keys grow along
    every path. ``after`` holds the last key before each node, at first −∞.

    ``keys`` is sorted; the pivot's arcs have the first ones. A key between two others is their mean; where numbers run
    out all keys are numbered anew. See :func:`rankine.spoken.lattice.confusion.confusion_network`.
    """
    for a in range(a0, a1):
        u, v = source[a], target[a]
        reach = after[u]
        if unit[a] >= 0 and posterior[a] > 0.0:
            if not pivot[a]:
                low, high = after[u], before[v]
                first = np.searchsorted(keys[:n_keys], low, side="right")
                last = np.searchsorted(keys[:n_keys], high, side="left")
                best, overlap = -1, 0.0
                for i in range(first, last):
                    common = min(spans[i, 1], end[a]) - max(spans[i, 0], start[a])
                    if common > overlap + _NOTHING or (
                        best < 0 and common == 0.0 and (start[a] == end[a] or spans[i, 0] == spans[i, 1])
                    ):
                        best, overlap = i, common
                if best < 0:
                    best = first
                    while best < last and spans[best, 0] < start[a]:
                        best += 1
                    left = keys[best - 1] if best > 0 else (keys[0] - 2.0 if n_keys > 0 else 0.0)
                    right = keys[best] if best < n_keys else left + 2.0
                    key = 0.5 * (left + right)
                    if not left < key < right:
                        _renumber(keys, n_keys, key_of, after, before)
                        left = keys[best - 1] if best > 0 else keys[0] - 2.0
                        right = keys[best] if best < n_keys else left + 2.0
                        key = 0.5 * (left + right)
                        reach = after[u]
                    for i in range(n_keys, best, -1):
                        keys[i] = keys[i - 1]
                        spans[i] = spans[i - 1]
                    keys[best] = key
                    spans[best, 0], spans[best, 1] = start[a], end[a]
                    n_keys += 1
                key_of[a] = keys[best]
            reach = max(reach, key_of[a])
        after[v] = max(after[v], reach)
    return n_keys


@kernel
def _renumber(keys, n_keys, key_of, after, before):
    """Whole numbers for all keys, in their order."""
    for values in (key_of, after, before):
        for i in range(len(values)):
            if np.isfinite(values[i]):
                values[i] = np.searchsorted(keys[:n_keys], values[i], side="left")
    for i in range(n_keys):
        keys[i] = i


@kernel
def reachability(n_nodes, source, target):
    """reach[u, v]: whether a path leads from u to v, u itself included; arcs sorted by source."""
    reach = np.zeros((n_nodes, n_nodes), np.bool_)
    for v in range(n_nodes):
        reach[v, v] = True
    for a in range(len(source) - 1, -1, -1):
        u, v = source[a], target[a]
        for w in range(v, n_nodes):
            reach[u, w] |= reach[v, w]
    return reach


@kernel
def letters_apart(spelling, first, out, i0, i1):
    """out[i, j] = 1 − edit distance of two spellings over the longer one's length, for the words i0 to i1 − 1."""
    row = np.empty(len(spelling) + 2, np.int64)
    for i in range(i0, i1):
        out[i, i] = 1.0
        for j in range(i):
            a, b = first[i + 1] - first[i], first[j + 1] - first[j]
            for y in range(b + 1):
                row[y] = y
            for x in range(1, a + 1):
                corner, row[0] = row[0], x
                for y in range(1, b + 1):
                    differs = spelling[first[i] + x - 1] != spelling[first[j] + y - 1]
                    corner, row[y] = row[y], min(row[y] + 1, row[y - 1] + 1, corner + differs)
            out[i, j] = out[j, i] = 1.0 - row[b] / max(a, b, 1)


@kernel
def row_score(i, j, same_word, P, words, n_words, Q, begin, end):
    """How similar classes i and j are; Q is P_i times the similarity of words. −1 where they are not to be merged."""
    overlap = min(end[i], end[j]) - max(begin[i], begin[j])
    if same_word:
        word = words[i, 0]
        return overlap * P[i, word] * P[j, word] if overlap > 0 and words[j, 0] == word else -1.0
    total = 0.0
    for k in range(n_words[j]):
        total += Q[words[j, k]] * P[j, words[j, k]]
    return total / (n_words[i] * n_words[j]) + 1e-9 * max(overlap, 0.0)


@kernel
def best_of_row(i, n, same_word, alive, before, after, P, words, n_words, Q, alike, begin, end, best, partner):
    """Find the class that class i is to be merged with, among those that are not ordered with it."""
    best[i], partner[i] = -1.0, -1
    if not same_word:
        Q[:] = 0.0
        for k in range(n_words[i]):
            u = words[i, k]
            for v in range(len(Q)):
                Q[v] += P[i, u] * alike[u, v]
    for block in range(before.shape[1]):
        free = ~(before[i, block] | after[i, block])
        if free == 0:
            continue
        for bit in range(64):
            j = block * 64 + bit
            if j >= n or j == i or not alive[j] or (free >> np.uint64(bit)) & np.uint64(1) == 0:
                continue
            score = row_score(i, j, same_word, P, words, n_words, Q, begin, end)
            if score > best[i]:
                best[i], partner[i] = score, j


@kernel
def words_of_classes(P, words, n_words):
    """The words that each class holds, and how many."""
    n_words[:] = 0
    for i in range(len(P)):
        for u in range(P.shape[1]):
            if P[i, u] > 0:
                words[i, n_words[i]] = u
                n_words[i] += 1


@kernel
def best_of_rows(x0, x1, n, same_word, alive, before, after, P, words, n_words, Q, alike, begin, end, best, partner):
    """The partners of the classes x0 to x1 − 1."""
    for i in range(x0, x1):
        if alive[i]:
            best_of_row(i, n, same_word, alive, before, after, P, words, n_words, Q, alike, begin, end, best, partner)


@kernel
def merge_classes(
    rounds, cls, n, same_word, alive, before, after, P, words, n_words, Q, alike, begin, end, best, partner
):
    """Merge the most similar pair of classes again and again, ``rounds`` times at the most; whether none is left.

    Only unordered ones, so that no two arcs of a class can follow each other. Each class remembers its best partner,
    looked for again only when it has changed, is gone, or has become ordered with it. ``before`` and ``after`` are sets
    of bits, closed under transitivity. It ends: a round merges two classes, or gives one a partner that is good.
    """
    one = np.uint64(1)
    for _ in range(rounds):
        i = -1
        for x in range(n):
            if alive[x] and best[x] >= 0 and (i < 0 or best[x] > best[i]):
                i = x
        if i < 0:
            return True
        j = partner[i]
        ordered = ((before[i, j >> 6] | after[i, j >> 6]) >> np.uint64(j & 63)) & one
        if not alive[j] or ordered != 0:
            best_of_row(i, n, same_word, alive, before, after, P, words, n_words, Q, alike, begin, end, best, partner)
            continue
        alive[j] = False
        for a in range(len(cls)):
            if cls[a] == j:
                cls[a] = i
        for k in range(n_words[j]):
            u = words[j, k]
            if P[i, u] == 0:
                words[i, n_words[i]] = u
                n_words[i] += 1
            P[i, u] += P[j, u]
        begin[i], end[i] = min(begin[i], begin[j]), max(end[i], end[j])
        for block in range(before.shape[1]):
            before[i, block] |= before[j, block]
            after[i, block] |= after[j, block]
        for x in range(n):  # what comes before the class comes before what comes after it, and the other way round
            if (before[i, x >> 6] >> np.uint64(x & 63)) & one:
                after[x, i >> 6] |= one << np.uint64(i & 63)
                for block in range(before.shape[1]):
                    after[x, block] |= after[i, block]
            if (after[i, x >> 6] >> np.uint64(x & 63)) & one:
                before[x, i >> 6] |= one << np.uint64(i & 63)
                for block in range(before.shape[1]):
                    before[x, block] |= before[i, block]
        best_of_row(i, n, same_word, alive, before, after, P, words, n_words, Q, alike, begin, end, best, partner)
        for x in range(n):
            if alive[x] and x != i and partner[x] == i:
                best_of_row(
                    x, n, same_word, alive, before, after, P, words, n_words, Q, alike, begin, end, best, partner
                )
    return False


@kernel
def mark_order(cls, follows, after):
    """Fill the sets of what can follow each class, as the arcs show it."""
    one = np.uint64(1)
    for x in range(len(cls)):
        for y in range(len(cls)):
            if follows[x, y]:
                after[cls[x], cls[y] >> 6] |= one << np.uint64(cls[y] & 63)


@kernel
def close_order(n, after, k0, k1):
    """Close the sets under transitivity, by way of the classes k0 to k1 − 1 (Warshall)."""
    one = np.uint64(1)
    for k in range(k0, k1):
        for x in range(n):
            if (after[x, k >> 6] >> np.uint64(k & 63)) & one:
                for block in range(after.shape[1]):
                    after[x, block] |= after[k, block]


@kernel
def turn_order(n, after, before):
    """The sets of what comes before, from those of what comes after."""
    one = np.uint64(1)
    for x in range(n):
        for y in range(n):
            if (after[x, y >> 6] >> np.uint64(y & 63)) & one:
                before[y, x >> 6] |= one << np.uint64(x & 63)
