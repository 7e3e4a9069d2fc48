"""From a lattice of words to one of smaller units.

A word arc becomes a chain of arcs, one per unit, its time divided among them and its score on the first; several
pronunciations are several chains that share its probability.
"""

from __future__ import annotations

import numpy as np

from ....errors import InputError
from ..lattice import Lattice
from . import chain_kernels as kn
from .dictionary import Split

_MOST_ARCS = 1 << 23


def to_units(lattice: Lattice, split: Split | None, silent: bool = False) -> Lattice:
    """The same lattice over smaller units; a word that has none is an error, or (``silent``) an empty arc.

    >>> lattice = Lattice.from_arcs([(0, 1, "ab", 0.0, 0.0, 1.0), (0, 1, "c", 0.0, 0.0, 1.0)], start=0, end=1)
    >>> to_units(lattice, lambda word: [list(word)]).units
    ('a', 'b', 'c')
    """
    if split is None:
        return lattice
    numbers: dict[str, int] = {}
    pieces, first_piece, first_way = list[int](), [0], [0]
    for word in lattice.units:
        ways = [way for way in split(word) if len(way)]
        if not ways and not silent:
            raise InputError(f"{word!r} has no units", lattice.name or None)
        for way in ways:
            pieces += [numbers.setdefault(u, len(numbers)) for u in way]
            first_piece.append(len(pieces))
        first_way.append(len(first_piece) - 1)
    ways_at, pieces_at = np.array(first_way), np.array(first_piece)
    has_units = np.append(np.diff(ways_at) > 0, False)[lattice.unit]  # the last entry serves −1
    words = np.where(has_units, lattice.unit, -1)
    n = kn.count_chains(words, ways_at, pieces_at)
    if n > _MOST_ARCS:
        raise InputError(f"{n:,} arcs of smaller units: prune the lattice first", lattice.name or None)
    nodes, units = np.empty((n, 2), np.int64), np.empty(n, np.int64)
    scores, times = np.empty((3, n)), np.empty((n, 2))
    kn.chains(
        lattice.source, lattice.target, words,
        np.stack([lattice.acoustic, lattice.language, lattice.posterior]), lattice.start, lattice.end, lattice.n_nodes,
        ways_at, pieces_at, np.array(pieces, np.int64), nodes, units, scores, times,
    )  # fmt: skip
    return Lattice.build(
        source=nodes[:, 0],
        target=nodes[:, 1],
        unit=units,
        units=list(numbers),
        acoustic=scores[0],
        language=scores[1],
        posterior=scores[2],
        times=times,
        start=0,
        end=lattice.n_nodes - 1,
        name=lattice.name,
    )
