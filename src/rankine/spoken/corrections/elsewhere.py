"""The same misheard words elsewhere: places where they stand on the likeliest reading, and nobody has written them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ..index.reader import Index, PartReader
from ..recordings.places import place_name
from .changes import reading_as_heard
from .placement import context, placed
from .rows import Correction

_DIGITS = 3  # of times in names of places


class MisheardPlace(NamedTuple):
    """A place where some words were heard: its name, and a few words before and after it."""

    name: str
    recording: str
    start: float
    end: float
    before: str
    after: str


def misheard_places(
    index: Index, heard: Sequence[str], hidden: Collection[str], corrections: Mapping[str, Sequence[Correction]]
) -> list[MisheardPlace]:
    """Where these words stand one after the other on the likeliest reading, by recording and time.

    ``hidden`` are recordings that are left out, ``corrections`` those that count, by recording: words that somebody
    wrote were not heard.
    """
    if not heard:
        raise InputError("nothing was heard there, so the same cannot be looked for elsewhere")
    names = {
        part.names[recording]
        for part in index.parts
        for recording in _candidates(part, index.kinds[0], heard)
        if part.recordings_count[recording] and part.names[recording] not in hidden
    }
    return [place for name in sorted(names) for place in _matches(index, name, heard, corrections.get(name, ()))]


def _candidates(part: PartReader, kind: str, words: Sequence[str]) -> list[int]:
    """The recordings of a part in which the rarest of some words may stand."""
    first, last = part.bounds(kind, "cn", words)
    if (last == first).any():
        return []
    rarest = int(np.argmin(last - first))
    return np.unique(part.recording_of[part.postings(kind, "cn")[0][first[rarest] : last[rarest]]]).tolist()


def _matches(
    index: Index, name: str, heard: Sequence[str], corrections: Sequence[Correction]
) -> Iterator[MisheardPlace]:
    """The places of a recording where the words stand, and have times."""
    rows = reading_as_heard(index, name)
    words, n = placed(rows, corrections).words, len(heard)
    texts = [word.text if word.correction is None else None for word in words]
    for at in range(len(words) - n + 1):
        start, end = words[at].start, words[at + n - 1].end
        if texts[at : at + n] != list(heard) or not start < end:
            continue
        own = rows[words[at].row].name
        others = {row.name for row in rows if row.offset <= start and end <= row.offset + row.length} - {own}
        _, before, after = context(words, at, at + n)
        place = place_name(f"{name}@{own}" if others else name, start, end, _DIGITS)
        yield MisheardPlace(place, name, start, end, before, after)
