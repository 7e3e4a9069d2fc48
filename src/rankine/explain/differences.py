"""Looking closer: which queries two rankers treat differently, and what a feature is worth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..data.ranking_data import RankingData
from ..errors import InputError
from ..measures import evaluate, parse
from ..rankers.base import Ranker
from ..system.progress import bar


class Dropped(NamedTuple):
    """A feature left out: the measure without it, and how much that is more than with it."""

    feature: str
    without: float
    change: float


def drop_one(model: Ranker, train: RankingData, test: RankingData, measure: str = "nDCG@10") -> list[Dropped]:
    """Refit a linear ranker without each of its features and measure again; the most harmful loss first.

    >>> from rankine import RegressionRanker
    >>> from rankine.sample import bundled_sample
    >>> data = bundled_sample()
    >>> drop_one(RegressionRanker(normalise="zscore"), data, data)[0].change < 0
    True
    """
    if getattr(model, "form", "") != "linear":
        raise InputError(f"drop_one needs a linear ranker, got {type(model).__name__}")
    if train.n_features < 2:
        raise InputError("there is only one feature: nothing is left without it")
    measure = str(parse(measure))
    names = train.feature_names or tuple(str(f) for f in range(train.n_features))

    def measured(columns: list[int]) -> float:
        fitted = clone(model).fit(train.select(columns))
        part = test.select(columns)
        return evaluate(measure, fitted.grades(part.y), fitted.predict(part), part.qid).mean[measure]

    whole = measured(list(range(train.n_features)))
    out = []
    with bar("leaving out", train.n_features) as update:
        for f in range(train.n_features):
            without = measured([g for g in range(train.n_features) if g != f])
            out.append(Dropped(names[f], without, without - whole))
            update(f + 1)
    return sorted(out, key=lambda d: -d.change if parse(measure).is_error else d.change)


def most_different(a: np.ndarray, b: np.ndarray, n: int) -> np.ndarray:
    """The n queries whose values differ most, largest first; those that do not differ are left out.

    >>> most_different(np.array([0.1, 0.5, 0.9]), np.array([0.1, 0.6, 0.2]), 5)
    array([2, 1])
    """
    difference = np.abs(a - b)
    order = np.argsort(-difference, kind="stable")[:n]
    return order[difference[order] > 1e-12]


def contributions(coef: np.ndarray, x: np.ndarray, names: Any, n: int = 3) -> str:
    """The n largest parts of a linear score, as text.

    >>> contributions(np.array([2.0, -1.0, 0.1]), np.array([1.0, 3.0, 1.0]), ["a", "b", "c"], n=2)
    'b −3.00, a +2.00'
    """
    parts = coef * x
    largest = np.argsort(-np.abs(parts), kind="stable")[:n]
    return ", ".join(f"{names[f]} {parts[f]:+.2f}".replace("-", "−") for f in largest)
