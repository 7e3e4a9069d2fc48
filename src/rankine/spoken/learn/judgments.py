"""Judgments of an archive's users: queries, and who judged which place how and when, in the archive's store.

No judgment is overwritten: of several of the same query and place the last one counts, whoever gave it
(:mod:`.judgment_rows`). When it is undone, the judgment before it counts again.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, is_utf8, nearest, shorten
from ..store.store import Batch, Store, login_name, split_place, undone
from ..text import decoded
from .judgment_rows import UNSURE, Judgment, all_rows, deciding, standing, with_undos

LONGEST_QUERY, LONGEST_NAME = 10_000, 200  # characters
HIGHEST = 9  # grade that a person gives; files may have others


class Judged(NamedTuple):
    """Queries by name, and the grades of the places that were judged for each."""

    queries: dict[str, str]
    qrels: dict[str, dict[str, float]]

    @property
    def n_judgments(self) -> int:
        """How many there are."""
        return sum(map(len, self.qrels.values()))

    def within(self, targets: Container[str]) -> Judged:
        """Only the judgments of these recordings and places.

        >>> Judged({"1": "words"}, {"1": {"monday": 1.0, "tuesday": 0.0}}).within({"monday"}).qrels
        {'1': {'monday': 1.0}}
        """
        qrels = {q: {d: g for d, g in grades.items() if d in targets} for q, grades in self.qrels.items()}
        return Judged(self.queries, qrels)

    def check(self, targets: Collection[str], where: str | None = None) -> None:
        """Raise InputError if a judgment is of a query that is not known here, or not of one of the targets."""
        for name, grades in self.qrels.items():
            if name not in self.queries:
                raise InputError(f"judgments of the query {name!r}, which is not among the queries", where)
            unknown = next((d for d in grades if d not in targets), None)
            if unknown is not None:
                raise InputError(
                    f"query {name}: a judgment of {unknown!r}, which is not in the archive."
                    f"{nearest(unknown, targets)}", where,
                )  # fmt: skip


class StoredJudgment(NamedTuple):
    """The number of a judgment, by which it can be undone, and whether it was there already."""

    number: int
    repeated: bool = False


class JudgmentStore:
    """The judgments in an archive's store; every change is on disk when the call returns.

    ``names`` are those of the archive's recordings: they tell where the name of a recording ends and a place begins.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = JudgmentStore(folder)
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
            return _query_name(batch, text)

    def add(self, query: str, target: str, grade: float, judge: str = "") -> int:
        """Store a judgment; returns its number, by which it can be undone."""
        return self.add_all([(query, target, grade)], judge)

    def judge(self, text: str, target: str, grade: float | None, judge: str = "", **shown: Any) -> StoredJudgment:
        """Store the judgment of a recording or place for a query by its text.

        A judgment that says what the judge's last one of this target said is not stored again: a program that does
        not know whether its judgment was stored can send it once more.

        Args:
            text: the query.
            target: a recording, or a place in it. One that is not in the archive any more may be judged; its
                judgment is kept with it.
            grade: None where the judge is unsure.
            judge: the name of the judge.
            shown: ``rank``, ``weights`` (their id), ``start`` and ``end`` (seconds) of what was shown.
        """
        checked_grade(grade)
        check_name(judge)
        if not text.strip() or len(text) > LONGEST_QUERY or not is_utf8(text):
            raise InputError(f"expected a query of 1 to {LONGEST_QUERY:,} characters, got {shorten(text)}")
        name, place = split_place(target, self.names)
        with self.store.writing("judgment", judge) as batch:
            recording = batch.recording(name) if name in self.names else batch.last_recording(name)
            query, value = _query_name(batch, text), UNSURE if grade is None else float(grade)
            if (same := _repeated(batch, query, recording, place, judge, value)) is not None:
                return StoredJudgment(same, repeated=True)
            shown = {"stop" if key == "end" else key: v for key, v in shown.items()}
            row = {"query": query, "recording": recording, "place": place, "grade": value, **shown}
            batch.add("judgment", [row])
            return StoredJudgment(batch.id)

    def undo(self, number: int, judge: str = "") -> None:
        """Take a judgment back, by its number; the one before it counts again.

        Only the judge who gave it does that, or whoever imported or adopted it.
        """
        judges = {row.judge for row in self.history() if row.number == number}
        if not judges:
            raise InputError(f"there is no judgment {number} to undo", str(self.store.folder))
        who = next(batch.who for batch in self.store.batches() if batch.id == number)
        if judge != who and judges != {judge}:
            givers = " or ".join(name or "(no name)" for name in sorted({who, *(judges if len(judges) == 1 else ())}))
            raise InputError(
                f"expected the judge who gave judgment {number}, {givers}, to take it back; got {judge or '(no name)'}",
                str(self.store.folder),
            )
        self.store.undo(number, judge)

    def add_all(self, rows: Sequence[tuple[str, str, float]], judge: str = "") -> int:
        """Store several judgments, all or none; returns the number by which they can be undone."""
        with self.store.writing("judgment", judge) as batch:
            return self._insert(batch, rows)

    def _insert(self, batch: Batch, rows: Sequence[tuple[str, str, float]]) -> int:
        names = {n for (n,) in batch.db.execute("SELECT name FROM query")}
        values = []
        for query, target, grade in rows:
            if query not in names:
                raise InputError(f"a judgment of the query {query!r}, which is not known", str(batch.path))
            name, place = split_place(target, self.names)
            recording = batch.recording(name)
            values.append({"query": query, "recording": recording, "place": place, "grade": float(grade)})
        batch.add("judgment", values)
        return batch.id

    def add_rows(self, rows: Iterable[Judgment], texts: dict[str, str], what: str, judge: str = "") -> int:
        """Store judgments with their own judges and times, all or none; returns the number by which they are undone.

        ``texts`` are those of their queries, by the names in the rows. Rows that are there already are left out. The
        number is 0 if all are. Where no ``judge`` is given and rows have judges, the change is the logged-in user's:
        nobody else takes back what several judges said.
        """
        rows = list(rows)
        judge = judge or (login_name() if any(row.judge for row in rows) else "")
        with self.store.writing(what, judge) as batch:
            there = {_content(row, row.query) for row in standing(all_rows(batch.db))}
            names = {name: _query_name(batch, text) for name, text in texts.items()}
            values = []
            for row in rows:
                if _content(row, names[row.query]) in there:
                    continue
                there.add(_content(row, names[row.query]))
                values.append({
                    "query": names[row.query], "recording": batch.recording(row.recording), "place": row.place,
                    "grade": UNSURE if row.grade is None else row.grade, "start": row.start, "stop": row.end,
                    "rank": row.rank, "weights": row.weights or None, "judge": row.judge, "time": row.time,
                    "adopts": row.adopts,
                })  # fmt: skip
            batch.add("judgment", values)
            return batch.id if values else 0

    # -- reading

    def queries(self) -> dict[str, str]:
        """The texts of all queries, by name."""
        with self.store.reading() as db:
            return dict(db.execute("SELECT name, text FROM query ORDER BY rowid"))

    def rows(self) -> list[Judgment]:
        """All judgments with all that is known of them, the oldest first; also those that were undone."""
        with self.store.reading() as db:
            return all_rows(db)

    def history(self, query: str | None = None) -> list[Judgment]:
        """What was judged and undone, in order; of one query by its text, or of all."""
        with self.store.reading() as db:
            if query is None:
                return with_undos(db, all_rows(db))
            row = db.execute("SELECT name FROM query WHERE text = ?", (" ".join(query.split()),)).fetchone()
            if row is None:
                raise InputError(f"no query {shorten(query)} was judged here", str(self.store.path))
            return with_undos(db, all_rows(db, row[0]))

    def all(self) -> Judged:
        """Queries, and for each the grades that count."""
        with self.store.reading() as db:
            queries = dict(db.execute("SELECT name, text FROM query ORDER BY rowid"))
            rows = all_rows(db)
        qrels: dict[str, dict[str, float]] = {name: {} for name in queries}
        for row in deciding(row for row in standing(rows) if not row.replaced):
            qrels[row.query][row.target] = 0.0 if row.grade is None else row.grade
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


