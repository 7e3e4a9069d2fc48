"""Places of an archive: its segments, by number and by name.

A segment is an utterance of the index, or a stretch of a long one. Segments are numbered through all parts of the index
in order. ``DOCUMENT@START-END`` names a place in seconds; it belongs to the segment that it overlaps most.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator
from typing import NamedTuple

import numpy as np

from ...errors import InputError, shorten
from ..index import schema
from ..index.reader import Index, PartReader

_TIMES = re.compile(r"(\d{1,8}(?:\.\d{1,9})?)(?:-(\d{1,8}(?:\.\d{1,9})?))?", re.ASCII)
_LATEST = 1e7  # seconds
_NEAR = 1.0  # seconds by which a place may lie beside a segment: times are rounded, and recordings indexed anew


class PlaceName(NamedTuple):
    """A document and times in it; None: not given."""

    document: str
    start: float | None = None
    end: float | None = None


def read_place_name(text: str, documents: Container[str]) -> PlaceName:
    """What ``DOCUMENT``, ``DOCUMENT@START`` or ``DOCUMENT@START-END`` names; a whole name of a document comes first.

    >>> read_place_name("tape@1.5-2", {"tape"}), read_place_name("tape@1-2", {"tape", "tape@1-2"}).start
    (PlaceName(document='tape', start=1.5, end=2.0), None)
    """
    document, at, times = text.rpartition("@")
    if text in documents or not at:
        return PlaceName(text)
    match = _TIMES.fullmatch(times)
    start, end = (float(match[1]), float(match[2] or match[1])) if match else (0.0, -1.0)
    if not start <= end < _LATEST:
        raise InputError(
            "expected times in seconds behind the @, such as 12.5-14: a hit begins at 0 or later and ends after that; "
            f"got {shorten(times)}"
        )
    return PlaceName(document, start, None if match is None or match[2] is None else end)


def place_name(document: str, start: float, end: float, digits: int = 1) -> str:
    """``DOCUMENT@START-END``; only the document where there are no times.

    >>> place_name("tape", 1.25, 2.0, 2), place_name("tape", float("nan"), 2.0)
    ('tape@1.25-2.00', 'tape')
    """
    if not (math.isfinite(start) and math.isfinite(end)):
        return document
    return f"{document}@{max(start, 0.0):.{digits}f}-{max(end, start, 0.0):.{digits}f}"


class PlaceSegment(NamedTuple):
    """A segment: the part of the index that it is in, its row there, and its document's."""

    part: PartReader
    row: int
    document: int

    @property
    def name(self) -> str:
        """The name for judgments and runs, the same for every query: ``DOCUMENT@START-END`` of the whole segment.

        It is the document's name where that has no other segment, or no times.
        """
        document = self.part.texts(schema.DOCUMENT_NAME)[self.document]
        if len(self.part.utterances(self.document)) == 1:
            return document
        return place_name(document, self.start, self.end, digits=2)

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
    return PlaceSegment(index.parts[p], row, int(index.parts[p].document_of[row]))


def by_part(index: Index, places: np.ndarray) -> Iterator[tuple[PartReader, np.ndarray, np.ndarray]]:
    """For each part, which of these places are in it (a mask), and their rows there."""
    bounds = index.places_before.tolist()
    for part, begin, end in zip(index.parts, bounds[:-1], bounds[1:], strict=True):
        inside = (places >= begin) & (places < end)
        yield part, inside, places[inside] - begin


def documents_of(index: Index, places: np.ndarray) -> np.ndarray:
    """The numbers of the documents that places belong to."""
    out = np.empty(len(places), np.int64)
    for number, (part, inside, rows) in enumerate(by_part(index, places)):
        out[inside] = part.document_of[rows] + index.offsets[number]
    return out


def places_of(index: Index, document: int) -> range:
    """The numbers of a document's places."""
    part, own = index.place_of(document)
    before = int(index.places_before[index.parts.index(part)])
    rows = part.utterances(own)
    return range(rows.start + before, rows.stop + before)


def place_at(index: Index, document: int, start: float, end: float) -> int | None:
    """The place of a document that overlaps these times most; None where none lies within a second of them."""
    part, own = index.place_of(document)
    rows = part.utterances(own)
    offset = part.numbers(schema.OFFSET)[rows.start : rows.stop]
    length = part.numbers(schema.LENGTH)[rows.start : rows.stop].astype(np.float64)
    overlap = np.minimum(offset + length, end) - np.maximum(offset, start)
    overlap[np.isnan(overlap)] = -np.inf
    if len(overlap) == 0 or overlap.max() < -_NEAR:
        return None
    return places_of(index, document)[int(np.argmax(overlap))]
