"""How much a further hearing of an archive counts: one number, chosen on judged queries and tested on others.

A hearing counts only if it helps. Its weight is one of a few, by mean AP. Over folds of queries it is chosen on the
others, and the APs of all queries with it are compared with those without it. Unless they are larger, and by the paired
randomisation test not by chance, the weight is 0. One number is what a few dozen queries can tell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...measures.resampling import randomisation
from .learning import Examples
from .weights import Weights

GRID = (0.0, 0.1, 0.25, 0.5, 1.0)
LEVEL = 0.05  # of the test
COLUMNS = ("own", "further")


class WeightTest(NamedTuple):
    """The weight of a hearing, the number of queries, their mean APs without it and with it, and p of the test."""

    weight: float
    queries: int
    without: float
    with_it: float
    p: float


def choose_weight(examples: Examples, folds: int = 4, seed: int = 0) -> WeightTest:
    """The weight of the second column of some examples beside the first, whose weight is 1; of equal ones the least."""
    values = np.array([examples.precision(Weights(COLUMNS, (1.0, w), None, "hearings", {})) for w in GRID])
    number = {query: i for i, query in enumerate(examples.data.query_ids)}
    tested = values[0].copy()
    if len(number) >= folds:
        for train, test in examples.data.folds(folds, seed):
            best = _best(values[:, [number[q] for q in train.query_ids]])
            rows = [number[q] for q in test.query_ids]
            tested[rows] = values[best, rows]
    gain = tested - values[0]
    p = float(randomisation(gain[None], seed)[0])
    helps = gain.mean() > 0 and p < LEVEL
    weight = GRID[_best(values)] if helps else 0.0
    return WeightTest(weight, values.shape[1], float(values[0].mean()), float(tested.mean()), p)


def _best(values: np.ndarray) -> int:
    """The row with the largest mean, of equal ones the first."""
    return int(np.argmax(np.round(values.mean(axis=1), 12)))
