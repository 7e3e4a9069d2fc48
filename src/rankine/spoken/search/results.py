"""The results of a search: one object, which Python, the command line and the page show.

A :class:`SearchResults` is a sequence of hits: the k best places, or those of the k best recordings. A page of it shows
some recordings with their best places, from one recording of the ranking on. By relevance the recordings stand in order
of their scores, and the places of each in order of theirs. By time the best places of all stand in order of the dates
of their recordings, then by name and time. Only hits know how certain they are, so a filter of certainties makes hits
in the order of the ranking until it has enough of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count, islice
from typing import Any, NamedTuple, overload

import numpy as np

from ...errors import InputError, shorten
from ..hearings.hearings import HeardIndex
from ..index.evidence import QueryEvidence, evidence_names, place_evidence
from ..index.reader import Index
from ..learn.weights import Weights
from ..metadata.rights import check_readable
from ..query.suggestions import Suggestion, suggest, suggestion_line
from ..query.terms import SpokenQuery
from ..query.vocabulary import foreign
from ..recordings.places import place_at, read_place_name, recordings_of
from .explanation import ScorePart, explanation, score_parts
from .filters import RecordingFilter
from .grouping import DEFAULT, PlacesByRecording, RankedRecording, check_combination
from .hits import CERTAINTIES, Hit, described, with_full_paths
from .query_scores import HeardQuery, unheard_words
from .ranking import RankedPlace, best_places_of, candidate_features, parse_query, ranked_places
from .requirements import why_nothing

SORTS = ("relevance", "time")
IN_TIME = 100  # places that are sorted by time: the best ones
MOST_MADE = 400  # hits that are made to find those of a certainty
_AT_ONCE = 10  # recordings
_SUGGESTED = 5  # words of a query for which others are suggested
_HEAVY = ("heard", "places", "_evidence")  # what is as large as the archive


class SearchOptions(NamedTuple):
    """What a search returns: see :meth:`rankine.spoken.Archive.search`."""

    k: int = 10
    candidates: int | None = None
    per_recording: int | None = None
    combination: str = DEFAULT
    explain: bool = False

    def check(self) -> None:
        """Raise InputError for what no search can return."""
        for name in ("k", "candidates", "per_recording"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} must be at least 1, got {value}")
        check_combination(self.combination)


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


class ExplainedScore(NamedTuple):
    """The score of a place, and its parts, which sum to it."""

    score: float
    parts: list[ScorePart]


class SearchResults(Sequence[Hit]):
    """The hits of a query, and all that is told about them; what nobody asks for is not computed.

    Attributes:
        text: the query, as it was typed.
        recordings: which recordings are searched.
        view: the archive's index, as far as it may be told.
    """

    def __init__(
        self,
        index: Index,
        weights: Weights,
        text: str,
        recordings: RecordingFilter,
        hearings: Sequence[HeardIndex] = (),
        options: SearchOptions | None = None,
    ) -> None:
        self.text, self.weights, self.recordings, self.options = text, weights, recordings, options or SearchOptions()
        self.options.check()
        self._whole = index
        self.view, self._hearings = recordings.views(index, hearings)

    @cached_property
    def query(self) -> SpokenQuery:
        """What the text asks for; one that cannot be read is an InputError."""
        return parse_query(self.view, self.text)

    @cached_property
    def heard(self) -> HeardQuery:
        """The query in all hearings that count."""
        candidates = self.options.candidates
        return HeardQuery(self.view, self.text, self.weights, self._hearings, candidates, self.query)

    @cached_property
    def mask(self) -> np.ndarray | None:
        """True for the recordings that pass all filters; None: all. Filters that leave none are an InputError."""
        return self._filters.mask(self.view)

    @property
    def _filters(self) -> RecordingFilter:
        return self.recordings.also(self.query.fields)

    # -- the hits

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> list[Hit]: ...
    def __getitem__(self, at: int | slice) -> Hit | list[Hit]:
        return self.hits[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list | SearchResults) and self.hits == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.hits)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self.hits,)  # hits can go to other processes, the archive cannot

    @cached_property
    def hits(self) -> list[Hit]:
        """The hits, made at the first call; an InputError where nothing in the query occurs in the archive."""
        if self._nothing_is_open:
            return []
        if not self.heard.occurs():
            nothing = f"nothing in the query {shorten(self.text)} occurs in this archive, in any kind of units"
            raise InputError(nothing + foreign(self.view, self.query.words))
        hits = with_full_paths(self.view, self.hits_at(self.ranking))
        hits = [self._told(place, hit) for (place, _), hit in zip(self.ranking, hits, strict=True)]
        for name in _HEAVY:
            self.__dict__.pop(name, None)
        return hits

    def _told(self, place: int, hit: Hit) -> Hit:
        """The hit with its explanation, and with rank and score of its recording, where they are asked for."""
        if self.options.explain:
            hit = replace(hit, explanation=explanation(self._parts(place, hit)))
        if self.options.per_recording is not None:
            rank, score = self._ranked[hit.recording]
            hit = replace(hit, recording_rank=rank, recording_score=score)
        return hit

    @property
    def _nothing_is_open(self) -> bool:
        return len(self.view) == 0 < len(self._whole)

    @cached_property
    def ranking(self) -> list[RankedPlace]:
        """The places of the hits, with their scores."""
        if self.options.per_recording is None:
            return self.heard.ranking(self.options.k, self.mask)
        most = self.options.per_recording
        return [place for number, _ in self.groups for place in self.places.of(number)[:most]]

    @cached_property
    def groups(self) -> list[RankedRecording]:
        """The k best recordings with their scores."""
        return self.places.best(self.options.k)

    @cached_property
    def _ranked(self) -> dict[str, tuple[int, float]]:
        """Rank and score of the k best recordings, by name."""
        return {self.view.name_of(number): (rank, score) for rank, (number, score) in enumerate(self.groups, 1)}

    @cached_property
    def places(self) -> PlacesByRecording:
        """All places with any evidence, by recording."""
        places, scores = self.heard.scored(None, self.mask)
        recordings = recordings_of(self.view, places)
        return PlacesByRecording(places, scores, recordings, self.view.name_of, self.options.combination)

    def hits_at(self, ranking: Sequence[RankedPlace]) -> list[Hit]:
        """Hits at places, in this order, with what is said about their recordings."""
        numbers = recordings_of(self.view, np.array([place for place, _ in ranking], np.int64)).tolist()
        return described(self.view, numbers, self.heard.hits(ranking))

    # -- why they are hits

    def explain(self, name: str) -> ExplainedScore:
        """Why the query finds a place (its ``segment`` or ``place`` in a hit); an InputError where it does not.

        Filters do not matter. A recording that is not open is an InputError, unless the keeper searches.
        """
        place_of = read_place_name(name, self._whole.numbers, self._whole.utterances_of)
        check_readable(self._whole, place_of.recording, self.recordings.closed)
        mask = np.zeros(len(self.view), np.bool_)
        mask[self.view.number_of(place_of.recording)] = True
        scores = dict(self.heard.ranking(None, mask))
        place = place_at(self.view, place_of)
        if place not in scores:
            raise InputError(f"the query {shorten(self.text)} does not find the place {shorten(name)}")
        (hit,) = self.heard.hits([(place, scores[place])])
        return ExplainedScore(scores[place], self._parts(place, hit))

    @cached_property
    def _evidence(self) -> QueryEvidence:
        """All columns of evidence, also those without a weight: explanations tell them."""
        return QueryEvidence(self.view, self.query)

    def _parts(self, place: int, hit: Hit) -> list[ScorePart]:
        """What each term gives to the score of a hit, and what other weak rankers and further hearings give."""
        if self.weights.normalise:
            return score_parts([], hit.contributions)
        names = set(evidence_names(self.view.kinds))
        others = {name: amount for name, amount in hit.contributions.items() if name not in names}
        return score_parts(self._evidence.parts(place, self.weights.by_name), others)

    # -- what is told about them

    @property
    def remarks(self) -> list[str]:
        """All that is to be said, a line each: notes, suggestions, and why there are few hits or none."""
        lines = [*self.notes, *self.suggestion_lines]
        if self.options.candidates is not None:
            lines.append(self._candidate_recall(self.options.candidates))
        if not self.hits:
            lines.append(f"nothing found: {self.why_empty}")
        elif len(self.hits) < self.options.k and self.options.per_recording is None:
            lines.append(self._why_few(len(self.hits)))
        return [line for line in lines if line]

    @cached_property
    def notes(self) -> list[str]:
        """What was assumed about the query and its filters; a line each."""
        return [*self.query.notes, *self._filters.notes(self._whole, self.view)]

    @cached_property
    def suggestions(self) -> dict[str, list[Suggestion]]:
        """For words that nobody heard, the archive's words that are nearest to them."""
        words = unheard_words(self.view, self.query, self._hearings)[:_SUGGESTED]
        return {word: suggest(self.view, word) for word in words}

    @property
    def suggestion_lines(self) -> list[str]:
        """The suggestions in words, a line for each word that nobody heard."""
        by_sound = len(self.view.kinds) > 1
        return [suggestion_line(word, some, by_sound) for word, some in self.suggestions.items()]

    @property
    def why_empty(self) -> str:
        """What leaves nothing of the places that have any evidence, where there are no hits."""
        if len(self.view) == 0:
            return "nothing in this archive is open"
        if few := self._why_few(0):
            return few
        places = place_evidence(self.view, self.query).places
        if len(places) == 0:
            return "no place holds a word of the query, or its sounds"
        inside = places if self.mask is None else places[self.mask[recordings_of(self.view, places)]]
        if len(inside) == 0:
            return f"the filters leave none of the {len(places):,} places that have a word of the query, or its sounds"
        return why_nothing(self.view, self.query, inside) or "no weak ranker that has a weight speaks for a place"

    def _why_few(self, n_hits: int) -> str:
        """That weights on normalised scores rank only candidates, where the query and its filters leave few of them."""
        if self.weights.normalise is None or len(self.view) == 0:
            return ""
        n = len(candidate_features(self.view, self.query, self.weights)[0])
        few = f"the weights in use rank {n:,} places; the query and its filters leave {n_hits:,} of them"
        return few if n_hits < n else ""

    def _candidate_recall(self, candidates: int) -> str:
        """How many of the k best places are among so many candidates; empty where weights have their own number."""
        if self.weights.normalise is not None or len(self.view) == 0:
            return ""
        exact, lossy = (
            {place for place, _ in ranked_places(self.view, self.query, self.weights, self.options.k, self.mask, most)}
            for most in (None, candidates)
        )
        return f"of the first {len(exact):,} places of all, {len(exact & lossy):,} are among the candidates"

    # -- pages of them

    def page(self, request: PageRequest | None = None) -> ResultPage:
        """Some recordings with their best places; filters that leave none, and words that nobody said, are notes."""
        request = request or PageRequest()
        request.check()
        try:
            _ = self.mask
        except InputError as error:
            return ResultPage([], False, 0, 0, [*self.notes, error.message])
        if len(self.places) == 0:
            return ResultPage([], False, 0, 0, [*self.notes, f"nothing found: {self.why_empty}"])
        making = _PageMaking(self, request)
        groups = making.by_time() if request.sort == "time" else making.by_relevance()
        ranks = count(1)
        groups = [group._replace(hits=[replace(hit, rank=next(ranks)) for hit in group.hits]) for group in groups]
        counts = len(self.places), len(self.places.places)
        return ResultPage(groups, making.more, *counts, [*self.notes, *making.notes()])


