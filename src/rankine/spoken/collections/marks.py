"""Marks that people put on places of recordings, or on whole recordings: what notes and members of collections share.

A mark is a row of the archive's store. It counts until the change that made it is undone, or until another mark that
counts replaces it: a changed one, or a row without text, which removes it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ...errors import InputError, is_utf8, shorten
from ...system.console import clock
from ..corrections.rows import hidden_recordings
from ..index.reader import Index
from ..metadata.rights import check_readable
from ..recordings.places import place_name, places_of, read_place_name, segment
from ..store.history import StoredChange, history_of, undo_change
from ..store.store import Store, login_name, undone

LONGEST = 10_000  # characters of a text
_BEYOND = 1.0  # seconds by which a place may end behind its recording: times are rounded
_DIGITS = 2  # of times in names of places


class PlaceMark(NamedTuple):
    """A mark on a place, or on a whole recording, where there are no times.

    ``key`` is what kind of a note it is, or the collection. ``gone``: the recording is not in the archive now.
    """

    id: int
    key: str
    recording: str
    start: float | None
    end: float | None
    text: str
    who: str
    time: str
    change: int
    gone: bool = False

    @property
    def place(self) -> str:
        """``RECORDING@START-END``, or the recording."""
        if self.start is None or self.end is None:
            return self.recording
        return place_name(self.recording, self.start, self.end, _DIGITS)


class MarkedArchive(Protocol):
    """What is needed of an archive whose places are marked."""

    folder: Path
    index: Index


class Marks:
    """Marks of one kind of rows; ``key`` is the column that tells them apart."""

    kind: str
    key: str
    noun: str

    def __init__(self, archive: MarkedArchive) -> None:
        self.archive, self.store = archive, Store(archive.folder)

    def every(self, recording: str | None = None, closed: bool = False) -> list[PlaceMark]:
        """The marks that count, in the order in which they were made; of closed recordings only for their keeper."""
        columns = (
            f"m.id, CAST({self.key} AS TEXT), coalesce(name, was), CAST(start AS REAL), CAST(stop AS REAL), "
            "CAST(text AS TEXT), who, time, m.batch, name IS NULL, replaces"
        )
        with self.store.reading(whole=False) as db:
            gone = undone(db)
            rows: list[Any] = db.execute(
                f"SELECT {columns} FROM {self.kind} AS m JOIN recording ON recording.id = recording "
                "JOIN batch ON batch.id = m.batch ORDER BY m.id"
            ).fetchall()
            hidden = set() if closed else hidden_recordings(self.store, self.archive.index, db)
        counting = [row for row in rows if row[8] not in gone]
        replaced = {row[-1] for row in counting}
        marks = [
            PlaceMark(*row[:10])._replace(gone=bool(row[9]))
            for row in counting
            if row[0] not in replaced and row[5] is not None
        ]
        return [m for m in marks if m.recording not in hidden and (recording is None or m.recording == recording)]

    def get(self, number: int, closed: bool = False) -> PlaceMark:
        """The mark of a number; an InputError where none that counts, and may be read, has it."""
        every = {mark.id: mark for mark in self.every(closed=closed)}
        if number not in every:
            last = ", ".join(map(str, list(every)[-10:])) or "none"
            raise InputError(f"no {self.noun} that counts has the number {number}; the last ones are {last}")
        return every[number]

    def write(
        self, rows: Sequence[dict[str, Any]], what: str, by: str | None, replaces: int | None = None
    ) -> list[PlaceMark]:
        """Store marks as one change; they are returned."""
        with self.store.writing(what, login_name() if by is None else by) as batch:
            batch.add(
                self.kind,
                ({"replaces": replaces, **row, "recording": batch.recording(row["recording"])} for row in rows),
            )
        return [mark for mark in self.every(closed=True) if mark.change == batch.id]

    def replace(self, number: int, text: str | None, by: str | None, closed: bool) -> None:
        """Give a mark another text, or remove it (None)."""
        old = self.get(number, closed)
        verb = "removed" if text is None else "changed"
        with self.store.writing(f"{self.noun} {number} {verb}", login_name() if by is None else by) as batch:
            (recording,) = batch.db.execute(f"SELECT recording FROM {self.kind} WHERE id = ?", (number,)).fetchone()
            row = {"recording": recording, "start": old.start, "stop": old.end, self.key: old.key, "text": text}
            batch.add(self.kind, [{**row, "replaces": number}])

    def row(self, place: str, key: str, text: str, closed: bool) -> dict[str, Any]:
        """The row of a mark on ``RECORDING@START-END`` or ``RECORDING``, checked."""
        index = self.archive.index
        name = read_place_name(place, index.numbers, index.utterances_of)
        if (name.start is None) != (name.end is None):
            raise InputError(f"expected RECORDING@START-END in seconds, or only RECORDING; got {shorten(place)}")
        return self.place_row(name.recording, name.start, name.end, key, text, closed)

    def place_row(
        self, recording: str, start: float | None, end: float | None, key: str, text: str, closed: bool
    ) -> dict[str, Any]:
        """The same for a place that is read."""
        index = self.archive.index
        index.number_of(recording)
        check_readable(index, recording, closed)
        if start is not None and end is not None:
            _check_times(index, recording, start, end)
        return {"recording": recording, "start": start, "stop": end, self.key: key, "text": checked_mark(text)}

    def undo(self, change: int | None = None, by: str | None = None) -> StoredChange:
        """Take a change back, by default the last one that counts and is no undo; to take back an undo, name it."""
        return undo_change(self.store, (self.kind,), change, login_name() if by is None else by, f"{self.noun}s")

    def history(self) -> list[StoredChange]:
        """All changes, the oldest first."""
        return history_of(self.store, (self.kind,))


def checked_mark(text: str) -> str:
    """A text as it is kept; an InputError where it is too long, or holds what cannot be shown."""
    plain = "\n".join(" ".join(line.split()) for line in unicodedata.normalize("NFC", text).split("\n")).strip()
    if len(plain) > LONGEST:
        raise InputError(f"a text of {len(plain):,} characters; at most {LONGEST:,} are kept")
    if not is_utf8(plain) or any(unicodedata.category(c) == "Cc" and c != "\n" for c in plain):
        raise InputError(f"the text holds a control character, or half of a character: {shorten(plain)}")
    return plain


def _check_times(index: Index, recording: str, start: float, end: float) -> None:
    """Raise InputError unless a recording has these times."""
    if not start < end:
        raise InputError(f"expected a place from a time to a later one, got {start:g} to {end:g} seconds", recording)
    ends = [segment(index, place).end for place in places_of(index, index.number_of(recording))]
    length = max((x for x in ends if not math.isnan(x)), default=math.nan)
    if not end <= length + _BEYOND:
        long = "has no times" if math.isnan(length) else f"is {clock(length)} ({length:.2f} seconds) long"
        raise InputError(f"expected a place in the recording, which {long}; got {start:g} to {end:g}", recording)
