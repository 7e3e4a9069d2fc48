"""A lattice without the words that belong to a neighbour: those whose middle lies outside of a segment's inner part.

Their arcs stay and are empty, so that the posteriors of all other words remain what they were.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..lattice.formats import TABLE, Piece, Reading
from ..lattice.formats.table import name_by_path
from ..lattice.lattice import Lattice, numbered
from .cutting import ALL

_AS_WRITTEN = Reading(nothing=(), variants=True, lower=False)


def trimmed(content: bytes | None, ending: str, inner: tuple[float, float]) -> bytes | None:
    """The content of a lattice's file with only the words of the ``inner`` part, in seconds; None if there is none.

    Words without times stay, and so does all of a format that cannot be written as it was read.
    """
    if content is None or inner == ALL:
        return content
    name = f"utterance{ending}"
    format = name_by_path(Path(name))
    row = TABLE[format] if format is not None else None
    if format is None or row is None or row.write is None or row.writes != "lattice" or row.split is not None:
        return content
    packed = ending.endswith(".gz")
    piece = Piece(name, format, name, gzip.decompress(content) if packed else content)
    lattice = without_outer_words(row.parse(piece, _AS_WRITTEN), inner)
    if not lattice.units:
        return None
    text = row.write(lattice)
    return gzip.compress(text, 6, mtime=0) if packed else text


def without_outer_words(lattice: Lattice, inner: tuple[float, float]) -> Lattice:
    """The lattice in which words are empty whose middle is not from ``inner[0]`` on and before ``inner[1]``.

    >>> lattice = Lattice.from_arcs([(0, 1, "a", 0.0, 0.0, 1.0), (1, 2, "b", 0.0, 1.0, 2.0)], start=0, end=2)
    >>> without_outer_words(lattice, (1.0, 9.0)).units
    ('b',)
    """
    middle = (lattice.start + lattice.end) / 2
    outer = (middle < inner[0]) | (middle >= inner[1])
    words = [None if u < 0 or out else lattice.units[u] for u, out in zip(lattice.unit, outer, strict=True)]
    unit, units = numbered(words)
    return replace(lattice, unit=np.asarray(unit), units=tuple(units))
