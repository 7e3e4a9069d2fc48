"""Places of an archive: its segments, by number and by name.

A segment is an utterance of the index, or a stretch of a long one. Segments are numbered through all parts of the index
in order. ``RECORDING@START-END`` names a place in seconds; it belongs to the segment that it overlaps most. Where the
times of a recording's segments do not tell them apart, the utterance is part of the name,
``RECORDING@UTTERANCE@START-END``. A stretch of an utterance without times has a number, ``RECORDING@UTTERANCE@#2``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError, shorten
from ..index import schema
from ..index.reader import Index, PartReader

_NUMBER = re.compile(r"#([1-9]\d{0,8})", re.ASCII)
_TIMES = re.compile(r"(\d{1,8}(?:\.\d{1,9})?)(?:-(\d{1,8}(?:\.\d{1,9})?))?", re.ASCII)
_LATEST = 1e7  # seconds
_NEAR = 1.0  # seconds by which a place may lie beside a segment: times are rounded, and recordings indexed anew


class PlaceName(NamedTuple):
    """A recording, an utterance of it, and times or the number of a stretch in it; None: not given."""

    recording: str
    start: float | None = None
    end: float | None = None
    utterance: str | None = None
    stretch: int | None = None


def read_place_name(
    text: str, recordings: Container[str], utterances: Callable[[str], Container[str]] = lambda recording: ()
) -> PlaceName:
    """What ``RECORDING``, ``RECORDING@START`` or ``RECORDING@START-END`` names; the whole name of a recording is first.

    ``utterances`` gives those of a recording: one of them may stand behind the recording, ``RECORDING@UTTERANCE@…``.

    >>> read_place_name("tape@1.5-2", {"tape"})[:3], read_place_name("tape@1-2", {"tape", "tape@1-2"}).start
    (('tape', 1.5, 2.0), None)
    >>> read_place_name("tape@side-b@1-2", {"tape"}, lambda recording: {"side-b"}).utterance
    'side-b'
    """
    whole = _utterance_name(text, recordings, utterances)
    if whole is not None:
        return whole
    head, at, times = text.rpartition("@")
    if not at:
        return PlaceName(text)
    own = _utterance_name(head, recordings, utterances) or PlaceName(head)
    if own.utterance is not None and (match := _NUMBER.fullmatch(times)):
        return own._replace(stretch=int(match[1]))
    match = _TIMES.fullmatch(times)
    start, end = (float(match[1]), float(match[2] or match[1])) if match else (0.0, -1.0)
    if not start <= end < _LATEST:
        raise InputError(
            "expected times in seconds behind the @, such as 12.5-14: a hit begins at 0 or later and ends after that; "
            f"got {shorten(times)}"
        )
    return own._replace(start=start, end=None if match is None or match[2] is None else end)


def _utterance_name(
    text: str, recordings: Container[str], utterances: Callable[[str], Container[str]]
) -> PlaceName | None:
    """The recording that a text is the name of, or the recording and the utterance; None where it is neither."""
    if text in recordings:
        return PlaceName(text)
    for at in (match.start() for match in re.finditer("@", text)):
        recording, utterance = text[:at], text[at + 1 :]
        if recording in recordings and utterance in utterances(recording):
            return PlaceName(recording, utterance=utterance)
    return None


def place_name(recording: str, start: float, end: float, digits: int = 1) -> str:
    """``RECORDING@START-END``; only the recording where there are no times.

    >>> place_name("tape", 1.25, 2.0, 2), place_name("tape", float("nan"), 2.0)
    ('tape@1.25-2.00', 'tape')
    """
    if not (math.isfinite(start) and math.isfinite(end)):
        return recording
    return f"{recording}@{max(start, 0.0):.{digits}f}-{max(end, start, 0.0):.{digits}f}"


class PlaceSegment(NamedTuple):
    """A segment: the part of the index that it is in, its row there, and its recording's."""

    part: PartReader
    row: int
    recording: int

    @property
    def name(self) -> str:
        """The name for judgments and runs, the same for every query: ``RECORDING@START-END`` of the whole segment.

        It is the recording's name where that has no other segment.
        """
        if len(self.part.utterances(self.recording)) == 1:
            return self.part.texts(schema.RECORDING_NAME)[self.recording]
        return self.named(self.start, self.end, digits=2)

    def named(self, start: float, end: float, digits: int = 1) -> str:
        """The name of times in the segment; with the utterance where the times alone may mean another segment."""
        recording = self.part.texts(schema.RECORDING_NAME)[self.recording]
        rows = self.part.utterances(self.recording)
        names = self.part.texts(schema.UTTERANCE_NAME)
        if not math.isfinite(end):
            if len(rows) == 1:
                return recording
            own = [row for row in rows if names[row] == names[self.row]]
            number = "" if len(own) == 1 else f"@#{own.index(self.row) + 1}"
            return f"{recording}@{names[self.row]}{number}"
        offset = self.part.numbers(schema.OFFSET)[rows.start : rows.stop]
        around = (offset <= start) & (end <= offset + self.part.numbers(schema.LENGTH)[rows.start : rows.stop])
        others = {names[rows[i]] for i in np.flatnonzero(around).tolist()} - {names[self.row]}
        return place_name(f"{recording}@{names[self.row]}" if others else recording, start, end, digits)

    @property
    def start(self) -> float:
        """Where it begins in its audio file, in seconds."""
        return float(self.part.numbers(schema.OFFSET)[self.row])

    @property
    def end(self) -> float:
        """Where it ends; NaN without times."""
        return self.start + float(self.part.numbers(schema.LENGTH)[self.row])


