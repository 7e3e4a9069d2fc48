"""One kernel per family of measures, over ranked lists.

Each takes :class:`Lists` and fills ``out`` with one value per query. A list is walked tie group by tie group: a group
of one document is the ordinary case; for a larger one the value is the exact mean over all orders of the group
(the closed forms are given where they are used). ``a`` is the number of documents before the group, ``t`` its size,
``R`` the relevant ones inside and ``b`` the relevant ones before it; ``k`` is the cutoff. NaN marks a query without a
relevant document. Everything is O(m) per query, ERR is O(t·min(t, k)) in a tie group.
"""

# mypy: allow-untyped-defs

from typing import NamedTuple

import numpy as np

from ..kernel import kernel

# 2^g − 1 for the usual whole grades.
_EXP_GAIN = 2.0 ** np.arange(64) - 1


class Lists(NamedTuple):
    """Ranked, judged lists of several queries, laid end to end.

    ``grades`` stand in rank order, NaN where a document is not judged. Where ``tied[q]``, ``tie_end[i]`` is the end of
    the tie group that starts at ``i``. ``pool`` holds all judged grades of each query, retrieved or not, best first.
    ``sampled`` marks documents of the pool that were left unjudged; it is empty where there are none.
    """

    grades: np.ndarray
    ptr: np.ndarray
    tie_end: np.ndarray
    tied: np.ndarray
    pool: np.ndarray
    pool_ptr: np.ndarray
    sampled: np.ndarray


@kernel
def _gain(g, exponential):
    if not g > 0:
        return 0.0
    if not exponential:
        return g
    whole = np.int64(min(g, 1024.0))
    return _EXP_GAIN[whole] if whole < 64 and g == whole else 2.0**g - 1


@kernel
def _relevant(lists, start, end, rel):
    """How many of the documents from ``start`` to ``end`` are relevant."""
    n = 0
    for i in range(start, end):
        n += lists.grades[i] >= rel
    return n


@kernel
def pool_count(lists, rel, out):
    """How many judged documents of each query have a grade of at least ``rel``."""
    for q in range(len(out)):
        n = 0
        for i in range(lists.pool_ptr[q], lists.pool_ptr[q + 1]):
            if not lists.pool[i] >= rel:
                break
            n += 1
        out[q] = n


@kernel
def dcg(lists, k, exponential, weights, normalise, full_only, out):
    """Σ gain·weight over the first k ranks; a tie group adds (its mean gain)·Σ of its weights.

    ``normalise`` divides by the best possible value; ``full_only`` gives 0 to lists shorter than k (the LETOR tool).
    """
    for q in range(len(out)):
        lo, hi = lists.ptr[q], lists.ptr[q + 1]
        best = 0.0
        p = lists.pool_ptr[q]
        for r in range(min(k, lists.pool_ptr[q + 1] - p)):
            gain = _gain(lists.pool[p + r], exponential)
            if gain == 0.0:
                break
            best += gain * weights[r]
        if best == 0.0:
            out[q] = np.nan
            continue
        total = 0.0
        i, stop = lo, min(hi, lo + k)
        while i < stop:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            if end == i + 1:
                total += _gain(lists.grades[i], exponential) * weights[i - lo]
            else:
                gain = weight = 0.0
                for j in range(i, end):
                    gain += _gain(lists.grades[j], exponential)
                for r in range(i - lo, min(end, stop) - lo):
                    weight += weights[r]
                total += gain / (end - i) * weight
            i = end
        out[q] = min(total / best, 1.0) if normalise else total  # rounding may exceed 1
        if full_only and hi - lo < k:
            out[q] = 0.0


@kernel
def mean_ndcg(lists, exponential, weights, out):
    """Mean of nDCG@1, ..., nDCG@m, m the length of the list."""
    for q in range(len(out)):
        lo, hi = lists.ptr[q], lists.ptr[q + 1]
        p, pool_end = lists.pool_ptr[q], lists.pool_ptr[q + 1]
        if hi == lo or p == pool_end or _gain(lists.pool[p], exponential) == 0.0:
            out[q] = np.nan if p == pool_end or not lists.pool[p] > 0 else 0.0
            continue
        total = best = mean = 0.0
        i = lo
        while i < hi:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            gain = 0.0
            for j in range(i, end):
                gain += _gain(lists.grades[j], exponential)
            for r in range(i - lo, end - lo):
                total += gain / (end - i) * weights[r]
                if p + r < pool_end:
                    best += _gain(lists.pool[p + r], exponential) * weights[r]
                mean += min(total / best, 1.0)
            i = end
        out[q] = mean / (hi - lo)


