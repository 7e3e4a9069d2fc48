"""Corrections of an archive: what people write where a recogniser misheard.

A correction is a layer over what was heard, never a change to it. It is kept in the archive's store, can be searched at
once, and can be undone. See :mod:`.placement` for where it belongs when a recording is recognised anew, and
:mod:`.changes` for how the index follows.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ...errors import InputError
from ..index.reader import Index
from ..index.storage import BUSY
from ..metadata.rights import check_readable, not_open
from ..recordings.place_files import read_place_rows, write_place_rows
from ..store.history import StoredChange, history_of, undo_change
from ..store.store import Store, login_name
from .changes import WAIT, reading_as_heard, settle, stored_corrections
from .elsewhere import MisheardPlace, misheard_places
from .hearings import settle_hearings
from .placement import PlacedCorrections, placed
from .rows import Correction, by_recording, counting_corrections, hidden_recordings
from .words import CorrectedWord, WordsToCorrect, corrected_words

COLUMNS = ("recording", "start", "end", "heard", "written", "before", "after", "by", "time", "id", "change")
_KINDS = ("correction",)


class CorrectedArchive(Protocol):
    """What is needed of an archive whose recordings are corrected."""

    folder: Path
    index: Index

    def refresh(self) -> None:
        """Read what has been committed."""


class ImportedCorrections(NamedTuple):
    """Corrections that a file added, how many were there already, why rows were not used, and notes about the file."""

    added: list[Correction]
    before: int
    errors: list[str]
    notes: list[str]


class Corrections:
    """Corrections of what was heard in the recordings of an archive: ``archive.corrections``.

    A place is ``RECORDING@START-END`` in seconds. ``by`` is who writes; by default the name that the user is logged in
    with. Recordings that are not open are left out, and cannot be corrected, unless their keeper asks (``closed``).
    """

    def __init__(self, archive: CorrectedArchive) -> None:
        self.archive, self.store = archive, Store(archive.folder)

    # -- writing

    def add(self, place: str, written: str, by: str | None = None, closed: bool = False) -> Correction:
        """Say what was said at a place; an empty text says that nothing was. It can be searched when this returns.

        What was heard there, and what an earlier correction says of the same words, does not count any more.
        """
        return self.add_all([(place, written)], by, closed)[0]

    def add_all(
        self,
        corrections: Sequence[tuple[str, str]],
        by: str | None = None,
        closed: bool = False,
        what: str = "correction",
        replaces: int | None = None,
    ) -> list[Correction]:
        """Say what was said at several places, all or none; they are one change, and are undone together."""
        working = WordsToCorrect(self.archive.index, self.store)
        rows = [working.row(place, written, closed) | {"replaces": replaces} for place, written in corrections]
        return self._write(rows, what, by)

    def _write(self, rows: Sequence[dict[str, Any]], what: str, by: str | None) -> list[Correction]:
        """Store rows, and bring the index up to date; the corrections that count of them."""
        with self.store.writing(what, login_name() if by is None else by) as batch:
            numbers = {name: batch.recording(name) for name in {row["recording"] for row in rows}}
            batch.add("correction", ({**row, "recording": numbers[row["recording"]]} for row in rows))
        self._settle_change(batch.id)
        with self.store.reading(whole=False) as db:
            return [c for c in counting_corrections(db, numbers) if c.change == batch.id]

    def _settle_change(self, change: int) -> None:
        """Bring the index of the recordings up to date that a change is about."""
        with self.store.reading(whole=False) as db:
            names = _recordings_of(db, change)
        try:
            self.settle(names)
        except InputError as error:
            if BUSY not in str(error):
                raise
            raise InputError(
                f"another process is changing this archive: the change {change} is kept, and will be searched when "
                "that one is done and anything else is changed", str(self.archive.folder),
            ) from None  # fmt: skip

    def undo(self, change: int | None = None, by: str | None = None) -> StoredChange:
        """Take a change back, by default the last one that counts; what was heard counts again.

        To take back an undo, give its number.
        """
        done = undo_change(self.store, _KINDS, change, login_name() if by is None else by, "corrections")
        self._settle_change(done.id)
        return done

    def settle(self, names: Collection[str] | None = None) -> list[str]:
        """Bring the index of recordings up to date where it has not the corrections that count; their names.

        Every change does that. It is only needed after one whose process was killed.
        """
        done = settle(self.archive.folder, names, WAIT)
        settle_hearings(self.archive.folder, names, WAIT)
        self.archive.refresh()
        return done

    # -- reading

    def all(self, recording: str | None = None, closed: bool = False) -> list[Correction]:
        """The corrections that count, in the order in which they were written; also those that do not fit."""
        names = None if recording is None else [self.archive.index.names[self.archive.index.number_of(recording)]]
        with self.store.reading(whole=False) as db:
            every = counting_corrections(db, names)
            hidden = set() if closed else hidden_recordings(self.store, self.archive.index, db)
        return [c for c in every if c.recording not in hidden]

    def get(self, number: int, closed: bool = False) -> Correction:
        """The correction of a number; an InputError where none that counts, and may be read, has it."""
        every = {c.id: c for c in self.all(closed=closed)}
        if number not in every:
            last = ", ".join(map(str, list(every)[-10:])) or "none"
            raise InputError(f"no correction that counts has the number {number}; the last ones are {last}")
        return every[number]

    def words(self, recording: str, as_heard: bool = False, closed: bool = False) -> list[CorrectedWord]:
        """The words of a recording in order, those of corrections as they were written; or all of them as heard."""
        check_readable(self.archive.index, recording, closed)
        return corrected_words(self._placed(recording, [] if as_heard else self.all(recording, closed=True)))

    def orphans(self, closed: bool = False) -> list[Correction]:
        """Corrections that count and change nothing: what they were written for is not there any more.

        Their recording was recognised anew and other words stand there, or it is not in the archive.
        """
        every = self.all(closed=closed)
        out = [c for c in every if c.gone or c.recording not in self.archive.index.numbers]
        for name, some in by_recording(every).items():
            if name in self.archive.index.numbers:
                out += self._placed(name, some).orphans
        return sorted(out, key=lambda c: c.id)

    def _placed(self, recording: str, corrections: Sequence[Correction]) -> PlacedCorrections:
        return placed(reading_as_heard(self.archive.index, recording), corrections)

    def history(self) -> list[StoredChange]:
        """All changes of corrections, the oldest first."""
        return history_of(self.store, _KINDS)

    # -- orphans

    def adopt(self, number: int, place: str, by: str | None = None, closed: bool = False) -> Correction:
        """Let a correction count at a place, in whatever recording, and no more where it was written for."""
        old = self.get(number, closed)
        return self.add_all([(place, old.written)], by, closed, f"correction {number} adopted", number)[0]

    def dismiss(self, number: int, by: str | None = None, closed: bool = False) -> None:
        """Let a correction not count any more; undoing this brings it back."""
        old = self.get(number, closed)
        with self.store.writing(f"correction {number} dismissed", login_name() if by is None else by) as batch:
            (recording,) = batch.db.execute("SELECT recording FROM correction WHERE id = ?", (number,)).fetchone()
            batch.add("correction", [_dismissal(old, recording)])
        self._settle_change(batch.id)

    # -- the same elsewhere

    def elsewhere(self, number: int, closed: bool = False) -> list[MisheardPlace]:
        """Other places where the same words were heard as before a correction, and are not corrected yet."""
        correction = self.get(number, closed)
        hidden = set() if closed else set(not_open(self.archive.index))
        corrections = stored_corrections(self.store)
        return misheard_places(self.archive.index, correction.heard.split(), hidden, corrections)

    def accept(
        self, number: int, places: Sequence[str] | None = None, by: str | None = None, closed: bool = False
    ) -> list[Correction]:
        """Write a correction at other places too, by default wherever the same was heard; it is one change."""
        correction = self.get(number, closed)
        wanted = [place.name for place in self.elsewhere(number, closed)] if places is None else places
        pairs = [(place, correction.written) for place in wanted]
        return self.add_all(pairs, by, closed, f"correction {number} elsewhere") if pairs else []

    # -- files

    def export(self, path: str | os.PathLike, closed: bool = False) -> int:
        """Write the corrections that count to a CSV, TSV, JSON or JSON lines file, by its ending; how many."""
        every = self.all(closed=closed)
        rows = [(c.recording, c.start, c.end, c.heard, c.written, c.before, c.after, c.who, c.time, c.id, c.change)
                for c in every]  # fmt: skip
        write_place_rows(path, COLUMNS, rows)
        return len(every)

    def import_file(
        self, path: str | os.PathLike, by: str | None = None, closed: bool = False, encoding: str | None = None
    ) -> ImportedCorrections:
        """Write the corrections of a file, as one change: recording, start, end, written, and perhaps what was heard.

        Where the file says what was heard, and the words around it, a correction is placed by these, or is an orphan.
        What is there already is left out. Rows that cannot be used are reported.
        """
        read = read_place_rows(path, self.archive.index.numbers, ("written",), encoding)
        with self.store.reading(whole=False) as db:
            there = {c[1:6] for c in counting_corrections(db)}
        rows, errors, before = list[dict[str, Any]](), list(read.errors), 0
        working = WordsToCorrect(self.archive.index, self.store)
        for place in read.rows:
            try:
                row = working.imported(place, closed)
                is_there = (row["recording"], row["start"], row["stop"], row["heard"], row["written"]) in there
                before += is_there
                rows += [] if is_there else [row]
            except InputError as error:
                errors.append(f"{place.where}: {error.message}")
        added = self._write(rows, f"import of {Path(path).name}", by) if rows else []
        return ImportedCorrections(added, before, errors, read.notes)


def _dismissal(correction: Correction, recording: int) -> dict[str, Any]:
    """The row that dismisses a correction."""
    return {
        "recording": recording, "start": correction.start, "stop": correction.end, "heard": correction.heard,
        "written": None, "before": correction.before, "after": correction.after, "replaces": correction.id,
    }  # fmt: skip


def _recordings_of(db: sqlite3.Connection, change: int) -> list[str]:
    """The names of the recordings that a change corrects, or what it takes back or replaces does."""
    names: dict[str, None] = {}
    number: int | None = change
    while number:
        rows = db.execute(
            "SELECT DISTINCT name FROM correction JOIN recording ON recording.id = recording WHERE name NOTNULL AND "
            "(batch = ? OR correction.id IN (SELECT replaces FROM correction WHERE batch = ?))", (number, number),
        )  # fmt: skip
        names |= dict.fromkeys(name for (name,) in rows)
        (number,) = db.execute("SELECT undoes FROM batch WHERE id = ?", (number,)).fetchone() or (None,)
    return list(names)
