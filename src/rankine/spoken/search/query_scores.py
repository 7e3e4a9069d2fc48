r"""Ranking by all hearings of an archive that count.

A place's score is :math:`s(x) + \sum_h \lambda_h s_h(x)`: that of the archive's own hearing, and of each further one
times its weight. All of them are by the same weights of the weak rankers, each from its own index. It is a sum, so it
is exact. Where several places of a further index are one of the own places, the largest of their scores counts.

A place has what a query requires (phrases, near words) if one of the hearings has all of it there. It is left out if
one of them holds what the query excludes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ...errors import InputError
from ..hearings.hearings import HeardIndex
from ..index import schema
from ..index.evidence import QueryEvidence
from ..index.occurrences import occurrences
from ..index.reader import Index
from ..learn.weights import Weights
from ..query.terms import SpokenQuery
from ..recordings.places import recordings_of, segment
from .hits import Hit, make_hit
from .ranking import (
    RankedPlace,
    allowed_places,
    best_places_of,
    contributions,
    largest,
    parse_query,
    place_key,
    place_table,
    scored_places,
    weak_rankers,
)
from .requirements import mask as matching_places


class FurtherScores:
    """What a further hearing gives to a query: own places (rising), scores there, and its own places that have them."""

    def __init__(
        self, own: Index, hearing: HeardIndex, text: str, weights: Weights, candidates: int | None = None
    ) -> None:
        self.name, self.weight, self.index, self.same = hearing.name, hearing.weight, hearing.index, hearing.same
        self.query: SpokenQuery | None = None
        places, scores = np.zeros(0, np.int64), np.zeros(0)
        try:
            self.query = parse_query(self.index, text, own)
            places, scores = scored_places(self.index, self.query, weights, candidates=candidates)
        except InputError:
            if self.query is not None:
                raise  # a query that has no words here, such as the beginning of one, is one without evidence
        values = np.full(int(self.index.places_before[-1]), -np.inf)
        values[places] = scores
        pairs = np.flatnonzero(values[self.same.further] > -np.inf)
        mine, other = self.same.own[pairs], self.same.further[pairs]
        order = np.lexsort((other, -values[other], mine))
        first = order[np.diff(mine[order], prepend=-1) > 0]
        self.places, self.at = mine[first], other[first]
        self.scores = values[self.at]

    def holding(self, places: np.ndarray, excludes: bool) -> np.ndarray:
        """Which own places have all that the query requires, or (``excludes``) hold what it excludes."""
        out = np.zeros(len(places), np.bool_)
        if self.query is None:
            return out
        pairs = np.flatnonzero(np.isin(self.same.own, places))
        rows = np.unique(self.same.further[pairs])
        passes = np.zeros(int(self.index.places_before[-1]), np.bool_)
        passes[rows] = matching_places(self.index, self.query, rows, excludes) != excludes
        return np.isin(places, self.same.own[pairs][passes[self.same.further[pairs]]])

    def table(self, places: np.ndarray, names: Sequence[str] | None) -> np.ndarray:
        """The weighted columns of own places (rising), of which some have evidence here."""
        width = len(weak_rankers(self.index.kinds)) if names is None else len(names)
        out = np.zeros((len(places), width))
        if self.query is None or not len(self.places):
            return out
        rows = np.searchsorted(self.places, places).clip(max=len(self.places) - 1)
        there = self.places[rows] == places
        other, back = np.unique(self.at[rows[there]], return_inverse=True)
        out[there] = self.weight * place_table(self.index, self.query, other, names)[back]
        return out

    def score_at(self, place: int) -> float:
        """The weighted score of an own place; 0 where this hearing has no evidence."""
        at = int(np.searchsorted(self.places, place))
        there = at < len(self.places) and self.places[at] == place
        return self.weight * float(self.scores[at]) if there else 0.0

    def hit(self, own: Index, place: int, rank: int, score: float, parts: dict[str, float]) -> Hit | None:
        """The hit at an own place with words, times and snippet of this hearing; None where it has no evidence."""
        at = int(np.searchsorted(self.places, place))
        if self.query is None or at >= len(self.places) or self.places[at] != place:
            return None
        heard = make_hit(self.index, self.query, int(self.at[at]), rank, score, parts)
        where = segment(own, place)
        part = where.part
        return replace(
            heard, recording=part.texts(schema.RECORDING_NAME)[where.recording],
            utterance=part.texts(schema.UTTERANCE_NAME)[where.row], audio=part.texts(schema.AUDIO)[where.row],
            segment=where.name, place=where.named(heard.start, heard.end),
        )  # fmt: skip


def is_said(hearing: HeardIndex, word: str) -> bool:
    """Whether a further hearing has a word in a place of the archive."""
    said = occurrences(hearing.index, hearing.index.kinds[0], [word]).places
    return bool(np.isin(hearing.same.further, said).any())


def unheard_words(index: Index, query: SpokenQuery, hearings: Sequence[HeardIndex]) -> list[str]:
    """The words of a query that no hearing has, where not all words of another alternative were heard."""
    kind = index.kinds[0]
    terms = [
        term for term in query.terms
        if not term.sounds and not term.of_number
        and not any(all(index.has(kind, [word]) for word in some.words) for some in term.alternatives)
    ]  # fmt: skip
    words = dict.fromkeys(word for term in terms for word in term.alternatives[0].words)
    return [
        word for word in words
        if not index.has(kind, [word]) and not any(is_said(hearing, word) for hearing in hearings)
    ]  # fmt: skip


class HeardQuery:
    """A query in an archive: the ranking of places by all hearings that count, and what makes hits of them."""

    def __init__(
        self,
        index: Index,
        text: str,
        weights: Weights,
        hearings: Sequence[HeardIndex] = (),
        candidates: int | None = None,
        query: SpokenQuery | None = None,
    ) -> None:
        self.index, self.weights, self.candidates = index, weights, candidates
        self.query = parse_query(index, text) if query is None else query
        self.further = [FurtherScores(index, hearing, text, weights, candidates) for hearing in hearings]
        self.evidence = QueryEvidence(index, self.query, weights.by_name)
        self.own: tuple[np.ndarray, np.ndarray] | None = None

    def occurs(self) -> bool:
        """Whether anything in the query occurs, in any kind of units."""
        own = any(self.index.has(kind, self.query.units(kind)) for kind in self.index.kinds)
        return own or any(len(further.places) for further in self.further)

    def ranking(self, k: int | None, recordings: np.ndarray | None) -> list[RankedPlace]:
        """The k best places (None: all) of recordings (a mask), and their scores."""
        return best_places_of(self.index, *self.scored(k, recordings), k)

    def scored(self, k: int | None, recordings: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Places of recordings (a mask) and their scores, in no order; the k best (None: all) are among them."""
        if not self.further:
            allowed = partial(allowed_places, self.index, self.query, recordings)
            return scored_places(self.index, self.query, self.weights, k, allowed, self.candidates, self.evidence)
        places, scores = self.fused()
        keep = np.ones(len(places), np.bool_) if recordings is None else recordings[recordings_of(self.index, places)]
        keep[keep] = self._allowed(places[keep])
        return places[keep], scores[keep]

    def fused(self) -> tuple[np.ndarray, np.ndarray]:
        """All places where a hearing has evidence, rising, and the sums of their scores."""
        places, own = self._own()
        n = int(self.index.places_before[-1])
        scores, there = np.zeros(n), np.zeros(n, np.bool_)
        scores[places], there[places] = own, True
        for further in self.further:
            scores[further.places] += further.weight * further.scores
            there[further.places] = True
        every = np.flatnonzero(there)
        return every, scores[every]

    def best(self, most: int, recordings: np.ndarray | None = None) -> np.ndarray:
        """The places with the largest scores, rising, at most so many, of those with what the query requires."""
        places, scores = self.scored(None, recordings)
        kept = largest(np.round(scores, 12), most, place_key(self.index, places))
        return np.sort(places[kept])

    def table(self, places: np.ndarray, names: Sequence[str] | None = None) -> np.ndarray:
        """The columns (by default all) of places (rising): of the own hearing, plus those of others by their weights.

        The weighted sum of a row is the place's score, for weights on scores that are not normalised. Of several places
        of a further index that are one of the own, the row is that of the one with the largest score.
        """
        out = place_table(self.index, self.query, places, names)
        for further in self.further:
            out += further.table(places, names)
        return out

    def _own(self) -> tuple[np.ndarray, np.ndarray]:
        """The places with evidence of the own hearing, and their scores; kept for the next call."""
        if self.own is None:
            self.own = scored_places(
                self.index, self.query, self.weights, candidates=self.candidates, evidence=self.evidence
            )
        return self.own

    def _allowed(self, places: np.ndarray) -> np.ndarray:
        """Which places have what the query requires."""
        required = matching_places(self.index, self.query, places, excludes=False)
        kept = matching_places(self.index, self.query, places, excludes=True)
        for further in self.further:
            required |= further.holding(places, excludes=False)
            kept &= ~further.holding(places, excludes=True)
        return required & kept

    def hits(self, ranking: Sequence[RankedPlace]) -> list[Hit]:
        """Hits for places of a ranking, without what is said about their recordings.

        A place where the own hearing has no evidence, or not what is required, has its words from the further hearing
        that gives it most.
        """
        places = np.array([place for place, _ in ranking], np.int64)
        by_own = np.isin(places, self._own()[0]) if self.further else np.ones(len(places), np.bool_)
        parts: list[dict[str, float]] = [{} for _ in ranking]
        own = np.flatnonzero(by_own).tolist()
        given = contributions(
            self.index, self.query, self.weights, places[by_own].tolist(), self.candidates, self.evidence
        )
        for at, part in zip(own, given, strict=True):
            parts[at] = part
        if self.further:
            rising = np.argsort(places)
            by_own[rising] &= matching_places(self.index, self.query, places[rising])
        return [
            self._hit(place, rank, score, part, mine)
            for rank, ((place, score), part, mine) in enumerate(zip(ranking, parts, by_own.tolist(), strict=True), 1)
        ]

    def _hit(self, place: int, rank: int, score: float, parts: dict[str, float], mine: bool) -> Hit:
        given = {further.name: further.score_at(place) for further in self.further}
        parts |= {f"heard by {name}": amount for name, amount in given.items() if amount}
        if not mine:
            for further in sorted(self.further, key=lambda further: -given[further.name]):
                hit = further.hit(self.index, place, rank, score, parts)
                if hit is not None and further.holding(np.array([place]), excludes=False)[0]:
                    return hit
        return make_hit(self.index, self.query, place, rank, score, parts)
