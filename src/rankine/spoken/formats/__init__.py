"""Reading lattices, one file or many: the format is told by the ending or the content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..lattice import Lattice
from .kaldi import read_kaldi
from .simple import read_ctm, read_nbest, read_openfst, read_whisper
from .slf import read_slf

_BY_ENDING: dict[str, Any] = {".json": read_whisper, ".nbest": read_nbest, ".fst": read_openfst}


def read_lattice(path: str | os.PathLike, **options: Any) -> Lattice:
    """One lattice: HTK's SLF (also .gz), the JSON of Whisper and its kin, ``.nbest`` lists, OpenFst text (``.fst``)."""
    return _BY_ENDING.get(Path(path).suffix.lower(), read_slf)(path, **options)


def read_archive(path: str | os.PathLike, **options: Any) -> Iterator[tuple[str, Lattice]]:
    """(utterance, lattice) of a folder of SLF files, a Kaldi archive (``words=`` names its words.txt), or a CTM."""
    place = Path(path)
    if place.is_dir():
        files = sorted(p for p in place.iterdir() if ".slf" in p.suffixes or ".lat" in p.suffixes)
        if not files:
            raise InputError("no .slf or .lat files in this folder", str(place))
        for file in files:
            yield file.name.split(".")[0], read_slf(file, **options)
        return
    yield from read_ctm(place, **options) if place.suffix == ".ctm" else read_kaldi(place, **options)


__all__ = [
    "read_archive",
    "read_ctm",
    "read_kaldi",
    "read_lattice",
    "read_nbest",
    "read_openfst",
    "read_slf",
    "read_whisper",
]
