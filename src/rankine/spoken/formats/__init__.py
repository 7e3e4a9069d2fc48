"""Reading lattices, one file or many: the format is told by the ending or the content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..lattice import Lattice
from .kaldi import read_kaldi
from .slf import read_slf


def read_lattice(path: str | os.PathLike, **options: Any) -> Lattice:
    """One lattice from a file in HTK's standard lattice format, plain or gzipped."""
    return read_slf(path, **options)


def read_archive(path: str | os.PathLike, **options: Any) -> Iterator[tuple[str, Lattice]]:
    """(utterance, lattice) of a folder of SLF files, or of a Kaldi archive (``words=`` names its words.txt)."""
    place = Path(path)
    if place.is_dir():
        files = sorted(p for p in place.iterdir() if ".slf" in p.suffixes or ".lat" in p.suffixes)
        if not files:
            raise InputError("no .slf or .lat files in this folder", str(place))
        for file in files:
            yield file.name.split(".")[0], read_slf(file, **options)
        return
    yield from read_kaldi(place, **options)


__all__ = ["read_archive", "read_kaldi", "read_lattice", "read_slf"]
