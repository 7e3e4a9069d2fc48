"""Judgments of an archive's users: queries, and who judged which document how, when. Kept in SQLite, never overwritten.

Of several judgments of the same query and document the last one counts, whoever gave it. An undo is a row that names
the judgment it takes back; what stood before it stands again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, shorten
from ..text import decoded

FILE = "judgments.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS query (name TEXT PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS judgment (
    id INTEGER PRIMARY KEY, query TEXT NOT NULL REFERENCES query(name), document TEXT NOT NULL, grade REAL,
    judge TEXT NOT NULL, time TEXT NOT NULL, undoes INTEGER);
"""


class Judged(NamedTuple):
    """Queries by name, and the grades of documents that were judged for each."""

    queries: dict[str, str]
    qrels: dict[str, dict[str, float]]

    @property
    def n_judgments(self) -> int:
        """How many there are."""
        return sum(map(len, self.qrels.values()))


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
        self.path = Path(folder) / FILE

    @contextmanager
    def _open(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        if not write and (not self.path.exists() or self.path.stat().st_size == 0):
            connection = sqlite3.connect(":memory:")
            connection.executescript(_TABLES)
        else:
            connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            if write:
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("BEGIN IMMEDIATE")  # one writer at a time, from the first look on
                for statement in _TABLES.split(";")[:-1]:
                    connection.execute(statement)
            with connection:
                yield connection
        except sqlite3.OperationalError as error:
            raise InputError(f"the judgments cannot be used now ({error})", str(self.path)) from None
        except sqlite3.DatabaseError as error:
            raise InputError(f"the judgments are damaged or not ours ({error})", str(self.path)) from None
        finally:
            connection.close()

    def query(self, text: str) -> str:
        """The name of a query; a new one gets the next number."""
        with self._open(write=True) as db:
            found = db.execute("SELECT name FROM query WHERE text = ?", (text,)).fetchone()
            if found:
                return str(found[0])
            taken = {n for (n,) in db.execute("SELECT name FROM query")}
            number = 1
            while str(number) in taken:
                number += 1
            db.execute("INSERT INTO query VALUES (?, ?)", (str(number), text))
            return str(number)

    def add(self, query: str, document: str, grade: float, judge: str = "") -> int:
        """Write down a judgment; its number, by which it can be undone."""
        return self.add_all([(query, document, grade)], judge)

    def undo(self, number: int) -> None:
        """Take a judgment back; what stood before it stands again."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._open(write=True) as db:
            db.execute(
                "INSERT INTO judgment (query, document, judge, time, undoes) "
                "SELECT query, document, judge, ?, id FROM judgment WHERE id = ?", (now, number),
            )  # fmt: skip

    def add_all(self, rows: Sequence[tuple[str, str, float]], judge: str = "") -> int:
        """Write down several, all or none; the number of the last."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._open(write=True) as db:
            known = {n for (n,) in db.execute("SELECT name FROM query")}
            for query, _, _ in rows:
                if query not in known:
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

    def add_queries(self, queries: Mapping[str, str]) -> None:
        """Take over queries with their names; one that is there with another text is an error."""
        with self._open(write=True) as db:
            there = dict(db.execute("SELECT name, text FROM query"))
            for name, text in queries.items():
                if there.get(name, text) != text:
                    raise InputError(
                        f"the query {name} is {shorten(there[name])} here and {shorten(text)} there", str(self.path)
                    )
            db.executemany("INSERT OR IGNORE INTO query VALUES (?, ?)", list(queries.items()))

    def check(self) -> None:
        """Have SQLite check its file."""
        if self.path.exists():
            with self._open() as db:
                (answer,) = db.execute("PRAGMA integrity_check").fetchone()
                if answer != "ok":
                    raise InputError(f"the judgments are damaged: {answer}", str(self.path))


def read_queries(path: str | Path) -> dict[str, str]:
    """Queries of a file: a name, a tab and the query on each line."""
    asked: dict[str, str] = {}
    text = decoded(Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf"), str(path))
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        key, _, asked_for = (part.strip() for part in line.partition("\t"))
        if "\t" not in line or not asked_for or not key or any(c.isspace() for c in key):
            raise InputError(f"expected a name, a tab and a query, got {shorten(line)}", f"{path}, line {number}")
        if key in asked:
            raise InputError(f"the query {key} is there twice", f"{path}, line {number}")
        asked[key] = asked_for
    if not asked:
        raise InputError("no queries", str(path))
    return asked


def read_qrels(path: str | Path) -> dict[str, dict[str, float]]:
    """Grades of a TREC qrels file, by query and document; negative ones are no judgments."""
    from ...io import load_qrels

    table = load_qrels(path)
    out: dict[str, dict[str, float]] = {}
    for query, document, grade in zip(table.query.tolist(), table.document.tolist(), table.value.tolist(), strict=True):
        if grade >= 0:
            out.setdefault(table.query_ids[query], {})[table.document_ids[document]] = float(grade)
    return out
