"""Sums over all outputs of a query: every distinct sequence of its grades, each with its best ranking."""

# mypy: allow-untyped-defs

import numpy as np

from ...kernel import kernel
from .hinge_kernels import fill_weights
from .tight_kernels import by_level


@kernel
def next_sequence(levels):
    """The next arrangement in lexicographic order, in place; False after the last."""
    i = len(levels) - 2
    while i >= 0 and levels[i] >= levels[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = len(levels) - 1
    while levels[j] <= levels[i]:
        j -= 1
    levels[i], levels[j] = levels[j], levels[i]
    lo, hi = i + 1, len(levels) - 1
    while lo < hi:
        levels[lo], levels[hi] = levels[hi], levels[lo]
        lo += 1
        hi -= 1
    return True


@kernel
def _loss(average_precision, levels, gain, discount, k, n_rel):
    """Δ of a sequence of levels (0 is the best)."""
    lost, seen = 1.0, 0
    for r in range(len(levels)):
        if average_precision:
            if levels[r] == 0:
                seen += 1
                lost -= seen / (r + 1.0) / n_rel
        elif r < k and r < len(discount):
            lost -= gain[levels[r]] * discount[r]
    return lost


@kernel
def over_outputs(
    soft, average_precision, mode, discount, k, problem, scores, drawn_first, drawn_count, drawn, q0, q1, values, grad
):  # fmt: skip
    """Σ_{π ≠ π*} (Δ + F − F*)₊, or log Σ_π exp(Δ + F − F*), for queries q0..q1−1, with gradients in the scores.

    F counts pairs of different level: a document at rank r that is the j-th best of its level by score has the weight
    norm·((m − 1 − 2r) − (n_level − 1 − 2j)). Cost: outputs × documents. Of a query with ``drawn_count`` above 0 the
    outputs are π* and those that were drawn; one with −1 is left out.
    """
    nothing = np.empty(0)
    for q in range(q0, q1):
        lo, hi = problem.ptr[q], problem.ptr[q + 1]
        values[q] = 0.0
        grad[lo:hi] = 0.0
        if not problem.informative[q] or drawn_count[q] < 0:
            continue
        m = hi - lo
        lv, L = problem.level_ptr[q], problem.level_ptr[q + 1] - problem.level_ptr[q]
        n_rel = problem.level_first[lv + 1] - lo
        A = np.empty(m)
        norm = fill_weights(mode, nothing, k, m, n_rel, m, A)
        docs, levels, first, size = by_level(problem, scores, q)
        gain = problem.gain[lv : lv + L]
        target, weight, taken = np.empty(m), np.empty(m), np.empty(L, np.int64)
        total, largest = 0.0, -np.inf
        own = np.zeros(m)
        begin, left = True, drawn_count[q]
        while begin or (next_sequence(levels) if drawn_count[q] == 0 else left > 0):
            if not begin and left > 0:
                left -= 1
                for r in range(m):
                    levels[r] = drawn[drawn_first[q] + left * m + r]
            taken[:] = 0
            for r in range(m):
                j = levels[r]
                i = first[j] + taken[j]
                weight[i] = A[r] - norm * (size[j] - 1 - 2 * taken[j])
                taken[j] += 1
            if begin:
                target[:] = weight
            x = _loss(average_precision, levels, gain, discount, k, n_rel)
            for i in range(m):
                x += (weight[i] - target[i]) * scores[docs[i]]
            if soft:
                if x > largest:
                    shrink = np.exp(largest - x) if largest > -np.inf else 0.0
                    total *= shrink
                    for i in range(m):
                        own[i] *= shrink
                    largest = x
                part = np.exp(x - largest)
                total += part
                for i in range(m):
                    own[i] += part * (weight[i] - target[i])
            elif not begin and x > 0:
                total += x
                for i in range(m):
                    own[i] += weight[i] - target[i]
            begin = False
        values[q] = max(largest + np.log(total), 0.0) if soft else total
        for i in range(m):
            grad[docs[i]] = own[i] / total if soft else own[i]


@kernel
def slack_over_outputs(average_precision, mode, table, discount, k, problem, target, scores, exact, q0, q1, low, slope):
    """The maximum of Δ·(1 + F − F*) over all outputs, and its gradient, for the ``exact`` queries of q0..q1−1."""
    for q in range(q0, q1):
        lo, hi = problem.ptr[q], problem.ptr[q + 1]
        if not exact[q] or not problem.informative[q]:
            continue
        m = hi - lo
        lv, L = problem.level_ptr[q], problem.level_ptr[q + 1] - problem.level_ptr[q]
        n_rel = problem.level_first[lv + 1] - lo
        A = np.empty(m)
        norm = fill_weights(mode, table, k, m, n_rel, m, A)
        docs, levels, first, size = by_level(problem, scores, q)
        gain = problem.gain[lv : lv + L]
        weight, taken = np.empty(m), np.empty(L, np.int64)
        best = -1.0
        begin = True
        while begin or next_sequence(levels):
            begin = False
            taken[:] = 0
            margin = 1.0
            for r in range(m):
                j = levels[r]
                i = first[j] + taken[j]
                weight[i] = A[r] - norm * (size[j] - 1 - 2 * taken[j]) - target[docs[i]]
                margin += weight[i] * scores[docs[i]]
                taken[j] += 1
            lost = _loss(average_precision, levels, gain, discount, k, n_rel)
            if lost * margin > best:
                best = lost * margin
                for i in range(m):
                    slope[docs[i] - problem.ptr[q0]] = lost * weight[i]
        low[q - q0] = best
