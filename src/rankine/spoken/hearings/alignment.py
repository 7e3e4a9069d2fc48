"""Places of two indexes that are the same stretch of the same sound.

Both indexes were made from recordings that were recognised, each with a journal. A recording is known by the
fingerprint of its samples, so it does not matter what it is called, or whether one of the journals has it no more.
Where a recording is cut into segments depends only on its sound: segments that begin at the same time are the same.
Their lattices are cut into stretches, and that depends on what was heard. So a stretch belongs to the one that it
overlaps most; without times, to the one that stands at the same share of the segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...system.paths import folder_inside, inside
from ..index import schema
from ..index.reader import Index
from ..recognise.journal import JOURNAL, RecordingJournal

NEAR = 0.05  # seconds by which the beginnings of one segment may differ: recognisers take audio at various rates

_Utterance = tuple[str, str]  # recording and utterance


class SamePlaces(NamedTuple):
    """Pairs of places, by number: of an archive's own index, and of that of a further hearing; own ones rise."""

    own: np.ndarray
    further: np.ndarray


def same_places(own: Index, further: Index) -> SamePlaces:
    """Which places of two indexes are the same."""
    here, there = heard_segments(own.folder), heard_segments(further.folder)
    places, others = places_of_utterances(own), places_of_utterances(further)
    times, other_times = place_times(own), place_times(further)
    pairs: list[tuple[int, int]] = []
    for samples, segments in there.items():
        for start, utterance in segments:
            for own_start, own_utterance in here.get(samples, ()):
                if abs(own_start - start) <= NEAR:
                    mine, rows = places.get(own_utterance, ()), others.get(utterance, ())
                    pairs += zip(_partners(mine, times, rows, other_times), rows, strict=False)
    both = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    return SamePlaces(both[:, 0], both[:, 1])


def heard_segments(folder: Path) -> dict[str, list[tuple[float, _Utterance]]]:
    """Where segments begin and what they are called, by the fingerprint of the recording's samples."""
    from ..recordings.recordings import FOLDER

    lattices = folder_inside(folder, FOLDER)
    out: dict[str, list[tuple[float, _Utterance]]] = {}
    if inside(lattices, JOURNAL).exists():
        for utterance, name, line, segment in RecordingJournal(lattices).utterances():
            out.setdefault(line["samples"], []).append((segment["start"], (name, utterance)))
    return out


def places_of_utterances(index: Index) -> dict[_Utterance, list[int]]:
    """The numbers of the places of each utterance."""
    out: dict[_Utterance, list[int]] = {}
    for part, before in zip(index.parts, index.places_before.tolist(), strict=False):
        names, utterances = part.names, part.texts(schema.UTTERANCE_NAME).all()
        rows = zip(part.recording_of.tolist(), utterances, part.rows_count.tolist(), strict=True)
        for row, (recording, utterance, counts) in enumerate(rows):
            if not counts:
                continue
            out.setdefault((names[recording], utterance), []).append(before + row)
    return out


def place_times(index: Index) -> np.ndarray:
    """Where places begin and end in their audio file, a row each; the end is NaN where there are no times."""
    rows = [np.zeros((0, 2))]
    for part in index.parts:
        start = part.numbers(schema.OFFSET).astype(np.float64)
        rows.append(np.stack([start, start + part.numbers(schema.LENGTH)], axis=1))
    return np.concatenate(rows)


def _partners(own: Sequence[int], times: np.ndarray, further: Sequence[int], other_times: np.ndarray) -> list[int]:
    """For each stretch of a segment of one index, the one of the same segment of the own index that it belongs to."""
    if len(own) <= 1:
        return list(own) * len(further)
    mine, out = times[own], []
    for number, (start, end) in enumerate(other_times[further].tolist()):
        overlap = np.minimum(mine[:, 1], end) - np.maximum(mine[:, 0], start)
        by_order = int((number + 0.5) / len(further) * len(own))
        out.append(own[by_order if np.isnan(overlap).any() else int(np.argmax(overlap))])
    return out
