"""Expected counts of n-grams: probability mass along a lattice, split by the last units."""

# mypy: allow-untyped-defs

import numpy as np

from ....kernel import kernel


@kernel
def _twice(array):
    """The same entries with as much room again."""
    out = np.empty(2 * len(array), array.dtype)
    out[: len(array)] = array
    return out


@kernel
def _slot(keys, key):
    """Where a key stands in a table of keys (−1: empty place; the length is a power of two), or where it belongs."""
    mask = len(keys) - 1
    at = (key * 0x9E3779B97F4A7C1 >> 13) & mask
    while keys[at] != key and keys[at] >= 0:
        at = (at + 1) & mask
    return at


@kernel
def _larger(keys, values):
    """A table with four times the room."""
    new_keys, new_values = np.full(4 * len(keys), -1, np.int64), np.zeros(4 * len(keys))
    for i in range(len(keys)):
        if keys[i] >= 0:
            at = _slot(new_keys, keys[i])
            new_keys[at], new_values[at] = keys[i], values[i]
    return new_keys, new_values


@kernel
def gram_counts(n_nodes, source, by_target, first, unit, p, base, order, dropped, most):
    """Codes of the last ``order`` units and their expected counts; no codes where there are more histories than most.

    A history is the last order − 1 units as digits of a number, 0 where there are fewer. The mass of a history at a
    node is the probability of reaching it so: m(v, h') = Σ m(u, h) · p(arc) over the arcs u → v and the histories h
    that become h'. A gram's count is the sum of the mass that its last unit moves. Histories with less mass than
    ``dropped`` are left out. ``by_target`` are the arcs by the node that they enter, from ``first[v]``; ``p`` are
    transition probabilities. Cost: arcs × histories of their source.
    """
    history, mass, n = np.empty(1024, np.int64), np.empty(1024), 1
    begin = np.zeros(n_nodes + 1, np.int64)
    history[0], mass[0], begin[1] = 0, 1.0, 1
    keys, counts, n_keys = np.full(1024, -1, np.int64), np.zeros(1024), 0
    here, sums, fresh = np.full(256, -1, np.int64), np.zeros(256), np.empty(256, np.int64)
    room = base ** max(order - 2, 0)
    for v in range(1, n_nodes):
        n_here = 0
        for i in range(first[v], first[v + 1]):
            a = by_target[i]
            if p[a] <= 0.0:
                continue
            for j in range(begin[source[a]], begin[source[a] + 1]):
                x, h = mass[j] * p[a], history[j]
                if unit[a] >= 0:
                    gram = h * base + unit[a] + 1
                    at = _slot(keys, gram)
                    if keys[at] < 0:
                        keys[at] = gram
                        n_keys += 1
                    counts[at] += x
                    if 2 * n_keys > len(keys):
                        keys, counts = _larger(keys, counts)
                    h = h % room * base + unit[a] + 1 if order > 1 else 0
                at = _slot(here, h)
                if here[at] < 0:
                    here[at] = fresh[n_here] = h
                    n_here += 1
                sums[at] += x
                if 2 * n_here > len(here):
                    here, sums = _larger(here, sums)
                    fresh = _twice(_twice(fresh))
        if n + n_here > most:
            return np.empty(0, np.int64), np.empty(0)
        while n + n_here > len(history):
            history, mass = _twice(history), _twice(mass)
        for i in range(n_here):
            at = _slot(here, fresh[i])
            if sums[at] >= dropped:
                history[n], mass[n] = fresh[i], sums[at]
                n += 1
            fresh[i] = at
        for i in range(n_here):
            here[fresh[i]], sums[fresh[i]] = -1, 0.0
        begin[v + 1] = n
    used = keys >= 0
    return keys[used], counts[used]
