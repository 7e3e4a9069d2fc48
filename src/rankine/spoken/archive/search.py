"""Search: from the text of a query to its hits.

parse_query        words, phrases, and units of every kind
find_candidates    documents that hold some of the units, by unigram scores over the whole index
score              all weak rankers' scores of the candidates
Weights.features   the scores on one scale; times the weights, summed, sorted
make_hit           for the best: the place in the recording, and the words around it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...data import RankingData
from ...errors import InputError, shorten
from ..index.reader import Index
from ..index.scores import all_scores, ranker_names, unigrams
from ..learn.weights import Weights
from .best_runs import best_run
from .filters import DocumentFilter
from .hits import Hit, make_hit
from .matching import mask as required_mask
from .query import parse
from .scripts import foreign
from .segments import documents_of, places_of
from .suggestions import suggest, suggestion_line
from .terms import SpokenQuery, WordSequence
from .words import words_of

CANDIDATES = 1000
_SUGGESTED = 5  # words of a query for which others are suggested


def parse_query(index: Index, text: str) -> SpokenQuery:
    """The words and units of a query."""
    index.check_sizes()
    return parse(text, index.splits, words_of(index), index.settings.language)


def find_candidates(
    index: Index, query: SpokenQuery, most: int = CANDIDATES, mask: np.ndarray | None = None
) -> np.ndarray:
    """Numbers of the documents with the largest unigram scores, rising; see :attr:`Settings.candidate_kinds`."""
    scores = np.zeros(len(index))
    for kind in index.settings.candidate_kinds:
        units = query.units(kind)
        for part, begin, end in zip(index.parts, index.offsets[:-1], index.offsets[1:], strict=True):
            scores[begin:end] += unigrams(part, kind, units)
    if mask is not None:
        scores[~mask] = 0.0
    if query.phrases or query.nears or query.excluded:
        places = np.arange(int(index.places_before[-1]))
        there = documents_of(index, places[required_mask(index, query, places)])
        scores[np.setdiff1d(np.arange(len(scores)), there)] = 0.0
    positive = np.flatnonzero(scores > 0)
    if len(positive) <= most:
        return positive
    least = np.partition(scores[positive], len(positive) - most)[len(positive) - most]
    sure, edge = positive[scores[positive] > least], positive[scores[positive] == least]
    if len(sure) + len(edge) > most:  # equal ones by name, so that the order of indexing does not matter
        edge = np.array(sorted(edge.tolist(), key=index.names.__getitem__)[: most - len(sure)], np.int64)
    return np.sort(np.concatenate([sure, edge]))


def _is_heard(index: Index, alternatives: Sequence[WordSequence]) -> bool:
    """Whether the archive has the words of one of the alternatives."""
    words = words_of(index)
    return any(all(word in words for word in some.words) for some in alternatives)


def score(index: Index, query: SpokenQuery, docs: np.ndarray) -> np.ndarray:
    """All weak rankers' scores of these documents (rising numbers), a row each."""
    units = {kind: query.units(kind) for kind in index.kinds}
    blocks = [all_scores(part, units, numbers) for part, _, numbers in index.by_part(docs)]
    return np.vstack(blocks) if blocks else np.zeros((0, len(ranker_names(index.kinds))))


def search(
    index: Index, weights: Weights, text: str, k: int, documents: DocumentFilter, candidates: int = CANDIDATES
) -> list[Hit]:
    """The k best documents for a query.

    Where weights normalise scores within a query's candidates, the candidates are as many as in learning.
    """
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    query = parse_query(index, text)
    if not any(index.has(kind, query.units(kind)) for kind in index.kinds):
        nothing = f"nothing in the query {shorten(text)} occurs in this archive, in any kind of units"
        raise InputError(nothing + foreign(index, query.words))
    most = weights.provenance.get("candidates", candidates) if weights.normalise else max(candidates, k)
    mask = passing(index, query, documents)
    docs = find_candidates(index, query, most, None if weights.normalise else mask)
    features = weights.features(score(index, query, docs))
    if mask is not None:  # only now: scores that are normalised within a query do not depend on filters
        docs, features = docs[mask[docs]], features[mask[docs]]
    values = np.array(weights.values)
    scores = np.round(_weighted_sums(features, values), 12)
    least = -np.inf if len(scores) <= k else np.partition(scores, len(scores) - k)[len(scores) - k]
    best = np.flatnonzero(scores >= least).tolist()
    order = sorted(best, key=lambda i: (-scores[i], index.name_of(int(docs[i]))))[:k]
    return [
        make_hit(
            index, query, _best_place(index, query, int(docs[i])), rank, float(scores[i]),
            {n: float(x) for n, x in zip(weights.names, features[i] * values, strict=True) if x != 0},
        )
        for rank, i in enumerate(order, 1)
    ]  # fmt: skip


def _best_place(index: Index, query: SpokenQuery, document: int) -> int:
    """The place of a document whose best run is worth most."""
    places = places_of(index, document)
    part, own = index.place_of(document)
    keep = required_mask(index, query, np.array(places))
    runs = [best_run(part, query, index.kinds, row) for row in part.utterances(own)]
    worth = [run[0].worth if run else 0.0 for run in runs]
    return places[max(range(len(places)), key=lambda i: (keep[i], worth[i], -i))]


def passing(index: Index, query: SpokenQuery, documents: DocumentFilter) -> np.ndarray | None:
    """True for the documents that pass the filters; None: all of them."""
    return DocumentFilter((*documents.fields, *query.fields)).mask(index)


def search_notes(index: Index, text: str, documents: DocumentFilter) -> list[str]:
    """What was assumed about a query and its filters, and suggestions for words that nobody heard; a line each."""
    query = parse_query(index, text)
    notes = [*query.notes, *DocumentFilter((*documents.fields, *query.fields)).notes(index)]
    words = words_of(index)
    unheard = [
        word
        for term in query.terms if not _is_heard(index, term.alternatives) and not term.sounds
        for word in term.alternatives[0].words if word not in words
    ]  # fmt: skip
    return notes + [suggestion_line(word, suggest(index, word)) for word in list(dict.fromkeys(unheard))[:_SUGGESTED]]


def _weighted_sums(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted sums whose last digits do not depend on the place of a row."""
    out = np.zeros(len(features))
    for column, weight in zip(features.T, weights.tolist(), strict=True):
        out += column * weight
    return out


def query_features(
    index: Index,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, float]],
    candidates: int = CANDIDATES,
    report: Callable[[int], None] = lambda done: None,
) -> RankingData:
    """The weak rankers' scores of every query's candidates, with their grades; ``report`` gets the queries done."""
    X, y, qid, ids = [], list[float](), list[str](), list[str]()
    for done, (key, text) in enumerate(queries.items(), 1):
        query = parse_query(index, text)
        docs = find_candidates(index, query, candidates)
        grades = qrels.get(key, {})
        names = [index.name_of(d) for d in docs.tolist()]
        X.append(score(index, query, docs))
        y += [grades.get(name, 0.0) for name in names]
        qid += [key] * len(names)
        ids += names
        report(done)
    if not ids:
        raise InputError("no query has a candidate in this archive", str(index.folder))
    return RankingData(np.vstack(X), y, qid, doc_ids=ids, feature_names=ranker_names(index.kinds))
