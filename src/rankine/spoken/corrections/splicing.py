"""Corrected recordings of many rows: rows that a change does not touch are copied as they are stored.

A row of the index is one that was heard, or several stand in the place of rows that were corrected. Where a change
touches neither, they are copied within the part that holds them (:func:`..index.build.part_of_rows`). All others are
written anew: rows with other corrections than before, and rows that are as they were heard again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..index.build import RecordingPiece, Utterance, new_part
from ..index.heard_rows import CONTINUED, before_correction, mark_of, reading_of, utterances_in
from ..index.reader import Index, PartReader

FEWEST = 50  # rows of a recording; the rows of a shorter one are all written anew
_SHARE = 0.25  # of the rows of its part that a recording has at least: the others are read too


def can_splice(reader: PartReader, recording: int) -> bool:
    """Whether copying rows of a recording is faster than writing all of them anew."""
    rows = len(reader.utterances(recording))
    return rows >= FEWEST and rows >= _SHARE * len(reader.recording_of)


class _StoredRows(NamedTuple):
    """Rows of a recording in the index, and the numbers of the rows as heard that they are, or stand for.

    ``before`` are the latter where these rows are corrected, and ``mark`` is that of the corrections.
    """

    rows: range
    numbers: range
    before: Sequence[Utterance] = ()
    mark: str = ""


class StoredRecording:
    """A recording as it is stored, and its rows as they were heard."""

    def __init__(self, index: Index, name: str) -> None:
        self.settings, (self.reader, recording) = index.settings, index.place_of(name)
        self.first = self.reader.utterances(recording).start
        self.reading = reading_of(self.reader, recording)
        self.stored = self._stored()
        self.owner = [some for some in self.stored for _ in some.numbers]

    def _stored(self) -> list[_StoredRows]:
        out: list[_StoredRows] = []
        for i, row in enumerate(self.reading):
            n = out[-1].numbers.stop if out else 0
            if row.heard == CONTINUED and out and out[-1].before:
                out[-1] = out[-1]._replace(rows=range(out[-1].rows.start, i + 1))
            elif row.heard:
                before = before_correction(row, self.settings, str(self.reader.part.path))
                out.append(_StoredRows(range(i, i + 1), range(n, n + len(before)), before, mark_of(row.heard)))
            else:
                out.append(_StoredRows(range(i, i + 1), range(n, n + 1)))
        return out

    @property
    def heard(self) -> list[Utterance]:
        """The rows as they were heard; those that are not corrected have the words of their reading only."""
        return [row for some in self.stored for row in some.before or (self.reading[some.rows.start],)]

    def whole(self, group: Sequence[int]) -> list[Utterance]:
        """Neighbouring rows as they were heard, by their numbers, with all that is searched."""
        out: list[Utterance] = []
        for number in group:
            some = self.owner[number]
            if some.before:
                out.append(some.before[number - some.numbers.start])
            else:
                row = self.first + some.rows.start
                out += utterances_in(self.reader, range(row, row + 1), self.settings)
        return out

    def has(self, group: Sequence[int], mark: str) -> bool:
        """Whether rows with the corrections of a mark stand in the place of a group of rows."""
        some = self.owner[group[0]]
        return some.mark == mark and list(some.numbers) == list(group)

    def pieces(self, groups: Sequence[Sequence[int]], new: Mapping[int, list[Utterance]]) -> list[RecordingPiece]:
        """The rows of the recording with others in the place of some groups; what is in no group is as it was heard.

        Args:
            groups: numbers of rows as they were heard.
            new: what stands in the place of groups, by their first numbers; others are as they are stored.
        """
        grouped = {number: group[0] for group in groups for number in group}
        copied: list[range | list[Utterance]] = []
        for some in self.stored:
            group = grouped.get(some.numbers.start)
            if (group is not None and group not in new) if some.before else group is None:
                copied.append(some.rows)
                continue
            for number in some.numbers:
                if number not in grouped:
                    copied.append(self.whole([number]))
                elif number in new:
                    copied.append(new[number])
        return self._joined(copied)

    def _joined(self, copied: Sequence[range | list[Utterance]]) -> list[RecordingPiece]:
        """Pieces of the stored part, and of a new one; neighbours of one are one piece."""
        part = new_part([row for some in copied if not isinstance(some, range) for row in some], self.settings)
        n = part.meta["utterances"]
        out: list[RecordingPiece] = []
        at = 0  # in the new part
        for some in copied:
            if isinstance(some, range):
                own, total = self.reader.part, len(self.reader.recording_of)
                rows = slice(self.first + some.start, self.first + some.stop)
            else:
                own, total, rows = part, n, slice(at, at := at + len(some))
            if not out or out[-1].part is not own:
                out.append(RecordingPiece(own, np.zeros(total, np.bool_)))
            out[-1].rows[rows] = True
        return out
