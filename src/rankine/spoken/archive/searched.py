"""An archive that is opened: what it holds, and searching it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..index.reader import Index
from ..index.settings import Settings
from ..learn.judgments import Judgments
from ..learn.weights import Weights, shipped
from .filters import DocumentFilter
from .grouping import DEFAULT as COMBINATION
from .grouping import RecordingGroups
from .hearings import FurtherHearing, HeardIndex, counting, hearings_of
from .hits import Hit
from .ranking import CANDIDATES, find_candidates, parse_query, place_table, weak_rankers
from .result_pages import FIRST_PAGE, PageRequest, ResultPage, result_page
from .rights import not_open
from .search import search
from .shelf import Shelf
from .terms import SpokenQuery

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ...data.ranking_data import RankingData
    from .collected import Collections
    from .corrections import Corrections
    from .metadata import Metadata
    from .notes import Notes


class SearchedArchive:
    """An archive that is read; it keeps the state it was opened in until :meth:`refresh`."""

    def __init__(self, folder: str | os.PathLike) -> None:
        self.folder = Path(folder)
        self.refresh()

    def refresh(self) -> None:
        """Read what has been committed since the archive was opened."""
        self.index = Index.open(self.folder)
        not_open(self.index)  # noted from now on, whatever their names become
        for kept in ("weights", "counting_hearings"):
            self.__dict__.pop(kept, None)

    # -- what it holds

    def __len__(self) -> int:
        return len(self.index)

    @property
    def settings(self) -> Settings:
        """What was fixed when the archive was made."""
        return self.index.settings

    @property
    def kinds(self) -> list[str]:
        """Kinds of units, words first."""
        return self.index.kinds

    @property
    def ranker_names(self) -> list[str]:
        """The weak rankers, in the order of the features."""
        return weak_rankers(self.kinds)

    @property
    def documents(self) -> list[str]:
        """The names of all documents."""
        return list(self.index.names)

    @property
    def dictionary(self) -> str | None:
        """The path of the archive's own pronunciation dictionary, if it has one."""
        return self.index.dictionary

    @property
    def judgments(self) -> Judgments:
        """Queries and judgments that are kept with the archive."""
        return Judgments(self.folder, self.index.numbers)

    @property
    def about(self) -> Metadata:
        """What is said about recordings: titles, dates, speakers and other fields."""
        from .metadata import Metadata

        return Metadata(self.index)

    @property
    def corrections(self) -> Corrections:
        """What people wrote where a recogniser misheard."""
        from .corrections import Corrections

        return Corrections(self)

    @property
    def notes(self) -> Notes:
        """Notes and tags that people put on places and recordings."""
        from .notes import Notes

        return Notes(self)

    @property
    def collections(self) -> Collections:
        """Named collections of places."""
        from .collected import Collections

        return Collections(self)

    @cached_property
    def weights(self) -> Weights | None:
        """The learned weights that search uses, None where it uses the shipped ones."""
        weights = Shelf(self.folder).current()
        if weights is not None:
            weights.check(self.ranker_names)
        return weights

    @property
    def weights_in_use(self) -> Weights:
        """The weights that search uses: the learned ones, or else the shipped ones."""
        return self.weights or shipped(self.kinds)

    @property
    def hearings(self) -> list[FurtherHearing]:
        """The further hearings, by other recognisers than the first, with their weights."""
        return hearings_of(self.folder)

    @cached_property
    def counting_hearings(self) -> list[HeardIndex]:
        """The further hearings that search uses: those with a weight."""
        return counting(self.index)

    # -- searching it

    def parse(self, text: str) -> SpokenQuery:
        """A query's words and units."""
        return parse_query(self.index, text)

    def candidates(self, query: SpokenQuery, most: int = CANDIDATES) -> np.ndarray:
        """Numbers of the best places by the shipped weights, at most so many, rising."""
        return find_candidates(self.index, query, most)

    def score(self, query: SpokenQuery, places: np.ndarray) -> np.ndarray:
        """All weak rankers' scores of these places (rising numbers), a row each."""
        return place_table(self.index, query, places)

    def search(
        self,
        text: str,
        k: int = 10,
        *,
        speaker: str | None = None,
        since: str | None = None,
        until: str | None = None,
        weights: Mapping[str, float] | None = None,
        candidates: int | None = None,
        per_recording: int | None = None,
        combination: str = COMBINATION,
        explain: bool = False,
        closed: bool = False,
    ) -> list[Hit]:
        """The k best places for a query, by the grammar of queries.

        Args:
            text: the query.
            k: how many hits.
            speaker: only documents of this speaker; the whole name or words of it.
            since: only documents of this day, month or year (2026-11-16, 2026-11, 2026) or later.
            until: only documents of this day, month or year or earlier.
            weights: of the weak rankers' scores as they are; by default the learned ones, or else the shipped ones.
            candidates: score only so many places (at least k), the best by the shipped weights, not all. Weights that
                are learned on normalised scores have as many as in learning.
            per_recording: group places by recordings: the k best recordings, each with at most so many places.
            combination: what makes the score of a recording of its places' (``archive.grouping.COMBINATIONS``).
            explain: whether hits tell the parts of their scores in words.
            closed: also what recordings hold that are closed or given on request (:mod:`.rights`): for their keeper.
        """
        if weights is None:
            used = self.weights_in_use
        else:
            used = Weights.of(weights, self.ranker_names)
        grouping = None if per_recording is None else RecordingGroups(per_recording, combination)
        documents = DocumentFilter.of(speaker, since, until, closed)
        return search(self.index, used, text, k, documents, candidates, grouping, explain, self.counting_hearings)

    def result_page(self, text: str, documents: DocumentFilter, page: PageRequest = FIRST_PAGE) -> ResultPage:
        """A page of the results of a query: recordings with their best places."""
        return result_page(self.index, self.weights_in_use, text, documents, page, self.counting_hearings)

    def features(
        self,
        queries: Mapping[str, str],
        qrels: Mapping[str, Mapping[str, float]] | None = None,
        candidates: int = CANDIDATES,
        report: Callable[[int], None] = lambda done: None,
    ) -> RankingData:
        """The weak rankers' scores of every query's candidates, as a data set; without judgments all grades are 0.

        ``report`` is called with the number of queries done.
        """
        from .examples import query_features

        return query_features(self.index, queries, qrels or {}, candidates, report)
