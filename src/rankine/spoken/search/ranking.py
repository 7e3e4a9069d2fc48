r"""Ranking places: the k best by any weights of the weak rankers, exactly.

The table of weak rankers of a place has the papers' columns (:mod:`..index.scores`, with the place as the recording)
and those of evidence (:mod:`..index.evidence`). A place's score is the weighted sum of its row. Places where no column
with a weight is above 0 are no hits.

Evidence is summed term by term over the lists of the query's grams, so no place is looked at that has none. The papers'
rankers of higher order are dear, so they are computed only where they can matter: the expected counts of the single
units give every place its unigram scores and bounds of the others (:func:`..index.scores.score_bounds`). Positive
weights times these bounds, and 0 for negative weights of higher orders, are at least the score. Places are scored in
falling order of this bound, until the bound of the next is below the k-th score.

Weights that are learned on normalised scores need the minimum and maximum over a query's candidates: the best places
for its terms. What it requires and filters choose among these, so they change no score, and may leave fewer than k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..index.evidence import QueryEvidence, evidence_names, place_scores
from ..index.reader import Index
from ..index.schema import FORMS
from ..index.scores import ORDERS, all_scores, ranker_names, score_bounds, unigrams
from ..learn.weights import Weights, shipped
from ..query.parser import parse
from ..query.terms import SpokenQuery
from ..query.vocabulary import words_of
from ..recordings.places import by_part, recordings_of
from .filters import free_fields
from .requirements import mask as matching_places

CANDIDATES = 1000
_FIRST = 256  # places that are scored at first
_ROUNDING = 1e-9  # by so much a bound may be too low

RankedPlace = tuple[int, float]
PlaceMask = Callable[[np.ndarray], np.ndarray]  # of places, which of them count


def parse_query(index: Index, text: str, described: Index | None = None) -> SpokenQuery:
    """The words and units of a query; ``described`` has what is said about recordings, where it is another index."""
    index.check_sizes()
    fields = index if described is None else described
    return parse(
        text, index.splits, words_of(index), index.settings.language, index.pronounced, lambda: free_fields(fields)
    )


def weak_rankers(kinds: Sequence[str]) -> list[str]:
    """The columns of the table of weak rankers: the papers', then those of evidence."""
    return ranker_names(kinds) + evidence_names(kinds)


def ranked_places(
    index: Index,
    query: SpokenQuery,
    weights: Weights,
    k: int | None = None,
    recordings: np.ndarray | None = None,
    candidates: int | None = None,
    evidence: QueryEvidence | None = None,
) -> list[RankedPlace]:
    """The k best places (None: all) and their scores; equal ones by the name of the recording and by time.

    Args:
        index: of the archive.
        query: what is looked for; what it requires and excludes is seen to.
        weights: of the weak rankers.
        k: how many places.
        recordings: a mask of the recordings whose places count; scores do not depend on it.
        candidates: score only so many places, the best by the shipped weights: faster where the papers' rankers have
            weights, but others may be missed. None: all places.
        evidence: of the query, for these weights; made where it is not given.
    """
    allowed = partial(allowed_places, index, query, recordings)
    return best_places_of(index, *scored_places(index, query, weights, k, allowed, candidates, evidence), k)


def allowed_places(index: Index, query: SpokenQuery, recordings: np.ndarray | None, places: np.ndarray) -> np.ndarray:
    """Which places are of recordings (a mask) and have what the query requires."""
    keep = np.ones(len(places), np.bool_) if recordings is None else recordings[recordings_of(index, places)]
    keep[keep] = matching_places(index, query, places[keep])
    return keep


