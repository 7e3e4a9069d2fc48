"""Reading and writing lattices, one file or many: the format is told by the ending, or by the content.

A source is cut into pieces, one an utterance, without parsing them; a piece is parsed where it is needed, perhaps in
another process. So a bad utterance costs only itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ....errors import InputError, nearest
from ..lattice import Lattice
from .common import Format, Piece, Reading, ending, read_blocks, stem
from .kaldi import MAGIC, parse_kaldi, split_kaldi, write_kaldi, write_kaldi_text
from .networks import parse_mesh, parse_sausage, split_mesh, split_sausages, write_mesh, write_sausage
from .openfst import parse_openfst, write_openfst
from .simple import one_best, parse_ctm, parse_json, parse_nbest, split_ctm, write_ctm
from .slf import parse_slf, write_slf

FORMATS = {
    f.name: f
    for f in (
        Format("slf", (".slf", ".lat", ".htk"), "HTK's SLF, words on nodes or on links", parse_slf),
        Format("kaldi", (".ark",), "Kaldi's archives of lattices, binary or text", parse_kaldi, split_kaldi),
        Format("openfst", (".fst",), "OpenFst's text", parse_openfst),
        Format("mesh", (".mesh", ".wcn"), "SRILM's meshes (confusion networks)", parse_mesh, split_mesh),
        Format("sausage", (".sausage",), "name [ word p word p ] [ word p ] on a line", parse_sausage, split_sausages),
        Format("nbest", (".nbest",), "a log score and words on a line", parse_nbest),
        Format("ctm", (".ctm",), "one-best words with times and confidences", parse_ctm, split_ctm),
        Format("json", (".json",), "words of Whisper and its kin, of Vosk", parse_json),
    )
}
_KALDI_JOB = re.compile(r"^lat\.\d+(\.gz)?$")
_BY_ENDING = {ending: f.name for f in FORMATS.values() for ending in f.endings}


def format_of(path: str | os.PathLike) -> str:
    """The name of a file's format, by its ending or else by how it begins."""
    if known := _by_name(path):
        return known
    head = next(read_blocks(path), b"")[:4096]
    first = head.split(b"\n", 1)[0]
    starts = [line.strip() for line in head.split(b"\n")]
    if first.split(b" ", 1)[-1][:4] == MAGIC:
        return "kaldi"
    if any(line.startswith((b"VERSION=", b"N=", b"I=", b"UTTERANCE=")) for line in starts):
        return "slf"
    if head.lstrip()[:1] in (b"{", b"["):
        return "json"
    if any(line.startswith((b"numaligns", b"name ")) for line in starts):
        return "mesh"
    if b" [ " in first:
        return "sausage"
    if len(first.split()) == 1 and len(starts) > 1 and len(starts[1].split()) >= 3:
        return "kaldi"
    raise InputError(f"cannot tell the format; say which: {', '.join(FORMATS)}", str(path))


def _by_name(path: str | os.PathLike) -> str | None:
    """The format that a file's name tells; ``lat.1.gz`` is what Kaldi's recipes call their archives."""
    return "kaldi" if _KALDI_JOB.match(Path(path).name) else _BY_ENDING.get(ending(path))


class File(NamedTuple):
    """A file of lattices; ``name`` is that of its utterance where it holds one."""

    path: str
    format: str
    name: str


def files(source: str | os.PathLike, format: str | None = None) -> list[File]:
    """A file, or all files below a folder that have a known name, in order.

    Utterances that are files are called by their paths below the folder, without endings.
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format {format!r}; there are {', '.join(FORMATS)}.{nearest(format, FORMATS)}")
    place = Path(source)
    if not place.exists():
        raise FileNotFoundError(2, "there is no such file or folder", str(place))
    if not place.is_dir():
        return [File(str(place), format or format_of(place), stem(place))]
    wanted = set(FORMATS) if format is None else {format}
    paths = sorted(p for p in place.rglob("*") if p.is_file() and _by_name(p) in wanted)
    if not paths:
        endings = sorted(_BY_ENDING) if format is None else FORMATS[format].endings
        raise InputError(f"no files that end in {' '.join(endings)} (perhaps .gz) in this folder", str(place))
    return [File(str(p), format or format_of(p), p.relative_to(place).with_name(stem(p)).as_posix()) for p in paths]


def pieces(file: File) -> Iterator[Piece]:
    """The utterances of a file, in order, not yet parsed."""
    split = FORMATS[file.format].split
    return iter([Piece(file.name, file.format, file.path)]) if split is None else split(file.path)


def load(piece: Piece, reading: Reading) -> Lattice:
    """Parse one utterance."""
    return FORMATS[piece.format].parse(piece, reading)


def read_lattice(path: str | os.PathLike, format: str | None = None, **options: Any) -> Lattice:
    """The lattice of a file that holds one; ``format`` is a name in ``FORMATS``, options are those of ``Reading``."""
    reading = _reading(options)
    found = (piece for file in files(path, format) for piece in pieces(file))
    piece = next(found, None)
    if piece is None:
        raise InputError("no lattice", str(path))
    if next(found, None) is not None:
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
    known = set(Reading.__dataclass_fields__)
    for name in options:
        if name not in known:
            raise InputError(f"unknown option {name!r}; there are {', '.join(sorted(known))}.{nearest(name, known)}")
    return Reading(**options)


__all__ = [
    "FORMATS",
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
    "write_ctm",
    "write_kaldi",
    "write_kaldi_text",
    "write_mesh",
    "write_openfst",
    "write_sausage",
    "write_slf",
]
