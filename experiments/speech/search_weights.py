r"""Learning the shipped weights: coordinate ascent of mean AP, from words alone.

The objective is the mean over collections of the mean over their sets of queries of MAP: what is wanted is right for an
archive that nobody saw, so each collection counts once, however many queries it has. One weight at a time is moved by
the step that raises the objective most, and stays where no step raises it. No weight is below 0.0001: where a weight
is 0, places that only this evidence speaks for have equal scores, and are no hits. Further

.. math:: w_{word} \ge \tfrac19 \sum_f w_f

over the other features of one-word queries for words that are heard. So for such a query no place without the word
stands above one that says it with a posterior of at least 0.9: there every feature is at least :math:`0.93 \rho`, and a
place without the word has 0 for the word and at most :math:`\rho` for the others (:mod:`..spoken.index.evidence`).

Pairs of words that follow each other have at most ``PAIRS`` times the weight of the words themselves, so that a long
query is not decided by two of its words. At last weights are scaled, which changes no order: for
words that are heard, and for each class of a one-word query, those of the words sum to 1.

It was compared with SVM-MAP, SVM-NDCG@10, RankSVM (squared) and ListNet over features × classes (SPEC §15), with each
collection left out in turn: it was best.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankine.spoken.index.evidence import CLASSES, evidence_names

from .search_tables import JudgedSet

NAMES = evidence_names(["word", "part", "sound"])
STEPS = np.array([s * d for s in (0.5, 0.2, 0.1, 0.05, 0.02) for d in (1, -1)])
GAIN, SWEEPS = 1e-5, 6
FLOOR = 1e-4
PAIRS = 3.0  # weights of pairs over those of words, at most; below 2 Mandarin words, which are short, lose
_PROMISE = [i for i, name in enumerate(NAMES) if name.startswith("heard-one-")]  # the word first


def _numbers(prefix: str, pairs: bool) -> list[int]:
    """The columns of a class and size: those of pairs, or those of terms."""
    return [i for i, n in enumerate(NAMES) if n.startswith(prefix) and n.endswith(("-pair", "-join")) == pairs]


_SEVERAL = [(_numbers(f"{c}-several-", False), _numbers(f"{c}-several-", True)) for c in CLASSES]
_SCALED = [(_numbers(f"{c}-one-", False),) * 2 for c in CLASSES]
_SCALED.append((_SEVERAL[0][0], [i for i, n in enumerate(NAMES) if "-several-" in n]))


def words_alone() -> np.ndarray:
    """Weight 1 for words, less for words that follow each other, the least weight for everything else."""
    weights = np.array([1.0 if name.endswith("-word") else FLOOR for name in NAMES])
    weights[[i for i, name in enumerate(NAMES) if name.endswith("-word-pair")]] = 0.4
    return weights


def keeps_promise(weights: np.ndarray) -> bool:
    """Whether all weights are above 0, words count enough for one-word queries, and pairs not too much."""
    word, *others = weights[_PROMISE].tolist()
    bounded = all(weights[pairs].sum() <= PAIRS * weights[terms].sum() for terms, pairs in _SEVERAL)
    return bool((weights > 0).all()) and 9 * word >= sum(others) and bounded


def scaled(weights: np.ndarray) -> np.ndarray:
    """The same order, on one scale: words that are heard, and each class of a one-word query, sum to 1."""
    out = weights.copy()
    for terms, block in _SCALED:
        out[block] = weights[block] / weights[terms].sum()
    return out.round(6)


def average_precisions(scores: np.ndarray, relevant: np.ndarray, total: int) -> np.ndarray:
    """AP of several score vectors (rows); equal scores stay in the order of the columns.

    >>> average_precisions(np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 2.0]]), np.array([True, False, False]), 1).round(2)
    array([1.  , 0.33])
    """
    there = relevant[np.argsort(-np.round(scores, 9), axis=1, kind="stable")]
    return (there * np.cumsum(there, axis=1) / np.arange(1, scores.shape[1] + 1)).sum(axis=1) / total


class _Query:
    """The rows of a query, in falling order of names, as trec_eval breaks ties; only columns that are not 0."""

    def __init__(self, X: np.ndarray, y: np.ndarray, ids: np.ndarray, total: int, weight: float) -> None:
        order = np.argsort(ids)[::-1]
        self.columns = np.flatnonzero(X.any(axis=0))
        self.X, self.relevant = X[np.ix_(order, self.columns)], y[order] > 0
        self.total, self.weight = total, weight
        self.at = {int(c): i for i, c in enumerate(self.columns)}

    def moved(self, weights: np.ndarray, column: int, steps: np.ndarray) -> np.ndarray:
        """AP times the query's weight when a column's weight is moved by each of the steps."""
        scores = self.X @ weights[self.columns] + steps[:, None] * self.X[:, self.at[column]]
        return self.weight * average_precisions(scores, self.relevant, self.total)


def _queries(sets: Sequence[JudgedSet]) -> list[_Query]:
    """All queries on which a ranking can go wrong, each with its weight in the objective."""
    collections = [s.collection for s in sets]
    out = []
    for s in sets:
        X, y, data = s.columns(NAMES), np.asarray(s.data.y), s.data
        ids = np.asarray(data.doc_ids).astype(str)
        n = data.n_queries + len(s.examples.lost)
        weight = 1 / len(set(collections)) / collections.count(s.collection) / n
        for total, a, b in zip(s.examples.relevant.tolist(), data.ptr[:-1], data.ptr[1:], strict=True):
            if len(np.unique(y[a:b] > 0)) == 2:
                out.append(_Query(X[a:b], y[a:b], ids[a:b], total, weight))
    return out


def ascent(sets: Sequence[JudgedSet], start: np.ndarray | None = None) -> np.ndarray:
    """Weights (in the order of ``NAMES``) that no single step improves any more."""
    weights = words_alone() if start is None else start.copy()
    queries = _queries(sets)
    concerned = [[q for q in queries if column in q.at] for column in range(len(NAMES))]
    for _ in range(SWEEPS):
        before = weights.copy()
        for column, some in enumerate(concerned):
            allowed = [0.0, *(s for s in STEPS if keeps_promise(_moved(weights, column, s)))]
            if some:
                values = np.sum([q.moved(weights, column, np.array(allowed)) for q in some], axis=0)
                best = int(np.argmax(values))
                if values[best] > values[0] + GAIN:
                    weights = _moved(weights, column, allowed[best])
        if (weights == before).all():
            break
    return scaled(weights)


def _moved(weights: np.ndarray, column: int, step: float) -> np.ndarray:
    out = weights.copy()
    out[column] = max(out[column] + step, FLOOR)
    return out
