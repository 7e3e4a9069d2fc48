"""The papers' weak rankers of whole recordings, and their candidates: what the replica of the papers learns from.

Search ranks places (:mod:`..search.ranking`). A recording whose utterances are one place has the same scores there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ...data.ranking_data import RankingData
from ...errors import InputError
from ..index.reader import Index
from ..index.scores import all_scores, ranker_names, unigrams
from ..query.terms import SpokenQuery
from ..search.ranking import largest, parse_query


def recording_candidates(index: Index, query: SpokenQuery, most: int) -> np.ndarray:
    """Numbers of the recordings with the largest unigram scores, rising; see :attr:`Settings.candidate_kinds`."""
    scores = np.zeros(len(index))
    for kind in index.settings.candidate_kinds:
        for part, begin, end in zip(index.parts, index.offsets[:-1], index.offsets[1:], strict=True):
            scores[begin:end] += unigrams(part, kind, query.units(kind), part.by_recording)[part.counting]
    there = np.flatnonzero(scores > 0)
    return np.sort(there[largest(scores[there], most, lambda i: index.name_of(int(there[i])))])


def recording_scores(index: Index, query: SpokenQuery, docs: np.ndarray) -> np.ndarray:
    """All weak rankers' scores of these recordings (rising numbers), a row each."""
    units = {kind: query.units(kind) for kind in index.kinds}
    blocks = [all_scores(part, units, numbers, part.by_recording) for part, _, numbers in index.by_part(docs)]
    return np.vstack(blocks) if blocks else np.zeros((0, len(ranker_names(index.kinds))))


def recording_features(
    index: Index,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, float]],
    candidates: int,
    report: Callable[[int], None] = lambda done: None,
) -> RankingData:
    """The weak rankers' scores of every query's candidates, with their grades; ``report`` gets the queries done."""
    X, y, qid, ids = [], list[float](), list[str](), list[str]()
    for done, (key, text) in enumerate(queries.items(), 1):
        query = parse_query(index, text)
        docs = recording_candidates(index, query, candidates)
        grades = qrels.get(key, {})
        names = [index.name_of(d) for d in docs.tolist()]
        X.append(recording_scores(index, query, docs))
        y += [grades.get(name, 0.0) for name in names]
        qid += [key] * len(names)
        ids += names
        report(done)
    if not ids:
        raise InputError("no query has a candidate in this archive", str(index.folder))
    return RankingData(np.vstack(X), y, qid, doc_ids=ids, feature_names=ranker_names(index.kinds))
