"""The pivot algorithm's assignment of arcs to slots."""

import numpy as np

from ..kernel import kernel


@kernel
def assign_slots(
    n_nodes, source, target, unit, posterior, start, end, pivot, key_of, after, before, keys, spans, n_keys
):
    """Keys of the slots of all arcs that say something; they grow along every path. How many slots there are.

    ``keys`` is sorted; the pivot's arcs have the first ones. A key between two others is their mean; where numbers run
    out all keys are numbered anew. See :func:`rankine.spoken.confusion.confusion_network`.
    """
    after[:] = -np.inf
    before[:] = np.inf
    for a in range(len(source) - 1, -1, -1):
        mine = key_of[a] if pivot[a] else np.inf
        before[source[a]] = min(before[source[a]], mine, before[target[a]])
    for a in range(len(source)):
        u, v = source[a], target[a]
        reach = after[u]
        if unit[a] >= 0 and posterior[a] > 0.0:
            if not pivot[a]:
                low, high = after[u], before[v]
                first = np.searchsorted(keys[:n_keys], low, side="right")
                last = np.searchsorted(keys[:n_keys], high, side="left")
                best, overlap = -1, 0.0
                for i in range(first, last):
                    common = min(spans[i, 1], end[a]) - max(spans[i, 0], start[a])
                    if common > overlap:
                        best, overlap = i, common
                if best < 0:
                    best = first
                    while best < last and spans[best, 0] < start[a]:
                        best += 1
                    left = keys[best - 1] if best > 0 else (keys[0] - 2.0 if n_keys > 0 else 0.0)
                    right = keys[best] if best < n_keys else left + 2.0
                    key = 0.5 * (left + right)
                    if not left < key < right:
                        _renumber(keys, n_keys, key_of, after, before)
                        left = keys[best - 1] if best > 0 else keys[0] - 2.0
                        right = keys[best] if best < n_keys else left + 2.0
                        key = 0.5 * (left + right)
                        reach = after[u]
                    for i in range(n_keys, best, -1):
                        keys[i] = keys[i - 1]
                        spans[i] = spans[i - 1]
                    keys[best] = key
                    spans[best, 0], spans[best, 1] = start[a], end[a]
                    n_keys += 1
                key_of[a] = keys[best]
            reach = max(reach, key_of[a])
        after[v] = max(after[v], reach)
    return n_keys


@kernel
def _renumber(keys, n_keys, key_of, after, before):
    """Whole numbers for all keys, in their order."""
    for values in (key_of, after, before):
        for i in range(len(values)):
            if np.isfinite(values[i]):
                values[i] = np.searchsorted(keys[:n_keys], values[i], side="left")
    for i in range(n_keys):
        keys[i] = i
