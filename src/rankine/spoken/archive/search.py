"""Search: from the text of a query to its hits.

parse_query       terms, what is required and excluded, and units of every kind
ranked_places     the k best places by the weighted sum of the weak rankers
make_hit          for each: where in it the words are, how certain they are, and what was said around them
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...data import RankingData
from ...errors import InputError, shorten
from ..index.evidence import QueryEvidence, place_scores
from ..index.reader import Index
from ..learn.weights import Weights, shipped
from .filters import DocumentFilter
from .hits import Hit, make_hit
from .judged_places import judged_places
from .ranking import (
    CANDIDATES,
    contributions,
    find_candidates,
    parse_query,
    place_table,
    ranked_places,
    weak_rankers,
)
from .scripts import foreign
from .segments import documents_of, segment
from .suggestions import suggest, suggestion_line
from .terms import SpokenQuery, WordSequence
from .words import words_of

_SUGGESTED = 5  # words of a query for which others are suggested


def search(
    index: Index, weights: Weights, text: str, k: int, documents: DocumentFilter, candidates: int | None = None
) -> list[Hit]:
    """The k best places for a query; see :func:`.ranking.ranked_places`."""
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    if candidates is not None and candidates < 1:
        raise InputError(f"candidates must be at least 1, got {candidates}")
    query = parse_query(index, text)
    if not any(index.has(kind, query.units(kind)) for kind in index.kinds):
        nothing = f"nothing in the query {shorten(text)} occurs in this archive, in any kind of units"
        raise InputError(nothing + foreign(index, query.words))
    mask = DocumentFilter((*documents.fields, *query.fields)).mask(index)
    evidence = QueryEvidence(index, query, weights.by_name)
    ranking = ranked_places(index, query, weights, k, mask, candidates, evidence)
    parts = contributions(index, query, weights, [place for place, _ in ranking], candidates, evidence)
    return [
        make_hit(index, query, place, rank, score, part)
        for rank, ((place, score), part) in enumerate(zip(ranking, parts, strict=True), 1)
    ]


def search_notes(index: Index, text: str, documents: DocumentFilter) -> list[str]:
    """What was assumed about a query and its filters, and suggestions for words that nobody heard; a line each."""
    query = parse_query(index, text)
    notes = [*query.notes, *DocumentFilter((*documents.fields, *query.fields)).notes(index)]
    for near in query.nears:
        if not (_is_heard(index, near.left) and _is_heard(index, near.right)):
            notes.append(f"near/{near.distance}: one side was not heard as words, so the distance is not looked at")
    words = words_of(index)
    unheard = [
        word
        for term in query.terms if not _is_heard(index, term.alternatives) and not term.sounds
        for word in term.alternatives[0].words if word not in words
    ]  # fmt: skip
    return notes + [suggestion_line(word, suggest(index, word)) for word in list(dict.fromkeys(unheard))[:_SUGGESTED]]


def _is_heard(index: Index, alternatives: Sequence[WordSequence]) -> bool:
    """Whether the archive has the words of one of the alternatives."""
    words = words_of(index)
    return any(all(word in words for word in some.words) for some in alternatives)


def place_names(index: Index, places: np.ndarray) -> list[str]:
    """``DOCUMENT@START-END`` of each place, or the document's name where it has a single one."""
    out = []
    for place, document in zip(places.tolist(), documents_of(index, places).tolist(), strict=True):
        part, own = index.place_of(document)
        out.append(segment(index, place).name if len(part.utterances(own)) > 1 else index.name_of(document))
    return out


def query_features(
    index: Index,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, float]],
    candidates: int = CANDIDATES,
    report: Callable[[int], None] = lambda done: None,
) -> RankingData:
    """All weak rankers of every query's candidates, a row for each place, with their grades.

    A judgment of a whole document counts for its best place by the shipped weights; ``report`` gets the queries done.
    """
    X, y, qid, ids = [], list[float](), list[str](), list[str]()
    for done, (key, text) in enumerate(queries.items(), 1):
        query = parse_query(index, text)
        places = find_candidates(index, query, candidates)
        grades = judged_places(index, qrels.get(key, {}), _best_places(index, query))
        X.append(place_table(index, query, places))
        y += [grades.get(place, 0.0) for place in places.tolist()]
        qid += [key] * len(places)
        ids += place_names(index, places)
        report(done)
    if not ids:
        raise InputError("no query has a candidate in this archive", str(index.folder))
    return RankingData(np.vstack(X), y, qid, doc_ids=ids, feature_names=weak_rankers(index.kinds))


def _best_places(index: Index, query: SpokenQuery) -> Callable[[int], int | None]:
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
