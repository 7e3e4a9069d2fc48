"""RankBoost's sums: potentials of documents, and their histograms over binned features."""

# mypy: allow-untyped-defs

import numpy as np

from ..kernel import kernel

FAR = 300.0


@kernel
def potentials(H, members, below, ptr, pair_weight, out):
    """π_i = Σ_{j below i} D(i, j) − Σ_{k above i} D(k, i), D(i, j) ∝ weight_q·exp(H_j − H_i); the sum of all D.

    D is a product, so sums over levels are enough: O(m) per query, in the order of levels. H is taken relative to the
    query's mean, and cut off where its exponential would leave the range of numbers.
    """
    total = 0.0
    for q in range(len(ptr) - 1):
        lo, hi = ptr[q], ptr[q + 1]
        m = hi - lo
        middle = 0.0
        for i in range(lo, hi):
            middle += H[i] / m
        below_sum = np.empty(m + 1)  # Σ exp(H_j) over the first documents in the order of levels
        below_sum[0] = 0.0
        for r in range(m):
            i = members[lo + r]
            below_sum[r + 1] = below_sum[r] + np.exp(min(max(H[i] - middle, -FAR), FAR))
        above = level = 0.0  # Σ exp(−H_k) over the levels above, and over this one so far
        for r in range(m - 1, -1, -1):
            i = members[lo + r]
            if r + 1 < m and below[lo + r] != below[lo + r + 1]:
                above += level
                level = 0.0
            level += np.exp(min(max(middle - H[i], -FAR), FAR))
            up = pair_weight[q] * np.exp(min(max(middle - H[i], -FAR), FAR)) * below_sum[below[lo + r]]
            down = pair_weight[q] * np.exp(min(max(H[i] - middle, -FAR), FAR)) * above
            out[i] = up - down
            total += up
    return total


@kernel
def histograms(bins, f0, f1, pi, n_bins, out):
    """out[f, b] = Σ π over the rows whose feature f falls into bin b."""
    for f in range(f0, f1):
        for b in range(n_bins):
            out[f, b] = 0.0
        for i in range(bins.shape[1]):
            out[f, bins[f, i]] += pi[i]


@kernel
def place(column, cuts, bins, f):
    """bins[f, i] = how many cuts lie below column[i], by a search without branches."""
    n = len(cuts)
    for i in range(len(column)):
        v, low, size = column[i], 0, n
        while size > 0:
            half = (size + 1) // 2
            low += half if cuts[low + half - 1] < v else 0
            size -= half
        bins[f, i] = low
