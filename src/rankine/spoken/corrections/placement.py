"""Where corrections belong in what was heard.

A correction was written for some words at some time. As long as these words stand there it fits as it is. When the
recording was recognised anew, it belongs where the words around it are: of all spans of words within ``WINDOW`` seconds
the one for which the words before it, in it and after it need the fewest edits, by letters. In it may stand what was
heard before, or what was written: the new recogniser may have heard it right. Where more than ``MOST_EDITS`` of the
letters had to be changed it does not fit; then it is an orphan, and changes nothing.

Every correction is placed in what was heard, so that none depends on others. They are applied in the order in which
they were written: of two that overlap the later one counts where both are.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..index.build import Utterance
from ..lattice.formats.transcripts.transcript import spread
from .rows import Correction

AROUND = 3  # words on either side that a correction remembers
WINDOW = 3.0  # seconds
MOST_EDITS = 0.4  # of the letters
_ROUNDING = 1e-3  # seconds
_PAUSE = 30.0  # seconds between two rows
_SHORTEST = 0.02  # seconds of a place between two words


class PlacedWord(NamedTuple):
    """A word of the likeliest reading: times in the recording, its row, and the correction that it comes from."""

    text: str
    start: float
    end: float
    row: int
    correction: Correction | None = None

    @property
    def middle(self) -> float:
        """The middle of its time."""
        return (self.start + self.end) / 2


class Placement(NamedTuple):
    """Where a correction is: its span in seconds, the rows it touches, and of these the one for its words."""

    correction: Correction
    start: float
    end: float
    rows: tuple[int, ...]
    main: int


class PlacedCorrections(NamedTuple):
    """The words of a recording with its corrections, where these are, and those that do not fit."""

    words: list[PlacedWord]
    placements: list[Placement]
    orphans: list[Correction]


class TimedWords(list[PlacedWord]):
    """Words, and their middles as an array."""

    @cached_property
    def middles(self) -> np.ndarray:
        """The middle of each word."""
        return np.array([word.middle for word in self])


def heard_words(rows: Sequence[Utterance]) -> TimedWords:
    """The words of rows, one after the other."""
    return TimedWords(
        PlacedWord(word.text, row.offset + word.start, row.offset + word.end, number)
        for number, row in enumerate(rows)
        for word in row.best
    )


def placed(rows: Sequence[Utterance], corrections: Sequence[Correction]) -> PlacedCorrections:
    """All corrections of a recording in its rows as they were heard."""
    heard = heard_words(rows)
    words, placements, orphans = list[PlacedWord](heard), list[Placement](), list[Correction]()
    for correction in corrections:
        span = _exact(heard, rows, correction) or _nearest(heard, correction)
        if span is None:
            orphans.append(correction)
        else:
            overlaps = any(p.start <= span[3] and span[2] <= p.end for p in placements)
            placements.append(_placement(heard, words if overlaps else [], rows, correction, span))
            words = _with_words(words, placements[-1])
    return PlacedCorrections(words, placements, orphans)


def _with_words(words: Sequence[PlacedWord], placement: Placement) -> list[PlacedWord]:
    """Words, by rising rows, with those of a correction in place of all others in its span."""
    start, end, rows = placement.start, placement.end, placement.rows
    first = bisect_left(words, min(rows), key=_row_of)
    last = bisect_right(words, max(rows), key=_row_of)
    stay = [
        word for word in words[first:last]
        if not (word.row in rows and start - _ROUNDING <= word.middle <= end + _ROUNDING)
    ]  # fmt: skip
    at = _behind(stay, placement.main, start)
    written = spread(placement.correction.words, start, end)
    new = [PlacedWord(w.text, w.start, w.end, placement.main, placement.correction) for w in written]
    return [*words[:first], *stay[:at], *new, *stay[at:], *words[last:]]


def _row_of(word: PlacedWord) -> int:
    return word.row


def _behind(words: Sequence[PlacedWord], row: int, time: float) -> int:
    """How many words come before a time in a row."""
    return sum(word.row < row or (word.row == row and word.middle < time) for word in words)


_Span = tuple[int, int, float, float]  # numbers of the first word and behind the last one; start and end in seconds


def span_of(
    words: TimedWords, rows: Sequence[Utterance], start: float, end: float, utterance: str | None = None
) -> _Span | None:
    """The words of a span of time, perhaps of one utterance: those whose middle lies in it.

    Where utterances are spoken at the same time it is the one that has most of them. None where nothing was recorded.
    """
    own = [i for i, row in enumerate(rows) if row.name == utterance] if utterance is not None else range(len(rows))
    spans = [span for span in _runs(words, rows, start, end) if words[span[0]].row in own]
    if spans:
        return (*max(spans, key=lambda span: span[1] - span[0]), start, end)
    at = row_at([rows[i] for i in own], start, end)
    if at is None:
        return None
    before = _behind(words, own[at], start)
    return before, before, start, end


def _runs(words: TimedWords, rows: Sequence[Utterance], start: float, end: float) -> Iterator[tuple[int, int]]:
    """Runs of words whose middles lie in a span; utterances that are spoken at the same time have runs of their own."""
    inside = (words.middles >= start - _ROUNDING) & (words.middles <= end + _ROUNDING)
    first = last = -1  # of the run
    for i in np.flatnonzero(inside).tolist():
        if first >= 0 and (i > last or _parted(rows, words[i - 1].row, words[i].row)):
            yield first, last
            first = -1
        first, last = (i if first < 0 else first), i + 1
    if first >= 0:
        yield first, last


def _parted(rows: Sequence[Utterance], one: int, other: int) -> bool:
    """Whether two rows are of different utterances that overlap in time."""
    a, b = rows[one], rows[other]
    overlap = min(a.offset + a.length, b.offset + b.length) - max(a.offset, b.offset)
    return a.name != b.name and overlap > _ROUNDING


def row_at(rows: Sequence[Utterance], start: float, end: float) -> int | None:
    """The row that a span overlaps most, or that is next to it, as far as a pause can be; None where there is none."""
    overlaps = [min(end, row.offset + row.length) - max(start, row.offset) for row in rows]
    best = max(range(len(rows)), key=lambda i: (-math.inf if math.isnan(overlaps[i]) else overlaps[i], -i), default=-1)
    return best if best >= 0 and overlaps[best] >= -_PAUSE else None


def _placement(
    heard: Sequence[PlacedWord], words: Sequence[PlacedWord], rows: Sequence[Utterance], correction: Correction,
    span: _Span,
) -> Placement:  # fmt: skip
    """Where a correction is; words that an earlier one wrote into its span belong to it."""
    first, last, start, end = span
    touched = {word.row for word in heard[first:last]}
    earlier = {word.row for word in words if word.correction and start <= word.middle <= end}
    touched |= {row for row in earlier if not any(_parted(rows, row, other) for other in touched)}
    if not touched:
        beside = sorted({word.row for word in heard[max(first - 1, 0) : first + 1]})
        near = row_at([rows[i] for i in beside], start, end)
        over = row_at(rows, start, end) if near is None else beside[near]
        touched = {beside[0] if over is None else over}
    every = sorted(touched)
    return Placement(correction, start, end, tuple(every), every[row_at([rows[i] for i in every], start, end) or 0])


def context(words: Sequence[PlacedWord], first: int, last: int) -> tuple[str, str, str]:
    """The words of a span, and a few before and after it: (heard, before, after)."""
    spans = ((first, last), (max(first - AROUND, 0), first), (last, last + AROUND))
    heard, before, after = (" ".join(word.text for word in words[a:b]) for a, b in spans)
    return heard, before, after


def _exact(words: TimedWords, rows: Sequence[Utterance], correction: Correction) -> _Span | None:
    """The span of a correction if the words stand there for which it was written."""
    span = span_of(words, rows, correction.start, correction.end)
    heard = correction.heard.split()
    for first, last in [*_runs(words, rows, correction.start, correction.end), *([span[:2]] if span else [])]:
        around = context(words, first, last)[1:] == (correction.before, correction.after)
        if [word.text for word in words[first:last]] == heard and (heard or around):
            return first, last, correction.start, correction.end
    return None


def _nearest(words: Sequence[PlacedWord], correction: Correction) -> _Span | None:
    """The span of words near the time of a correction that needs the fewest edits, unless it needs too many."""
    near = [
        i for i, word in enumerate(words)
        if word.start >= correction.start - WINDOW and word.end <= correction.end + WINDOW
    ]  # fmt: skip
    if not near:
        return None
    longest = max(len(correction.heard.split()), len(correction.words)) + 2
    total = len(correction.before) + len(correction.after) + len(correction.heard)
    best: tuple[float, float, int, int] | None = None
    for first in range(near[0], near[-1] + 2):
        for last in range(first, min(first + longest, near[-1] + 1) + 1):
            cost = _edits(words, correction, first, last)
            if cost > MOST_EDITS * max(total, 1):
                continue
            start, end = _times(words, first, last)
            away = abs(start - correction.start) + abs(end - correction.end)
            if best is None or (cost, away) < best[:2]:
                best = cost, away, first, last
    if best is None:
        return None
    return (*best[2:], *_times(words, *best[2:]))


def _edits(words: Sequence[PlacedWord], correction: Correction, first: int, last: int) -> int:
    """How many letters would have to be changed if a correction belonged to a span of words."""
    from rapidfuzz.distance.Levenshtein import distance

    here, before, after = context(words, first, last)
    own = min(distance(here, correction.heard), distance(here, " ".join(correction.words)))
    return own + distance(before, correction.before) + distance(after, correction.after)


def _times(words: Sequence[PlacedWord], first: int, last: int) -> tuple[float, float]:
    """When words begin and end; of none the time between their neighbours."""
    if last > first:
        return words[first].start, words[last - 1].end
    start = words[first - 1].end if first else words[first].start - _SHORTEST
    end = words[first].start if first < len(words) else start + _SHORTEST
    return (start, end) if end - start >= _SHORTEST else ((start + end - _SHORTEST) / 2, (start + end + _SHORTEST) / 2)
