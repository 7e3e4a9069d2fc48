"""Judged queries and how search does on them now, and which places to judge next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ..hearings.hearings import HeardIndex
from ..index.reader import Index
from ..learn.disagreement import committee, disagreement, ranks_of
from ..learn.judgments import Judged
from ..learn.weights import Weights, shipped
from ..query.terms import SpokenQuery
from ..recordings.places import places_of, recordings_of
from ..search.filters import RecordingFilter
from ..search.hits import Hit, described, with_full_paths
from ..search.query_scores import HeardQuery
from ..search.ranking import CANDIDATES, best_places
from .placement import PlacedJudgments
from .places import meant_places

MEASURES = ("AP", "nDCG@10")
_KEPT = 12  # digits of disagreements: what rounding does is none


class JudgedQuery(NamedTuple):
    """A query, how many of its places are judged and relevant, and the measures of its ranking now.

    Places that nobody judged count as not relevant. The ranking is that of the first 1,000 places. Measures are None
    where no place is relevant, or where the query cannot be parsed any more.
    """

    name: str
    text: str
    judged: int
    relevant: int
    ap: float | None
    ndcg: float | None


class NextPlace(NamedTuple):
    """A place to judge: its query, the hit, how much rankers disagree about it, its best and its worst rank."""

    query: str
    hit: Hit
    disagreement: float
    best: int
    worst: int


def judged_queries(
    index: Index, judged: Judged, weights: Weights, hearings: Sequence[HeardIndex] = ()
) -> list[JudgedQuery]:
    """All queries with how search does on them by these weights."""
    return [_judged_query(index, judged, name, weights, hearings) for name in judged.queries]


def _judged_query(
    index: Index, judged: Judged, name: str, weights: Weights, hearings: Sequence[HeardIndex]
) -> JudgedQuery:
    from ...measures.run import evaluate_run

    text, qrels = judged.queries[name], judged.qrels[name]
    out = JudgedQuery(name, text, len(qrels), sum(g > 0 for g in qrels.values()), None, None)
    if not out.relevant:
        return out
    try:
        heard = HeardQuery(index, text, weights, hearings)
    except InputError:
        return out
    grades = {
        f"nowhere in {recording}" if place is None else str(place): grade
        for (recording, place), grade in meant_places(index, qrels, best_places(index, heard.query)).items()
    }
    ranking = [place for place, _ in heard.ranking(CANDIDATES, None)]
    run = {str(place): -float(rank) for rank, place in enumerate(ranking)} or {"": 0.0}
    report = evaluate_run(MEASURES, {"q": grades}, {"q": run})
    ap, ndcg = (float(report.per_query[m][0]) for m in MEASURES)
    return out._replace(ap=ap, ndcg=ndcg)


def next_places(
    index: Index,
    placed: PlacedJudgments,
    texts: Iterable[str],
    n: int,
    weights: Weights,
    hearings: Sequence[HeardIndex] = (),
    report: Callable[[int], None] = lambda done: None,
) -> list[NextPlace]:
    """The n places that nobody has judged and of which rankers disagree most (:mod:`..learn.disagreement`).

    Of places that all rank alike those come first that stand higher. What further hearings heard counts as it does in
    search. What is not open is left out, as in search. ``report`` gets the number of queries done.
    """
    index, hearings = RecordingFilter().views(index, hearings)
    rows: list[tuple[float, int, int, str, int]] = []
    for done, text in enumerate(texts, 1):
        rows += _candidates(index, placed, text, n, hearings)
        report(done)
    rows.sort()
    out = []
    for text in dict.fromkeys(row[3] for row in rows[:n]):
        own = {row[4]: row for row in rows[:n] if row[3] == text}
        hits = hits_at(index, text, list(own), weights, hearings)
        out += [NextPlace(text, hit, -own[place][0], *own[place][1:3]) for place, hit in hits.items()]
    return sorted(out, key=lambda place: (-place.disagreement, place.best, place.worst, place.query, place.hit.rank))


def _candidates(
    index: Index, placed: PlacedJudgments, text: str, n: int, hearings: Sequence[HeardIndex]
) -> list[tuple[float, int, int, str, int]]:
    """(−disagreement, best rank, worst rank, query, place) of the n best places of a query to judge."""
    start = shipped(index.kinds)
    try:
        heard = HeardQuery(index, text, start, hearings)
        mask = _filter_mask(index, heard.query)
    except InputError:
        return []
    places = heard.best(CANDIDATES)
    places = places[mask[recordings_of(index, places)]]
    X = heard.table(places, start.names)
    ranks = ranks_of(committee(start.names, np.array(start.values)) @ X.T)
    spread = np.round(disagreement(ranks), _KEPT)
    seen = placed.seen(" ".join(text.split()))
    judged = {place for _, place in seen} | {
        p for d, place in seen if place is None for p in places_of(placed.index, d)
    }
    there = [i for i, place in enumerate(places.tolist()) if spread[i] >= 0 and place not in judged]
    best, worst = ranks.min(axis=0), ranks.max(axis=0)
    return sorted((-float(spread[i]), int(best[i]), int(worst[i]), text, int(places[i])) for i in there)[:n]


def _filter_mask(index: Index, query: SpokenQuery) -> np.ndarray:
    """Return a mask of the recordings that pass the filters of a query."""
    mask = RecordingFilter().also(query.fields).mask(index)
    return np.ones(len(index), np.bool_) if mask is None else mask


def hits_at(
    index: Index, text: str, places: Sequence[int], weights: Weights, hearings: Sequence[HeardIndex] = ()
) -> dict[int, Hit]:
    """The hits of a query at some places, with their ranks by these weights; only those among the first 1,000."""
    heard = HeardQuery(index, text, weights, hearings)
    ranking = heard.ranking(CANDIDATES, _filter_mask(index, heard.query))
    rank = {place: number for number, (place, _) in enumerate(ranking, 1)}
    some = [ranking[rank[place] - 1] for place in places if place in rank]
    hits = heard.hits(some)
    numbers = recordings_of(index, np.array([place for place, _ in some], np.int64)).tolist()
    hits = described(index, numbers, with_full_paths(index, hits))
    return {place: replace(hit, rank=rank[place]) for (place, _), hit in zip(some, hits, strict=True)}
