"""The table of lattice formats: each row says how a format is recognised, read and written.

Help, documentation and error messages are made from it. To add a format, write its module and its row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ....errors import InputError
from ...text import ending
from ..hypotheses import network_of_list
from ..lattice import Lattice
from ..posteriors import ArcPosteriors
from . import nbest, slf
from .common import Piece, Reading
from .kaldi import default_scale, looks_like_kaldi, parse_kaldi, split_kaldi, write_kaldi, write_kaldi_text
from .kaldi_tra import looks_like_tra, parse_tra, split_tra
from .networks import (
    looks_like_mesh,
    looks_like_sausage,
    parse_mesh,
    parse_sausage,
    split_mesh,
    split_sausages,
    write_mesh,
    write_sausage,
)
from .openfst import looks_like_openfst, parse_openfst, write_openfst
from .simple import looks_like_json, parse_ctm, parse_json, split_ctm, write_ctm
from .slf import looks_like_slf, parse_slf, write_slf

_KALDI_JOB = r"lat\.\d+(\.gz)?"  # what Kaldi's recipes call their files


def _no_scale(frame: float) -> float:
    return 1.0


def _always(piece: Piece) -> bool:
    return True


class FormatRow(NamedTuple):
    """A row of the table of formats.

    ``parse`` reads one utterance; ``split`` cuts a file of several into pieces, None where a file holds one. ``sniff``
    tells the format by the first bytes of a file, ``file_name`` by its name where ``endings`` do not. ``write`` is
    None for a format that is only read; it takes what ``writes`` says, a ``lattice``, a lattice of which only the
    likeliest ``hypotheses`` are written, a ``network`` (confusion network) or the best ``words`` of one, and keyword
    arguments that ``options`` names: ``frame`` (seconds per frame), ``numbers`` (of words, whose list then stands
    beside the file) and ``paths`` (how many). ``scale`` is the acoustic scale of the format for a length of frames,
    where the user gives none. ``align`` makes a network of an utterance's paths and their posteriors. ``divisor``
    tells what the scores of an utterance are divided by when it is read. ``revised`` tells whether an utterance is read
    otherwise than in the first release: one that was indexed then is analysed again.
    """

    explanation: str
    endings: tuple[str, ...]
    parse: Callable[[Piece, Reading], Lattice]
    split: Callable[[str], Iterator[Piece]] | None = None
    sniff: Callable[[bytes], bool] | None = None
    write: Callable[..., bytes] | None = None
    writes: str = "lattice"
    options: tuple[str, ...] = ()
    file_name: str = r"(?!)"
    scale: Callable[[float], float] = _no_scale
    align: Callable[[Lattice, ArcPosteriors], Lattice] | None = None
    divisor: Callable[[Piece, Reading], float] | None = None
    revised: Callable[[Piece], bool] | None = None

    def fits(self, path: Path) -> bool:
        """Whether a file is called like one of this format."""
        return ending(path) in self.endings or re.fullmatch(self.file_name, path.name) is not None


TABLE: dict[str, FormatRow] = {
    "slf": FormatRow(
        "HTK's SLF, words on nodes or on links",
        (".slf", ".lat", ".htk"),
        parse_slf,
        sniff=looks_like_slf,
        write=write_slf,
        divisor=slf.divisor,
        revised=slf.has_language_weight,
    ),
    "openfst": FormatRow("OpenFst's text", (".fst",), parse_openfst, sniff=looks_like_openfst, write=write_openfst),
    "mesh": FormatRow(
        "SRILM's meshes (confusion networks)",
        (".mesh", ".wcn"),
        parse_mesh,
        split_mesh,
        looks_like_mesh,
        write_mesh,
        "network",
        revised=_always,
    ),
    "sausage": FormatRow(
        "confusion networks, one on a line: name [ word p word p ] [ word p ]",
        (".sausage",),
        parse_sausage,
        split_sausages,
        looks_like_sausage,
        write_sausage,
        "network",
    ),
    "nbest": FormatRow(
        "n-best list, scores and words on a line: a natural-log score, SRILM's three columns, or Decipher's",
        (".nbest",),
        nbest.parse_nbest,
        sniff=nbest.looks_like_nbest,
        write=nbest.write_nbest,
        writes="hypotheses",
        options=("paths",),
        align=network_of_list,
        divisor=nbest.divisor,
        revised=_always,
    ),
    "ctm": FormatRow(
        "CTM: one-best words with times and confidences", (".ctm",), parse_ctm, split_ctm, None, write_ctm, "words"
    ),
    "json": FormatRow(
        "JSON of Whisper and its relatives, and of Vosk: words with times and confidences",
        (".json",),
        parse_json,
        sniff=looks_like_json,
    ),
    "kaldi": FormatRow(
        "Kaldi's lattices, binary or text; binary when written, with ….words.txt beside it",
        (".ark",),
        parse_kaldi,
        split_kaldi,
        looks_like_kaldi,
        write_kaldi,
        options=("numbers", "frame"),
        file_name=_KALDI_JOB,
        scale=default_scale,
    ),
    "kaldi-text": FormatRow(
        "the same in text with words as they are",
        (".ark",),
        parse_kaldi,
        split_kaldi,
        None,
        write_kaldi_text,
        options=("frame",),
        file_name=_KALDI_JOB,
        scale=default_scale,
    ),
    "kaldi-tra": FormatRow(
        "Kaldi's one-best words: the name of an utterance and numbers of words (with words.txt) on a line",
        (".tra",),
        parse_tra,
        split_tra,
        looks_like_tra,
    ),
}


def written() -> list[str]:
    """The names of the formats that are written too.

    >>> written()
    ['slf', 'openfst', 'mesh', 'sausage', 'nbest', 'ctm', 'kaldi', 'kaldi-text']
    """
    return [name for name, row in TABLE.items() if row.write is not None]


def writer_of(name: str, option: str = "format") -> Callable[..., bytes]:
    """The function that writes a format; InputError if there is none."""
    write = TABLE[name].write if name in TABLE else None
    if write is None:
        raise InputError(f"{option} must be one of {', '.join(written())}; got {name!r}")
    return write


def name_by_path(path: Path) -> str | None:
    """The format that a file's name tells, if it tells one.

    >>> name_by_path(Path("lat.1.gz")), name_by_path(Path("x.mesh.gz")), name_by_path(Path("x.txt"))
    ('kaldi', 'mesh', None)
    """
    return next((name for name, row in TABLE.items() if row.fits(path)), None)


def name_by_content(head: bytes) -> str | None:
    """The format that the first bytes of a file tell, if they tell one.

    >>> name_by_content(b"VERSION=1.0\\nN=2 L=1\\n")
    'slf'
    """
    return next((name for name, row in TABLE.items() if row.sniff is not None and row.sniff(head)), None)
