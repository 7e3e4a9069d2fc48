r"""Weights by classes of query words, learned from where they stand.

Columns of evidence are features × classes: words that are heard, listed or unknown, in queries of one or several words.
What is learned moves the weights :math:`w_c` of a class away from :math:`w_{0c}`, the shipped ones, and all classes
move together unless the queries say otherwise:

.. math:: \min_{\bar w} \tfrac12 \|\bar w\|^2 + \tfrac{\mu}{2} \sum_c \|w_c - w_{0c} - \bar w\|^2

With a column for each feature that all classes share, and the columns of the classes divided by :math:`\sqrt\mu`, this
is the regulariser :math:`\tfrac12 \|\theta - \theta_0\|^2` of every linear ranker, for any :math:`\theta_0` that gives
the shipped weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...data.ranking_data import RankingData
from ..index.evidence import CLASSES

MU = 1.0
SCALE = 10.0  # a difference of scores of 1/10 is a margin of 1: certainly heard is 1
C = 3e-6  # for each query: of 21 pairs of C and MU one with which no draw of ten queries cost as much as 0.01
CLASS_HEADS = tuple(f"{c}, {size}" for c in CLASSES for size in ("one", "several"))
_WORD = "heard-one-word"
_ONE = "heard-one-"


def feature_of(name: str) -> str:
    """The feature of a column of evidence.

    >>> feature_of("heard-several-sound-all")
    'sound-all'
    """
    return name.split("-", 2)[2]


def class_rows(weights: Mapping[str, float], form: str, empty: str) -> list[tuple[str, ...]]:
    """A row for each feature of columns of evidence, a column for each class of words; ``empty`` where none is given.

    >>> class_rows({"heard-one-word": 1.0, "unknown-one-word": 0.5}, "{:.1f}", "-")
    [('word', '1.0', '-', '-', '-', '0.5', '-')]
    """
    prefixes = [head.replace(", ", "-") for head in CLASS_HEADS]
    return [
        (f, *(form.format(weights[name]) if (name := f"{p}-{f}") in weights else empty for p in prefixes))
        for f in dict.fromkeys(map(feature_of, weights))
    ]


def substitution(names: Sequence[str], mu: float = MU) -> np.ndarray:
    """The matrix from the substituted weights (shared ones, then own ones) to those of the columns."""
    features = list(dict.fromkeys(map(feature_of, names)))
    shared = np.array([[float(feature_of(name) == f) for f in features] for name in names])
    return np.hstack([shared, np.eye(len(names)) / np.sqrt(mu)])


def substituted(weights: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Substituted weights: the mean over the classes, and what each class has beyond it."""
    n = matrix.shape[1] - matrix.shape[0]
    shared, own = matrix[:, :n], matrix[0, n]
    mean = shared.T @ weights / shared.sum(axis=0)
    return np.concatenate([mean, (weights - shared @ mean) / own])


def promised(names: Sequence[str], weights: np.ndarray) -> np.ndarray:
    """The weights, changed where one-word queries would break a promise.

    A place without the word is never above one that says it with a posterior of at least 0.9: for a word that is heard
    no weight is negative, and the word's is at least a ninth of the sum of the others. In queries of several words the
    weight of heard words is not negative either.
    """
    out = np.array(weights, np.float64)
    ones = [i for i, name in enumerate(names) if name.startswith(_ONE)]
    words = [i for i, name in enumerate(names) if name.startswith("heard-") and feature_of(name) == "word"]
    out[[*ones, *words]] = np.maximum(out[[*ones, *words]], 0.0)
    if _WORD in names:
        word = list(names).index(_WORD)
        out[word] = max(out[word], out[[i for i in ones if i != word]].sum() / 9)
    return out


class ContinuedRanker:
    """A linear ranker over columns of evidence that begins at given weights.

    Args:
        loss: the name of any loss.
        C: the weight of each query's loss.
        start: the weights that it begins at, in the order of the columns.
        mu: how much classes of words are held together.
    """

    def __init__(self, loss: str, C: float, start: np.ndarray, mu: float = MU) -> None:
        self.loss, self.C, self.start, self.mu = loss, C, np.asarray(start, np.float64), mu

    def fit(self, data: RankingData) -> ContinuedRanker:
        """Learn from judged queries."""
        from ...rankers import LinearRanker

        names = list(map(str, data.feature_names or ()))
        matrix = substitution(names, self.mu)
        columns = SCALE * (np.asarray(data.X, np.float64) @ matrix)
        small = RankingData(columns, data.y, data.qid)
        model = LinearRanker(loss=self.loss, C=self.C, w0=substituted(self.start, matrix)).fit(small)
        self.coef_ = promised(names, matrix @ model.coef_)
        return self

    def predict(self, data: RankingData) -> np.ndarray:
        """Scores."""
        return np.asarray(data.X, np.float64) @ self.coef_

    def get_params(self) -> dict[str, Any]:
        """What is noted with the weights."""
        return {"loss": self.loss, "C": self.C, "mu": self.mu}
