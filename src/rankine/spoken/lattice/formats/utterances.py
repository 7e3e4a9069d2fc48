"""Kaldi's ``text``: the name of an utterance and its words on a line, without times."""

from __future__ import annotations

import math
import re

from ....errors import InputError, shorten
from ...text import columns, is_number, lines_with_places
from .common import rows_of
from .transcript import TranscriptSegment, segment_of_text, text_of

_NAME = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w.:/+@#-]+")  # with a letter and a digit
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]*)*")
_NOT_SAID = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]")  # <noise>, [laughter]


def looks_like_utterances(head: bytes) -> bool:
    """Whether all lines begin with names, which hold letters and digits, and most of what follows is words.

    Not all lines may have as many columns: a table has, such as those that stand beside ``text``.
    """
    rows = rows_of(head, lambda row: _NAME.fullmatch(row[0]) is not None and not is_number(row[0]))
    tokens = [token for row in rows for token in row[1:]]
    words = sum(any(kind.fullmatch(token) for kind in (_WORD, _NOT_SAID)) for token in tokens)
    return len({len(row) for row in rows}) > 1 and 2 * words > len(tokens)


def read_utterances(data: bytes, where: str) -> list[TranscriptSegment]:
    """A document for each line; a name is there once, and marks in brackets are no words."""
    lines: dict[str, TranscriptSegment] = {}
    for place, line in lines_with_places(text_of(data, where), where):
        name, *tokens = columns(line)
        if name in lines:
            raise InputError(f"the utterance {shorten(name)} is there twice", place)
        said = " ".join(token for token in tokens if not _NOT_SAID.fullmatch(token))
        lines[name] = segment_of_text(said, math.nan, math.nan, document=name)._replace(estimated=False)
    return list(lines.values())