def checked_grade(grade: float | None) -> None:
    """Raise InputError unless a grade is one that a person can give."""
    if grade is not None and not (math.isfinite(grade) and 0 <= grade <= HIGHEST):
        raise InputError(
            f"expected a grade from 0 (not relevant) over 1 (relevant) to {HIGHEST}, or None for unsure; got {grade}"
        )


def check_name(judge: str) -> None:
    """Raise InputError unless a text can be the name of a judge."""
    if len(judge) > LONGEST_NAME or not judge.isprintable():
        raise InputError(f"expected a name of at most {LONGEST_NAME} characters, in one line; got {shorten(judge)}")


def _query_name(batch: Batch, text: str) -> str:
    """The name of a query; a new one gets the next number."""
    row = batch.db.execute("SELECT name FROM query WHERE text = ?", (text,)).fetchone()
    if row:
        return str(row[0])
    taken = {n for (n,) in batch.db.execute("SELECT name FROM query")}
    number = 1
    while str(number) in taken:
        number += 1
    batch.db.execute("INSERT INTO query VALUES (?, ?)", (str(number), text))
    return str(number)


def _repeated(batch: Batch, query: str, recording: int, place: str, judge: str, grade: float) -> int | None:
    """The number of the judge's last judgment of a place, if it says the same and came by itself; None if not."""
    rows = batch.db.execute(
        "SELECT judgment.id, judgment.batch, grade, judge FROM judgment JOIN batch ON batch.id = judgment.batch "
        "WHERE query = ? AND recording = ? AND place = ? AND coalesce(judge, who) = ? ORDER BY judgment.id",
        (query, recording, place, judge),
    ).fetchall()
    gone = undone(batch.db, batch.id)
    last = next((row for row in reversed(rows) if row[1] not in gone), None)
    alone = last is not None and last[3] is None and batch.db.execute(
        "SELECT count(*) FROM judgment WHERE batch = ?", (last[1],)
    ).fetchone() == (1,)  # fmt: skip
    return int(last[1]) if last is not None and alone and last[2] == grade else None


def _content(row: Judgment, query: str) -> tuple[Any, ...]:
    """What makes two judgments the same."""
    return query, row.recording, row.place, row.grade, row.judge, row.time, row.adopts


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
