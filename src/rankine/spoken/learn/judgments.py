"""Judgments of an archive's users: queries, and who judged which document how and when, in SQLite.

No judgment is overwritten: of several of the same query and document the last one counts, whoever gave it. An undo is a
row that names the judgment it takes back; then the judgment before that counts again.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Container, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, nearest, shorten
from ...files import locked
from ...places import inside
from ...temporary import unlink_copies
from ..text import decoded

FILE = "judgments.sqlite"
_MAGIC = bytes.fromhex("d9d505f920a163d7")  # ends a journal of SQLite that names another file
_TABLES = """
CREATE TABLE IF NOT EXISTS query (name TEXT PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS judgment (
    id INTEGER PRIMARY KEY, query TEXT NOT NULL REFERENCES query(name), document TEXT NOT NULL, grade REAL,
    judge TEXT NOT NULL, time TEXT NOT NULL, undoes INTEGER);
"""


_TABLES_BY_NAME = {  # as SQLite keeps them
    sql.split()[2]: sql for sql in (" ".join(t.split()).replace("IF NOT EXISTS ", "") for t in _TABLES.split(";")[:-1])
}


class Judged(NamedTuple):
    """Queries by name, and the grades of documents that were judged for each."""

    queries: dict[str, str]
    qrels: dict[str, dict[str, float]]

    @property
    def n_judgments(self) -> int:
        """How many there are."""
        return sum(map(len, self.qrels.values()))

    def within(self, documents: Container[str]) -> Judged:
        """Only the judgments of these documents.

        >>> Judged({"1": "words"}, {"1": {"monday": 1.0, "tuesday": 0.0}}).within({"monday"}).qrels
        {'1': {'monday': 1.0}}
        """
        qrels = {q: {d: g for d, g in grades.items() if d in documents} for q, grades in self.qrels.items()}
        return Judged(self.queries, qrels)

    def check(self, documents: Collection[str], where: str | None = None) -> None:
        """Raise InputError if a judgment is of a query that is not among the queries, or of another document."""
        for name, grades in self.qrels.items():
            if name not in self.queries:
                raise InputError(f"judgments of the query {name!r}, which is not among the queries", where)
            unknown = next((d for d in grades if d not in documents), None)
            if unknown is not None:
                raise InputError(
                    f"query {name}: a judgment of {unknown!r}, which is not in the archive."
                    f"{nearest(unknown, documents)}", where,
                )  # fmt: skip


class Judgments:
    """The judgments in an archive's folder; every change is on disk when the call returns.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = Judgments(folder)
    ...     name = book.query("spoken words")
    ...     _ = book.add(name, "monday", 1, "ann")
    ...     book.all().qrels
    {'1': {'monday': 1.0}}
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder, self.path = Path(folder), Path(folder) / FILE

    @contextmanager
    def _open(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        self._check_files()
        if not write and (not self.path.exists() or self.path.stat().st_size == 0):
            connection = sqlite3.connect(":memory:")
            connection.executescript(_TABLES)
        else:
            if write and self.path.exists() and self.path.stat().st_nlink > 1:
                with locked(self.path, "another process is writing the judgments", wait=30):
                    unlink_copies(self.path)
            connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            connection.execute("PRAGMA trusted_schema=OFF")
            if write:
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("BEGIN IMMEDIATE")  # one writer at a time, from the first look on
                for statement in _TABLES.split(";")[:-1]:
                    connection.execute(statement)
            self._check_content(connection)
            with connection:
                yield connection
        except sqlite3.OperationalError as error:
            said = " ".join(str(error).split())
            raise InputError(f"the judgments cannot be used now ({said})", str(self.path)) from None
        except (sqlite3.Error, UnicodeError) as error:
            raise self._damaged(str(error)) from None
        finally:
            connection.close()

    def _check_files(self) -> None:
        """Raise InputError if a file that SQLite would open is a link, or if its journal is none of this database.

        SQLite deletes the file that a journal of several databases names, and makes a database as long as its journal
        says. Journals that are made here name no file, and say how long the database was before it grew.
        """
        for end in ("", "-journal", "-wal", "-shm"):
            path = inside(self.folder, f"{FILE}{end}")
            if end == "-journal" and path.exists():
                with open(path, "rb") as journal:
                    head = journal.read(28)
                    journal.seek(max(os.fstat(journal.fileno()).st_size - len(_MAGIC), 0))
                    tail = journal.read()
                pages, page = (int.from_bytes(head[at : at + 4], "big") for at in (16, 24))
                there = self.path.stat().st_size if self.path.exists() else 0
                if tail == _MAGIC or (head.startswith(_MAGIC) and pages * page > max(there, 1 << 20)):
                    raise InputError("this journal is not one of these judgments: remove it", str(path))

    def _check_content(self, db: sqlite3.Connection) -> None:
        """Raise InputError unless the tables are those that are made here, sound, and hold what they should."""
        tables = {name: " ".join(sql.split()) for name, sql in db.execute("SELECT name, sql FROM sqlite_master") if sql}
        if tables != _TABLES_BY_NAME:
            raise self._damaged("it has other tables")
        (answer,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if answer != "ok":
            raise self._damaged(answer)
        if db.execute("PRAGMA foreign_key_check").fetchone():
            raise self._damaged("a judgment is of a query that is not there")
        wrong = db.execute(
            "SELECT 'query ' || rowid FROM query WHERE typeof(name) != 'text' OR typeof(text) != 'text' UNION ALL "
            "SELECT 'judgment ' || id FROM judgment WHERE typeof(query) != 'text' OR typeof(document) != 'text' OR "
            "(undoes IS NULL AND (typeof(grade) != 'real' OR abs(grade) > 1e300)) OR typeof(judge) != 'text' OR "
            "typeof(time) != 'text' OR typeof(undoes) NOT IN ('null', 'integer') LIMIT 1"
        ).fetchone()
        if wrong:
            raise self._damaged(f"{wrong[0]} is not as it was written")

    def _damaged(self, what: str) -> InputError:
        said = " ".join(what.split())  # SQLite's answers have several lines
        return InputError(f"not a judgments file written by Rankine, or damaged ({said})", str(self.path))

    def query(self, text: str) -> str:
        """The name of a query; a new one gets the next number."""
        with self._open(write=True) as db:
            row = db.execute("SELECT name FROM query WHERE text = ?", (text,)).fetchone()
            if row:
                return str(row[0])
            taken = {n for (n,) in db.execute("SELECT name FROM query")}
            number = 1
            while str(number) in taken:
                number += 1
            db.execute("INSERT INTO query VALUES (?, ?)", (str(number), text))
            return str(number)

    def add(self, query: str, document: str, grade: float, judge: str = "") -> int:
        """Store a judgment; returns its number, by which it can be undone."""
        return self.add_all([(query, document, grade)], judge)

    def undo(self, number: int) -> None:
        """Take a judgment back; the one before it counts again."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._open(write=True) as db:
            db.execute(
                "INSERT INTO judgment (query, document, judge, time, undoes) "
                "SELECT query, document, judge, ?, id FROM judgment WHERE id = ?", (now, number),
            )  # fmt: skip

    def add_all(self, rows: Sequence[tuple[str, str, float]], judge: str = "") -> int:
        """Store several judgments, all or none; returns the number of the last."""
        with self._open(write=True) as db:
            return self._insert(db, rows, judge)

    def _insert(self, db: sqlite3.Connection, rows: Sequence[tuple[str, str, float]], judge: str) -> int:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        names = {n for (n,) in db.execute("SELECT name FROM query")}
        for query, _, _ in rows:
            if query not in names:
                raise InputError(f"a judgment of the query {query!r}, which is not known", str(self.path))
        db.executemany(
            "INSERT INTO judgment (query, document, grade, judge, time) VALUES (?, ?, ?, ?, ?)",
            [(q, d, g, judge, now) for q, d, g in rows],
        )
        return int(db.execute("SELECT MAX(id) FROM judgment").fetchone()[0] or 0)

    def all(self) -> Judged:
        """Queries, and for each the grades that count."""
        with self._open() as db:
            queries = dict(db.execute("SELECT name, text FROM query ORDER BY rowid"))
            rows = db.execute(
                "SELECT query, document, grade FROM judgment WHERE undoes IS NULL "
                "AND id NOT IN (SELECT undoes FROM judgment WHERE undoes IS NOT NULL) ORDER BY id"
            ).fetchall()
        qrels: dict[str, dict[str, float]] = {name: {} for name in queries}
        for query, document, grade in rows:  # the last one counts
            qrels[query].pop(document, None)
            qrels[query][document] = float(grade)
        return Judged(queries, qrels)

    def add_judged(self, judged: Judged, judge: str = "") -> None:
        """Store queries and their judgments, all or none; a name that has another text here is an InputError.

        A text has one name: judgments of a query whose text has another name here are stored under that.
        """
        with self._open(write=True) as db:
            there = dict(db.execute("SELECT name, text FROM query"))
            name_of = {text: name for name, text in there.items()}
            for name, text in judged.queries.items():
                if there.get(name, text) != text:
                    raise InputError(
                        f"the query {name} is {shorten(there[name])} here and {shorten(text)} there", str(self.path)
                    )
                if text not in name_of:
                    name_of[text] = name
                    db.execute("INSERT INTO query VALUES (?, ?)", (name, text))
            names = {name: name_of[text] for name, text in judged.queries.items()}
            self._insert(
                db, [(names.get(q, q), d, g) for q, grades in judged.qrels.items() for d, g in grades.items()], judge
            )

    def check(self) -> None:
        """Let SQLite check its file; raise InputError if it is damaged."""
        if self.path.exists():
            with self._open() as db:
                (answer,) = db.execute("PRAGMA integrity_check").fetchone()
                if answer != "ok":
                    raise self._damaged(answer)


def read_queries(path: str | Path) -> dict[str, str]:
    """Queries of a file: a name, a tab and the query on each line."""
    queries: dict[str, str] = {}
    text = decoded(Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf"), str(path))
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name, _, query = (part.strip() for part in line.partition("\t"))
        if "\t" not in line or not query or not name or any(c.isspace() for c in name):
            raise InputError(f"expected a name, a tab and a query, got {shorten(line)}", f"{path}, line {number}")
        if name in queries:
            raise InputError(f"the query {name} is there twice", f"{path}, line {number}")
        queries[name] = query
    if not queries:
        raise InputError("no queries", str(path))
    return queries


def read_qrels(path: str | Path) -> dict[str, dict[str, float]]:
    """Grades of a TREC qrels file, by query and document; negative grades are left out."""
    from ...io import load_qrels

    table = load_qrels(path)
    out: dict[str, dict[str, float]] = {}
    for query, document, grade in zip(table.query.tolist(), table.document.tolist(), table.value.tolist(), strict=True):
        if grade >= 0:
            out.setdefault(table.query_ids[query], {})[table.document_ids[document]] = float(grade)
    return out
