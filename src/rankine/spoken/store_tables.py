"""The tables of the archive's store, and stores of earlier releases, which have fewer tables or columns.

A later release may add tables, and columns that may be empty at the end of a table. So a store of an earlier release is
brought up to date by adding them (:func:`complete_tables`). One that is only read stays as it is: the connection has
what is missing as temporary tables and views (:func:`show_complete`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

VERSION = 2


class StoreColumn(NamedTuple):
    """A column of a table: its name, its type (TEXT, REAL, INTEGER), what it refers to, and whether it may be empty."""

    name: str
    type: str
    refers: str = ""
    empty: bool = False

    @property
    def sql(self) -> str:
        """As it stands in the definition of the table."""
        return (
            f"{self.name} {self.type}{'' if self.empty else ' NOT NULL'}{self.refers and f' REFERENCES {self.refers}'}"
        )

    @property
    def wrong(self) -> str:
        """The condition of rows in which it holds something else."""
        kinds = f"'{self.type.lower()}'" + (", 'null'" if self.empty else "")
        size = f" OR abs({self.name}) > 1e300" if self.type == "REAL" else ""
        return f"typeof({self.name}) NOT IN ({kinds}){size}"


_RECORDING = StoreColumn("recording", "INTEGER", "recording(id)")
KINDS: dict[str, tuple[StoreColumn, ...]] = {  # rows that people type in
    "judgment": (
        StoreColumn("query", "TEXT", "query(name)"), _RECORDING, StoreColumn("place", "TEXT"),
        StoreColumn("grade", "REAL"),  # below 0: unsure
        *(StoreColumn(name, type, empty=True) for name, type in (  # since version 2
            ("start", "REAL"), ("stop", "REAL"),  # seconds of the place when it was judged
            ("rank", "INTEGER"), ("weights", "TEXT"),  # what was shown
            ("judge", "TEXT"), ("time", "TEXT"),  # where they are others than the batch's
            ("adopts", "INTEGER"),  # the row that it stands for, whose place is gone
        )),
    ),
    "about": (_RECORDING, StoreColumn("field", "TEXT"), StoreColumn("value", "TEXT")),
    "speaker": (_RECORDING, StoreColumn("start", "REAL"), StoreColumn("stop", "REAL"), StoreColumn("speaker", "TEXT")),
}  # fmt: skip
OTHERS: dict[str, tuple[StoreColumn, ...]] = {
    "query": (StoreColumn("name", "TEXT PRIMARY KEY"), StoreColumn("text", "TEXT")),
    "recording": (
        StoreColumn("name", "TEXT", empty=True), StoreColumn("was", "TEXT"), StoreColumn("print", "TEXT", empty=True),
        StoreColumn("gone", "TEXT", empty=True), StoreColumn("about", "TEXT"),
    ),
    "batch": (
        StoreColumn("time", "TEXT"), StoreColumn("who", "TEXT"), StoreColumn("what", "TEXT"),
        StoreColumn("undoes", "INTEGER", empty=True),
    ),
}  # fmt: skip


@cache
def definitions() -> dict[str, str]:
    """The statement that makes each table and index, as SQLite keeps it."""
    out = {"query": "CREATE TABLE query (name TEXT PRIMARY KEY, text TEXT NOT NULL UNIQUE)"}
    for name in ("recording", "batch"):
        out[name] = f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {', '.join(c.sql for c in OTHERS[name])})"
    for name, columns in KINDS.items():
        batch = StoreColumn("batch", "INTEGER", "batch(id)")
        out[name] = f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {', '.join(c.sql for c in (batch, *columns))})"
        out[f"{name}_batch"] = f"CREATE INDEX {name}_batch ON {name}(batch)"
    out["recording_name"] = "CREATE UNIQUE INDEX recording_name ON recording(name)"
    out["recording_print"] = "CREATE INDEX recording_print ON recording(print)"
    out["speaker_recording"] = "CREATE INDEX speaker_recording ON speaker(recording)"
    out["about_recording"] = "CREATE INDEX about_recording ON about(recording, field)"
    return out


def statements(db: sqlite3.Connection) -> dict[str, str]:
    """The statement that made each table and index of a store."""
    return dict(db.execute("SELECT name, sql FROM main.sqlite_master WHERE sql IS NOT NULL"))


def _missing(there: Mapping[str, str]) -> dict[str, tuple[StoreColumn, ...] | None] | None:
    """What a store lacks: whole tables and indexes (None), and columns; None if it is no store of any release."""
    wanted = definitions()
    out: dict[str, tuple[StoreColumn, ...] | None] = {name: None for name in wanted if name not in there}
    if not there or set(there) - set(wanted):
        return None
    for name, sql in there.items():
        if sql != wanted[name]:
            new = _columns_after(name, sql)
            if not new:
                return None
            out[name] = new
    return out


def _columns_after(name: str, sql: str) -> tuple[StoreColumn, ...]:
    """The columns that the definition of a table has behind those of an earlier one; none if it is no earlier one."""
    for n, column in enumerate(KINDS.get(name, ())):
        rest = KINDS[name][n:]
        later = "".join(f", {c.sql}" for c in rest)
        if column.empty and all(c.empty for c in rest) and definitions()[name] == f"{sql[:-1]}{later})":
            return rest
    return ()


def is_earlier_store(db: sqlite3.Connection) -> bool:
    """Whether a store has the tables of an earlier release."""
    return bool(_missing(statements(db)))


def complete_tables(db: sqlite3.Connection) -> None:
    """Add what a store of an earlier release lacks."""
    for name, columns in (_missing(statements(db)) or {}).items():
        if columns is None:
            db.execute(definitions()[name])
        for column in columns or ():
            db.execute(f"ALTER TABLE {name} ADD COLUMN {column.sql}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def show_complete(db: sqlite3.Connection) -> None:
    """Show a store of an earlier release as one of the present, to this connection only."""
    missing = _missing(statements(db)) or {}
    if missing:
        db.execute("PRAGMA temp_store = MEMORY")
    for name, columns in missing.items():
        if columns is None and name in KINDS:
            db.execute(definitions()[name].replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
        elif columns is not None:
            empty = ", ".join(f"NULL AS {column.name}" for column in columns)
            db.execute(f"CREATE TEMP VIEW {name} AS SELECT *, {empty} FROM main.{name}")
