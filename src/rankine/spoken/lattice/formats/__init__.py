"""Reading and writing lattices, one file or many: the content tells the format, and the ending where it fits several.

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
from ....io.notes import said
from ....system.console import counted
from ...text import BESIDE_LATTICES, read_head, stem
from ..lattice import Lattice, numbered
from ..posteriors import ArcPosteriors, arc_posteriors
from .detection import candidates, format_of
from .lattices.ctm import one_best, write_ctm
from .lattices.kaldi import write_kaldi, write_kaldi_text
from .lattices.nbest import write_nbest
from .lattices.networks import write_mesh, write_sausage
from .lattices.openfst import write_openfst
from .lattices.slf import write_slf
from .reading import Piece, Reading, Turn
from .table import TABLE, written
from .transcripts.lattice import lattice_of
from .transcripts.transcript import LONGEST, in_utf8, read_segments, transcript_of, turns

__all__ = [
    "TABLE",
    "File",
    "Piece",
    "Reading",
    "Turn",
    "files",
    "format_of",
    "load",
    "one_best",
    "pieces",
    "read_archive",
    "read_lattice",
    "reworded",
    "transcript_of",
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
        raise InputError(f"unknown format {format!r}; `rankine spoken formats` lists all.{nearest(format, TABLE)}")
    place = Path(source)
    if not place.exists():
        raise FileNotFoundError(2, "there is no such file or folder", str(place))
    if not place.is_dir():
        return [File(str(place), format or format_of(place), stem(place))]
    rows = list(TABLE.values()) if format is None else [TABLE[format]]
    every = sorted(p for p in place.rglob("*") if p.is_file() and not p.name.startswith("."))
    paths = [p for p in every if any(row.fits(p) for row in rows)]
    if not paths:
        endings = sorted({ending for row in rows for ending in row.endings})
        kind = "of lattices and transcripts" if format is None else f"of the format {format} ({' '.join(endings)})"
        also = f", but {counted(len(every), 'other file')}, e.g. {every[0].name}" if every else ""
        hint = "" if format else "; `rankine spoken formats` lists the endings"
        raise InputError(f"no files {kind} in this folder{also}{hint}", str(place))
    others = sorted(p for p in set(every) - set(paths) if p.name not in BESIDE_LATTICES)
    if others:
        said(f"{place}: left out, because no format ends so: {counted(len(others), 'file')}, e.g. {others[0].name}")
    formats = _formats(paths, place) if format is None else dict.fromkeys(paths, format)
    return [File(str(p), name, p.relative_to(place).with_name(stem(p)).as_posix()) for p, name in formats.items()]


def _formats(paths: list[Path], folder: Path) -> dict[Path, str]:
    """The format of each file; those that fit none are left out, and the user is told."""
    names = {path: candidates(path) for path in paths}
    others = [path for path in paths if not names[path] and path.name not in BESIDE_LATTICES]
    if not any(names.values()):
        raise InputError(f"no file of this folder fits a format, e.g. {paths[0].name}", str(folder))
    if others:
        said(f"{folder}: left out, because no format fits: {counted(len(others), 'file')}, e.g. {others[0].name}")
    return _richest({path: format_of(path, some) for path, some in names.items() if some}, folder)


def _richest(formats: dict[Path, str], folder: Path) -> dict[Path, str]:
    """Of several transcripts of one name, which recognisers write side by side, the one of the richest format."""
    order = list(TABLE)
    best: dict[str, Path] = {}
    for path, name in sorted(formats.items(), key=lambda pair: order.index(pair[1])):
        if TABLE[name].read is not None:
            best.setdefault(str(path.with_name(stem(path))), path)
    poorer = [p for p, name in formats.items() if TABLE[name].read and best[str(p.with_name(stem(p)))] != p]
    if poorer:
        said(f"{folder}: left out, because a richer transcript has the same name: {poorer[0].name}"
             + (f" and {counted(len(poorer) - 1, 'more file')}" if len(poorer) > 1 else ""))  # fmt: skip
    return {path: name for path, name in formats.items() if path not in set(poorer)}


def pieces(file: File, encoding: str | None = None) -> Iterator[Piece]:
    """The utterances of a file, in order, not yet parsed; those of a transcript are its turns.

    ``encoding`` is that of the text of a transcript, if it is not UTF-8.
    """
    row = TABLE[file.format]
    if row.read is not None:
        data = _content(file, encoding)
        title = "" if row.title is None else row.title(data)
        return turns(row.read, data, file.path, file.name, file.format, title)
    if encoding is not None:
        raise InputError(f"an encoding can be given for transcripts only, and this is {file.format}", file.path)
    return iter([Piece(file.name, file.format, file.path)]) if row.split is None else row.split(file.path)


def _content(file: File, encoding: str | None) -> bytes:
    """The bytes of a transcript, in UTF-8 if its encoding is given."""
    return in_utf8(read_head(file.path, LONGEST + 1), encoding, file.path)


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
        format: a name that ``rankine spoken formats`` lists; None: the content tells it, or the ending
            where the content fits several.
        **options: those of ``Reading``.
    """
    reading = _reading(options)
    sources = files(path, format)
    read = TABLE[sources[0].format].read if len(sources) == 1 else None
    if read is not None:
        segments = read_segments(read, _content(sources[0], reading.encoding), sources[0].path)
        if len({segment.recording for segment in segments}) == 1:
            return lattice_of(segments, 0.0, segments[0].recording or sources[0].name, sources[0].path, reading)
    utterances = (piece for file in sources for piece in pieces(file, reading.encoding))
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
        for piece in pieces(file, reading.encoding):
            yield piece.name, load(piece, reading)


def _reading(options: dict[str, Any]) -> Reading:
    names = set(Reading.__dataclass_fields__)
    for name in options:
        if name not in names:
            raise InputError(f"unknown option {name!r}; there are {', '.join(sorted(names))}.{nearest(name, names)}")
    return Reading(**options)
