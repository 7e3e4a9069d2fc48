"""The judgments of an archive: which places answer which queries, said by whom."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InputError
from ..judgments.files import (
    ImportedJudgments,
    import_judgments,
    is_table_of_judgments,
    write_judgments,
    write_qrels,
)
from ..judgments.placement import (
    Disagreement,
    OrphanedJudgment,
    PlacedJudgments,
    adopt,
    check_judged,
    judged_times,
    orphans_of,
)
from ..judgments.places import JudgedNames, judged_places, named_place
from ..judgments.queries import JudgedQuery, NextPlace, judged_queries, next_places
from ..learn.judgments import Judged, JudgmentStore
from ..search.hits import Hit
from ..search.ranking import parse_query

if TYPE_CHECKING:
    from ..learn.agreement import Agreement
    from ..learn.judgment_rows import Judgment
    from .open_archive import OpenArchive


class KeptJudgment(NamedTuple):
    """A judgment that is on disk: its number, by which it can be undone, and why it is orphaned (empty: it is not).

    ``repeated``: the judge had said the same before, and nothing was stored.
    """

    number: int
    repeated: bool = False
    orphaned: str = ""


class Judgments:
    """The judgments of an archive: ``archive.judgments``. ``store`` holds them as they were given."""

    def __init__(self, opened: OpenArchive) -> None:
        self.opened = opened
        self.store = JudgmentStore(opened.folder, opened.index.numbers)

    # -- judging

    def add(
        self,
        query: str,
        place: Hit | str,
        grade: float | None,
        by: str = "",
        *,
        rank: int | None = None,
        weights: str | None = None,
    ) -> KeptJudgment:
        """Judge a place for a query; the judgment is on disk when the call returns.

        A judgment that repeats the judge's last one of this place is not stored again. One of a place that is not in
        the archive any more is kept as orphaned.

        Args:
            query: its text.
            place: a hit, or the name of a place as hits have it (``segment``), or of a recording.
            grade: 1 relevant, 0 not, 2 and 3 for more than relevant; None: unsure, which counts as unjudged.
            by: the name of the judge.
            rank: the rank that the place was shown at; by default the hit's.
            weights: the id of the weights of the ranking that was shown; by default of those in use.
        """
        name = place.segment if isinstance(place, Hit) else place
        orphaned = check_judged(self.opened.index, name)
        start, end = judged_times(self.opened.index, name) or (None, None)
        shown_rank = place.rank if rank is None and isinstance(place, Hit) else rank
        shown_weights = self.opened.weights_in_use.id if weights is None else weights
        stored = self.store.judge(
            " ".join(query.split()), name, grade, by, rank=shown_rank, weights=shown_weights, start=start, end=end
        )
        return KeptJudgment(stored.number, stored.repeated, orphaned)

    def add_query(self, text: str) -> str:
        """Note that a query was asked, whether or not its places are judged later; return its name."""
        return self.store.query(text)

    def add_judged(self, judged: Judged, by: str = "", where: str | None = None) -> None:
        """Store queries and their judgments, all or none.

        A name that has another text here is an InputError, and so is a judgment of what is not in the archive, or of
        no query; ``where`` they stand is named in the error.
        """
        with_own_queries = Judged({**self.queries(), **judged.queries}, judged.qrels)
        with_own_queries.check(JudgedNames(self.opened.index), where)
        if judged.queries or judged.qrels:
            self.store.add_judged(judged, by)

    def import_table(self, path: str | os.PathLike, by: str = "", encoding: str | None = None) -> ImportedJudgments:
        """Store the judgments of a table, all or none; those that are there already are not stored again.

        ``by`` is who gave those whose cell is empty. A row that cannot be used is an InputError that names its line.
        """
        return import_judgments(self.opened.index, self.store, path, by, encoding)

    def export(self, path: str | os.PathLike) -> int:
        """Write the judgments to a CSV, TSV, JSON or JSON lines file, by its ending, else as qrels; return how many."""
        if is_table_of_judgments(path):
            return write_judgments(path, self.placed())
        judged = self.all()
        write_qrels(str(path), judged)
        return judged.n_judgments

    def undo(self, number: int, by: str = "") -> None:
        """Take a judgment back, by its number; what the judge said before counts again. ``by`` is the judge."""
        self.store.undo(number, by)

    def adopt(self, orphans: Collection[OrphanedJudgment] | str, to: str, by: str = "") -> list[Judgment]:
        """Let judgments of other places stand for orphaned ones; one change, which can be undone.

        Args:
            orphans: some of :attr:`orphans`, or all of a recording or place by its name.
            to: the recording that has the places now, or a place.
            by: who does it; the judges stay the same.
        """
        some = orphans_of(self.orphans, orphans) if isinstance(orphans, str) else orphans
        if isinstance(orphans, str) and not some:
            raise InputError(f"no orphaned judgment is of {orphans!r}", str(self.opened.folder))
        return adopt(self.opened.index, self.store, some, to, by)

    # -- reading

    def all(self) -> Judged:
        """Return the queries, and for each the grades that count."""
        return self.store.all()

    def queries(self) -> dict[str, str]:
        """Return the texts of all queries, by name."""
        return self.store.queries()

    def history(self, query: str | None = None) -> list[Judgment]:
        """Return all judgments and undos in order, of one query by its text or of all."""
        return self.store.history(query)

    def grades(self, query: str, hits: Sequence[Hit]) -> dict[str, float]:
        """Return the grades that hits of a query have now, by their segments; that of a recording is its best hit's.

        ``query`` is the name of the query, as :meth:`add_query` returns it.
        """
        index = self.opened.index
        places = {hit.segment: named_place(index, hit.segment) for hit in hits}
        best: dict[int, int | None] = {}
        for hit in hits:
            best.setdefault(index.number_of(hit.recording), places[hit.segment])
        given = self.all().qrels.get(query, {})
        by_place = judged_places(index, given, best.get)
        grades = {name: given.get(name) if place is None else by_place.get(place) for name, place in places.items()}
        return {name: grade for name, grade in grades.items() if grade is not None}

    def placed(self) -> PlacedJudgments:
        """Return the judgments that count, at their places in the archive as it is now, and the orphaned ones."""
        return PlacedJudgments(self.opened.index, self.store)

    @property
    def orphans(self) -> list[OrphanedJudgment]:
        """Judgments whose places are not in the archive, and why; they are kept."""
        return self.placed().orphans

    def agreement(self) -> list[Agreement]:
        """Return Cohen's kappa of each pair of judges who have judged a place in common."""
        return self.placed().agreement()

    def disagreements(self) -> list[Disagreement]:
        """Return the places to which judges gave different grades."""
        return self.placed().disagreements()

    # -- what they are good for

    def measures(self) -> list[JudgedQuery]:
        """Return all queries with their numbers of judgments, and their AP and nDCG@10 by the weights in use."""
        opened, judged = self.opened, self.placed().judged()
        return judged_queries(opened.index, judged, opened.weights_in_use, opened.counting_hearings)

    def next(
        self, query: str | None = None, n: int = 10, report: Callable[[int], None] = lambda done: None
    ) -> list[NextPlace]:
        """Return the places to judge next: those of which rankers disagree most.

        Args:
            query: look at this one; by default at all that were asked.
            n: how many places.
            report: is called with the number of queries done.
        """
        if n < 1:
            raise InputError(f"n must be at least 1, got {n}")
        opened, placed = self.opened, self.placed()
        if query is not None:
            parse_query(opened.index, query)
        texts = list(placed.queries.values()) if query is None else [" ".join(query.split())]
        return next_places(opened.index, placed, texts, n, opened.weights_in_use, opened.counting_hearings, report)
