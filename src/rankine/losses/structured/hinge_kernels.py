"""The structural hinge over ranges of queries: ξ = max_π [Δ(π) + F(π)] − F*, and its subgradient in the scores.

Levels are the grades of a query (binarised for AP, RR and P), best first. ``members`` lists the rows of a query
level by level. With a pairwise map F counts pairs of different level only: the all-pairs weight of a document minus
its weight within its own level, which is the same for every ranking that keeps levels in score order.
"""

# mypy: allow-untyped-defs

from typing import NamedTuple

import numpy as np

from ...kernel import kernel
from ..pairwise_kernels import CHUNK, sort_descending
from .argmax_kernels import (
    ap_by_grid,
    ap_by_insertion,
    by_augmenting,
    by_counts,
    by_places,
    by_sorting,
    count_states,
    make_work,
    rr_by_rank,
)

ASSIGNMENT, AVERAGE_PRECISION, RECIPROCAL_RANK = range(3)
TABLE, LINEAR, PARTIAL_ORDER, YUE = range(4)
MEAN, RANDOM, BEST = range(3)
AUTO, COUNTS, SORTING, AUGMENTING, GRID, INSERTION = range(6)
MAX_STATES = 700
LARGEST = 1e290  # of sums of scores times weights
EVERYTHING = 2**40  # the cutoff k of a loss over all documents


class Problem(NamedTuple):
    """What the loss knows of the grades, laid out once. Levels of query q: ``level_ptr[q]:level_ptr[q + 1]``."""

    ptr: np.ndarray
    members: np.ndarray
    level_ptr: np.ndarray
    level_first: np.ndarray
    gain: np.ndarray
    informative: np.ndarray
    target: np.ndarray


@kernel
def fill_weights(mode, table, k, m, n_rel, n, A):
    """The first n position weights of a query of m documents, and the norm of a pairwise map (0 if it is none)."""
    if mode == PARTIAL_ORDER or mode == YUE:
        norm = 1.0 / (n_rel * (m - n_rel)) if mode == YUE else 2.0 / (m * (m - 1.0))
        for r in range(n):
            A[r] = norm * (m - 1 - 2 * r)
        return norm
    for r in range(n):
        A[r] = max((k if k < EVERYTHING else m) - r, 0) if mode == LINEAR else (table[r] if r < len(table) else 0.0)
    return 0.0


@kernel
def sort_level(scores, members, start, end, keep, docs, s, at, gathered, order, spare):
    """The ``keep`` members of highest score, best first, equal scores in the order given; how many there are.

    They go to ``docs`` and their scores to ``s``, from ``at`` on. A few of many are kept in order as they come. The
    other arguments are scratch.
    """
    n = end - start
    used = min(n, keep)
    if n <= CHUNK or keep > CHUNK:
        for i in range(n):
            gathered[i] = scores[members[start + i]]
        sort_descending(gathered, n, order, spare)
        for i in range(used):
            docs[at + i] = members[start + order[i]]
            s[at + i] = gathered[order[i]]
    else:
        have = 0
        for i in range(start, end):
            score = scores[members[i]]
            if have == keep and not score > s[at + have - 1]:
                continue
            j = at + (have if have < keep else have - 1)
            have = min(have + 1, keep)
            while j > at and score > s[j - 1]:
                s[j] = s[j - 1]
                docs[j] = docs[j - 1]
                j -= 1
            s[j] = score
            docs[j] = members[i]
    return used