def scored_places(
    index: Index,
    query: SpokenQuery,
    weights: Weights,
    k: int | None = None,
    allowed: PlaceMask = lambda places: np.ones(len(places), np.bool_),
    candidates: int | None = None,
    evidence: QueryEvidence | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Places that are ``allowed`` and have any evidence, and their scores; the k best (None: all) are among them."""
    if weights.normalise is None and candidates is None:
        return _scored(evidence or QueryEvidence(index, query, weights.by_name), query, weights.by_name, k, allowed)
    places, X = candidate_features(index, query, weights, candidates, k, allowed)
    values = np.array(weights.values)
    keep = allowed(places)
    if weights.normalise is None:
        keep &= (X[:, values != 0] > 0).any(axis=1)
    return places[keep], weighted_sums(X[keep], values)


def best_places_of(index: Index, places: np.ndarray, scores: np.ndarray, k: int | None) -> list[RankedPlace]:
    """The k best places (None: all) with their scores, rounded; equal ones by the name of the recording and by time."""
    scores = np.round(scores, 12)
    best = largest(scores, len(scores) if k is None else k, place_key(index, places))
    return [(int(places[i]), float(scores[i])) for i in best.tolist()]


def candidate_features(
    index: Index,
    query: SpokenQuery,
    weights: Weights,
    candidates: int | None = None,
    k: int | None = None,
    allowed: PlaceMask | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The candidates of a query (at least k), and their features as the weights were learned on.

    Only places that are ``allowed`` are candidates, unless features are normalised over all.
    """
    if weights.normalise is None:
        places = find_candidates(index, query, max(candidates or CANDIDATES, k or 0), allowed)
    else:
        most = weights.provenance.get("candidates", candidates or CANDIDATES)
        if set(weights.names) <= set(ranker_names(index.kinds)):
            places = unit_candidates(index, query, most)
        else:
            places = find_candidates(index, query, most, lambda places: np.ones(len(places), np.bool_))
    return places, weights.features(place_table(index, query, places, weights.names))


def contributions(
    index: Index,
    query: SpokenQuery,
    weights: Weights,
    places: Sequence[int],
    candidates: int | None = None,
    evidence: QueryEvidence | None = None,
) -> list[dict[str, float]]:
    """What each weak ranker gives to the scores of places that :func:`ranked_places` has ranked."""
    rows = np.array(places, np.int64)
    if weights.normalise is None:
        names = [name for name, value in weights.by_name.items() if value != 0]
        order = np.argsort(rows)
        X = np.empty((len(rows), len(names)))
        X[order] = place_table(index, query, rows[order], names, evidence)
    else:
        names = list(weights.names)
        there, features = candidate_features(index, query, weights, candidates)
        X = features[np.searchsorted(there, rows)]
    products = X * np.array([weights.by_name[name] for name in names])
    return [{n: float(x) for n, x in zip(names, row, strict=True) if x != 0} for row in products]


def place_key(index: Index, places: np.ndarray) -> Callable[[int], Any]:
    """What decides between places with equal scores."""
    recordings: list[np.ndarray] = []

    def key(i: int) -> tuple[str, int]:
        if not recordings:
            recordings.append(recordings_of(index, places))
        return index.name_of(int(recordings[0][i])), int(places[i])

    return key


def largest(scores: np.ndarray, k: int, key: Callable[[int], Any]) -> np.ndarray:
    """The rows of the k largest scores, in falling order; equal ones by their key."""
    least = -np.inf if len(scores) <= k else np.partition(scores, len(scores) - k)[len(scores) - k]
    best = np.flatnonzero(scores >= least)
    order = best[np.argsort(-scores[best], kind="stable")]
    out: list[int] = []
    begin = 0
    values = scores[order]
    for end in [*(np.flatnonzero(np.diff(values)) + 1).tolist(), len(order)]:
        ties = order[begin:end].tolist()
        out += sorted(ties, key=key) if len(ties) > 1 else ties
        begin = end
        if len(out) >= k:
            break
    return np.array(out[:k], np.int64)


def weighted_sums(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted sums whose last digits do not depend on the place of a row."""
    out = np.zeros(len(features))
    for column, weight in zip(features.T, weights.tolist(), strict=True):
        out += column * weight
    return out


def place_table(
    index: Index,
    query: SpokenQuery,
    places: np.ndarray,
    names: Sequence[str] | None = None,
    evidence: QueryEvidence | None = None,
) -> np.ndarray:
    """The columns (by default all) of some places (rising numbers), a row each."""
    columns = weak_rankers(index.kinds)
    wanted = columns if names is None else list(names)
    X = np.hstack([
        _paper_scores(index, query, places, set(wanted)),
        (evidence or QueryEvidence(index, query, dict.fromkeys(wanted, 1.0))).table(places),
    ])  # fmt: skip
    number = {name: i for i, name in enumerate(columns)}
    return X[:, [number[name] for name in wanted]]


def _paper_scores(index: Index, query: SpokenQuery, places: np.ndarray, names: set[str]) -> np.ndarray:
    """The papers' rankers of places; columns of kinds of which no name is asked for are 0."""
    units = {
        kind: query.units(kind) if names & set(ranker_names([kind])) else [] for kind in index.kinds
    }  # fmt: skip
    blocks = [all_scores(part, units, rows, part.by_place) for part, _, rows in by_part(index, places)]
    return np.vstack(blocks) if blocks else np.zeros((0, len(ranker_names(index.kinds))))


def find_candidates(
    index: Index, query: SpokenQuery, most: int = CANDIDATES, allowed: PlaceMask | None = None
) -> np.ndarray:
    """The places with the largest scores by the shipped weights, at most so many, rising.

    ``allowed`` are by default those that have what the query requires.
    """
    weights = shipped(index.kinds).by_name
    places, scores = QueryEvidence(index, query, weights).scores(weights)
    keep = matching_places(index, query, places) if allowed is None else allowed(places)
    places, scores = places[keep], np.round(scores[keep], 12)
    return np.sort(places[largest(scores, most, place_key(index, places))])


def unit_candidates(index: Index, query: SpokenQuery, most: int = CANDIDATES) -> np.ndarray:
    """The places with the largest unigram scores, rising: the candidates of weights learned for the papers' rankers."""
    scores = np.zeros(int(index.places_before[-1]))
    for kind in index.settings.candidate_kinds:
        for part, begin in zip(index.parts, index.places_before.tolist(), strict=False):
            own = unigrams(part, kind, query.units(kind), part.by_place) * part.rows_count
            scores[begin : begin + len(part.recording_of)] += own
    there = np.flatnonzero(scores > 0)
    return np.sort(there[largest(scores[there], most, place_key(index, there))])


def best_places(index: Index, query: SpokenQuery) -> Callable[[int], int | None]:
    """What gives the best place of a recording by the shipped weights; None where no place has any evidence."""
    weights = shipped(index.kinds).by_name
    best: dict[int, int] = {}

    def place_of(recording: int) -> int | None:
        if not best:
            places, scores = place_scores(index, query, weights)
            ranking = places[np.argsort(-np.round(scores, 12), kind="stable")]
            for place, number in zip(ranking.tolist(), recordings_of(index, ranking).tolist(), strict=True):
                best.setdefault(number, place)
        return best.get(recording)

    return place_of


# -- exact


def _scored(
    evidence: QueryEvidence,
    query: SpokenQuery,
    weights: Mapping[str, float],
    k: int | None,
    allowed: PlaceMask,
) -> tuple[np.ndarray, np.ndarray]:
    """Places and their scores, among them the k best."""
    index = evidence.index
    places, scores = evidence.scores(weights)
    names = [name for name in ranker_names(index.kinds) if weights.get(name, 0.0) != 0]
    if not names:
        some = allowed(places)
        return places[some], scores[some]
    upper, there = _upper_bounds(index, query, weights)
    sums_of, has_evidence = np.zeros(len(upper)), np.zeros(len(upper), np.bool_)
    sums_of[places], has_evidence[places] = scores, True
    upper += sums_of
    columns = {name: i for i, name in enumerate(ranker_names(index.kinds))}
    values = np.array([weights[name] for name in names])
    rest = np.flatnonzero(there | has_evidence)
    rest = rest[allowed(rest)]
    kept, sums = [np.zeros(0, np.int64)], [np.zeros(0)]
    n = len(rest) if k is None else max(_FIRST, 4 * k)
    while len(rest):
        cut = max(len(rest) - n, 0)
        order = np.argpartition(upper[rest], cut) if cut else np.arange(len(rest))
        some = np.sort(rest[order[cut:]])
        X = _paper_scores(index, query, some, set(names))[:, [columns[name] for name in names]]
        hit = has_evidence[some] | (X > 0).any(axis=1)
        kept.append(some[hit])
        sums.append((sums_of[some] + weighted_sums(X, values))[hit])
        rest = rest[order[:cut]]
        if k is not None and sum(map(len, sums)) >= k:
            everything = np.concatenate(sums)
            least = np.partition(everything, len(everything) - k)[len(everything) - k]
            rest = rest[upper[rest] >= least - _ROUNDING * (1 + abs(least))]
        n *= 2
    return np.concatenate(kept), np.concatenate(sums)


def _upper_bounds(index: Index, query: SpokenQuery, weights: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """What the papers' rankers can give to every place at most, and which places may have any of their scores."""
    upper = np.zeros(int(index.places_before[-1]))
    there = np.zeros(len(upper), np.bool_)
    for kind in index.kinds:
        for form in FORMS:
            values = np.array([weights.get(f"{kind}-{form}-{n}", 0.0) for n in range(1, ORDERS + 1)])
            if not values.any():
                continue
            values[1:] = np.maximum(values[1:], 0.0)
            for part, begin in zip(index.parts, index.places_before.tolist(), strict=False):
                rows = slice(begin, begin + len(part.recording_of))
                bounds = score_bounds(part, kind, form, query.units(kind))
                upper[rows] += weighted_sums(bounds, values)
                there[rows] |= (bounds[:, 0] > 0) & part.rows_count
    return upper, there
