"""Saving what can still be read of a damaged store, or of the judgments of an older release, into a new file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import is_utf8
from ..temporary import temporary_folder
from .earlier import TABLES
from .store import KINDS, Store, refresh
from .upgrading import LEGACY

_TYPES = {"TEXT": "str", "INTEGER": "int", "REAL": "float"}
_LARGEST = 1e300


class Salvage(NamedTuple):
    """How many rows were saved, and how many were read and could not be used."""

    saved: int
    refused: int


def salvage(damaged: Path, target: Path) -> Salvage:
    """Write a new database with the rows of a damaged one that can be read, and that refer to nothing lost.

    ``damaged`` is a copy that may be changed; its name tells whether it is a store. ``target`` is replaced.
    """
    with temporary_folder(".salvage-", target.parent) as folder:
        new = Path(folder, damaged.name)
        if damaged.name == LEGACY:
            with closing(sqlite3.connect(new)) as db, db:
                for statement in TABLES.values():
                    db.execute(statement)
                result = _copied(damaged, db, TABLES)
        else:
            with Store(folder).writing("salvage") as batch:
                batch.db.execute("DELETE FROM batch WHERE id = ?", (batch.id,))  # all batches are those of the old one
                result = _copied(damaged, batch.db, ("query", "recording", "batch", *KINDS))
                refresh(batch.db, [number for (number,) in batch.db.execute("SELECT id FROM recording")])
            Store(folder).check()
        os.replace(new, target)
    return result


def _copied(damaged: Path, db: sqlite3.Connection, tables: Iterable[str]) -> Salvage:
    """Copy the rows of these tables, those before that others refer to."""
    saved = refused = 0
    with closing(sqlite3.connect(damaged)) as old:
        old.text_factory = _text
        for table in tables:
            columns = db.execute(f"PRAGMA table_info({table})").fetchall()
            names = ", ".join(["rowid", *(name for _, name, *_ in columns)])
            marks = ", ".join("?" * (len(columns) + 1))
            for row in _readable(old, f"SELECT {names} FROM {table} NOT INDEXED ORDER BY rowid"):
                good = all(map(_fits, row[1:], columns))
                with suppress(sqlite3.IntegrityError, sqlite3.DataError):
                    if good:
                        db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)
                        saved += 1
                        continue
                refused += 1
    return Salvage(saved, refused)


def _readable(db: sqlite3.Connection, select: str) -> list[tuple[Any, ...]]:
    """The rows from the first on, as far as they can be read, and from the last one back."""
    rows: dict[int, tuple[Any, ...]] = {}
    for order in ("", " DESC"):
        with suppress(sqlite3.Error):
            for row in db.execute(select + order):
                if row[0] in rows:
                    break
                rows[row[0]] = row
    return [rows[number] for number in sorted(rows)]


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