def segment(index: Index, place: int) -> PlaceSegment:
    """The segment of a number."""
    p = int(np.searchsorted(index.places_before, place, side="right")) - 1
    row = place - int(index.places_before[p])
    return PlaceSegment(index.parts[p], row, int(index.parts[p].recording_of[row]))


def by_part(index: Index, places: np.ndarray) -> Iterator[tuple[PartReader, np.ndarray, np.ndarray]]:
    """For each part, which of these places are in it (a mask), and their rows there."""
    bounds = index.places_before.tolist()
    for part, begin, end in zip(index.parts, bounds[:-1], bounds[1:], strict=True):
        inside = (places >= begin) & (places < end)
        yield part, inside, places[inside] - begin


def recordings_of(index: Index, places: np.ndarray) -> np.ndarray:
    """The numbers of the recordings that places belong to."""
    out = np.empty(len(places), np.int64)
    for number, (part, inside, rows) in enumerate(by_part(index, places)):
        out[inside] = part.number_of[part.recording_of[rows]] + index.offsets[number]
    return out


def places_of(index: Index, recording: int) -> range:
    """The numbers of a recording's places."""
    part, own = index.place_of(recording)
    before = int(index.places_before[index.parts.index(part)])
    rows = part.utterances(own)
    return range(rows.start + before, rows.stop + before)


def place_at(index: Index, name: PlaceName) -> int | None:
    """The place that a name with times or with an utterance means; None where there is none.

    Of times it is the place that overlaps them most, and none lies within a second of them where there is none.
    """
    part, own = index.place_of(name.recording)
    every = part.utterances(own)
    rows: Sequence[int] = every
    if name.utterance is not None:
        names = part.texts(schema.UTTERANCE_NAME)
        rows = [row for row in every if names[row] == name.utterance]
    number = None
    if name.start is not None:
        number = overlapping(part, rows, name.start, name.end)
    elif name.stretch is not None:
        number = name.stretch - 1 if name.stretch <= len(rows) else None
    elif len(rows) == 1:
        number = 0
    return None if number is None else places_of(index, index.number_of(name.recording))[rows[number] - every.start]


def overlapping(part: PartReader, rows: Sequence[int], start: float, end: float | None) -> int | None:
    """Which of these rows of a part overlaps some times most; None where none lies within a second of them."""
    if len(rows) == 0:
        return None
    first, last = rows[0], rows[-1] + 1
    here = np.array(rows) - first
    offset = part.numbers(schema.OFFSET)[first:last][here]
    length = part.numbers(schema.LENGTH)[first:last].astype(np.float64)[here]
    overlap = np.minimum(offset + length, start if end is None else end) - np.maximum(offset, start)
    overlap[np.isnan(overlap)] = -np.inf
    return None if overlap.max() < -_NEAR else int(np.argmax(overlap))


def audio_of(index: Index, recording: str) -> str:
    """The audio file of a recording, by its first utterance; empty where none is known."""
    part, own = index.place_of(recording)
    return next((audio for u in part.utterances(own) if (audio := part.texts(schema.AUDIO)[u])), "")


def place_names(index: Index, places: np.ndarray) -> list[str]:
    """The names of places, by which they are judged."""
    return [segment(index, place).name for place in places.tolist()]
