"""Word arcs as chains of arcs of smaller units."""

# mypy: allow-untyped-defs

import numpy as np

from ....kernel import kernel


@kernel
def count_chains(unit, first_way, first_piece):
    """How many arcs the chains of all arcs have together."""
    n = 0
    for a in range(len(unit)):
        w = unit[a]
        n += 1 if w < 0 else first_piece[first_way[w + 1]] - first_piece[first_way[w]]
    return n


@kernel
def chains(source, target, unit, scores, start, end, n_nodes, first_way, first_piece, pieces, nodes, units, out, times):
    """Fill arcs (nodes, unit; acoustic, language score, posterior; times). The score stands on a chain's first arc.

    ``first_way[w]`` is the first pronunciation of word w, ``first_piece[i]`` the first unit of pronunciation i.
    Pronunciations share a word's probability alike; a chain's time is divided alike among its units.
    """
    at, next_node = 0, n_nodes
    for a in range(len(source)):
        w = unit[a]
        ways = 1 if w < 0 else first_way[w + 1] - first_way[w]
        for i in range(ways):
            first = 0 if w < 0 else first_piece[first_way[w] + i]
            n = 1 if w < 0 else first_piece[first_way[w] + i + 1] - first
            here = source[a]
            length = end[a] - start[a]
            for k in range(n):
                nodes[at, 0] = here
                here = target[a] if k == n - 1 else next_node
                next_node += k < n - 1
                nodes[at, 1] = here
                units[at] = -1 if w < 0 else pieces[first + k]
                out[0, at] = scores[0, a] if k == 0 else 0.0
                out[1, at] = scores[1, a] - np.log(ways) if k == 0 else 0.0
                out[2, at] = scores[2, a] / ways
                times[at, 0] = start[a] + length * k / n
                times[at, 1] = end[a] if k == n - 1 else start[a] + length * (k + 1) / n
                at += 1
