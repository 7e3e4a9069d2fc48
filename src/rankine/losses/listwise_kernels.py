"""Soft maxima over the documents of a query, for ListNet and ListMLE."""

# mypy: allow-untyped-defs

import numpy as np

from ..kernel import kernel


@kernel
def soft_max(scores, ptr, q0, q1, out):
    """exp(s)/Σexp(s) of each query."""
    for q in range(q0, q1):
        lo, hi = ptr[q], ptr[q + 1]
        top = scores[lo:hi].max()
        total = 0.0
        for i in range(lo, hi):
            out[i] = np.exp(scores[i] - top)
            total += out[i]
        for i in range(lo, hi):
            out[i] /= total


@kernel
def cross_entropy(scores, share, entropy, ptr, q0, q1, values, grad):
    """log Σ exp(s) − Σ share·s − entropy, and its gradient."""
    for q in range(q0, q1):
        lo, hi = ptr[q], ptr[q + 1]
        top = scores[lo:hi].max()
        total = inner = 0.0
        for i in range(lo, hi):
            grad[i] = np.exp(scores[i] - top)
            total += grad[i]
            inner += share[i] * (scores[i] - top)
        for i in range(lo, hi):
            grad[i] = grad[i] / total - share[i]
        values[q] = max(np.log(total) - inner - entropy[q], 0.0)


@kernel
def plackett_luce(scores, level, members, ptr, q0, q1, values, grad):
    """Σ over rows above the lowest level of log Z − s, Z = Σ_{not better} exp(s), from the lowest level up. O(m).

    With n_l the size of level l and Z_l the sum up to it, row i has the gradient Σ_{l ≥ level(i)} n_l·exp(s_i)/Z_l,
    less 1 where its level is not the lowest. Exponentials are taken relative to the largest score so far.
    """
    for q in range(q0, q1):
        lo, hi = ptr[q], ptr[q + 1]
        log_z = np.empty(hi - lo)  # where a level ends
        size = np.zeros(hi - lo)
        values[q] = 0.0
        start, top, total = lo, -np.inf, 0.0
        while start < hi:
            end = start
            while end < hi and level[members[end]] == level[members[start]]:
                s = scores[members[end]]
                if s > top:
                    total *= np.exp(top - s)
                    top = s
                total += np.exp(s - top)
                end += 1
            if start > lo:
                log_z[end - 1 - lo], size[end - 1 - lo] = top + np.log(total), end - start
                for i in range(start, end):
                    values[q] += log_z[end - 1 - lo] - scores[members[i]]
            start = end
        log_above = -np.inf  # log Σ n_l/Z_l over the levels from here up
        for i in range(hi - 1, lo - 1, -1):
            row = members[i]
            if size[i - lo] > 0:
                new = np.log(size[i - lo]) - log_z[i - lo]
                high = max(new, log_above)
                log_above = high + np.log(np.exp(new - high) + np.exp(log_above - high))
            grad[row] = np.exp(scores[row] + log_above) - (level[row] > 0)
