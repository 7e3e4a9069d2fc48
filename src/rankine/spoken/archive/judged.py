"""An archive whose hits are judged: who said what, agreement, orphaned judgments, and what to judge next."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InputError
from ..learn.weights import shipped
from .hits import Hit
from .searched import SearchedArchive

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ..learn.agreement import Agreement
    from ..learn.judgment_rows import Judgment
    from .judged_queries import JudgedQuery, NextPlace
    from .judging import Disagreement, OrphanedJudgment, PlacedJudgments


class KeptJudgment(NamedTuple):
    """A judgment that is on disk: its number, by which it can be undone, and why it is orphaned (empty: it is not).

    ``repeated``: the judge had said the same before, and nothing was stored.
    """

    number: int
    repeated: bool = False
    orphaned: str = ""


class JudgedArchive(SearchedArchive):
    """An archive whose hits are judged."""

    @property
    def weights_id(self) -> str:
        """The identity of the weights that search uses, learned or shipped."""
        return (self.weights or shipped(self.kinds)).id

    def judge(
        self,
        query: str,
        place: Hit | str,
        grade: float | None,
        by: str = "",
        *,
        rank: int | None = None,
        weights: str | None = None,
    ) -> KeptJudgment:
        """Judge a place for a query; it is on disk when the call returns.

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
        from .judging import check_judged, judged_times

        name = place.segment if isinstance(place, Hit) else place
        orphaned = check_judged(self.index, name)
        times = judged_times(self.index, name) or (None, None)
        shown = {
            "rank": place.rank if rank is None and isinstance(place, Hit) else rank,
            "weights": self.weights_id if weights is None else weights, "start": times[0], "end": times[1],
        }  # fmt: skip
        stored = self.judgments.judge(" ".join(query.split()), name, grade, by, **shown)
        return KeptJudgment(stored.number, stored.repeated, orphaned)

    def undo_judgment(self, number: int, by: str = "") -> None:
        """Take a judgment back, by its number; what the judge said before counts again. ``by`` is the judge."""
        self.judgments.undo(number, by)

    def judgment_history(self, query: str | None = None) -> list[Judgment]:
        """All judgments and undos in order, of one query by its text or of all."""
        return self.judgments.history(query)

    def placed_judgments(self) -> PlacedJudgments:
        """The judgments that count, at their places in the archive as it is now, and those whose places are gone."""
        from .judging import PlacedJudgments

        return PlacedJudgments(self.index, self.judgments)

    def agreement(self) -> list[Agreement]:
        """Cohen's kappa of each pair of judges who have judged a place in common."""
        return self.placed_judgments().agreement()

    def disagreements(self) -> list[Disagreement]:
        """The places to which judges gave different grades."""
        return self.placed_judgments().disagreements()

    @property
    def orphaned_judgments(self) -> list[OrphanedJudgment]:
        """Judgments whose places are not in the archive, and why; they are kept."""
        return self.placed_judgments().orphans

    def adopt_judgments(self, orphans: Collection[OrphanedJudgment] | str, to: str, by: str = "") -> list[Judgment]:
        """Let judgments of other places stand for orphaned ones; one change, which can be undone.

        Args:
            orphans: some of :attr:`orphaned_judgments`, or all of a recording or place by its name.
            to: the recording that has the places now, or a place.
            by: who does it; the judges stay the same.
        """
        from .judging import adopt, orphans_of

        some = orphans_of(self.orphaned_judgments, orphans) if isinstance(orphans, str) else orphans
        if isinstance(orphans, str) and not some:
            raise InputError(f"no orphaned judgment is of {orphans!r}", str(self.folder))
        return adopt(self.index, self.judgments, some, to, by)

    def judged_queries(self) -> list[JudgedQuery]:
        """All queries with their numbers of judgments, and their AP and nDCG@10 by the weights in use."""
        from .judged_queries import judged_queries

        judged, weights = self.placed_judgments().judged(), self.weights or shipped(self.kinds)
        return judged_queries(self.index, judged, weights, self.counting_hearings)

    def judge_next(
        self, query: str | None = None, n: int = 10, report: Callable[[int], None] = lambda done: None
    ) -> list[NextPlace]:
        """The places to judge next: those of which rankers disagree most, of one query or of all that were asked.

        ``report`` gets the number of queries done.
        """
        from .judged_queries import next_places

        if n < 1:
            raise InputError(f"n must be at least 1, got {n}")
        placed = self.placed_judgments()
        if query is not None:
            self.parse(query)
        texts = list(placed.queries.values()) if query is None else [" ".join(query.split())]
        return next_places(
            self.index, placed, texts, n, self.weights or shipped(self.kinds), self.counting_hearings, report
        )
