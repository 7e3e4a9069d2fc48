"""Metadata: what people say about recordings, kept in the archive's store.

A change is one batch: who made it, when, and which cells it set. A cell that was cleared is empty in the store. What an
older archive holds in its index stays visible below that: a cell is what the store says, or else what the index has.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, nearest, unknown
from ...io.notes import said
from ..index.about import About
from ..index.reader import Index
from ..store.cells import Cells, rows_of
from ..store.history import StoredChange, history_of, undo_change
from ..store.store import Store, cells, login_name, refresh
from ..text import SPEAKER, SPEAKERS, TEXTS
from .fields import TABLE, field_of_cell, in_order, read_value, settable_name
from .rights import OPEN, RIGHTS, access, not_understood
from .tables import read_rows, write_rows

_KINDS = ("about", "speaker")  # of rows
_MANY = 2000  # recordings: of more, all rows are read at once
Table = Mapping[str, Mapping[str, str]]  # cells by recording and field


class CellChange(NamedTuple):
    """A cell that a change sets: its value before and after; empty is nothing."""

    recording: str
    field: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.recording}: {self.field} {self.before or '(empty)'} → {self.after or '(empty)'}"


class ImportedTable(NamedTuple):
    """What a table changed, which of its rows and cells could not be used and why, and what was found out about it."""

    changes: list[CellChange]
    errors: list[str]
    notes: list[str]
    rows: int  # that were used
    bad_cells: list[str]  # of rows that were used


class Metadata:
    """What is said about the recordings of an archive: ``archive.metadata``.

    ``by`` is who makes a change; by default the name that the user is logged in with. ``dry_run`` changes nothing and
    returns what would change.
    """

    def __init__(self, index: Index) -> None:
        self.index, self.store = index, Store(index.folder)

    # -- reading

    def get(self, recording: str) -> Cells:
        """The cells of a recording that are not empty, by field."""
        (texts,) = self.index.texts_of([self.index.number_of(recording)])
        return {field: texts[field] for field in in_order(texts)}

    def all(self) -> dict[str, Cells]:
        """The cells of all recordings that are not empty."""
        columns = {field: column.tolist() for field, column in self.index.recording_texts.items()}
        fields = in_order(columns)
        return {
            name: {field: columns[field][number] for field in fields if columns[field][number]}
            for number, name in enumerate(self.index.names)
        }

    @property
    def fields(self) -> list[str]:
        """The fields in which some recording has a value."""
        return in_order(field for field, column in self.index.recording_texts.items() if column.any())

    def export(self, path: str | os.PathLike) -> int:
        """Write all cells to a CSV, TSV, JSON or JSON lines file, by its ending; returns the number of recordings."""
        write_rows(path, self.all())
        return len(self.index)

    # -- changing

    def set(
        self, recordings: str | Collection[str], values: Mapping[str, str], by: str | None = None, dry_run: bool = False
    ) -> list[CellChange]:
        """Set fields of one or several recordings; fields that are not given stay as they are."""
        if not values:
            raise InputError("expected a field and its value, got none")
        return self.change(recordings, values, (), by, dry_run)

    def clear(
        self, recordings: str | Collection[str], fields: Collection[str], by: str | None = None, dry_run: bool = False
    ) -> list[CellChange]:
        """Empty fields of one or several recordings."""
        return self.change(recordings, {}, fields, by, dry_run)

    def change(
        self,
        recordings: str | Collection[str],
        values: Mapping[str, str],
        clear: Collection[str] = (),
        by: str | None = None,
        dry_run: bool = False,
    ) -> list[CellChange]:
        """Set some fields of one or several recordings and empty others, as one change."""
        for field, value in values.items():
            if not value.strip():
                raise InputError(f"expected a value, got none; clear empties a field (--clear {field})", field)
        cells = _read_cells(values)
        empty = dict.fromkeys((self._existing(field) for field in clear), "")
        both = next((field for field in empty if field in cells), None)
        if both is not None:
            raise InputError(f"the field {both!r} is both set and cleared")
        what = "; ".join(f"{verb} {', '.join(some)}" for verb, some in (("set", cells), ("clear", empty)) if some)
        names = self._checked(recordings)
        changes = self.write(dict.fromkeys(names, cells | empty), what, by, dry_run)
        _tell_of_rights(dict.fromkeys(names, cells.get(RIGHTS, "")))
        return changes

    def merge(self, table: Table, what: str = "set", by: str | None = None, dry_run: bool = False) -> list[CellChange]:
        """Set the cells that are given and not empty, of many recordings as one change."""
        self._checked(list(table))
        read = {name: _read_cells(values) for name, values in table.items()}
        given = {name: {f: v for f, v in values.items() if v} for name, values in read.items()}
        changes = self.write(given, what, by, dry_run)
        _tell_of_rights({name: values[RIGHTS] for name, values in given.items() if RIGHTS in values})
        return changes

    def import_table(
        self,
        path: str | os.PathLike,
        clear: Collection[str] = (),
        by: str | None = None,
        dry_run: bool = False,
        encoding: str | None = None,
    ) -> ImportedTable:
        """Set the cells of a CSV, TSV, JSON or JSON lines file that are not empty.

        Rows and cells that cannot be used are left out and reported. An empty cell changes nothing, but for the fields
        in ``clear``: there it empties the field.
        """
        names = {settable_name(field) for field in clear}
        read = read_rows(path, self.index.numbers, encoding)
        missing = names - set(read.fields)
        if missing:
            raise InputError(f"no column is called {min(missing)!r}, so it cannot clear the field", str(path))
        notes = [*read.notes, *(f"{path}: {note}" for note in self.new_fields(read.fields))]
        given = {r: {f: v for f, v in row.items() if v or f in names} for r, row in read.cells.items()}
        changes = self.write(given, f"import of {Path(path).name}", by, dry_run)
        return ImportedTable(changes, read.errors, notes, read.rows, read.bad_cells)

    def new_fields(self, names: Collection[str]) -> list[str]:
        """Notes on fields that no recording has yet and that are in no table: perhaps they are mistyped."""
        there = {*TABLE, *self.fields}
        new = [field for field in map(settable_name, names) if field not in there]
        return [f"new field {field!r}.{nearest(field, there)}".removesuffix(".") for field in dict.fromkeys(new)]

    def write(self, table: Table, what: str, by: str | None = None, dry_run: bool = False) -> list[CellChange]:
        """Set cells that are read already; empty ones are cleared."""
        if dry_run:
            with self.store.reading() as db:
                return self._changes(db, table)[0]
        who = login_name() if by is None else by
        with self.store.writing(what, who) as batch:
            changes, numbers = self._changes(batch.db, table)
            for name in dict.fromkeys(change.recording for change in changes):
                numbers[name] = numbers.get(name) or batch.recording(name)
            batch.add(
                "about", ({"recording": numbers[c.recording], "field": c.field, "value": c.after} for c in changes)
            )
            refresh(batch.db, {numbers[c.recording] for c in changes})
        return changes

    def _changes(self, db: sqlite3.Connection, table: Table) -> tuple[list[CellChange], dict[str, int]]:
        """The cells of a table that differ from what is said now, and the numbers of recordings in the store."""
        if len(table) > _MANY:
            rows = db.execute("SELECT name, id, about FROM recording WHERE name IS NOT NULL").fetchall()
        else:
            rows = rows_of(db, "name, id, about", list(table))
        said = {name: about for name, _, about in rows if name in table}
        own = {field: column.tolist() for field, column in self.index.own_texts.items()}
        changes = []
        for name, values in table.items():
            number, stored = self.index.numbers.get(name), cells(said.get(name, "{}"), self.store.damaged)
            for field, value in values.items():
                before = stored.get(field, own[field][number] if field in own and number is not None else "")
                if value != before:
                    changes.append(CellChange(name, field, before, value))
        return changes, {name: int(number) for name, number, _ in rows}

    def _checked(self, recordings: str | Collection[str]) -> list[str]:
        names = [recordings] if isinstance(recordings, str) else list(recordings)
        for name in names:
            self.index.number_of(name)
        return names

    def _existing(self, field: str) -> str:
        """The name of a field that some recording has, or of the table."""
        name = settable_name(field)
        if name not in TABLE and name not in self.fields:
            raise unknown("field", field, in_order({*TABLE, *self.fields}))
        return name

    # -- history

    def history(self) -> list[StoredChange]:
        """All changes of metadata, the oldest first."""
        return history_of(self.store, _KINDS)

    def undo(self, number: int | None = None, by: str | None = None) -> StoredChange:
        """Take a change back, by default the last one that counts and is no undo; returns that change.

        To take back an undo, give its number.
        """
        return undo_change(self.store, _KINDS, number, login_name() if by is None else by, "metadata")


def _read_cells(values: Mapping[str, str]) -> Cells:
    """Cells by the names of fields, read; two names of one field are an InputError."""
    out: Cells = {}
    for given, value in values.items():
        field = field_of_cell(settable_name(given), value)
        if field in out:
            raise InputError(f"the field {field!r} is given twice", given)
        out[field] = read_value(field, value)
    return out


# -- texts of the tables that indexing reads


def texts_of_table(about: Mapping[str, About] | None) -> dict[str, Mapping[str, str]]:
    """The texts of a table of utterances, by recording."""
    return {a.recording: a.texts for a in (about or {}).values() if a.texts}


def with_own_texts(index: Index, about: Mapping[str, About] | None) -> dict[str, About] | None:
    """A table with the texts that the index has: others belong into the store, and change nothing that is indexed."""
    if about is None:
        return None
    columns = {text: index.own_texts[SPEAKERS if text == SPEAKER else text].tolist() for text in TEXTS}
    own: dict[str, Mapping[str, str]] = {}
    for recording in {a.recording for a in about.values()}:
        number = index.numbers.get(recording)
        own[recording] = {} if number is None else {t: c[number] for t, c in columns.items() if c[number]}
    return {utterance: a._replace(texts=own[a.recording]) for utterance, a in about.items()}


def record_texts(
    archive: Index | str | os.PathLike, texts: Table, what: str = "table of recordings", by: str | None = None
) -> list[CellChange]:
    """Keep what a table says about recordings of an archive (its folder or index); cells it leaves out or empty stay.

    Recordings that are not in the archive are left out. A cell that cannot be read, such as a date with two meanings,
    is kept as it is written.
    """
    if not texts:
        return []
    index = archive if isinstance(archive, Index) else Index.open(Path(archive))
    table = _table_of_texts({name: values for name, values in texts.items() if name in index.numbers})
    if not table:
        return []
    changes = Metadata(index).write(table, what, by)
    _tell_of_rights({name: cells[RIGHTS] for name, cells in table.items() if RIGHTS in cells})
    return changes


def record_closed(archive: Index | str | os.PathLike, texts: Table, by: str | None = None) -> None:
    """Keep the rights that do not open a recording, before it is indexed: so it is never open between two commits."""
    table = {name: cells[RIGHTS] for name, cells in _table_of_texts(texts).items() if RIGHTS in cells}
    closed = {name: {RIGHTS: rights} for name, rights in table.items() if access(rights) != OPEN}
    if closed:
        index = archive if isinstance(archive, Index) else Index.open(Path(archive))
        Metadata(index).write(closed, "rights of recordings that come", by)


def _table_of_texts(texts: Table) -> dict[str, Cells]:
    """Return the cells of a table of texts that are not empty, as they are kept."""
    table: dict[str, Cells] = {}
    for name, values in texts.items():
        for given, value in values.items():
            field = field_of_cell(settable_name(given), value)
            try:
                cell = read_value(field, value)
            except InputError:
                cell = " ".join(value.split())
            if cell:
                table.setdefault(name, {})[field] = cell
    return table


def _tell_of_rights(rights: Mapping[str, str]) -> None:
    """Tell which rights, by recording, are not understood and close it."""
    for note in not_understood(rights):
        said(note)
