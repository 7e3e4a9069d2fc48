"""Judgments of an archive's users: queries, and who judged which document how, when. Kept in SQLite, never overwritten.

A later judgment of the same query and document by the same judge takes the place of an earlier one; of several judges
the last one counts. An undo is a judgment without a grade.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, shorten

FILE = "judgments.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS query (name TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS judgment (
    id INTEGER PRIMARY KEY, query TEXT NOT NULL REFERENCES query(name), document TEXT NOT NULL, grade REAL,
    judge TEXT NOT NULL, time TEXT NOT NULL);
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
    ...     book.add(name, "monday", 1, "ann")
    ...     book.all().qrels
    {'1': {'monday': 1.0}}
    """

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / FILE

    @contextmanager
    def _open(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        if not write and not self.path.exists():
            connection = sqlite3.connect(":memory:")
            connection.executescript(_TABLES)
        else:
            connection = sqlite3.connect(self.path, timeout=30)
        try:
            if write:
                connection.execute("PRAGMA synchronous=FULL")
                connection.executescript(_TABLES)
            with connection:
                yield connection
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

    def add(self, query: str, document: str, grade: float | None, judge: str = "") -> None:
        """Write down a judgment; a grade of None takes the last one back."""
        self.add_all([(query, document, grade)], judge)

    def add_all(self, rows: list[tuple[str, str, float | None]], judge: str = "") -> None:
        """Write down several, all or none."""
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

    def all(self) -> Judged:
        """Queries, and for each the grades that count."""
        with self._open() as db:
            queries = dict(db.execute("SELECT name, text FROM query ORDER BY rowid"))
            latest: dict[tuple[str, str, str], float | None] = {}
            order: dict[tuple[str, str], list[str]] = {}
            for query, document, grade, judge in db.execute(
                "SELECT query, document, grade, judge FROM judgment ORDER BY id"
            ):
                latest[query, document, judge] = grade
                judges = order.setdefault((query, document), [])
                judges[:] = [j for j in judges if j != judge] + [judge]
        qrels: dict[str, dict[str, float]] = {name: {} for name in queries}
        for (query, document), judges in order.items():
            grades = [latest[query, document, j] for j in judges]
            standing = [g for g in grades if g is not None]
            if standing:
                qrels[query][document] = float(standing[-1])
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
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        key, _, text = (part.strip() for part in line.partition("\t"))
        if "\t" not in line or not text or not key or any(c.isspace() for c in key):
            raise InputError(f"expected a name, a tab and a query, got {shorten(line)}", f"{path}, line {number}")
        if key in asked:
            raise InputError(f"the query {key} is there twice", f"{path}, line {number}")
        asked[key] = text
    if not asked:
        raise InputError("no queries", str(path))
    return asked


def read_qrels(path: str | Path) -> dict[str, dict[str, float]]:
    """Grades of a TREC qrels file, by query and document; negative ones are no judgments."""
    from ..io import load_qrels

    table = load_qrels(path)
    out: dict[str, dict[str, float]] = {}
    for query, document, grade in zip(table.query.tolist(), table.document.tolist(), table.value.tolist(), strict=True):
        if grade >= 0:
            out.setdefault(table.query_ids[query], {})[table.document_ids[document]] = float(grade)
    return out
