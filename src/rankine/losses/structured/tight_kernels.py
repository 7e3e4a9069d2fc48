"""The rankings that the non-convex bounds compare with: the predicted one, or the best perfect one at the scores."""

# mypy: allow-untyped-defs

import numpy as np

from ...kernel import kernel
from .hinge_kernels import PARTIAL_ORDER, YUE, fill_weights

PAIRWISE = (PARTIAL_ORDER, YUE)


@kernel
def by_level(problem, scores, q):
    """A query's documents level after level, each by falling score; their levels; where levels begin; their sizes."""
    lo, hi = problem.ptr[q], problem.ptr[q + 1]
    lv, L = problem.level_ptr[q], problem.level_ptr[q + 1] - problem.level_ptr[q]
    docs, levels = np.empty(hi - lo, np.int64), np.empty(hi - lo, np.int64)
    first, size = np.empty(L, np.int64), np.empty(L, np.int64)
    for j in range(L):
        start = problem.level_first[lv + j]
        end = problem.level_first[lv + j + 1] if j + 1 < L else hi
        rows = problem.members[start:end]
        order = np.argsort(-scores[rows], kind="mergesort")
        first[j], size[j] = start - lo, end - start
        for i in range(end - start):
            docs[start - lo + i] = rows[order[i]]
            levels[start - lo + i] = j
    return docs, levels, first, size


@kernel
def ranking_weights(perfect, mode, table, k, problem, scores, q0, q1, out):
    """The gradient of max F(π) in the scores, over all rankings or over perfect ones, for the rows of queries q0..q1−1.

    It is A at the ranks that documents have: level after level, each sorted by score, or all sorted by score (the
    better level first where scores are equal). A pairwise map counts pairs of different level only: of the all-pairs
    weight that within the document's level is taken off.
    """
    for q in range(q0, q1):
        lo, hi = problem.ptr[q], problem.ptr[q + 1]
        out[lo:hi] = 0.0
        if not problem.informative[q]:
            continue
        m = hi - lo
        n_rel = problem.level_first[problem.level_ptr[q] + 1] - lo
        A = np.empty(m)
        norm = fill_weights(mode, table, k, m, n_rel, m, A)
        docs, levels, first, size = by_level(problem, scores, q)
        order = np.arange(m) if perfect else np.argsort(-scores[docs], kind="mergesort")
        for r in range(m):
            i = order[r]
            j = levels[i]
            out[docs[i]] = A[r] - norm * (size[j] - 1 - 2 * (i - first[j]))