@kernel
def weighted_hits(lists, cutoffs, rel, weights, out):
    """Σ weight over the ranks ≤ cutoff that hold a document of grade ≥ rel; a tie group adds R/t·Σ of its weights."""
    for q in range(len(out)):
        lo = lists.ptr[q]
        stop = min(lists.ptr[q + 1], lo + cutoffs[q])
        total = 0.0
        i = lo
        while i < stop:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            if end == i + 1:
                if lists.grades[i] >= rel:
                    total += weights[i - lo]
            else:
                weight = 0.0
                for r in range(i - lo, min(end, stop) - lo):
                    weight += weights[r]
                total += _relevant(lists, i, end, rel) / (end - i) * weight
            i = end
        out[q] = total


@kernel
def average_precision(lists, k, rel, n_rel, out):
    """AP; rank a + j of a tie group adds (R/t)·(b + 1 + (j − 1)(R − 1)/(t − 1))/(a + j)."""
    for q in range(len(out)):
        if n_rel[q] == 0:
            out[q] = np.nan
            continue
        lo = lists.ptr[q]
        stop = min(lists.ptr[q + 1], lo + k)
        total = 0.0
        b = 0
        i = lo
        if not lists.tied[q]:
            plain = lists.grades[lo:stop]
            seen = 0.0
            for j in range(len(plain)):
                hit = 1.0 if plain[j] >= rel else 0.0
                seen += hit
                total += hit * seen / (j + 1.0)
            i = stop
        while i < stop:
            end = lists.tie_end[i]
            if end == i + 1:
                if lists.grades[i] >= rel:
                    b += 1
                    total += b / (i - lo + 1)
            else:
                t, R = end - i, _relevant(lists, i, end, rel)
                for j in range(min(end, stop) - i):
                    total += R / t * (b + 1 + j * (R - 1) / (t - 1)) / (i - lo + j + 1)
                b += R
            i = end
        out[q] = total / n_rel[q]


@kernel
def reciprocal_rank(lists, k, rel, n_rel, out):
    """1/rank of the first relevant document.

    In the first tie group that holds one it is at place j with probability C(t−j, R−1)/C(t, R), updated from j to j + 1
    by the factor (t − j − R + 1)/(t − j).
    """
    for q in range(len(out)):
        if n_rel[q] == 0:
            out[q] = np.nan
            continue
        lo = lists.ptr[q]
        stop = min(lists.ptr[q + 1], lo + k)
        out[q] = 0.0
        i = lo
        while i < stop:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            t, R = end - i, _relevant(lists, i, end, rel)
            if R > 0:
                chance = R / t
                for j in range(1, min(end, stop) - i + 1):
                    out[q] += chance / (i - lo + j)
                    chance *= (t - j - R + 1) / (t - j)
                break
            i = end


@kernel
def success(lists, k, rel, n_rel, out):
    """1 if a relevant document stands in the first k ranks; in a tie group cut at k: 1 − C(t−R, n)/C(t, n)."""
    for q in range(len(out)):
        if n_rel[q] == 0:
            out[q] = np.nan
            continue
        lo = lists.ptr[q]
        stop = min(lists.ptr[q + 1], lo + k)
        out[q] = 0.0
        i = lo
        while i < stop:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            t, R = end - i, _relevant(lists, i, end, rel)
            if R > 0:
                miss = 1.0
                for j in range(min(end, stop) - i):
                    miss *= max(t - R - j, 0) / (t - j)
                out[q] = 1.0 - miss
                break
            i = end