class _PageMaking:
    """Makes the groups of a page; ``more`` where others follow, ``exhausted`` where not all were looked at."""

    def __init__(self, results: SearchResults, page: PageRequest) -> None:
        self.results, self.places, self.page = results, results.places, page
        self.filtered = set(page.certainties) != set(CERTAINTIES)
        self.made = 0
        self.exhausted = self.more = False

    def notes(self) -> list[str]:
        """Return what was not looked at; a line each."""
        notes = []
        if self.page.sort == "time" and len(self.places.places) > IN_TIME:
            notes.append(f"the {IN_TIME} best places in order of time")
        if self.exhausted:
            notes.append(f"looked at the {MOST_MADE} best places only, for these certainties")
        return notes

    def by_relevance(self) -> list[RecordingHits]:
        """Recordings in order of their scores."""
        last = self.page.offset + self.page.k
        if not self.filtered:
            self.more = len(self.places) > last
            return self._groups([recording for recording, _ in self.places.best(last)[self.page.offset :]])
        groups: list[RecordingHits] = []
        ranked = [recording for recording, _ in self.places.best(min(len(self.places), MOST_MADE))]
        for at in range(0, len(ranked), _AT_ONCE):
            groups += [group for group in self._groups(ranked[at : at + _AT_ONCE]) if group.hits]
            if len(groups) > last or self.made >= MOST_MADE:
                break
        self.more = len(groups) > last
        self.exhausted = not self.more and self.made >= MOST_MADE
        return groups[self.page.offset : last]

    def _groups(self, recordings: Sequence[int]) -> list[RecordingHits]:
        own = {recording: self.places.of(recording) for recording in recordings}
        most = 4 * self.page.per_recording if self.filtered else self.page.per_recording
        hits = self._hits([place for some in own.values() for place in some[:most]])
        groups = []
        for recording, some in own.items():
            passing = [hit for hit in islice(hits, min(len(some), most)) if self._passes(hit)]
            shown = passing[: self.page.per_recording]
            more = len(some) > most or len(passing) > len(shown)
            groups.append(RecordingHits(self.results.view.name_of(recording), shown, more))
        return groups

    def by_time(self) -> list[RecordingHits]:
        """The best places of all in order of the dates of their recordings, then by name and time."""
        best = best_places_of(self.results.view, self.places.places, self.places.scores, IN_TIME)
        by_recording: dict[str, list[Hit]] = {}
        for hit in self._hits(best):
            if self._passes(hit):
                by_recording.setdefault(hit.recording, []).append(hit)
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

    def _hits(self, ranking: Sequence[RankedPlace]) -> Iterator[Hit]:
        self.made += len(ranking)
        return iter(self.results.hits_at(ranking))

    def _passes(self, hit: Hit) -> bool:
        return hit.certainty in self.page.certainties
