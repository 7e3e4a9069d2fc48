"""Search: from the text of a query to its hits.

HeardQuery        terms, what is required and excluded, and units of every kind
    ranking       the k best places by the weighted sum of the weak rankers, of all hearings that count
    hits          for each: where in it the words are, how certain they are, and what was said around them
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import InputError, shorten
from ..hearings.hearings import HeardIndex
from ..index.evidence import TermPart, evidence_names, place_evidence, place_scores, term_parts
from ..index.reader import Index
from ..learn.weights import Weights, shipped
from ..metadata.rights import check_readable
from ..query.suggestions import Suggestion, suggest, suggestion_line
from ..query.terms import SpokenQuery, WordSequence
from ..query.vocabulary import foreign
from ..recordings.places import documents_of, place_at, read_place_name
from .explanation import ScorePart, explanation, score_parts
from .filters import DocumentFilter
from .grouping import GroupedPlace, RecordingGroups, grouped
from .hits import Hit, described, with_full_paths
from .query_scores import HeardQuery, is_said
from .ranking import candidate_features, parse_query, ranked_places
from .requirements import why_nothing

_SUGGESTED = 5  # words of a query for which others are suggested


def search(
    index: Index,
    weights: Weights,
    text: str,
    k: int,
    documents: DocumentFilter,
    candidates: int | None = None,
    grouping: RecordingGroups | None = None,
    explain: bool = False,
    hearings: Sequence[HeardIndex] = (),
) -> list[Hit]:
    """The k best places for a query (see :mod:`.query_scores`), or those of the k best recordings."""
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    if candidates is not None and candidates < 1:
        raise InputError(f"candidates must be at least 1, got {candidates}")
    whole, (index, hearings) = index, documents.views(index, hearings)
    if len(index) == 0 < len(whole):  # nothing is open
        return []
    heard = HeardQuery(index, text, weights, hearings, candidates)
    if not heard.occurs():
        nothing = f"nothing in the query {shorten(text)} occurs in this archive, in any kind of units"
        raise InputError(nothing + foreign(index, heard.query.words))
    ranking = heard.ranking(k if grouping is None else None, documents.also(heard.query.fields).mask(index))
    groups = list[GroupedPlace]()
    if grouping is not None:
        recordings = documents_of(index, np.array([place for place, _ in ranking], np.int64))
        groups = grouped(ranking, recordings.tolist(), k, *grouping)
        ranking = [(group.place, group.score) for group in groups]
    hits = heard.hits(ranking)
    if explain:
        hits = [
            _explained(index, heard.query, weights, place, hit) for (place, _), hit in zip(ranking, hits, strict=True)
        ]
    numbers = documents_of(index, np.array([place for place, _ in ranking], np.int64)).tolist()
    hits = described(index, numbers, with_full_paths(index, hits))
    for i, group in enumerate(groups):
        hits[i] = replace(hits[i], recording_rank=group.recording_rank, recording_score=group.recording_score)
    return hits


def _explained(index: Index, query: SpokenQuery, weights: Weights, place: int, hit: Hit) -> Hit:
    """The hit with the parts of its score in words."""
    return replace(hit, explanation=explanation(*_parts(index, query, weights, place, hit)))


class ExplainedScore(NamedTuple):
    """The score of a place, and its parts, which sum to it."""

    score: float
    parts: list[ScorePart]


def explain_place(
    index: Index, weights: Weights, text: str, name: str, hearings: Sequence[HeardIndex] = (), closed: bool = False
) -> ExplainedScore:
    """Why a query finds a place (its ``segment`` or ``place`` in a hit); an InputError where it does not.

    A recording that is not open is an InputError, unless the keeper asks (``closed``).
    """
    place_of = read_place_name(name, index.numbers, index.utterances_of)
    check_readable(index, place_of.document, closed)
    index, hearings = DocumentFilter(closed=closed).views(index, hearings)
    heard = HeardQuery(index, text, weights, hearings)
    mask = np.zeros(len(index), np.bool_)
    mask[index.number_of(place_of.document)] = True
    scores = dict(heard.ranking(None, mask))
    place = place_at(index, place_of)
    if place not in scores:
        raise InputError(f"the query {shorten(text)} does not find the place {shorten(name)}")
    (hit,) = heard.hits([(place, scores[place])])
    parts, others = _parts(index, heard.query, weights, place, hit)
    return ExplainedScore(scores[place], score_parts(parts, others))


def _parts(
    index: Index, query: SpokenQuery, weights: Weights, place: int, hit: Hit
) -> tuple[list[TermPart], dict[str, float]]:
    """What each term of a query gives to a hit, and what other weak rankers and further hearings give."""
    parts = [] if weights.normalise else term_parts(index, query, place, weights.by_name)
    names = set() if weights.normalise else set(evidence_names(index.kinds))
    return parts, {name: amount for name, amount in hit.contributions.items() if name not in names}


def why_no_hits(index: Index, text: str, documents: DocumentFilter) -> str:
    """Why a search has no hits: what leaves nothing of the places that have any evidence."""
    index = documents.view(index)
    if len(index) == 0:
        return "nothing in this archive is open"
    query = parse_query(index, text)
    places = place_evidence(index, query).places
    if len(places) == 0:
        return "no place holds a word of the query, or its sounds"
    inside = _inside(index, places, documents.also(query.fields).mask(index))
    if len(inside) == 0:
        return f"the filters leave none of the {len(places):,} places that have a word of the query, or its sounds"
    return why_nothing(index, query, inside) or "no weak ranker that has a weight speaks for a place"


def _inside(index: Index, places: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """The places of documents for which a mask is true."""
    return places if mask is None else places[mask[documents_of(index, places)]]


def why_few_hits(index: Index, weights: Weights, text: str, n_hits: int, documents: DocumentFilter) -> str:
    """That weights on normalised scores rank only candidates, where a query and its filters leave few of them."""
    index = documents.view(index)
    if weights.normalise is None or len(index) == 0:
        return ""
    n = len(candidate_features(index, parse_query(index, text), weights)[0])
    few = f"the weights in use rank {n:,} places; the query and its filters leave {n_hits:,} of them"
    return few if n_hits < n else ""


def candidate_recall(
    index: Index, weights: Weights, text: str, k: int, documents: DocumentFilter, candidates: int
) -> str:
    """How many of the k best places are among so many candidates; nothing where weights have their own number."""
    index = documents.view(index)
    if weights.normalise is not None or len(index) == 0:
        return ""
    query = parse_query(index, text)
    mask = documents.also(query.fields).mask(index)
    exact, lossy = (
        {place for place, _ in ranked_places(index, query, weights, k, mask, most)} for most in (None, candidates)
    )
    return f"of the first {len(exact):,} places of all, {len(exact & lossy):,} are among the candidates"


def search_notes(index: Index, text: str, documents: DocumentFilter, hearings: Sequence[HeardIndex] = ()) -> list[str]:
    """What was assumed about a query and its filters, and suggestions for words that nobody heard; a line each."""
    view, heard = documents.views(index, hearings)
    query = parse_query(view, text)
    by_sound = len(index.kinds) > 1
    return query_notes(index, query, documents) + [
        suggestion_line(word, some, by_sound) for word, some in suggestions_for(view, query, heard).items()
    ]


def query_notes(index: Index, query: SpokenQuery, documents: DocumentFilter) -> list[str]:
    """Return what was assumed about a query and its filters; a line each."""
    return [*query.notes, *documents.also(query.fields).notes(index)]


def suggestions_for(
    index: Index, query: SpokenQuery, hearings: Sequence[HeardIndex] = ()
) -> dict[str, list[Suggestion]]:
    """For words of a query that nobody heard, the archive's words that are nearest to them; at most ``_SUGGESTED``."""
    unheard = [
        word
        for term in query.terms
        if not _is_heard(index, term.alternatives) and not term.sounds and not term.of_number
        for word in term.alternatives[0].words
        if not index.has(index.kinds[0], [word]) and not any(is_said(hearing, word) for hearing in hearings)
    ]  # fmt: skip
    return {word: suggest(index, word) for word in list(dict.fromkeys(unheard))[:_SUGGESTED]}


def _is_heard(index: Index, alternatives: Sequence[WordSequence]) -> bool:
    """Whether the words of one of the alternatives were heard."""
    kind = index.kinds[0]
    return any(all(index.has(kind, [word]) for word in some.words) for some in alternatives)


def best_places(index: Index, query: SpokenQuery) -> Callable[[int], int | None]:
    """What gives the best place of a document by the shipped weights; None where no place has any evidence."""
    weights = shipped(index.kinds).by_name
    best: dict[int, int] = {}

    def place_of(document: int) -> int | None:
        if not best:
            places, scores = place_scores(index, query, weights)
            ranking = places[np.argsort(-np.round(scores, 12), kind="stable")]
            for place, number in zip(ranking.tolist(), documents_of(index, ranking).tolist(), strict=True):
                best.setdefault(number, place)
        return best.get(document)

    return place_of
