"""Kernels that rank the documents of a query: packed sort keys, tie groups, grades by counting; see ranking.py."""

# mypy: allow-untyped-defs

import numpy as np

from ..kernel import kernel

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
