"""Snippets: the words of the likeliest reading around a place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..index import schema
from ..index.occurrences import follows
from ..index.reader import PartReader

_AROUND = 6  # words on either side
MISSING = "…"  # stands for a word that the likeliest reading does not have


@dataclass(frozen=True)
class LineWord:
    """A word of the likeliest reading; times count from the beginning of the audio file.

    ``mark`` is how certain it is that a word of the query was said there; empty: none was.
    """

    text: str
    start: float
    end: float
    posterior: float
    mark: str = ""

    @property
    def middle(self) -> float:
        """The middle of its time."""
        return (self.start + self.end) / 2


class SnippetLine(NamedTuple):
    """The words around a place, which of them are in it, and whether others come before and after them."""

    words: tuple[LineWord, ...]
    inside: range
    cut_before: bool
    cut_after: bool

    @property
    def text(self) -> str:
        """The words in one line; those in the place in brackets."""
        texts = [word.text for word in self.words]
        if self.inside:
            texts[self.inside[0]] = f"[{texts[self.inside[0]]}"
            texts[self.inside[-1]] += "]"
        return ("… " if self.cut_before else "") + " ".join(texts) + (" …" if self.cut_after else "")


def read_words(part: PartReader, row: int) -> list[LineWord]:
    """The words of a segment's likeliest reading."""
    numbers = part.words(row)
    times = part.numbers(schema.WORD_TIMES, numbers.start, numbers.stop).astype(np.float64)
    times[:, :2] += part.numbers(schema.OFFSET)[row]
    texts = part.texts(schema.WORD_TEXT)
    return [LineWord(texts[i], *values) for i, values in zip(numbers, times.tolist(), strict=True)]


def snippet_line(part: PartReader, rows: range, begin: float, end: float) -> SnippetLine:
    """The words around a place in these segments and beside them.

    Where no word of the likeliest reading stands in the place, it is ``…``; a place without times holds no word.
    """
    inside = [word for row in rows for word in read_words(part, row)]
    recording = part.utterances(int(part.recording_of[rows.start]))
    before, after = list[LineWord](), list[LineWord]()
    row = rows.start
    while len(before) <= _AROUND and row > recording.start and follows(part, row - 1, row):
        row -= 1
        before = read_words(part, row) + before
    row = rows.stop - 1
    while len(after) <= _AROUND and row + 1 < recording.stop and follows(part, row, row + 1):
        row += 1
        after += read_words(part, row)
    here = [i for i, word in enumerate(inside) if begin - 1e-6 <= word.middle <= end + 1e-6]
    if here:
        place = range(here[0], here[-1] + 1)
    elif np.isnan(end):
        return _cut([*before, *inside, *after], len(before) + _AROUND, range(0))
    else:
        at = sum(word.middle < (begin + end) / 2 for word in inside)
        inside.insert(at, LineWord(MISSING, begin, end, float("nan")))
        place = range(at, at + 1)
    place = range(place.start + len(before), place.stop + len(before))
    return _cut([*before, *inside, *after], place.start, place)


def _cut(words: Sequence[LineWord], middle: int, place: range) -> SnippetLine:
    """Some words on either side of a place; of one without words, those around a number."""
    last = place[-1] if place else middle
    first, stop = max(middle - _AROUND, 0), min(last + _AROUND + 1, len(words))
    moved = range(place.start - first, place.stop - first) if place else range(0)
    return SnippetLine(tuple(words[first:stop]), moved, first > 0, stop < len(words))
