"""Judgments as they are kept: who said what about which place, when, and what was shown to them.

Which judgment counts
    Of each judge the last judgment of a place counts. One that is *unsure* takes the judge's earlier one back and says
    nothing itself: the place counts as unjudged by them. Where judges disagree, the grade that learning uses is the one
    that was given last; all are kept. To settle a disagreement is to judge once more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from ..store.store import undone

UNSURE = -1.0  # as a grade in the store; TREC's qrels have negative grades for what is unjudged
_COLUMNS = (
    "judgment.batch, judgment.id, coalesce(judgment.time, batch.time), coalesce(judge, who), query, "
    "coalesce(name, was), place, grade, start, stop, rank, coalesce(weights, ''), adopts"
)
_JOINED = "judgment JOIN recording ON recording.id = recording JOIN batch ON batch.id = judgment.batch"
_TAKEN = "was IN (SELECT name FROM recording WHERE name NOTNULL)"


class Judgment(NamedTuple):
    """A row of the history of judgments.

    ``number`` is that of the change by which it came, and can be undone by; ``row`` is its own. ``recording`` has the
    name that it has now, or had last. ``grade`` None: the judge was unsure. ``start`` and ``end`` are the seconds of
    the place when it was judged, ``rank`` and ``weights`` what was shown then; where they are not known they are None
    and empty. ``adopts`` is the row whose place is gone and that this one stands for. ``gone``: another recording has
    its name now, or none. ``counts``: it was not undone. ``undoes``: it is an undo of this change.
    """

    number: int
    row: int
    time: str
    judge: str
    query: str
    recording: str
    place: str
    grade: float | None
    start: float | None = None
    end: float | None = None
    rank: int | None = None
    weights: str = ""
    adopts: int | None = None
    gone: bool = False
    replaced: bool = False
    counts: bool = True
    undoes: int | None = None

    @property
    def target(self) -> str:
        """The name of the place: ``RECORDING``, or ``RECORDING@START-END``."""
        return f"{self.recording}@{self.place}" if self.place else self.recording


def all_rows(db: sqlite3.Connection, query: str | None = None) -> list[Judgment]:
    """All judgments, the oldest first, those that were undone too; of one query by its name, or of all."""
    without, only = undone(db), "" if query is None else "WHERE query = ?"
    rows = db.execute(
        f"SELECT {_COLUMNS}, name ISNULL, name ISNULL AND {_TAKEN}, 1, NULL FROM {_JOINED} {only} ORDER BY judgment.id",
        () if query is None else (query,),
    )
    out = []
    for values in rows:
        row = Judgment(*values)
        grade = None if row.grade is None or row.grade < 0 else row.grade
        gone, replaced = bool(row.gone), bool(row.replaced)
        out.append(row._replace(grade=grade, gone=gone, replaced=replaced, counts=row.number not in without))
    return out


def with_undos(db: sqlite3.Connection, rows: Iterable[Judgment]) -> list[Judgment]:
    """The same rows, and one for each undo of one of them, in the order in which it was done."""
    by_batch: dict[int, list[Judgment]] = {}
    for row in rows:
        by_batch.setdefault(row.number, []).append(row)
    without = undone(db)
    undos = db.execute("SELECT id, time, who, undoes FROM batch WHERE undoes NOTNULL ORDER BY id").fetchall()
    for number, time, who, undoes in undos:
        if undoes in by_batch:
            by_batch[number] = [
                row._replace(number=number, time=time, judge=who, undoes=undoes, counts=number not in without)
                for row in by_batch[undoes]
            ]
    return [row for number in sorted(by_batch) for row in by_batch[number]]


def standing(rows: Iterable[Judgment]) -> list[Judgment]:
    """The judgments that count: neither undone nor adopted by another that counts."""
    there = [row for row in rows if row.counts and row.undoes is None]
    adopted = {row.adopts for row in there}
    return [row for row in there if row.row not in adopted]


def last_of_each(
    rows: Iterable[Judgment], key: Callable[[Judgment], Hashable] = lambda row: row.target
) -> dict[tuple[str, Hashable, str], Judgment]:
    """The last judgment by query, place (the ``key``) and judge; the oldest first."""
    out: dict[tuple[str, Hashable, str], Judgment] = {}
    for row in rows:
        at = row.query, key(row), row.judge
        out.pop(at, None)
        out[at] = row
    return out


def deciding(rows: Iterable[Judgment], key: Callable[[Judgment], Hashable] = lambda row: row.target) -> list[Judgment]:
    """The judgment of each query and place that learning uses; the oldest first."""
    out: dict[tuple[str, Hashable], Judgment] = {}
    for (query, place, _), row in last_of_each(rows, key).items():
        if row.grade is not None:
            out.pop((query, place), None)
            out[query, place] = row
    return list(out.values())
