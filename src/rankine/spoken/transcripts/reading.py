"""Transcripts of recordings: the words of the likeliest reading, each with what may have been said in its place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ..index import schema
from ..index.reader import Index, PartReader
from ..index.schema import Postings
from ..metadata.rights import check_readable
from ..search.snippets import LineWord, read_words

LEAST = 0.02  # posterior of an alternative that is told
MOST = 5  # alternatives of a word
_STEP = 1e-3  # posteriors are stored in steps, relative to their size


class OtherWord(NamedTuple):
    """Another word that may have been said, with its posterior."""

    text: str
    posterior: float


class HeardWord(NamedTuple):
    """A word of the likeliest reading, in which segment of its recording it is, and its alternatives, best first."""

    word: LineWord
    segment: int
    alternatives: tuple[OtherWord, ...]


class TranscriptPiece(NamedTuple):
    """The words of a recording that begin between two times, and where the next piece begins (None: it is the last)."""

    words: list[HeardWord]
    next: float | None


def transcript_piece(
    index: Index, recording: str, start: float = 0.0, end: float = np.inf, closed: bool = False
) -> TranscriptPiece:
    """The words of a recording whose segments begin from one time to another; segments without times are in the first.

    A recording that is not open is an InputError, unless the keeper asks (``closed``).
    """
    if not 0 <= start < end:
        raise InputError(f"expected a time in seconds and a later one, got {start:g} and {end:g}")
    check_readable(index, recording, closed)
    index.check_sizes()
    part, number = index.place_of(recording)
    rows = part.utterances(number)
    begins = np.nan_to_num(part.numbers(schema.OFFSET)[rows.start : rows.stop])
    mine = (np.flatnonzero((begins >= start) & (begins < end)) + rows.start).tolist()
    slots = _slots(part, index.kinds[0], mine)
    words = [
        HeardWord(word, row - rows.start, alternatives)
        for row in sorted(mine, key=lambda row: (begins[row - rows.start], row))
        for word, alternatives in _with_alternatives(read_words(part, row), slots.get(row, []))
    ]
    later = begins[begins >= end]
    return TranscriptPiece(words, float(later.min()) if len(later) else None)


def _slots(part: PartReader, kind: str, rows: list[int]) -> dict[int, list[dict[str, float]]]:
    """The slots of segments, with the posteriors of the words in each.

    Postings are sorted by word, so all of a part are looked through once.
    """
    if not rows:
        return {}
    postings = Postings(kind, "cn")
    utterance, position, coded = postings.read(part.part)
    wanted = np.zeros(len(part.recording_of), np.bool_)
    wanted[rows] = True
    there = np.flatnonzero(wanted[utterance])
    units = np.searchsorted(postings.bounds(part.part), there, side="right") - 1
    texts, first = part.texts(schema.units(kind)), schema.slots(kind).read(part.part)
    out: dict[int, list[dict[str, float]]] = {row: [{} for _ in range(first[row + 1] - first[row])] for row in rows}
    values = utterance[there].tolist(), position[there].tolist(), part.posteriors[coded[there]].tolist()
    for unit, row, slot, posterior in zip(units.tolist(), *values, strict=True):
        if slot >= len(out[row]):
            raise part.part.wrong(f"a number of the postings {postings.name}")
        out[row][slot][texts[unit]] = posterior
    return out


def _with_alternatives(
    words: list[LineWord], slots: list[dict[str, float]]
) -> list[tuple[LineWord, tuple[OtherWord, ...]]]:
    """Words with the others of their slots; both are in the same order, and slots without a word lie between."""
    out, at = [], 0
    for word in words:
        slot = _slot_of(word, slots, at)
        others: dict[str, float] = {}
        if slot is not None:
            others, at = slots[slot], slot + 1
        likely = [OtherWord(text, p) for text, p in others.items() if text != word.text and p >= LEAST]
        out.append((word, tuple(sorted(likely, key=lambda a: (-a.posterior, a.text))[:MOST])))
    return out


def _slot_of(word: LineWord, slots: list[dict[str, float]], begin: int) -> int | None:
    """The next slot that holds a word with its posterior; None where there is none."""
    for at in range(begin, len(slots)):
        posterior = slots[at].get(word.text)
        if posterior is not None and abs(posterior - word.posterior) <= _STEP * max(posterior, word.posterior):
            return at
    return None
