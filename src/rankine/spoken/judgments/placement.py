"""Judgments of an archive's places in the state that it is in now: what they mean, and which of them mean nothing here.

A judgment is stored with the number of its recording, so it stays with a recording that gets another name
(:func:`..store.recordings.identify_recordings`). It is *orphaned* when its recording was deleted, when no recording has
its name, or when it has no place at its times any more. It is kept and listed, counts again when its place returns, and
can be adopted: a new judgment by the same judge, of another place, stands for it then.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ...errors import InputError, nearest, shorten
from ..index.reader import Index
from ..learn.agreement import Agreement, agreements
from ..learn.judgment_rows import Judgment, deciding, last_of_each, standing
from ..learn.judgments import Judged, JudgmentStore
from ..recordings.places import place_name, places_of, read_place_name, segment
from .places import meaning

ADOPTION = "adoption of judgments"
PlaceKey = tuple[str, tuple[int, int | None]]  # a query; a recording and a place of it (None: the best one)


class OrphanedJudgment(NamedTuple):
    """A judgment whose place is not in the archive, the text of its query, and why."""

    judgment: Judgment
    text: str
    reason: str


class Disagreement(NamedTuple):
    """A place to which judges gave different grades; ``grade`` is the one that learning uses."""

    query: str
    recording: str
    grades: dict[str, float]
    grade: float


class PlacedJudgments:
    """The judgments that count, each at its place in the archive as it is now."""

    def __init__(self, index: Index, book: JudgmentStore) -> None:
        self.index, self.queries = index, book.queries()
        self._names: dict[int, str] = {}
        self._meanings: dict[int, tuple[int, int | None]] = {}
        self.rows: list[Judgment] = []
        self.orphans: list[OrphanedJudgment] = []
        for row in standing(book.rows()):
            reason = self._place(row)
            if reason:
                self.orphans.append(OrphanedJudgment(row, self.queries[row.query], reason))
            else:
                self.rows.append(row)

    def _place(self, row: Judgment) -> str:
        """Note what a judgment means; why it means nothing here, else empty."""
        if row.replaced:
            return "the recording was deleted, and another one has its name"
        if row.gone:
            return "the recording was deleted"
        number = self.index.numbers.get(row.recording)
        if number is None:
            return "no recording has this name"
        name = row.target
        if not row.place and row.start is not None and row.end is not None and len(places_of(self.index, number)) > 1:
            name = place_name(row.recording, row.start, row.end, 2)  # it was one place when it was judged
        meant = meaning(self.index, name)
        if meant is None:
            return "the recording has no place at these times"
        self._names[row.row], self._meanings[row.row] = name, meant
        return ""

    def _key(self, row: Judgment) -> tuple[int, int | None]:
        return self._meanings[row.row]

    def judged(self) -> Judged:
        """Queries, and for each the grades that count, by the names of places that are here."""
        qrels: dict[str, dict[str, float]] = {name: {} for name in self.queries}
        for row in deciding(self.rows, self._key):
            qrels[row.query][self._names[row.row]] = 0.0 if row.grade is None else row.grade
        return Judged(self.queries, qrels)

    @property
    def deciding_orphans(self) -> list[Judgment]:
        """The orphaned judgments that would count if their places were here."""
        return deciding(orphan.judgment for orphan in self.orphans)

    def seen(self, text: str) -> set[tuple[int, int | None]]:
        """The places (numbers of recording and place) that somebody has judged for a query, or was unsure about."""
        return {self._key(row) for row in self.rows if self.queries[row.query] == text}

    @property
    def by_judge(self) -> dict[str, dict[PlaceKey, float]]:
        """The last grade of each place, by judge, and by query and place; without those that are unsure."""
        out: dict[str, dict[PlaceKey, float]] = {}
        for row in last_of_each(self.rows, self._key).values():
            if row.grade is not None:
                out.setdefault(row.judge, {})[row.query, self._key(row)] = row.grade
        return out

    def agreement(self) -> list[Agreement]:
        """Cohen's kappa of each pair of judges who have judged a place in common."""
        return agreements(self.by_judge)

    def disagreements(self) -> list[Disagreement]:
        """The places to which judges gave different grades, by query."""
        grades: dict[PlaceKey, dict[str, float]] = {}
        for judge, some in self.by_judge.items():
            for key, grade in some.items():
                grades.setdefault(key, {})[judge] = grade
        final = {(row.query, self._key(row)): row for row in deciding(self.rows, self._key)}
        return [
            Disagreement(self.queries[query], self._names[row.row], some, float(row.grade or 0.0))
            for (query, place), some in grades.items()
            if len(set(some.values())) > 1 and (row := final[query, place])
        ]


def judged_times(index: Index, recording: str) -> tuple[float, float] | None:
    """The seconds of the place that a name means now; None where it means none, or has no times."""
    meant = meaning(index, recording)
    if meant is None or meant[1] is None:
        return None
    where = segment(index, meant[1])
    return (where.start, where.end) if where.end == where.end else None


def check_judged(index: Index, recording: str) -> str:
    """Why the judgment of a place is orphaned at once, empty if it is not; InputError where nothing ever had the name.

    A page that was opened before the archive changed may send such judgments.
    """
    if meaning(index, recording) is not None:
        return ""
    try:
        name = read_place_name(recording, index.numbers, index.utterances_of).recording
    except InputError as error:
        raise InputError(f"{recording!r} names no place: {error.message}") from None
    return "the recording has no place at these times" if name in index.numbers else f"{name!r} is not in the archive"


def adopt(
    index: Index, book: JudgmentStore, orphans: Collection[OrphanedJudgment], target: str, by: str = ""
) -> list[Judgment]:
    """Let judgments of places in ``target``, a recording or a place, stand for orphaned ones; the new judgments.

    Of a recording it is the place at the same times. Judges and times of judgments stay; ``by`` is who adopts. It is
    one change, which can be undone.
    """
    if not orphans:
        raise InputError("there is no such orphaned judgment")
    new = [_adopting(index, orphan.judgment, target) for orphan in orphans]
    texts = {orphan.judgment.query: orphan.text for orphan in orphans}
    number = book.add_rows(new, texts, ADOPTION, by)
    return [row for row in book.rows() if row.number == number]


def _adopting(index: Index, row: Judgment, target: str) -> Judgment:
    """The judgment that stands for one whose place is gone."""
    name = target
    if target in index.numbers and row.place:
        name = f"{target}@{row.place}"
    elif target in index.numbers and row.start is not None and row.end is not None:
        name = place_name(target, row.start, row.end, 2) if len(places_of(index, index.numbers[target])) > 1 else target
    if meaning(index, name) is None:
        hint = "" if target in index.numbers else nearest(target, index.numbers)
        raise InputError(f"there is no place {shorten(name, 80)} in the archive: give a recording and times.{hint}")
    recording = read_place_name(name, index.numbers, index.utterances_of).recording
    place = name[len(recording) + 1 :]
    times = judged_times(index, name) or (None, None)
    return row._replace(recording=recording, place=place, start=times[0], end=times[1], adopts=row.row)


def orphans_of(orphans: Sequence[OrphanedJudgment], name: str) -> list[OrphanedJudgment]:
    """The orphaned judgments of a recording or of a place by its name, or the one with a number."""
    return [
        orphan for orphan in orphans
        if name in (orphan.judgment.recording, orphan.judgment.target, str(orphan.judgment.number))
    ]  # fmt: skip
