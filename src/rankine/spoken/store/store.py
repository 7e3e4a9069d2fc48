"""The archive's store: what people type in, in one SQLite file.

Rows are added and never changed. A *batch* is one action of one person: a judgment, a table that is imported, an undo.
Every row belongs to a batch. An undo is a batch that names the batch it takes back; rows of a batch that is taken back
do not count, unless the undo is taken back too. So there is a history, and nothing that was typed in is lost.

A kind of rows is a row of ``KINDS`` (:mod:`.tables`). Rows speak of recordings by number. A recording has a name
while it is in the archive; when it is renamed only its row in ``recording`` changes, and all that was said about it
stays with it. One that is deleted loses its name and keeps its rows; they count again when it returns. ``about`` in
that row is what the rows of the kind ``about`` come to, so that a hundred thousand recordings are listed at once.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...errors import InputError, shorten
from ...system.files import locked, replacing
from ...system.temporary import unlink_copies
from .databases import check_database_files
from .manifest import has_store
from .tables import (
    KINDS,
    OLDEST,
    OTHERS,
    VERSION,
    complete_tables,
    definitions,
    show_complete,
    statements,
    version_of,
)

FILE = "store.sqlite"
_PLACE = re.compile(r"(.+?)@(\d{1,8}(?:\.\d{1,9})?(?:-\d{1,8}(?:\.\d{1,9})?)?)", re.ASCII | re.DOTALL)
_CHECKED_SIZE = 16 << 20  # bytes: a larger file is checked as a whole only by `check`
_checked: dict[str, tuple[int, ...]] = {}  # the state of each file in which this process found all rows right


class DamagedStore(InputError):
    """A store that is missing, or in which something is wrong."""


class BatchRow(NamedTuple):
    """One action of one person."""

    id: int
    time: str
    who: str
    what: str
    undoes: int | None


class Batch:
    """A batch that is being written."""

    def __init__(self, db: sqlite3.Connection, number: int, path: Path) -> None:
        self.db, self.id, self.path = db, number, path

    def add(self, kind: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows of a kind, by column; columns that may be empty can be left out."""
        names = [column.name for column in KINDS[kind]]
        empty = dict.fromkeys(column.name for column in KINDS[kind] if column.empty)
        marks = ", ".join("?" * (len(names) + 1))
        self.db.executemany(
            f"INSERT INTO {kind} (batch, {', '.join(names)}) VALUES ({marks})",
            ([self.id, *((empty | dict(row))[name] for name in names)] for row in rows),
        )

    def recording(self, name: str) -> int:
        """The number of a recording; one that nothing was said about yet gets the next."""
        row = self.db.execute("SELECT id FROM recording WHERE name = ?", (name,)).fetchone()
        if row:
            return int(row[0])
        row = self.db.execute(
            "SELECT id FROM recording WHERE name IS NULL AND print IS NULL AND was = ? ORDER BY id DESC", (name,)
        ).fetchone()  # it was deleted, and has returned
        if row:
            self.db.execute("UPDATE recording SET name = was, gone = NULL WHERE id = ?", row)
            return int(row[0])
        cursor = self.db.execute("INSERT INTO recording (name, was, about) VALUES (?, ?, '{}')", (name, name))
        return int(cursor.lastrowid or 0)

    def last_recording(self, name: str) -> int:
        """The number of the recording of a name, or of the last that had it; InputError if none ever had."""
        row = self.db.execute(
            "SELECT id FROM recording WHERE ? IN (name, was) ORDER BY name NOTNULL DESC, gone DESC, id DESC", (name,)
        ).fetchone()
        if row is None:
            raise InputError(f"there is no recording {shorten(name)} in this archive, and there was none")
        return int(row[0])


