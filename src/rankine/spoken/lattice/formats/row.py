"""A row of the table of formats: how a format is recognised, read and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...text import ending
from ..lattice import Lattice
from ..posteriors import ArcPosteriors
from .reading import Piece, Reading
from .transcripts.lattice import parse_turn
from .transcripts.transcript import SegmentReader, Transcript


def _no_scale(frame: float) -> float:
    return 1.0


NO_NAME = r"(?!)"  # a pattern that fits no name
HOLDS = ("times", "confidences", "alternatives", "speakers")


class FormatRow(NamedTuple):
    """A row of the table of formats.

    ``parse`` reads one utterance; ``split`` cuts a file of several into pieces, None where a file holds one. ``sniff``
    tells whether the first ``HEAD`` bytes of a file fit the format; where several formats fit, its name decides:
    ``endings``, or ``file_name`` for names without one. ``write`` is
    None for a format that is only read; it takes what ``writes`` says, a ``lattice``, a lattice of which only the
    likeliest ``hypotheses`` are written, a ``network`` (confusion network) or the best ``words`` of one, and keyword
    arguments that ``options`` names: ``frame`` (seconds per frame), ``numbers`` (of words, whose list then stands
    beside the file) and ``paths`` (how many). ``scale`` is the acoustic scale of the format for a length of frames,
    where the user gives none. ``align`` makes a network of an utterance's paths and their posteriors. ``divisor``
    tells what the scores of an utterance are divided by when it is read.

    A transcript has ``read``, which makes segments of a file's bytes; they are cut into pieces by speaker. ``title``
    finds its title in them, where the format has one. ``holds`` is what a format can hold besides words, some of
    ``HOLDS``; ``source`` names where it is described. A transcript with
    ``many`` can hold several recordings, and transcripts that are written one after the other are one file.
    """

    explanation: str
    endings: tuple[str, ...]
    parse: Callable[[Piece, Reading], Lattice]
    sniff: Callable[[bytes], bool]
    split: Callable[[str], Iterator[Piece]] | None = None
    write: Callable[..., bytes] | None = None
    writes: str = "lattice"
    options: tuple[str, ...] = ()
    file_name: str = NO_NAME
    scale: Callable[[float], float] = _no_scale
    read: SegmentReader | None = None
    holds: tuple[str, ...] = ()
    source: str = ""
    many: bool = False
    title: Callable[[bytes], str] | None = None
    align: Callable[[Lattice, ArcPosteriors], Lattice] | None = None
    divisor: Callable[[Piece, Reading], float] | None = None

    @property
    def several(self) -> bool:
        """Whether a file of the format can hold several utterances or recordings."""
        return self.split is not None or self.many

    @property
    def reads(self) -> tuple[Any, ...]:
        """What reads the format: rows with the same are one format for a reader."""
        return self.parse, self.split, self.read

    def fits(self, path: Path) -> bool:
        """Whether a file is called like one of this format."""
        return ending(path) in self.endings or re.fullmatch(self.file_name, path.name) is not None


def transcript_row(
    explanation: str,
    endings: tuple[str, ...],
    sniff: Callable[[bytes], bool],
    read: SegmentReader,
    write: Callable[[Transcript], bytes] | None,
    holds: tuple[str, ...],
    source: str,
    many: bool = False,
    file_name: str = NO_NAME,
    title: Callable[[bytes], str] | None = None,
) -> FormatRow:
    """The row of a format of transcripts."""
    return FormatRow(
        explanation, endings, parse_turn, sniff, None, write, "words", file_name=file_name, read=read, holds=holds,
        source=source, many=many, title=title,
    )  # fmt: skip
