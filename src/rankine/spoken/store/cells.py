"""What the archive's store says about recordings, by name: cells of fields.

Search looks up only the recordings of its hits. What is read of all recordings is kept until the store has changed.

While a recording is renamed the store has its new name, and the index still the one before. Till both agree, a name
that a recording had which is not open is closed, whatever else is called so meanwhile. An index that was opened before
a recording was deleted or renamed still has it: a name that was not open and that no recording has now is closed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from .store import Store, cells

Cells = dict[str, str]  # of one recording, by field; an empty one was cleared
Stamp = tuple[int, int, int, bytes]
Content = TypeVar("Content")
RIGHTS, OPEN, CLOSED = "rights", "open", "closed"  # the field, and two of its values
_AT_ONCE = 500  # names in one question
_COUNTER = slice(24, 28)  # bytes of the file's head which SQLite changes with every commit


class StoredCells:
    """The cells in an archive's store; every call sees the state of the store at that time."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        self._kept: dict[str, tuple[Stamp | None, Any]] = {}
        self._were_closed: set[str] = set()  # names that were not open at some time

    def stamp(self) -> Stamp | None:
        """What changes with every change of the store; None where there is no store."""
        try:
            with open(self.store.path, "rb") as file:
                counter = file.read(_COUNTER.stop)[_COUNTER]
            state = self.store.path.stat()
            if state.st_size:
                return state.st_ino, state.st_size, state.st_mtime_ns, counter
        except FileNotFoundError:
            pass
        self.store.check_exists()
        return None

    def kept(self, name: str, read: Callable[[sqlite3.Connection], Content], nothing: Content) -> Content:
        """What is read from the store, from memory while the store is the same; ``nothing`` where there is none."""
        stamp = self.stamp()
        if stamp is None:
            return nothing
        if name not in self._kept or self._kept[name][0] != stamp:
            with self.store.reading(whole=False) as db:
                self._kept[name] = stamp, read(db)
        return self._kept[name][1]

    def some(self, names: Iterable[str]) -> dict[str, Cells]:
        """The cells of some recordings, by name; those of which nothing is said are left out."""
        wanted = list(dict.fromkeys(names))
        if self.stamp() is None or not wanted:
            return {}
        with self.store.reading(whole=False) as db:
            rows = rows_of(db, "name, about", wanted)
        out = {name: cells(about, self.store.damaged) for name, about in rows if about != "{}"}
        return self._with_renamed(out, wanted)

    def all(self) -> dict[str, Cells]:
        """The cells of all recordings, by name."""
        return self._with_renamed(self.kept("all", self._all, {}))

    def _all(self, db: sqlite3.Connection) -> dict[str, Cells]:
        rows = db.execute("SELECT name, about FROM recording WHERE name IS NOT NULL AND about <> '{}'").fetchall()
        try:
            values = msgspec.json.decode(f"[{','.join(about for _, about in rows)}]", type=list[dict[str, str]])
            return dict(zip((name for name, _ in rows), values, strict=True))
        except (msgspec.DecodeError, TypeError, ValueError) as error:
            raise self.store.damaged(str(error)) from None

    def having(self, field: str, but: str = "") -> Cells:
        """The value of a field by recording, where it has one other than ``but``."""
        nothing: Cells = {}
        values = self.kept(f"{field} {but}", lambda db: self._having(db, field, but), nothing)
        if field != RIGHTS:
            return values
        values = values | dict.fromkeys(self.renamed(), CLOSED)
        self._were_closed |= values.keys()
        return values | dict.fromkeys(self.gone(), CLOSED)

    def gone(self) -> list[str]:
        """Return the names that recordings had which were not open, and that no recording has now."""
        nobody: list[str] = []
        return self.kept("gone", self._gone, nobody)

    def _gone(self, db: sqlite3.Connection) -> list[str]:
        without_name = "name IS NULL AND was NOT IN (SELECT name FROM recording WHERE name NOTNULL)"
        there = {name for (name,) in rows_of(db, "name", sorted(self._were_closed))}
        return [*self._not_open(without_name, db), *(self._were_closed - there)]

    def renamed(self) -> list[str]:
        """The names before of recordings that are not open and are being renamed."""
        nobody: list[str] = []
        return self.kept("renamed", partial(self._not_open, "name <> was"), nobody)

    def deleted(self) -> list[str]:
        """The names that recordings had which are not open and are not in the archive now."""
        nobody: list[str] = []
        return self.kept("deleted", partial(self._not_open, "name IS NULL"), nobody)

    def _not_open(self, which: str, db: sqlite3.Connection) -> list[str]:
        rows = db.execute(f"SELECT was, about FROM recording WHERE {which}").fetchall()
        return [was for was, about in rows if cells(about, self.store.damaged).get(RIGHTS, OPEN) not in ("", OPEN)]

    def _with_renamed(self, table: dict[str, Cells], wanted: Iterable[str] | None = None) -> dict[str, Cells]:
        """Cells by name, in which names before are closed; only those that are wanted."""
        closed = [*self.renamed(), *self.gone()]
        if wanted is not None:
            closed = [name for name in closed if name in set(wanted)]
        return table | {name: table.get(name, {}) | {RIGHTS: CLOSED} for name in closed} if closed else table

    def _having(self, db: sqlite3.Connection, field: str, but: str) -> Cells:
        key, value = (msgspec.json.encode(text).decode() for text in (field, but))
        rows = db.execute(
            "SELECT name, about FROM recording WHERE name IS NOT NULL AND instr(about, ?) AND NOT instr(about, ?)",
            (f"{key}:", f"{key}:{value}"),
        ).fetchall()
        values = {name: cells(about, self.store.damaged).get(field, "") for name, about in rows}
        return {name: value for name, value in values.items() if value}


def rows_of(db: sqlite3.Connection, columns: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Columns of the store's rows of recordings with these names."""
    rows = []
    for at in range(0, len(names), _AT_ONCE):
        some = names[at : at + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        rows += db.execute(f"SELECT {columns} FROM recording WHERE name IN ({marks})", some).fetchall()
    return rows
