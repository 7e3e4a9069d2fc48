"""Reading and writing lattices, one file or many: the format is told by the ending, or by the content.

A source is cut into pieces, one an utterance, without parsing them; a piece is parsed where it is needed, perhaps in
another process. So a bad utterance costs only itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ....errors import InputError, naming, nearest
from ...text import read_blocks, stem
from ..lattice import Lattice, numbered
from ..posteriors import ArcPosteriors, arc_posteriors
from .common import Piece, Reading
from .kaldi import write_kaldi, write_kaldi_text
from .nbest import write_nbest
from .networks import write_mesh, write_sausage
from .openfst import write_openfst
from .simple import one_best, write_ctm
from .slf import write_slf
from .table import TABLE, name_by_content, name_by_path, written

__all__ = [
    "TABLE",
    "File",
    "Piece",
    "Reading",
    "files",
    "format_of",
    "load",
    "one_best",
    "pieces",
    "read_archive",
    "read_lattice",
    "reworded",
    "write_ctm",
    "write_kaldi",
    "write_kaldi_text",
    "write_mesh",
    "write_nbest",
    "write_openfst",
    "write_sausage",
    "write_slf",
    "written",
]


def format_of(path: str | os.PathLike) -> str:
    """The name of a file's format, by its ending or else by how it begins."""
    name = name_by_path(Path(path)) or name_by_content(next(read_blocks(path), b"")[:4096])
    if name is None:
        raise InputError(f"cannot tell the format; say which: {', '.join(TABLE)}", str(path))
    return name


class File(NamedTuple):
    """A file of lattices; ``name`` is that of its utterance where it holds one."""

    path: str
    format: str
    name: str


def files(source: str | os.PathLike, format: str | None = None) -> list[File]:
    """A file, or all files below a folder that are called like files of lattices, in order.

    Utterances that are files are called by their paths below the folder, without endings.
    """
    if format is not None and format not in TABLE:
        raise InputError(f"unknown format {format!r}; there are {', '.join(TABLE)}.{nearest(format, TABLE)}")
    place = Path(source)
    if not place.exists():
        raise FileNotFoundError(2, "there is no such file or folder", str(place))
    if not place.is_dir():
        return [File(str(place), format or format_of(place), stem(place))]
    rows = list(TABLE.values()) if format is None else [TABLE[format]]
    paths = sorted(p for p in place.rglob("*") if p.is_file() and any(row.fits(p) for row in rows))
    if not paths:
        endings = sorted({ending for row in rows for ending in row.endings})
        raise InputError(f"no files that end in {' '.join(endings)} (perhaps .gz) in this folder", str(place))
    return [File(str(p), format or format_of(p), p.relative_to(place).with_name(stem(p)).as_posix()) for p in paths]


def pieces(file: File) -> Iterator[Piece]:
    """The utterances of a file, in order, not yet parsed."""
    split = TABLE[file.format].split
    return iter([Piece(file.name, file.format, file.path)]) if split is None else split(file.path)


def load(piece: Piece, reading: Reading, weigh: Callable[[Lattice], ArcPosteriors] = arc_posteriors) -> Lattice:
    """Parse one utterance; ``weigh`` gives the posteriors by which the network of an n-best list is made."""
    row = TABLE[piece.format]
    lattice = row.parse(piece, reading)
    if row.align is None:
        return lattice
    with naming(piece.where):
        return row.align(lattice, weigh(lattice))


def reworded(lattice: Lattice, reading: Reading) -> Lattice:
    """The lattice with its words as they would be read.

    >>> lattice = Lattice.from_arcs([(0, 1, "to(2)", 0.0), (1, 2, "<sil>", 0.0)], start=0, end=2)
    >>> reworded(lattice, Reading()).units
    ('to',)
    """
    words = [*map(reading.unit_of, lattice.units), None]  # the last serves −1
    unit, units = numbered([words[u] for u in lattice.unit.tolist()])
    return replace(lattice, unit=unit, units=tuple(units))


def read_lattice(path: str | os.PathLike, format: str | None = None, **options: Any) -> Lattice:
    """The lattice of a file that holds one.

    Args:
        path: the file.
        format: a name that ``rankine spoken formats`` lists; None: told by the ending or the content.
        **options: those of ``Reading``.
    """
    reading = _reading(options)
    utterances = (piece for file in files(path, format) for piece in pieces(file))
    piece = next(utterances, None)
    if piece is None:
        raise InputError("no lattice", str(path))
    if next(utterances, None) is not None:
        raise InputError("several utterances: read them with read_archive", str(path))
    return load(piece, reading)


def read_archive(path: str | os.PathLike, format: str | None = None, **options: Any) -> Iterator[tuple[str, Lattice]]:
    """(utterance, lattice) of a folder or a file of many, streamed; options as for :func:`read_lattice`.

    A bad utterance raises an error that names it; to go on after it use :func:`pieces` and :func:`load`.
    """
    reading = _reading(options)
    for file in files(path, format):
        for piece in pieces(file):
            yield piece.name, load(piece, reading)


def _reading(options: dict[str, Any]) -> Reading:
    names = set(Reading.__dataclass_fields__)
    for name in options:
        if name not in names:
            raise InputError(f"unknown option {name!r}; there are {', '.join(sorted(names))}.{nearest(name, names)}")
    return Reading(**options)