class Store:
    """The store in an archive's folder; every change is on disk when the call returns."""

    def __init__(self, folder: str | os.PathLike) -> None:
        self.folder, self.path = Path(folder), Path(folder) / FILE

    # -- opening

    @property
    def exists(self) -> bool:
        """Whether there is a store; an empty file is none."""
        return self.path.exists() and self.path.stat().st_size > 0

    def check_exists(self) -> None:
        """Raise InputError if the manifest says that there is a store, and there is none: no rights would count."""
        if not self.exists and has_store(self.folder):
            raise DamagedStore(
                "the archive is damaged: this file is missing, with all that people typed in (rights, titles, "
                "judgments). Restore it from a copy, or see `rankine spoken check --repair`", str(self.path),
            )  # fmt: skip

    def make(self) -> None:
        """Make an empty store; whole or not at all."""
        with replacing(self.path, durable=True) as temporary:
            connection = sqlite3.connect(temporary, isolation_level=None)
            with self._guarded(connection), connection:
                connection.execute("BEGIN")
                _make(connection)

    def holds_nothing(self) -> bool:
        """Whether nobody has typed anything in, and no recording is known."""
        with self.reading() as db:
            return not any(db.execute(f"SELECT 1 FROM {t} LIMIT 1").fetchone() for t in ("batch", "recording", "query"))

    @contextmanager
    def reading(self, whole: bool = True) -> Iterator[sqlite3.Connection]:
        """A connection to read from; where there is no store, it holds nothing.

        Without ``whole`` rows are not checked beforehand: for a search that looks up a few of them.
        """
        self._check_files()
        self.check_exists()
        exists = self.exists
        connection = sqlite3.connect(self.path if exists else ":memory:", timeout=30, isolation_level=None)
        with self._guarded(connection):
            if exists:
                self._check_content(connection, whole)
                show_complete(connection)
            else:
                _make(connection)
            yield connection

    @contextmanager
    def writing(self, what: str, who: str = "", undoes: int | None = None) -> Iterator[Batch]:
        """A batch to write rows into, all or none; one writer at a time, from the first look on."""
        self._check_files()
        self.check_exists()
        if self.path.exists() and self.path.stat().st_nlink > 1:
            with locked(self.path, "another process is writing to the store", wait=30):
                unlink_copies(self.path)
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        with self._guarded(connection):
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("SELECT name FROM sqlite_master").fetchone():
                _make(connection)
            self._check_content(connection)
            with connection:
                complete_tables(connection)
                now = datetime.now(UTC).isoformat(timespec="seconds")
                cursor = connection.execute(
                    "INSERT INTO batch (time, who, what, undoes) VALUES (?, ?, ?, ?)", (now, who, what, undoes)
                )
                batch = Batch(connection, int(cursor.lastrowid or 0), self.path)
                yield batch
                if _is_empty(connection, batch.id, undoes):
                    connection.execute("DELETE FROM batch WHERE id = ?", (batch.id,))
            _checked[str(self.path)] = _state(self.path)  # the rows that were there, and those of this process

    @contextmanager
    def _guarded(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Close the connection at the end; errors of SQLite are InputErrors."""
        try:
            connection.execute("PRAGMA trusted_schema=OFF")
            yield
        except sqlite3.OperationalError as error:
            said = " ".join(str(error).split())
            raise InputError(f"the archive's store cannot be used now ({said})", str(self.path)) from None
        except (sqlite3.Error, UnicodeError) as error:
            raise self.damaged(str(error)) from None
        finally:
            connection.close()

    def _check_files(self) -> None:
        """Raise InputError if a file that SQLite would open is a link, or if its journal is none of this database.

        SQLite deletes the file that a journal of several databases names, and makes a database as long as its journal
        says. Journals that are made here name no file, and say how long the database was before it grew.
        """
        check_database_files(self.folder, FILE)

    def _check_content(self, db: sqlite3.Connection, whole: bool = True) -> None:
        """Raise InputError unless the tables are those that are made here, sound, and hold what they should."""
        version = version_of(db)
        if version > VERSION:
            raise InputError(f"the store is of a newer release (version {version}); update Rankine", str(self.path))
        if 0 < version < OLDEST:
            raise InputError(
                f"the store has version {version}; this version of Rankine reads {OLDEST} to {VERSION}", str(self.path)
            )
        if version < OLDEST or statements(db) != definitions(version):
            raise self.damaged("it has other tables")
        if whole and self.path.exists() and self.path.stat().st_size <= _CHECKED_SIZE:
            state = _state(self.path)
            if _checked.get(str(self.path)) != state:
                self._check_rows(db)
            _checked[str(self.path)] = state

    def _check_rows(self, db: sqlite3.Connection) -> None:
        (answer,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if answer != "ok":
            raise self.damaged(answer)
        if db.execute("PRAGMA foreign_key_check").fetchone():
            raise self.damaged("a row refers to one that is not there")
        for name, columns in (OTHERS | KINDS).items():
            there = {row[1] for row in db.execute(f"PRAGMA main.table_info({name})")}
            wrong = " OR ".join(c._replace(type=c.type.split()[0]).wrong for c in columns if c.name in there)
            row = db.execute(f"SELECT rowid FROM main.{name} WHERE {wrong} LIMIT 1").fetchone() if there else None
            if row:
                raise self.damaged(f"{name} {row[0]} is not as it was written")

    def damaged(self, what: str) -> DamagedStore:
        """The error for a store in which something is wrong."""
        said = " ".join(what.split())  # SQLite's answers have several lines
        return DamagedStore(f"not a store written by Rankine, or damaged ({said})", str(self.path))

    def check(self) -> None:
        """Check everything; raise InputError if something is wrong."""
        self.check_exists()
        if not self.path.exists():
            return
        with self.reading() as db:
            (answer,) = db.execute("PRAGMA integrity_check").fetchone()
            if answer != "ok":
                raise self.damaged(answer)
            self._check_rows(db)
            gone = undone(db)
            for number, about in db.execute("SELECT id, about FROM recording"):
                if cells(about, self.damaged) != cells_of(db, number, gone):
                    raise self.damaged(f"recording {number} is not what its rows come to")

    # -- history

    def batches(self) -> list[BatchRow]:
        """All batches, the oldest first."""
        with self.reading() as db:
            return [BatchRow(*row) for row in db.execute("SELECT id, time, who, what, undoes FROM batch ORDER BY id")]

    def undo(self, number: int, who: str = "") -> None:
        """Take a batch back; what counted before it counts again."""
        with self.writing(f"undo {number}", who, undoes=number) as batch:
            row = batch.db.execute("SELECT id FROM batch WHERE id = ? AND id < ?", (number, batch.id)).fetchone()
            if not row:
                raise InputError(f"there is no change {number} to undo", str(self.path))
            if number in undone(batch.db, batch.id):
                raise InputError(f"the change {number} is undone already", str(self.path))
            refresh(batch.db, _touched(batch.db, number))


def _make(db: sqlite3.Connection) -> None:
    """Make the tables of an empty store."""
    for statement in definitions().values():
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {VERSION}")


def _state(path: Path) -> tuple[int, ...]:
    """Return what changes whenever a file is written to.

    The file is not opened: to close it would let go of the locks that SQLite holds on it in this process.
    """
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _is_empty(db: sqlite3.Connection, batch: int, undoes: int | None) -> bool:
    """Whether a batch has changed nothing."""
    return undoes is None and not any(
        db.execute(f"SELECT 1 FROM {kind} WHERE batch = ? LIMIT 1", (batch,)).fetchone() for kind in KINDS
    )


def undone(db: sqlite3.Connection, before: int | None = None) -> set[int]:
    """The batches that do not count, by those that were made before one."""
    out: set[int] = set()
    rows = db.execute("SELECT id, undoes FROM batch WHERE undoes IS NOT NULL ORDER BY id DESC").fetchall()
    for number, undoes in rows:
        if number not in out and (before is None or number < before):
            out.add(undoes)
    return out


def _touched(db: sqlite3.Connection, batch: int) -> set[int]:
    """The recordings that a batch, or what it takes back, says something about."""
    out: set[int] = set()
    while batch:
        out |= {r for (r,) in db.execute("SELECT DISTINCT recording FROM about WHERE batch = ?", (batch,))}
        (undoes,) = db.execute("SELECT undoes FROM batch WHERE id = ?", (batch,)).fetchone() or (None,)
        batch = undoes or 0
    return out


def refresh(db: sqlite3.Connection, recordings: Collection[int]) -> None:
    """Bring what the rows of recordings come to up to date."""
    gone = undone(db)
    values = [(msgspec.json.encode(cells_of(db, r, gone)).decode(), r) for r in recordings]
    db.executemany("UPDATE recording SET about = ? WHERE id = ?", values)


def cells_of(db: sqlite3.Connection, recording: int, gone: set[int]) -> dict[str, str]:
    """What is said about a recording, by field: the last value that counts."""
    rows = db.execute("SELECT field, value, batch FROM about WHERE recording = ? ORDER BY id", (recording,))
    return {field: value for field, value, batch in rows if batch not in gone}


def cells(text: str, damaged: Any) -> dict[str, str]:
    """The fields and values of the column ``about``."""
    try:
        return msgspec.json.decode(text, type=dict[str, str])
    except (msgspec.DecodeError, TypeError) as error:
        raise damaged(str(error)) from None


def split_place(name: str, names: Container[str] = ()) -> tuple[str, str]:
    """The recording and the place in it that a judged name means; ``names`` are those of recordings.

    >>> split_place("tape@1.5-2"), split_place("tape@b@1-2", {"tape@b"}), split_place("tape@side-a@1-2", {"tape"})
    (('tape', '1.5-2'), ('tape@b', '1-2'), ('tape', 'side-a@1-2'))
    """
    if name in names:
        return name, ""
    for at in reversed([match.start() for match in re.finditer("@", name)]):
        if name[:at] in names:
            return name[:at], name[at + 1 :]
    match = _PLACE.fullmatch(name)
    return (match[1], match[2]) if match else (name, "")


def login_name() -> str:
    """The name that the user is logged in with; empty where the system does not tell."""
    import getpass

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
    return name if name.isprintable() else ""
