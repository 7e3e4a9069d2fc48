"""A lattice without the words that belong to a neighbour: those whose middle lies outside of a segment's inner part.

Their arcs stay and are empty, so that the posteriors of all other words remain what they were.
"""

from __future__ import annotations

import gzip
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....errors import InputError
from ....system.temporary import temporary_folder
from ...lattice.formats import TABLE, Piece, Reading, write_slf
from ...lattice.formats.row import FormatRow
from ...lattice.formats.table import name_by_path
from ...lattice.lattice import Lattice, numbered
from ..audio.cutting import ALL
from ..journal import OWN_ENDING
from .outputs import read_output
from .table import SegmentError

_AS_WRITTEN = Reading(nothing=(), variants=True, lower=False)


def trimmed_ending(ending: str, inner: tuple[float, float]) -> str:
    """The ending of the file of a segment, of which only the words of the ``inner`` part are kept.

    >>> trimmed_ending(".json", ALL), trimmed_ending(".json", (0.0, 9.0)), trimmed_ending(".fst", (0.0, 9.0))
    ('.json', '.slf.gz', '.fst')
    """
    return ending if inner == ALL or _own_row(ending) is not None else OWN_ENDING


def trimmed(content: bytes | None, ending: str, inner: tuple[float, float]) -> bytes | None:
    """The content of a lattice's file with only the words of the ``inner`` part, in seconds; None if there is none.

    A format that cannot be written as it was read becomes SLF, see :func:`trimmed_ending`. Words without times stay.
    """
    if content is None or inner == ALL:
        return content
    both = _own_row(ending)
    if both is None:
        return _trimmed_slf(content, ending, inner)
    format, row = both
    name, packed = f"utterance{ending}", ending.endswith(".gz")
    piece = Piece(name, format, name, gzip.decompress(content) if packed else content)
    lattice = without_outer_words(row.parse(piece, _AS_WRITTEN), inner)
    if not lattice.units or row.write is None:
        return None
    text = row.write(lattice)
    return gzip.compress(text, 6, mtime=0) if packed else text


def _own_row(ending: str) -> tuple[str, FormatRow] | None:
    """The format of an ending, if it can be written as it was read."""
    format = name_by_path(Path(f"utterance{ending}"))
    row = TABLE[format] if format is not None else None
    if format is None or row is None or row.write is None or row.writes != "lattice" or row.split is not None:
        return None
    return format, row


def _trimmed_slf(content: bytes, ending: str, inner: tuple[float, float]) -> bytes | None:
    with temporary_folder("rankine-") as folder:
        path = Path(folder, f"utterance{ending}")
        path.write_bytes(content)
        try:
            lattice = read_output(path)
        except InputError as error:
            what = str(error).replace(f"{path.parent}{os.sep}", "")
            raise SegmentError(f"what the recogniser wrote cannot be read: {what}") from None
    own = None if lattice is None else without_outer_words(lattice, inner)
    return gzip.compress(write_slf(own), 6, mtime=0) if own is not None and own.units else None


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
