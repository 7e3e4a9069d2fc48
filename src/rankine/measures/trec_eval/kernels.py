"""Kernels of the measures that trec_eval has besides the common ones, over ranked lists; see kernels.py for the words.

Those of rows that need an order walk the list as it is ranked and know no ties.
"""

# mypy: allow-untyped-defs

import numpy as np

from ...kernel import kernel

_SMALL = 0.00001  # trec_eval's INFAP_EPSILON


@kernel
def _gain(g):
    return g if g > 0 else 0.0


@kernel
def _count(lists, start, end, rel):
    """How many of the documents from ``start`` to ``end`` have a grade of at least ``rel``."""
    n = 0
    for i in range(start, end):
        n += lists.grades[i] >= rel
    return n


@kernel
def interpolated_precision(lists, rel, n_rel, points, nearest, out):
    """Mean over ``points`` of the largest precision at or behind the rank where recall reaches the point.

    A point x of R relevant documents is the ⌊xR + 0.9⌋-th one retrieved (trec_eval 9), or the nearest (10).
    """
    for q in range(len(out)):
        if n_rel[q] == 0:
            out[q] = np.nan
            continue
        lo, hi = lists.ptr[q], lists.ptr[q + 1]
        n = _count(lists, lo, hi, rel)
        best = np.empty(n + 1)
        left, largest = n, 0.0
        for i in range(hi - 1, lo - 1, -1):
            largest = max(largest, left / (i - lo + 1))
            if lists.grades[i] >= rel:
                best[left] = largest
                left -= 1
        best[0] = largest
        total = 0.0
        for j in range(len(points)):
            x = points[j] * n_rel[q]
            number = np.int64(x + 0.9)
            if nearest:
                number = np.int64(np.floor(x))
                number += x - number >= 0.5
            if number <= n:
                total += best[number]
        out[q] = total / len(points)


@kernel
def inferred_ap(lists, rel, n_rel, out):
    """Inferred AP: a relevant document at rank k adds 1/k + (pooled above)/k · (relevant share of the judged above).

    ``lists.sampled`` marks documents of the pool that were not judged; the share is smoothed by 0.00001.
    """
    for q in range(len(out)):
        if n_rel[q] == 0:
            out[q] = np.nan
            continue
        relevant = other = unjudged = 0
        total = 0.0
        lo = lists.ptr[q]
        for i in range(lo, lists.ptr[q + 1]):
            g = lists.grades[i]
            if g != g:
                unjudged += len(lists.sampled) > 0 and lists.sampled[i]
            elif g < rel:
                other += 1
            else:
                share = (relevant + _SMALL) / (relevant + other + 2 * _SMALL)
                total += (1.0 + (relevant + other + unjudged) * share) / (i - lo + 1)
                relevant += 1
        out[q] = total / n_rel[q]


@kernel
def binary_g(lists, rel, n_rel, out):
    """Mean over the relevant documents of 1/log2(2 + non-relevant above); uniform on 0..N in a tie group."""
    for q in range(len(out)):
        if n_rel[q] == 0:
            out[q] = np.nan
            continue
        total = 0.0
        above = 0
        i, hi = lists.ptr[q], lists.ptr[q + 1]
        while i < hi:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            R = _count(lists, i, end, rel)
            N = end - i - R
            if R > 0:
                mean = 0.0
                for x in range(above, above + N + 1):
                    mean += 1.0 / np.log2(2.0 + x)
                total += R * mean / (N + 1)
            above += N
            i = end
        out[q] = total / n_rel[q]


@kernel
def normalised_gain(lists, out):
    """G: Σ gain/log2(2 + cost − gain so far) over the total gain; a rank costs the ideal gain there, at least 1."""
    for q in range(len(out)):
        p, pool_end = lists.pool_ptr[q], lists.pool_ptr[q + 1]
        ideal = 0.0
        for i in range(p, pool_end):
            ideal += _gain(lists.pool[i])
        if ideal == 0.0:
            out[q] = np.nan
            continue
        lo = lists.ptr[q]
        total = cost = gained = 0.0
        for i in range(lo, lists.ptr[q + 1]):
            gain = _gain(lists.grades[i])
            cost += max(_gain(lists.pool[p + i - lo]), 1.0) if p + i - lo < pool_end else 1.0
            gained += gain
            if gain > 0:
                total += gain / np.log2(2.0 + cost - gained)
        out[q] = total / ideal


@kernel
def ndcg_at_relevant(lists, weights, out):
    """nDCG averaged over the ranks of the documents with a gain; one that is not retrieved adds nDCG at the end.

    In a tie group of size t with n gains and their sum S, rank r adds (S·w_r + S(n − 1)/(t − 1)·Σ w before r)/t to what
    the gains above the group give with probability n/t.
    """
    for q in range(len(out)):
        p, pool_end = lists.pool_ptr[q], lists.pool_ptr[q + 1]
        R, ideal_total = 0, 0.0
        while p + R < pool_end and lists.pool[p + R] > 0:
            ideal_total += lists.pool[p + R] * weights[R]
            R += 1
        if R == 0:
            out[q] = np.nan
            continue
        lo, hi = lists.ptr[q], lists.ptr[q + 1]
        total = dcg = ideal = 0.0
        hits = 0
        i = lo
        while i < hi:
            end = lists.tie_end[i] if lists.tied[q] else i + 1
            t, n, S, before = end - i, 0, 0.0, 0.0
            for j in range(i, end):
                n += lists.grades[j] > 0
                S += _gain(lists.grades[j])
            for r in range(i - lo, end - lo):
                if r < R:
                    ideal += lists.pool[p + r] * weights[r]
                value = n * dcg + S * weights[r]
                if t > 1:
                    value += S * (n - 1) / (t - 1) * before
                total += value / t / ideal
                before += weights[r]
            dcg += S / t * before
            hits += n
            i = end
        out[q] = (total + (R - hits) * dcg / ideal_total) / R


@kernel
def ndcg_at_levels(lists, n_rel, weights, out):
    """nDCG averaged over the ranks where the ideal gain changes, and at the end of a longer list."""
    for q in range(len(out)):
        p, pool_end = lists.pool_ptr[q], lists.pool_ptr[q + 1]
        if n_rel[q] == 0 or p == pool_end or not lists.pool[p] > 0:
            out[q] = np.nan
            continue
        lo, hi = lists.ptr[q], lists.ptr[q + 1]
        total = dcg = ideal = mean = 0.0
        points = R = 0
        end = lo
        for r in range(max(hi - lo, pool_end - p)):
            i = lo + r
            if i < hi:
                if not lists.tied[q]:
                    mean = _gain(lists.grades[i])
                elif i == end:
                    end, mean = lists.tie_end[i], 0.0
                    for j in range(i, end):
                        mean += _gain(lists.grades[j]) / (end - i)
                dcg += mean * weights[r]
            g = _gain(lists.pool[p + r]) if p + r < pool_end else 0.0
            if g > 0:
                R += 1
                ideal += g * weights[r]
                if p + r + 1 == pool_end or lists.pool[p + r + 1] != g:
                    total += dcg / ideal
                    points += 1
        if hi - lo > R + 1:
            total += dcg / ideal
            points += 1
        out[q] = total / points
