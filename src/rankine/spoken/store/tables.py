"""The tables of the archive's store, and stores of version 2, which have fewer tables.

A store of version 2 is brought up to date by adding the tables (:func:`complete_tables`). One that is only read stays
as it is: the connection has what is missing as temporary tables (:func:`show_complete`).
"""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import NamedTuple

VERSION, OLDEST = 3, 2  # that is written, and that is read


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


_BATCH = StoreColumn("batch", "INTEGER", "batch(id)")
_RECORDING = StoreColumn("recording", "INTEGER", "recording(id)")
_START, _STOP = StoreColumn("start", "REAL"), StoreColumn("stop", "REAL")
_REPLACES = StoreColumn("replaces", "INTEGER", empty=True)  # the row of this kind that does not count any more
KINDS: dict[str, tuple[StoreColumn, ...]] = {  # rows that people type in
    "judgment": (
        StoreColumn("query", "TEXT", "query(name)"), _RECORDING, StoreColumn("place", "TEXT"),
        StoreColumn("grade", "REAL"),  # below 0: unsure
        *(StoreColumn(name, type, empty=True) for name, type in (
            ("start", "REAL"), ("stop", "REAL"),  # seconds of the place when it was judged
            ("rank", "INTEGER"), ("weights", "TEXT"),  # what was shown
            ("judge", "TEXT"), ("time", "TEXT"),  # where they are others than the batch's
            ("adopts", "INTEGER"),  # the row that it stands for, whose place is gone
        )),
    ),
    "about": (_RECORDING, StoreColumn("field", "TEXT"), StoreColumn("value", "TEXT")),
    "speaker": (_RECORDING, _START, _STOP, StoreColumn("speaker", "TEXT")),
    "correction": (
        _RECORDING, _START, _STOP, StoreColumn("heard", "TEXT"), StoreColumn("written", "TEXT", empty=True),
        StoreColumn("before", "TEXT"), StoreColumn("after", "TEXT"), _REPLACES,
    ),
    "note": (
        _RECORDING, _START._replace(empty=True), _STOP._replace(empty=True), StoreColumn("label", "TEXT"),
        StoreColumn("text", "TEXT", empty=True), _REPLACES,
    ),
    "member": (
        _RECORDING, _START._replace(empty=True), _STOP._replace(empty=True), StoreColumn("collection", "TEXT"),
        StoreColumn("text", "TEXT", empty=True), _REPLACES,
    ),
}  # fmt: skip
_LATER = ("correction", "note", "member")  # kinds of rows that a store of version 2 has not
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
def definitions(version: int = VERSION) -> dict[str, str]:
    """Return the statement that makes each table and index of a store of a version, as SQLite keeps it."""
    out = {"query": "CREATE TABLE query (name TEXT PRIMARY KEY, text TEXT NOT NULL UNIQUE)"}
    for name in ("recording", "batch"):
        out[name] = f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {', '.join(c.sql for c in OTHERS[name])})"
    for name, columns in KINDS.items():
        if version == OLDEST and name in _LATER:
            continue
        out[name] = f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {', '.join(c.sql for c in (_BATCH, *columns))})"
        out[f"{name}_batch"] = f"CREATE INDEX {name}_batch ON {name}(batch)"
        if name in _LATER:
            out[f"{name}_recording"] = f"CREATE INDEX {name}_recording ON {name}(recording)"
    out["recording_name"] = "CREATE UNIQUE INDEX recording_name ON recording(name)"
    out["recording_print"] = "CREATE INDEX recording_print ON recording(print)"
    out["speaker_recording"] = "CREATE INDEX speaker_recording ON speaker(recording)"
    out["about_recording"] = "CREATE INDEX about_recording ON about(recording, field)"
    return out


def statements(db: sqlite3.Connection) -> dict[str, str]:
    """Return the statement that made each table and index of a store."""
    return dict(db.execute("SELECT name, sql FROM main.sqlite_master WHERE sql IS NOT NULL"))


def version_of(db: sqlite3.Connection) -> int:
    """Return the version that a store states."""
    return int(db.execute("PRAGMA main.user_version").fetchone()[0])


def complete_tables(db: sqlite3.Connection) -> None:
    """Add what a store of version 2 lacks."""
    version = version_of(db)
    if version == VERSION:
        return
    for name, statement in definitions().items():
        if name not in definitions(version):
            db.execute(statement)
    db.execute(f"PRAGMA user_version = {VERSION}")


def show_complete(db: sqlite3.Connection) -> None:
    """Show a store of version 2 as one of the present, to this connection only."""
    if version_of(db) == VERSION:
        return
    db.execute("PRAGMA temp_store = MEMORY")
    for name in _LATER:
        db.execute(definitions()[name].replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
