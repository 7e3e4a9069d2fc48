"""Queries on which a further hearing is tested: judged ones, or words that several hearings have.

Without judgments, words stand in for queries: those that the further hearing is sure of at a place where the own one is
not, for others tell nothing of the difference. The archive's own hearing is trusted where it is sure of a word. Where a
further hearing is sure of it and the own one has at least a trace of it, independent recognisers agree, and the place
is taken to be relevant too. All other places are not, also those where only the further hearing has the word: what
nobody confirms counts against it. So a hearing gains where it brings up what the own one was unsure of, and loses where
what it says stands above what the own one is sure of. What it cannot show is harm to places that both are unsure of.

Two hearings also meet by chance. For each word the share of places with a trace of it says how often. Where places of
agreement are not ``CHANCE`` times as many as that, they prove nothing, and there is no test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...data.ranking_data import RankingData
from ..hearings.hearings import HeardIndex
from ..index import schema
from ..index.evidence import QueryEvidence
from ..index.occurrences import SATURATION, occurrences
from ..index.reader import Index
from ..judgments.places import judged_places, relevant_places
from ..learn.hearings import COLUMNS
from ..learn.judgments import Judged
from ..learn.learning import Examples
from ..learn.weights import Weights
from ..search.query_scores import FurtherScores, HeardQuery
from ..search.ranking import CANDIDATES, best_places, largest, parse_query
from ..text import STOP_WORDS

LEAST_JUDGED = 10  # queries
MOST_WORDS, MOST_PLACES = 200, 5
CHANCE = 10.0
_SURE, _TRACE = (float(-np.expm1(-SATURATION * count)) for count in (0.9, 0.1))  # of expected counts
_SOUNDS = 0.5
_LETTERS, _CHARACTERS = 4, 2  # that a word has at least, of an alphabet and of others
_STOP = frozenset(word for words in STOP_WORDS.values() for word in words)


class HearingQuery(NamedTuple):
    """A query, the grades of places by number, and how many are relevant."""

    text: str
    grades: Mapping[int, float]
    relevant: int


def judged_queries(index: Index, judged: Judged) -> list[HearingQuery]:
    """The judged queries that have something relevant; none if they are too few."""
    out = []
    for name, text in judged.queries.items():
        grades = judged.qrels.get(name, {})
        if any(grade > 0 for grade in grades.values()):
            best = best_places(index, parse_query(index, text))
            n = relevant_places(index, grades, best)
            out += [HearingQuery(text, judged_places(index, grades, best), n)] if n else []
    return out if len(out) >= LEAST_JUDGED else []


def agreeing_words(index: Index, hearing: HeardIndex, seed: int = 0) -> list[HearingQuery]:
    """Words, drawn with a seed, that a hearing alone is sure of somewhere, in few places; none if all is chance."""
    out: list[HearingQuery] = []
    met, by_chance = 0, 0.0
    for word in _drawn(_vocabulary(index) | _vocabulary(hearing.index), seed):
        own, further = _places_of(index, word, _SURE), _shared(hearing, _places_of(hearing.index, word, _SURE))
        only = np.setdiff1d(further, own)
        if len(only) == 0 or len(own) + len(only) > MOST_PLACES:
            continue
        traces = np.setdiff1d(_traces(index, word), own)
        agreed = np.intersect1d(only, traces)
        met += len(agreed)
        by_chance += len(only) * len(traces) / max(int(index.places_before[-1]) - len(own), 1)
        relevant = np.union1d(own, agreed).tolist()
        if relevant:
            out.append(HearingQuery(word, dict.fromkeys(relevant, 1.0), len(relevant)))
        if len(out) == MOST_WORDS:
            break
    return out if met >= CHANCE * by_chance and met else []


def _vocabulary(index: Index) -> set[str]:
    """The words of an index that can stand for a query."""
    words = {w for part in index.parts for w in part.texts(schema.units(index.kinds[0])).all()}
    return {
        w for w in words
        if w.isalpha() and len(w) >= (_LETTERS if ord(max(w)) < 0x2E80 else _CHARACTERS) and w not in _STOP
    }  # fmt: skip


def _drawn(words: Iterable[str], seed: int) -> Iterator[str]:
    """Words in an order that depends only on them and the seed."""
    ordered = sorted(words)
    for at in np.random.default_rng(seed).permutation(len(ordered)).tolist():
        yield ordered[at]


def _places_of(index: Index, word: str, least: float) -> np.ndarray:
    """The places where a word is said with at least this probability."""
    said = occurrences(index, index.kinds[0], [word])
    return said.places[said.p >= least]


def _shared(hearing: HeardIndex, places: np.ndarray) -> np.ndarray:
    """The archive's own places that are these of a further hearing."""
    return np.unique(hearing.same.own[np.isin(hearing.same.further, places)])


def _traces(index: Index, word: str) -> np.ndarray:
    """The places that have a trace of a word: itself, or all its sounds."""
    evidence = QueryEvidence(index, parse_query(index, word))
    places = np.sort(evidence.order)
    columns = [i for i, name in enumerate(evidence.names) if name.endswith("-one-sound-all")]
    sounds = evidence.table(places)[:, columns].max(axis=1, initial=0.0)
    return np.union1d(_places_of(index, word, _TRACE), places[sounds >= _SOUNDS])


def hearing_examples(
    index: Index,
    queries: Sequence[HearingQuery],
    weights: Weights,
    beside: Sequence[HeardIndex],
    hearing: HeardIndex,
    report: Callable[[int], None] = lambda done: None,
) -> Examples:
    """Scores of places by the hearings that count already, and by another one, for each query.

    Places are the best ones of both; ``report`` is called with the number of queries done.
    """
    X, y, qid, ids, there = list[np.ndarray](), list[float](), list[str](), list[str](), list[int]()
    for number, query in enumerate(queries):
        places, scores = HeardQuery(index, query.text, weights, beside).fused()
        further = FurtherScores(index, hearing, query.text, weights)
        both = np.zeros((int(index.places_before[-1]), 2))
        both[places, 0], both[further.places, 1] = scores, further.scores
        some = np.union1d(_best(places, scores), _best(further.places, further.scores))
        if len(some):
            there.append(number)
            X.append(both[some])
        y += [query.grades.get(place, 0.0) for place in some.tolist()]
        qid += [str(number)] * len(some)
        ids += [f"{place:012d}" for place in some.tolist()]
        report(number + 1)
    data = RankingData(np.vstack([np.zeros((0, 2)), *X]), y, qid, doc_ids=ids, feature_names=list(COLUMNS))
    lost = tuple(str(number) for number in range(len(queries)) if number not in set(there))
    relevant = np.array([queries[number].relevant for number in there])
    return Examples(data, relevant, np.ones(len(queries), np.bool_), lost=lost)


def _best(places: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The places with the largest scores, as many as are candidates."""
    return places[largest(np.round(scores, 12), CANDIDATES, lambda i: int(places[i]))]