@kernel
def hinge(kind, mode, target_kind, route, table, discount, k, scores, problem, q0, q1, values, grad, rankings):
    """Values of queries q0..q1−1 and gradients of their rows; arg max rankings too if ``rankings`` has entries.

    The value of a query whose scores are not finite, or too large to be added up, is NaN; how many there are of these.
    """
    longest = levels = bad = 0
    for q in range(q0, q1):
        longest = max(longest, problem.ptr[q + 1] - problem.ptr[q])
        levels = max(levels, problem.level_ptr[q + 1] - problem.level_ptr[q])
    A, D, s = np.empty(longest), np.empty(longest), np.empty(longest)
    docs, ranking = np.empty(longest, np.int64), np.empty(longest, np.int64)
    first = np.empty(levels + 1, np.int64)
    grid = np.empty(MAX_STATES)  # grows where a query needs more
    back = np.empty(len(grid), np.int64)
    work = make_work(longest, levels)
    h = np.empty(levels)
    members = problem.members
    gathered = np.empty(longest)
    harmonic = np.empty(longest + 1 if kind == AVERAGE_PRECISION else 1)
    harmonic[0] = 0.0
    for n in range(1, len(harmonic)):
        harmonic[n] = harmonic[n - 1] + 1.0 / n
    for q in range(q0, q1):
        lo, hi = problem.ptr[q], problem.ptr[q + 1]
        m = hi - lo
        lv, L = problem.level_ptr[q], problem.level_ptr[q + 1] - problem.level_ptr[q]
        n_rel = problem.level_first[lv + 1] - lo if L > 1 else m
        informative = problem.informative[q]
        if not informative:
            values[q] = 0.0
            grad[lo:hi] = 0.0
            if len(rankings) == 0:
                continue
        norm, K = 0.0, m
        if kind == ASSIGNMENT and mode != PARTIAL_ORDER and mode != YUE and len(rankings) == 0:
            K = min(k, m)
        if informative:
            norm = fill_weights(mode, table, k, m, n_rel, K, A)
        else:
            A[:m] = 0.0
        first[0] = 0
        for j in range(L):
            start = problem.level_first[lv + j]
            end = problem.level_first[lv + j + 1] if j + 1 < L else hi
            a = first[j]
            first[j + 1] = a + sort_level(scores, members, start, end, K, docs, s, a, gathered, ranking, work.label)
        n = first[L]
        size_of_scores = 0.0
        for i in range(n):
            size_of_scores += abs(s[i])
        if informative and not size_of_scores * (abs(A[0]) + abs(A[K - 1]) + 1.0) < LARGEST:
            values[q] = np.nan  # comparisons that the searches live on would be meaningless
            bad += 1
            grad[lo:hi] = 0.0
            for r in range(m if len(rankings) > 0 else 0):
                rankings[lo + r] = members[lo + r]
            continue
        if not informative:
            _score_order(s[:n], first[: L + 1], ranking)
        elif kind == ASSIGNMENT:
            for r in range(K):
                D[r] = discount[r] if r < len(discount) and r < k else 0.0
            for j in range(L):
                h[j] = problem.gain[lv + j]
            states = 1.0
            for j in range(L):
                states *= min(first[j + 1] - first[j], K) + 1
            if states <= 10 * MAX_STATES or route == COUNTS:
                states = count_states(s, first, L, K, work.most, work.waits)
            way = route
            if way == AUTO:
                proportional = norm == 0.0
                for r in range(K):
                    proportional &= abs(A[r] * D[0] - A[0] * D[r]) <= 1e-14 * A[0] * D[0]
                way = SORTING if proportional else (COUNTS if states <= MAX_STATES else AUGMENTING)
            if way == SORTING:
                by_sorting(s, first, L, A, D, h, K, ranking, work.used)
            elif way == COUNTS:
                if states > len(grid):
                    grid = np.empty(np.int64(states))
                by_counts(s, first, L, A, D, h, K, ranking, grid, work.most, work.waits, work.used)
            else:
                by_augmenting(s, first, L, A, D, h, K, ranking, work)
        elif kind == RECIPROCAL_RANK:
            rr_by_rank(s, m, n_rel, A, ranking)
        elif norm > 0.0 and route != GRID:
            ap_by_insertion(s, m, n_rel, norm, work.label, harmonic, work.a)
            if len(rankings) > 0:
                by_places(m, n_rel, work.label, ranking)
        else:
            if (n_rel + 1) * (m - n_rel + 1) > len(grid):
                grid = np.empty((n_rel + 1) * (m - n_rel + 1))
                back = np.empty(len(grid), np.int64)
            ap_by_grid(s, m, n_rel, A, ranking, grid, back)
        if len(rankings) > 0:
            for r in range(m):
                rankings[lo + r] = docs[ranking[r]]
        if not informative:
            continue
        # ξ = Δ + F − F*, and F − F* = Σ gradient · score, as both are linear in the scores
        delta = 1.0
        if kind == AVERAGE_PRECISION and norm > 0.0 and route != GRID:
            delta -= _pair_gradient(m, n_rel, norm, work.label, docs, grad)
        else:
            for row in range(lo, hi):
                grad[row] = -problem.target[row]
            seen = 0
            for r in range(K):
                i = ranking[r]
                grad[docs[i]] += A[r]
                if kind == ASSIGNMENT:
                    level = 0
                    while i >= first[level + 1]:
                        level += 1
                    delta -= D[r] * h[level]
                elif i < n_rel:
                    seen += 1
                    if kind == AVERAGE_PRECISION:
                        delta -= seen / (r + 1.0) / n_rel
                    elif seen == 1:
                        delta -= 1.0 / (r + 1.0)
            if norm > 0.0:
                for level in range(L):
                    size = first[level + 1] - first[level]
                    for i in range(first[level], first[level + 1]):
                        grad[docs[i]] -= norm * (size - 1 - 2 * (i - first[level]))
            elif target_kind == BEST:
                for level in range(L):
                    start = problem.level_first[lv + level] - lo
                    for i in range(min(first[level + 1] - first[level], K - start)):
                        grad[docs[first[level] + i]] -= A[start + i]
        value = delta + _dot(grad, scores, lo, hi)
        values[q] = 0.0 if value < 0.0 else value
        bad += np.isnan(value)
    return bad


