"""The table of lattice formats: each row says how a format is recognised, read and written.

Help, documentation and error messages are made from it. To add a format, write its module and its row.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ....errors import InputError
from ..hypotheses import network_of_list
from .lattices import nbest, slf
from .lattices.ctm import looks_like_ctm, parse_ctm, split_ctm, write_ctm
from .lattices.kaldi import (
    default_scale,
    looks_like_kaldi,
    looks_like_kaldi_text,
    looks_like_tra,
    parse_kaldi,
    parse_tra,
    split_kaldi,
    split_tra,
    write_kaldi,
    write_kaldi_text,
)
from .lattices.networks import (
    looks_like_mesh,
    looks_like_sausage,
    parse_mesh,
    parse_sausage,
    split_mesh,
    split_sausages,
    write_mesh,
    write_sausage,
)
from .lattices.openfst import looks_like_openfst, parse_openfst, write_openfst
from .lattices.slf import looks_like_slf, parse_slf, write_slf
from .row import HOLDS, FormatRow
from .transcript_table import TRANSCRIPTS

_KALDI_JOB = r"lat\.\d+(\.gz)?"  # what Kaldi's recipes call their files


TABLE: dict[str, FormatRow] = {
    "slf": FormatRow(
        "HTK's SLF, words on nodes or on links",
        (".slf", ".lat", ".htk"),
        parse_slf,
        looks_like_slf,
        write=write_slf,
        holds=HOLDS[:3],
        source="the HTK Book",
        divisor=slf.divisor,
    ),
    "openfst": FormatRow(
        "OpenFst's text",
        (".fst",),
        parse_openfst,
        looks_like_openfst,
        write=write_openfst,
        holds=("confidences", "alternatives"),
        source="OpenFst's documentation",
    ),
    "mesh": FormatRow(
        "SRILM's meshes (confusion networks)",
        (".mesh", ".wcn"),
        parse_mesh,
        looks_like_mesh,
        split_mesh,
        write_mesh,
        "network",
        holds=HOLDS[:3],
        source="SRILM's wlat-format",
    ),
    "sausage": FormatRow(
        "confusion networks, one on a line: name [ word p word p ] [ word p ]",
        (".sausage",),
        parse_sausage,
        looks_like_sausage,
        split_sausages,
        write_sausage,
        "network",
        holds=("confidences", "alternatives"),
    ),
    "nbest": FormatRow(
        "n-best list, scores and words on a line: a natural-log score, SRILM's three columns, or Decipher's",
        (".nbest",),
        nbest.parse_nbest,
        nbest.looks_like_nbest,
        write=nbest.write_nbest,
        writes="hypotheses",
        options=("paths",),
        holds=HOLDS[:3],
        source="SRILM's nbest-format",
        align=network_of_list,
        divisor=nbest.divisor,
    ),
    "ctm": FormatRow(
        "CTM: words with times and confidences, perhaps with alternatives",
        (".ctm",),
        parse_ctm,
        looks_like_ctm,
        split_ctm,
        write_ctm,
        "words",
        holds=HOLDS[:3],
        source="documentation of NIST's SCTK",
    ),
    "kaldi": FormatRow(
        "Kaldi's lattices, binary or text; binary when written, with ….words.txt beside it",
        (".ark",),
        parse_kaldi,
        looks_like_kaldi,
        split_kaldi,
        write_kaldi,
        options=("numbers", "frame"),
        file_name=_KALDI_JOB,
        scale=default_scale,
        holds=HOLDS[:3],
        source="Kaldi's documentation",
    ),
    "kaldi-text": FormatRow(
        "the same in text with words as they are",
        (".ark",),
        parse_kaldi,
        looks_like_kaldi_text,
        split_kaldi,
        write_kaldi_text,
        options=("frame",),
        file_name=_KALDI_JOB,
        scale=default_scale,
        holds=HOLDS[:3],
        source="Kaldi's documentation",
    ),
    "kaldi-tra": FormatRow(
        "Kaldi's one-best words: the name of an utterance and numbers of words (with words.txt) on a line",
        (".tra",),
        parse_tra,
        looks_like_tra,
        split_tra,
        source="Kaldi's documentation",
    ),
    **TRANSCRIPTS,
}


def written() -> list[str]:
    """The names of the formats that are written too.

    >>> written()[:6]
    ['slf', 'openfst', 'mesh', 'sausage', 'nbest', 'ctm']
    """
    return [name for name, row in TABLE.items() if row.write is not None]


def writer_of(name: str, option: str = "format") -> Callable[..., bytes]:
    """The function that writes a format; InputError if there is none."""
    write = TABLE[name].write if name in TABLE else None
    if write is None:
        raise InputError(f"{option} must be one of {', '.join(written())}; got {name!r}")
    return write


def name_by_path(path: Path) -> str | None:
    """The format in which a file of this name is written, or else which it is called like.

    >>> name_by_path(Path("lat.1.gz")), name_by_path(Path("x.mesh.gz")), name_by_path(Path("x.doc"))
    ('kaldi', 'mesh', None)
    """
    names = [name for name, row in TABLE.items() if row.fits(path)]
    return next((name for name in names if TABLE[name].write is not None), next(iter(names), None))
