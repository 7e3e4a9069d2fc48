"""The tables of the archive's store.

A kind of rows that people type in is a row of ``KINDS``. Kinds that came later are made where a store lacks them: in
the file when it is first written to, and before that in memory, so that it is read as if they were empty.
"""

from __future__ import annotations

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


_BATCH = StoreColumn("batch", "INTEGER", "batch(id)")
_RECORDING = StoreColumn("recording", "INTEGER", "recording(id)")
_START, _STOP = StoreColumn("start", "REAL"), StoreColumn("stop", "REAL")
_REPLACES = StoreColumn("replaces", "INTEGER", empty=True)  # the row of this kind that does not count any more
KINDS: dict[str, tuple[StoreColumn, ...]] = {  # rows that people type in
    "judgment": (
        StoreColumn("query", "TEXT", "query(name)"), _RECORDING, StoreColumn("place", "TEXT"),
        StoreColumn("grade", "REAL"),
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
_LATER = {"correction": 2, "note": 2, "member": 2}  # the version of the store since which there is a kind


def definitions(version: int = VERSION) -> dict[str, str]:
    """The statement that makes each table and index of a store of a version, as SQLite keeps it."""
    out = {"query": "CREATE TABLE query (name TEXT PRIMARY KEY, text TEXT NOT NULL UNIQUE)"}
    for name in ("recording", "batch"):
        out[name] = f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {', '.join(c.sql for c in OTHERS[name])})"
    for name, columns in KINDS.items():
        if _LATER.get(name, 1) > version:
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


def missing_tables(version: int) -> list[str]:
    """The statements that bring the tables of a store of an earlier version to the present one."""
    there = definitions(version)
    return [statement for name, statement in definitions().items() if name not in there]


def stand_ins(version: int) -> list[str]:
    """The statements that make empty tables in memory for those that a store of an earlier version lacks."""
    return [
        f"CREATE TEMP TABLE {name} (id INTEGER PRIMARY KEY, {', '.join(c.name for c in (_BATCH, *KINDS[name]))})"
        for name, since in _LATER.items()
        if since > version
    ]