@kernel(fastmath={"reassoc", "contract"})
def _dot(a, b, lo, hi):
    total = 0.0
    for i in range(lo, hi):
        total += a[i] * b[i]
    return total


@kernel
def _pair_gradient(m, n_rel, norm, place, docs, grad):
    """F − F* takes 2·norm·(s_rel − s_non) from every pair in the wrong order; AP of the ranking with these places."""
    precision, above = 0.0, 0
    for k in range(n_rel):
        while above < m - n_rel and place[above] <= k:
            above += 1
        precision += (k + 1.0) / (k + 1 + above)
        grad[docs[k]] = -2 * norm * above
    for j in range(m - n_rel):
        grad[docs[n_rel + j]] = 2 * norm * (n_rel - place[j])
    return precision / n_rel


@kernel
def _score_order(s, first, ranking):
    """All documents in score order, the better level first where scores are equal."""
    taken = np.zeros(len(first) - 1, np.int64)
    for r in range(len(s)):
        which = -1
        for level in range(len(first) - 1):
            i = first[level] + taken[level]
            if i < first[level + 1] and (which < 0 or s[i] > s[first[which] + taken[which]]):
                which = level
        ranking[r] = first[which] + taken[which]
        taken[which] += 1


@kernel
def lay_out(
    y, ptr, binary, rel, exponential, discount, k, precision, problem_members, level_ptr, level_first, gain, informative
):
    """Sort each query's rows by grade, note the levels, their normalised gains, and whether Δ can vary."""
    n_levels = 0
    for q in range(len(ptr) - 1):
        lo, hi = ptr[q], ptr[q + 1]
        level_ptr[q] = n_levels
        grades = y[lo:hi].copy()
        if binary:
            for i in range(hi - lo):
                grades[i] = 1.0 if grades[i] >= rel else 0.0
        order = np.argsort(-grades, kind="mergesort")
        for i in range(hi - lo):
            g = grades[order[i]]
            problem_members[lo + i] = lo + order[i]
            if i == 0 or g != grades[order[i - 1]]:
                level_first[n_levels] = lo + i
                gain[n_levels] = 2.0**g - 1.0 if exponential and not binary else g
                n_levels += 1
        best = 0.0
        for i in range(min(k, hi - lo)):
            g = grades[order[i]]
            best += (2.0**g - 1.0 if exponential and not binary else g) * (discount[i] if i < len(discount) else 0.0)
        for j in range(level_ptr[q], n_levels):
            gain[j] = gain[j] / best if best > 0 else 0.0
        many = n_levels - level_ptr[q] > 1
        informative[q] = many and best > 0 and not (precision and hi - lo <= k)
    level_ptr[len(ptr) - 1] = n_levels


@kernel
def lay_target(mode, table, k, problem, keys, target):
    """A at the ranks of a perfect ranking, each level in the order of ``keys``; without keys the mean over all of them.

    The mean over all perfect rankings gives every document of a level the average of A over the level's ranks.
    """
    for q in range(len(problem.ptr) - 1):
        lo, hi = problem.ptr[q], problem.ptr[q + 1]
        target[lo:hi] = 0.0
        if not problem.informative[q]:
            continue
        A = np.empty(hi - lo)
        lv, L = problem.level_ptr[q], problem.level_ptr[q + 1] - problem.level_ptr[q]
        fill_weights(mode, table, k, hi - lo, problem.level_first[lv + 1] - lo, hi - lo, A)
        for j in range(L):
            start = problem.level_first[lv + j]
            end = problem.level_first[lv + j + 1] if j + 1 < L else hi
            if len(keys) == 0:
                A[start - lo : end - lo] = A[start - lo : end - lo].mean()
                order = np.arange(end - start)
            else:
                order = np.argsort(keys[start:end], kind="mergesort")
            for i in range(end - start):
                target[problem.members[start + order[i]]] = A[start - lo + i]
