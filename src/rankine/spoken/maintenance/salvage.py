"""Saving what can still be read of a damaged store, or of the judgments of an older release, into a new file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, is_utf8
from ...system.temporary import temporary_folder
from ..store.earlier import TABLES
from ..store.store import Store, cells, cells_of, refresh, undone
from ..store.tables import KINDS, VERSION
from ..store.upgrading import LEGACY

_TYPES = {"TEXT": "str", "INTEGER": "int", "REAL": "float"}
_LARGEST = 1e300


class Salvage(NamedTuple):
    """How many rows were saved, and how many were read and could not be used.

    ``unsure`` are recordings of which it is not known any more what they are, by name; ``lost``: there were perhaps
    others.
    """

    saved: int
    refused: int
    unsure: list[str]
    lost: bool


def salvage(
    damaged: Path, target: Path, complete: Callable[[Store, Salvage], object] = lambda store, rows: None
) -> Salvage:
    """Write a new database with the rows of a damaged one that can be read, and that refer to nothing lost.

    ``damaged`` is a copy that may be changed; its name tells whether it is a store. ``target`` is replaced.
    ``complete`` is called with a new store before that.
    """
    with temporary_folder(".salvage-", target.parent) as folder:
        new = Path(folder, damaged.name)
        if damaged.name == LEGACY:
            with closing(sqlite3.connect(new)) as db, db:
                for statement in TABLES.values():
                    db.execute(statement)
                result = _copied(damaged, db, TABLES)
        else:
            _check_version(damaged)
            with Store(folder).writing("salvage") as batch:
                batch.db.execute("DELETE FROM batch WHERE id = ?", (batch.id,))  # all batches are those of the old one
                result = _copied(damaged, batch.db, ("query", "recording", "batch", *KINDS))
                result = result._replace(unsure=_complete(batch.db))
            complete(Store(folder), result)
            Store(folder).check()
        os.replace(new, target)
    return result


def _check_version(damaged: Path) -> None:
    """Raise InputError if a store is of a newer release: it is not damaged."""
    with closing(sqlite3.connect(damaged)) as db, suppress(sqlite3.DatabaseError):
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise InputError(f"the store is of a newer release (version {version}); update Rankine", str(damaged))


def _complete(db: sqlite3.Connection) -> list[str]:
    """Say again what recordings are known to be and no row that was saved says, as a change of its own.

    Returns the names of recordings of which it cannot be read.
    """
    lost: list[tuple[int, str, str]] = []
    unsure: list[str] = []
    every = db.execute("SELECT id, about, coalesce(name, was) FROM recording").fetchall()
    gone = undone(db)
    for number, about, name in every:
        try:
            rows = cells_of(db, number, gone)
            said = cells(about, ValueError)
        except ValueError:
            unsure.append(name)
        else:
            lost += [(number, field, value) for field, value in said.items() if rows.get(field) != value]
    if lost:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        batch = db.execute("INSERT INTO batch (time, who, what) VALUES (?, '', 'saved from a damaged store')", (now,))
        db.executemany(
            "INSERT INTO about (batch, recording, field, value) VALUES (?, ?, ?, ?)",
            [(batch.lastrowid, *row) for row in lost],
        )
    refresh(db, [number for number, *_ in every])
    return unsure


def _copied(damaged: Path, db: sqlite3.Connection, tables: Iterable[str]) -> Salvage:
    """Copy the rows of these tables, those before that others refer to."""
    saved = refused = 0
    lost = False
    with closing(sqlite3.connect(damaged)) as old:
        old.text_factory = _text
        for table in tables:
            earlier = {row[1] for row in _readable(old, f"SELECT rowid, name FROM pragma_table_info('{table}')")[0]}
            columns = [
                column for column in db.execute(f"PRAGMA table_info({table})").fetchall()
                if column[1] in earlier or not earlier
            ]  # fmt: skip
            names = ", ".join(["rowid", *(name for _, name, *_ in columns)])
            marks = ", ".join("?" * (len(columns) + 1))
            rows, whole = _readable(old, f"SELECT {names} FROM {table} NOT INDEXED ORDER BY rowid")
            lost |= table == "recording" and not whole
            for row in rows:
                good = all(map(_fits, row[1:], columns))
                with suppress(sqlite3.IntegrityError, sqlite3.DataError):
                    if good:
                        db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)
                        saved += 1
                        continue
                refused += 1
                lost |= table == "recording"
    return Salvage(saved, refused, [], lost)


def _readable(db: sqlite3.Connection, select: str) -> tuple[list[tuple[Any, ...]], bool]:
    """The rows from the first on, as far as they can be read, and from the last one back; whether these are all."""
    rows: dict[int, tuple[Any, ...]] = {}
    whole = True
    for order in ("", " DESC"):
        try:
            for row in db.execute(select + order):
                if row[0] in rows:
                    break
                rows[row[0]] = row
        except sqlite3.Error:
            whole = False
    return [rows[number] for number in sorted(rows)], whole


def _text(data: bytes) -> str | bytes:
    """Text, or the bytes that are none."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _fits(value: Any, column: tuple[Any, ...]) -> bool:
    """Whether a value can stand in a column, which ``table_info`` describes."""
    _, _, kind, needed, _, key = column
    if value is None:
        return not needed and not key
    if type(value).__name__ != _TYPES[kind]:
        return False
    return is_utf8(str(value)) if kind == "TEXT" else kind != "REAL" or abs(float(value)) <= _LARGEST