@kernel
def expected_reciprocal_rank(lists, k, top, out):
    """ERR with stop probability (2^g − 1)/2^gmax, ``top`` = 2^gmax.

    With ē_j the mean product of j of the group's 1 − stop, a group adds P·Σ_j (ē_{j−1} − ē_j)/(a + j); then P ← P·ē_t.
    """
    products = np.empty(1)
    share = 1 / top
    for q in range(len(out)):
        lo, hi = lists.ptr[q], lists.ptr[q + 1]
        if lists.pool_ptr[q] == lists.pool_ptr[q + 1] or not lists.pool[lists.pool_ptr[q]] > 0:
            out[q] = np.nan
            continue
        stop = min(hi, lo + k)
        total, go_on = 0.0, 1.0
        i = lo
        while i < stop:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            if end == i + 1:
                halt = _gain(lists.grades[i], True) * share
                if halt > 0:
                    total += go_on * halt / (i - lo + 1)
                    go_on -= go_on * halt
            else:
                depth = min(end, stop) - i
                if depth >= len(products):
                    products = np.empty(2 * depth + 2)
                products[0] = 1.0
                products[1 : depth + 1] = 0.0
                for n in range(end - i):
                    u = 1 - _gain(lists.grades[i + n], True) * share
                    for j in range(min(n + 1, depth), 0, -1):
                        products[j] = ((n + 1 - j) * products[j] + j * u * products[j - 1]) / (n + 1)
                for j in range(1, depth + 1):
                    total += go_on * (products[j - 1] - products[j]) / (i - lo + j)
                go_on *= products[depth]
            i = end
        out[q] = total


@kernel
def bpref(lists, rel, n_rel, n_judged, out):
    """Each relevant document adds 1 − min(non-relevant above, n_rel)/min(non-relevant, n_rel), as trec_eval.

    In a tie group the number of its N non-relevant documents above a given relevant one is uniform on 0..N.
    """
    for q in range(len(out)):
        if n_rel[q] == 0:
            out[q] = np.nan
            continue
        bound = min(n_rel[q], n_judged[q] - n_rel[q])
        total = 0.0
        above = 0
        i, hi = lists.ptr[q], lists.ptr[q + 1]
        while i < hi:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            R = _relevant(lists, i, end, rel)
            N = _relevant(lists, i, end, -np.inf) - R
            if R > 0:
                share = 0.0
                for x in range(above, above + N + 1):
                    share += 1.0 - min(x, n_rel[q]) / bound if x > 0 else 1.0
                total += R * share / (N + 1)
            above += N
            i = end
        out[q] = total / n_rel[q]


@kernel
def pair_counts(lists, rel, out):
    """Pairs of judged documents: ``out[q]`` = (concordant, discordant, tied in score only, tied in grade only, both).

    Grades are binarised at ``rel`` unless it is NaN. A Fenwick tree over the grade levels counts the documents
    ranked above with a larger grade: O(m log levels).
    """
    for q in range(len(out)):
        lo, hi = lists.ptr[q], lists.ptr[q + 1]
        levels = np.empty(hi - lo)
        n = 0
        for i in range(lo, hi):
            g = lists.grades[i]
            if g == g:
                levels[n] = g if rel != rel else np.float64(g >= rel)
                n += 1
        levels = np.unique(levels[:n])
        L = len(levels)
        tree = np.zeros(L + 1, np.int64)
        group = np.zeros(L, np.int64)
        seen = 0
        concordant = discordant = score_only = both = grade_only = 0
        i = lo
        while i < hi:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            size = 0
            for j in range(i, end):
                g = lists.grades[j]
                if g != g:
                    continue
                v = np.searchsorted(levels, g if rel != rel else np.float64(g >= rel))
                lower = _tree_sum(tree, v)
                upto = _tree_sum(tree, v + 1)
                discordant += lower
                grade_only += upto - lower
                concordant += seen - upto
                group[v] += 1
                size += 1
            same = 0
            for j in range(i, end):
                g = lists.grades[j]
                if g != g:
                    continue
                v = np.searchsorted(levels, g if rel != rel else np.float64(g >= rel))
                if group[v] > 0:
                    same += group[v] * (group[v] - 1) // 2
                    _tree_add(tree, v, group[v])
                    group[v] = 0
            both += same
            score_only += size * (size - 1) // 2 - same
            seen += size
            i = end
        out[q, 0], out[q, 1], out[q, 2] = concordant, discordant, score_only
        out[q, 3], out[q, 4] = grade_only, both


