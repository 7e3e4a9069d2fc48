"""Pages of results: the places that a query finds, grouped by recordings, from one recording of the ranking on.

By relevance the recordings stand in order of their best places, and the places of each in order of their scores. By
time the best places of all stand in order of the dates of their recordings, then by name and time. Only hits know how
certain they are, so a filter of certainties makes hits in the order of the ranking until it has enough of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ..hearings.hearings import HeardIndex
from ..index.reader import Index
from ..learn.weights import Weights
from ..query.suggestions import Suggestion
from ..recordings.places import documents_of
from .filters import DocumentFilter
from .hits import CERTAINTIES, Hit, described
from .query_scores import HeardQuery
from .ranking import RankedPlace, best_places_of, largest
from .search import query_notes, suggestions_for, why_no_hits

SORTS = ("relevance", "time")
IN_TIME = 100  # places that are sorted by time: the best ones
MOST_MADE = 400  # hits that are made to find those of a certainty
_AT_ONCE = 10  # recordings


class PageRequest(NamedTuple):
    """What a page shows: how many recordings from which on, how many places of each, and of which certainties."""

    k: int = 10
    offset: int = 0
    per_recording: int = 3
    sort: str = SORTS[0]
    certainties: tuple[str, ...] = CERTAINTIES

    def check(self) -> None:
        """Raise InputError for what no page can show."""
        for name in ("k", "per_recording"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.offset < 0:
            raise InputError(f"offset must be at least 0, got {self.offset}")
        if self.sort not in SORTS:
            raise InputError(f"sort must be one of {', '.join(SORTS)}, got {self.sort!r}")
        wrong = [name for name in self.certainties if name not in CERTAINTIES]
        if wrong or not self.certainties:
            raise InputError(f"certainty must be among {', '.join(CERTAINTIES)}, got {', '.join(wrong) or 'none'}")


FIRST_PAGE = PageRequest()


class RecordingHits(NamedTuple):
    """Hits in one recording; ``more``: it has further places."""

    recording: str
    hits: list[Hit]
    more: bool


class ResultPage(NamedTuple):
    """Some recordings with their hits, whether others follow, and how many recordings and places have any evidence."""

    groups: list[RecordingHits]
    more: bool
    recordings: int
    places: int
    notes: list[str]
    suggestions: dict[str, list[Suggestion]]


def result_page(
    index: Index,
    weights: Weights,
    text: str,
    documents: DocumentFilter,
    page: PageRequest = FIRST_PAGE,
    hearings: Sequence[HeardIndex] = (),
) -> ResultPage:
    """A page of the results of a query; one that cannot be read is an InputError, filters that leave none a note."""
    page.check()
    whole, (index, hearings) = index, documents.views(index, hearings)
    heard = HeardQuery(index, text, weights, hearings)
    notes = query_notes(whole, heard.query, documents)
    suggestions = suggestions_for(index, heard.query, hearings)
    try:
        mask = documents.also(heard.query.fields).mask(index)
    except InputError as error:
        return ResultPage([], False, 0, 0, [*notes, error.message], suggestions)
    places = _ScoredPlaces(index, *heard.scored(None, mask))
    if len(places.places) == 0:
        notes.append(f"nothing found: {why_no_hits(index, text, documents)}")
        return ResultPage([], False, 0, 0, notes, suggestions)
    making = _PageMaking(heard, page)
    groups = making.by_time(places) if page.sort == "time" else making.by_relevance(places)
    if page.sort == "time" and len(places.places) > IN_TIME:
        notes.append(f"the {IN_TIME} best places in order of time")
    if making.exhausted:
        notes.append(f"looked at the {MOST_MADE} best places only, for these certainties")
    counts = places.n_documents, len(places.places)
    return ResultPage(_numbered(groups), making.more, *counts, notes, suggestions)


def _numbered(groups: Sequence[RecordingHits]) -> list[RecordingHits]:
    """Groups whose hits have the ranks 1, 2, … in the order of the page."""
    ranks = count(1)
    return [group._replace(hits=[replace(hit, rank=next(ranks)) for hit in group.hits]) for group in groups]


class _ScoredPlaces:
    """Places with scores, by document."""

    def __init__(self, index: Index, places: np.ndarray, scores: np.ndarray) -> None:
        self.index, self.places, self.scores = index, places, np.round(scores, 12)
        self.documents = documents_of(index, places)
        self.best = np.full(len(index), -np.inf)
        np.maximum.at(self.best, self.documents, self.scores)
        self.there = np.flatnonzero(self.best > -np.inf)
        self.n_documents = len(self.there)

    def best_documents(self, k: int) -> list[int]:
        """The numbers of the k best documents, the best first; equal ones by name."""
        rows = largest(self.best[self.there], k, lambda i: self.index.name_of(int(self.there[i])))
        return self.there[rows].tolist()

    def of(self, document: int) -> list[RankedPlace]:
        """The places of a document, the best first."""
        rows = np.flatnonzero(self.documents == document)
        rows = rows[np.lexsort((self.places[rows], -self.scores[rows]))]
        return list(zip(self.places[rows].tolist(), self.scores[rows].tolist(), strict=True))


class _PageMaking:
    """Makes the groups of a page; ``more`` where others follow, ``exhausted`` where not all were looked at."""

    def __init__(self, heard: HeardQuery, page: PageRequest) -> None:
        self.heard, self.index, self.page = heard, heard.index, page
        self.filtered = set(page.certainties) != set(CERTAINTIES)
        self.made = 0
        self.exhausted = self.more = False

    def by_relevance(self, places: _ScoredPlaces) -> list[RecordingHits]:
        """Recordings in order of their best places."""
        last = self.page.offset + self.page.k
        if not self.filtered:
            self.more = places.n_documents > last
            return self._groups(places, places.best_documents(last)[self.page.offset :])
        groups: list[RecordingHits] = []
        ranked = places.best_documents(min(places.n_documents, MOST_MADE))
        for at in range(0, len(ranked), _AT_ONCE):
            groups += [group for group in self._groups(places, ranked[at : at + _AT_ONCE]) if group.hits]
            if len(groups) > last or self.made >= MOST_MADE:
                break
        self.more = len(groups) > last
        self.exhausted = not self.more and self.made >= MOST_MADE
        return groups[self.page.offset : last]

    def _groups(self, places: _ScoredPlaces, documents: Sequence[int]) -> list[RecordingHits]:
        own = {document: places.of(document) for document in documents}
        most = 4 * self.page.per_recording if self.filtered else self.page.per_recording
        hits = iter(self._hits([place for some in own.values() for place in some[:most]]))
        groups = []
        for document, some in own.items():
            passing = [hit for hit in _take(hits, min(len(some), most)) if self._passes(hit)]
            shown = passing[: self.page.per_recording]
            more = len(some) > most or len(passing) > len(shown)
            groups.append(RecordingHits(self.index.name_of(document), shown, more))
        return groups

    def by_time(self, places: _ScoredPlaces) -> list[RecordingHits]:
        """The best places of all in order of the dates of their recordings, then by name and time."""
        best = best_places_of(self.index, places.places, places.scores, IN_TIME)
        by_recording: dict[str, list[Hit]] = {}
        for hit in self._hits(best):
            if self._passes(hit):
                by_recording.setdefault(hit.document, []).append(hit)
        order = sorted(
            by_recording, key=lambda name: (not by_recording[name][0].date, by_recording[name][0].date, name)
        )
        groups = []
        self.more = len(order) > self.page.offset + self.page.k
        for name in order[self.page.offset : self.page.offset + self.page.k]:
            hits = sorted(by_recording[name], key=lambda hit: (hit.start != hit.start, hit.start))
            shown = hits[: self.page.per_recording]
            groups.append(RecordingHits(name, shown, len(hits) > len(shown)))
        return groups

    def _hits(self, ranking: Sequence[RankedPlace]) -> list[Hit]:
        self.made += len(ranking)
        numbers = documents_of(self.index, np.array([place for place, _ in ranking], np.int64)).tolist()
        return described(self.index, numbers, self.heard.hits(ranking))

    def _passes(self, hit: Hit) -> bool:
        return hit.certainty in self.page.certainties


def _take(hits: Iterator[Hit], n: int) -> list[Hit]:
    return [next(hits) for _ in range(n)]
