"""Judgments of an archive's users: queries, and who judged which document how and when, in the archive's store.

No judgment is overwritten: of several of the same query and document the last one counts, whoever gave it. When it is
undone, the judgment before it counts again.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, nearest, shorten
from ..store import Batch, Store, split_place, undone
from ..text import decoded


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
    """The judgments in an archive's store; every change is on disk when the call returns.

    ``names`` are those of the archive's documents: they tell where the name of a document ends and a place begins.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = Judgments(folder)
    ...     name = book.query("spoken words")
    ...     _ = book.add(name, "monday", 1, "ann")
    ...     book.all().qrels
    {'1': {'monday': 1.0}}
    """

    def __init__(self, folder: str | Path, names: Container[str] = ()) -> None:
        self.store, self.names = Store(folder), names

    def query(self, text: str) -> str:
        """The name of a query; a new one gets the next number."""
        with self.store.writing("query") as batch:
            row = batch.db.execute("SELECT name FROM query WHERE text = ?", (text,)).fetchone()
            if row:
                return str(row[0])
            taken = {n for (n,) in batch.db.execute("SELECT name FROM query")}
            number = 1
            while str(number) in taken:
                number += 1
            batch.db.execute("INSERT INTO query VALUES (?, ?)", (str(number), text))
            return str(number)

    def add(self, query: str, document: str, grade: float, judge: str = "") -> int:
        """Store a judgment; returns its number, by which it can be undone."""
        return self.add_all([(query, document, grade)], judge)

    def undo(self, number: int) -> None:
        """Take a judgment back; the one before it counts again."""
        self.store.undo(number)

    def add_all(self, rows: Sequence[tuple[str, str, float]], judge: str = "") -> int:
        """Store several judgments, all or none; returns the number by which they can be undone."""
        with self.store.writing("judgment", judge) as batch:
            return self._insert(batch, rows)

    def _insert(self, batch: Batch, rows: Sequence[tuple[str, str, float]]) -> int:
        names = {n for (n,) in batch.db.execute("SELECT name FROM query")}
        values = []
        for query, document, grade in rows:
            if query not in names:
                raise InputError(f"a judgment of the query {query!r}, which is not known", str(batch.path))
            name, place = split_place(document, self.names)
            recording = batch.recording(name)
            values.append({"query": query, "recording": recording, "place": place, "grade": float(grade)})
        batch.add("judgment", values)
        return batch.id

    def all(self) -> Judged:
        """Queries, and for each the grades that count."""
        with self.store.reading() as db:
            queries = dict(db.execute("SELECT name, text FROM query ORDER BY rowid"))
            gone = undone(db)
            rows = db.execute(
                "SELECT batch, query, coalesce(name, was), place, grade FROM judgment "
                "JOIN recording ON recording.id = recording WHERE name NOTNULL OR was NOT IN "
                "(SELECT name FROM recording WHERE name NOTNULL) ORDER BY judgment.id"
            ).fetchall()
        qrels: dict[str, dict[str, float]] = {name: {} for name in queries}
        for batch, query, name, place, grade in rows:  # the last one counts
            if batch not in gone:
                document = f"{name}@{place}" if place else name
                qrels[query].pop(document, None)
                qrels[query][document] = float(grade)
        return Judged(queries, qrels)

    def add_judged(self, judged: Judged, judge: str = "") -> None:
        """Store queries and their judgments, all or none; a name that has another text here is an InputError.

        A text has one name: judgments of a query whose text has another name here are stored under that.
        """
        with self.store.writing("import of judgments", judge) as batch:
            there = dict(batch.db.execute("SELECT name, text FROM query"))
            name_of = {text: name for name, text in there.items()}
            for name, text in judged.queries.items():
                if there.get(name, text) != text:
                    raise InputError(
                        f"the query {name} is {shorten(there[name])} here and {shorten(text)} there", str(batch.path)
                    )
                if text not in name_of:
                    name_of[text] = name
                    batch.db.execute("INSERT INTO query VALUES (?, ?)", (name, text))
            names = {name: name_of[text] for name, text in judged.queries.items()}
            self._insert(
                batch, [(names.get(q, q), d, g) for q, grades in judged.qrels.items() for d, g in grades.items()]
            )

    def check(self) -> None:
        """Check the store; raise InputError if it is damaged."""
        self.store.check()


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
