"""Sorting the documents of one query inside a kernel."""

# mypy: allow-untyped-defs

import numpy as np

from ..kernel import kernel

CHUNK = 128


@kernel
def sort_descending(t, n, order, spare):
    """order[:n] = places in ``t`` from the highest value to the lowest, equal ones as they stand; ``spare`` is scratch.

    Chunks are ranked by counting, for each value, the higher ones: n² comparisons, but vectorised ones. Then they are
    merged: O(n log n).
    """
    chunk = np.empty(CHUNK, t.dtype)
    for lo in range(0, n, CHUNK):
        size = min(CHUNK, n - lo)
        padded = (size + 15) & ~15
        for i in range(size):
            chunk[i] = t[lo + i]
            order[lo + i] = -1
        for i in range(size, padded):
            chunk[i] = -np.inf
        for i in range(size):
            value = chunk[i]
            place = lo
            for j in range(padded):
                place += chunk[j] > value
            while order[place] >= 0:
                place += 1
            order[place] = lo + i
    width = CHUNK
    while width < n:
        for lo in range(0, n, 2 * width):
            i, middle, end = lo, min(lo + width, n), min(lo + 2 * width, n)
            j = middle
            for r in range(lo, end):
                left = j >= end or (i < middle and t[order[i]] >= t[order[j]])
                spare[r] = order[i] if left else order[j]
                i += left
                j += not left
        for r in range(n):
            order[r] = spare[r]
        width *= 2