@kernel
def _tree_sum(tree, v):
    """Documents so far in levels below ``v``."""
    total = 0
    while v > 0:
        total += tree[v]
        v -= v & -v
    return total


@kernel
def _tree_add(tree, v, amount):
    v += 1
    while v < len(tree):
        tree[v] += amount
        v += v & -v


# -- Kernels that rank the documents of a query: packed sort keys, tie groups, grades by counting; see ranking.py


_LAST_KEY = np.iinfo(np.int64).max


@kernel
def pack(scores, ptr, queries, bits, keys):
    """Keys that sort ascending as the scores descend, equal scores by row; rows are padded with the largest key."""
    low = (np.int64(1) << bits) - 1
    for r in range(len(queries)):
        lo, hi = ptr[queries[r]], ptr[queries[r] + 1]
        for j in range(hi - lo):
            x = np.float64(scores[lo + j] + 0.0).view(np.int64)
            x ^= (x >> 63) & np.int64(0x7FFFFFFFFFFFFFFF)
            keys[r, j] = (~x & ~low) | j
        for j in range(hi - lo, keys.shape[1]):
            keys[r, j] = _LAST_KEY


@kernel
def unpack(scores, ptr, queries, bits, keys, order, tied):
    """Row numbers from sorted keys, put right by insertion; marks the queries that have equal scores."""
    low = (np.int64(1) << bits) - 1
    for r in range(len(queries)):
        lo, hi = ptr[queries[r]], ptr[queries[r] + 1]
        above, last, equal = np.inf, np.int64(0), False
        for j in range(hi - lo):
            row = lo + (keys[r, j] & low)
            score = scores[row]
            i = lo + j
            if score > above or (score == above and row < last):
                while i > lo and (
                    scores[order[i - 1]] < score or (scores[order[i - 1]] == score and order[i - 1] > row)
                ):
                    order[i] = order[i - 1]
                    i -= 1
                equal |= i > lo and scores[order[i - 1]] == score
                equal |= scores[order[i + 1]] == score
            else:
                equal |= score == above
                above, last = score, row
            order[i] = row
        tied[queries[r]] = equal


@kernel
def find_ties(scores, ptr, order, tie_end, tied):
    """Ends of the tie groups of the queries that are marked; a mark that was wrong is taken back."""
    for q in range(len(ptr) - 1):
        if not tied[q]:
            continue
        tied[q] = False
        start = ptr[q]
        for i in range(ptr[q] + 1, ptr[q + 1] + 1):
            if i == ptr[q + 1] or scores[order[i]] != scores[order[start]]:
                tie_end[start] = i
                tied[q] |= i > start + 1
                start = i


@kernel
def group_starts(ptr, tie_end, tied):
    """For each place in a tie group of more than one, where the group starts; −1 elsewhere."""
    group = np.full(ptr[-1], -1, np.int64)
    for q in range(len(ptr) - 1):
        i = ptr[q]
        while tied[q] and i < ptr[q + 1]:
            if tie_end[i] > i + 1:
                group[i : tie_end[i]] = i
            i = tie_end[i]
    return group


@kernel
def count_grades(grades, ptr, out):
    """Counting sort; two counters per grade take turns, so that equal neighbours need not wait for each other."""
    counts = np.zeros((64, 2), np.int64)
    for q in range(len(ptr) - 1):
        top = 0
        mine = grades[ptr[q] : ptr[q + 1]]
        for i in range(len(mine)):
            g = np.int64(min(max(mine[i], -1.0), 64.0))
            if g != mine[i] or g < 0 or g > 63:
                return False
            counts[g, i & 1] += 1
            top = max(top, g)
        at = ptr[q]
        for g in range(top, -1, -1):
            for _ in range(counts[g, 0] + counts[g, 1]):
                out[at] = g
                at += 1
            counts[g, 0] = counts[g, 1] = 0
    return True
