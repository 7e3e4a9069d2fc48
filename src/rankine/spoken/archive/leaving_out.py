"""Leaving recordings out of a packed archive that are not open: of its store, its journal and its index.

Words of a query that was judged at such a recording are perhaps said in it: these queries go with all their judgments.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ..index.build import part_of_parts
from ..index.part_reader import PartReader
from ..index.parts import Part, write_part
from ..index.settings import Settings
from ..store import FILE, Store, cells
from ..store_tables import KINDS
from .rights import OPEN, RIGHTS, access


class LeftOut(NamedTuple):
    """Names of recordings that are left out, and those of deleted ones."""

    names: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()

    def holds(self, name: str, line: Mapping[str, Any]) -> bool:
        """Whether a line of the journal is of one of them."""
        if "gone" in line:
            return line.get("was", name) in self.deleted | self.names
        return name in self.names


def forget_closed(folder: Path) -> LeftOut:
    """Remove every recording that is not open from the store in a folder, which is a copy; what was removed."""
    store = Store(folder)
    if not store.exists:
        return LeftOut()
    with store.reading() as db:
        rows = db.execute("SELECT id, name, was, about FROM recording").fetchall()
    closed = [row[:3] for row in rows if access(cells(row[3], store.damaged).get(RIGHTS, "")) != OPEN]
    if closed:
        with store.writing("tables of the present release"):
            pass  # a batch without rows is not kept
        with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as db:
            _remove_rows(db, [number for number, _, _ in closed])
            db.execute("VACUUM")  # or the rows would still be in the file
    return LeftOut(
        frozenset(some for _, name, was in closed if name is not None for some in (name, was)),
        frozenset(was for _, name, was in closed if name is None),
    )


def _remove_rows(db: sqlite3.Connection, recordings: list[int]) -> None:
    """Remove recordings, all rows about them, and batches that hold nothing then."""
    db.execute("CREATE TEMP TABLE closed (id INTEGER PRIMARY KEY)")
    db.executemany("INSERT INTO closed VALUES (?)", [(number,) for number in recordings])
    db.execute("BEGIN")
    judged = "SELECT query FROM judgment WHERE recording IN closed"
    db.execute(f"CREATE TEMP TABLE judged AS {judged}")
    db.execute("DELETE FROM judgment WHERE query IN judged")
    db.execute("DELETE FROM query WHERE name IN judged")
    for kind in KINDS:
        db.execute(f"DELETE FROM {kind} WHERE recording IN closed")
    db.execute("DELETE FROM recording WHERE id IN closed")
    used = {number for kind in KINDS for (number,) in db.execute(f"SELECT DISTINCT batch FROM {kind}")}
    for number, undoes in db.execute("SELECT id, undoes FROM batch ORDER BY id").fetchall():
        if number in used or undoes in used:  # an undo comes behind what it takes back
            used.add(number)
        else:
            db.execute("DELETE FROM batch WHERE id = ?", (number,))
    db.execute("COMMIT")


def part_without(reader: PartReader, names: frozenset[str], settings: Settings, stage: Path) -> Part | None:
    """A part without some documents: itself if it has none of them, a new one in ``stage``, None if nothing stays."""
    mask = reader.keeps(names)
    if mask.all():
        return reader.part
    if not mask.any():
        return None
    return write_part(stage / reader.part.path.name, *part_of_parts([reader.part], [mask], settings)).open(stage)
