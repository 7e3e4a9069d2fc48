r"""Which places to judge next: those of which rankers disagree most.

The rankers are those that learning can end at: the weights that it begins at, with words that follow each other
counting less or more (:mod:`.neighbours`). To judge a place that all of them rank alike teaches nothing. The
disagreement about a place is the standard deviation of its reciprocal rank,

.. math:: d(x) = \mathrm{sd}_r \frac{1}{\mathrm{rank}_r(x)}

for AP depends on the first ranks most: with one relevant place it is the reciprocal rank. Only places count that one of
the rankers has among its first ``DEPTH``. Words alone and sounds alone as further rankers were tried, and ranks instead
of their reciprocals: both needed more judgments (`rankine experiment judging`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .neighbours import STEPS, multiplied

DEPTH = 10


def committee(names: Sequence[str], start: np.ndarray) -> np.ndarray:
    """The weights of the rankers that are compared, a row each; ``start`` are those that learning begins at."""
    return np.array([multiplied(names, start, step) for step in STEPS])


def ranks_of(scores: np.ndarray) -> np.ndarray:
    """The rank of each place (column) by each ranker (row); equal scores stay in the order of the columns.

    >>> ranks_of(np.array([[0.1, 0.3, 0.2], [0.5, 0.5, 0.0]])).tolist()
    [[3, 1, 2], [1, 2, 3]]
    """
    order = np.argsort(-np.round(scores, 12), axis=1, kind="stable")
    ranks = np.empty(scores.shape, np.int64)
    np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[None], axis=1)
    return ranks


def disagreement(ranks: np.ndarray, depth: int = DEPTH) -> np.ndarray:
    """How much rankers (rows) disagree about each place (column); −1 where none has it among its first ``depth``.

    >>> disagreement(np.array([[1, 2, 3], [1, 3, 2]]), depth=2).round(3).tolist()
    [0.0, 0.083, 0.083]
    """
    if ranks.size == 0:
        return np.zeros(ranks.shape[1])
    spread = (1 / ranks).std(axis=0)
    return np.where((ranks <= depth).any(axis=0), spread, -1.0)
