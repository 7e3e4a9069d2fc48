"""Segments in which an archive's own recogniser heard nothing and a further one heard something.

Hits are places of the archive's own index. So each such segment gets a place there, by a lattice without words, and
what the further hearing has at it can be found. By itself a place without words is never a hit.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...system.files import fingerprint, write_file
from ...system.paths import folder_inside, inside
from ..index.reader import Index
from ..lattice.formats import write_slf
from ..lattice.lattice import Lattice
from ..recognise.journal import OWN_ENDING, RecordingJournal, is_other, locked
from ..recognise.roots import NamedRoots
from ..recordings.changes import FOLDER
from .alignment import NEAR, heard_segments, place_times, places_of_utterances

_COVERED = 0.5  # of a segment, by places of the own index, is enough: it was cut otherwise and is no new one
_NUMBER = re.compile(r"@(\d{5})$")


class HeardSegment(NamedTuple):
    """A segment that a further hearing has: begin and end in seconds (NaN: not known), and its utterance there."""

    start: float
    end: float
    utterance: str


def add_silent_places(
    own: Index, further: Iterable[Path], roots: NamedRoots, commit: Callable[[RecordingJournal], None]
) -> None:
    """Write lattices without words for segments that only the hearings in these folders have, and ``commit`` them."""
    lattices, indexes = folder_inside(own.folder, FOLDER), [Index.open(folder) for folder in further]
    if not lattices.is_dir() or not indexes:
        return
    with locked(lattices):
        journal = RecordingJournal(lattices, roots=roots)
        before, times = dict(journal.lines), _times_of_recordings(own)
        names = {line["samples"]: name for name, line in before.items() if _is_done(line)}
        for index in indexes:
            for samples, segments in _segments(index).items():
                if samples in names:
                    name = names[samples]
                    starts = [segment["start"] for segment in journal.lines[name]["segments"]]
                    _add_to(journal, name, _new(segments, starts, times.get(name, np.zeros((0, 2)))))
        if journal.lines != before:
            journal.write_table()
            commit(journal)


def _is_done(line: dict[str, Any]) -> bool:
    return not is_other(line) and line.get("segments") is not None


def _times_of_recordings(index: Index) -> dict[str, np.ndarray]:
    """Where the places of each recording begin and end, a row each."""
    times, rows = place_times(index), dict[str, list[int]]()
    for (name, _), places in places_of_utterances(index).items():
        rows.setdefault(name, []).extend(places)
    return {name: times[some] for name, some in rows.items()}


def _segments(index: Index) -> dict[str, list[HeardSegment]]:
    """The segments of a hearing, by the fingerprint of the recording's samples."""
    places, times = places_of_utterances(index), place_times(index)
    out: dict[str, list[HeardSegment]] = {}
    for samples, segments in heard_segments(index.folder).items():
        for start, utterance in segments:
            if rows := places.get(utterance):
                out.setdefault(samples, []).append(HeardSegment(start, float(times[rows, 1].max()), utterance[1]))
    return out


def _new(segments: Sequence[HeardSegment], starts: Sequence[float], times: np.ndarray) -> list[HeardSegment]:
    """The segments that do not begin where one of the own does, and of which own places cover little."""
    out = []
    for segment in segments:
        shared = np.minimum(times[:, 1], segment.end) - np.maximum(times[:, 0], segment.start)
        covered = np.nansum(np.maximum(shared, 0.0)) >= _COVERED * (segment.end - segment.start)
        if not covered and all(abs(start - segment.start) > NEAR for start in starts):
            out.append(segment)
    return out


def _add_to(journal: RecordingJournal, name: str, segments: Sequence[HeardSegment]) -> None:
    """Write lattices without words, and note them in the journal as segments of a recording."""
    if not segments:
        return
    line, own = journal.lines[name], journal.stem_for(name)
    rows, there = list(line["segments"]), {segment["file"] for segment in line["segments"]}
    for segment in segments:
        file = _free_file(own, segment.utterance, there)
        length = segment.end - segment.start
        arc = (0, 1, None, 0.0) if np.isnan(length) else (0, 1, None, 0.0, 0.0, length)
        lattice = Lattice.from_arcs([arc], start=0, end=1)
        content = gzip.compress(write_slf(lattice), 6, mtime=0)
        path = inside(journal.folder, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content)
        there.add(file)
        rows.append({"file": file, "start": round(segment.start, 3), "content": fingerprint(content, size=12)})
    journal.write([{**line, "segments": sorted(rows, key=lambda row: row["start"])}])


def _free_file(own: str, utterance: str, there: set[str]) -> str:
    """The file of a new segment: with the number that it has in the other hearing, or the next that is free."""
    match = _NUMBER.search(utterance)
    if match is None and not there:
        return f"{own}{OWN_ENDING}"  # the recording is one segment
    taken = {int(other[1]) for file in there if (other := re.search(r"@(\d{5})\.", file))}
    number = int(match[1]) if match else 1
    while number in taken:
        number += 1
    return f"{own}@{number:05d}{OWN_ENDING}"
