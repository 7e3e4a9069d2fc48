"""The rankings that the non-convex bounds compare with: the predicted one, or the best perfect one at the scores."""

import numpy as np

from ..kernel import kernel
from .structured_kernels import PARTIAL_ORDER, YUE, fill_weights


@kernel
def ranking_weights(perfect, mode, table, k, problem, scores, q0, q1, out):
    """The gradient of max F(π) in the scores, over all rankings or over perfect ones, for the rows of queries q0..q1−1.

    It is A at the ranks that documents have: sorted by score (the better level first where scores are equal), or level
    after level, each sorted by score. A pairwise map counts pairs of different level only: of the all-pairs weight that
    within the document's level is taken off.
    """
    for q in range(q0, q1):
        lo, hi = problem.ptr[q], problem.ptr[q + 1]
        out[lo:hi] = 0.0
        if not problem.informative[q]:
            continue
        m = hi - lo
        lv, L = problem.level_ptr[q], problem.level_ptr[q + 1] - problem.level_ptr[q]
        n_rel = problem.level_first[lv + 1] - lo
        A, level = np.empty(m), np.empty(m, np.int64)
        norm = fill_weights(mode, table, k, m, n_rel, m, A)
        for j in range(L):
            end = problem.level_first[lv + j + 1] if j + 1 < L else hi
            for i in range(problem.level_first[lv + j], end):
                level[i - lo] = j
        rows = problem.members[lo:hi]  # better levels first, so a stable sort puts them first where scores are equal
        order = np.argsort(-scores[rows], kind="mergesort")
        if perfect:
            order = order[np.argsort(level[order], kind="mergesort")]
        seen = np.zeros(L, np.int64)
        for r in range(m):
            i = order[r]
            out[rows[i]] = A[r]
            if norm > 0.0:
                size = (problem.level_first[lv + level[i] + 1] if level[i] + 1 < L else hi) - problem.level_first[
                    lv + level[i]
                ]
                out[rows[i]] -= norm * (size - 1 - 2 * seen[level[i]])
                seen[level[i]] += 1


PAIRWISE = (PARTIAL_ORDER, YUE)
