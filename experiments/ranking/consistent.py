"""Tables 1 and 2 of Buffoni et al. (2011), on LETOR sets: preorder against consistent losses.

For every loss and fold, C is chosen on the validation queries by the measure that is reported. Means are over the five
test folds; ↓ marks a loss that is significantly worse than the best of its table, by Wilcoxon's signed-rank test over
all test queries at 5 %. (The paper names no test.)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rankine.measures import evaluate
from rankine.measures.compare import wilcoxon
from rankine.rankers import LinearRanker
from rankine.system.progress import bar
from rankine.system.report import Section

from ..collections import check_letor_sets, err_of, is_own, letor_folds, letor_set, named_sets
from ..table import Results

MEASURES = ("ERR", "DCG", "nDCG")
GRID = tuple(10.0**e for e in range(-6, 3))
TABLES = {
    "Table 1": {
        "preorder": "PreOrder",
        "consistent-dcg": "Consist DCG",
        "consistent-ndcg": "Consist NDCG",
    },
    "Table 2": {
        "preorder:norm": "PreOrder Norm",
        "preorder:norm+dcg": "PreOrder Norm+DCG",
        "consistent-dcg:norm": "Consist Norm+DCG",
    },
}
NOTE = (
    "Means over five test folds, nothing truncated, C chosen on validation by the measure of the column; ↓ is "
    "significantly worse than the best of its three rows (Wilcoxon, 5 %, all test queries). The paper's figures "
    "are for MQ2007 and YLTRC, which are not at hand here, so they cannot be compared with ours one by one; its "
    "DCG leaves the base of the logarithm open, ours has 2."
)
COLUMNS = (
    "data", "loss", "ERR", "DCG", "nDCG", "in the paper",
    *(f"{s} {m}" for s in ("MQ2007", "YLTRC") for m in ("ERR", "DCG", "NDCG")),
)  # fmt: skip
# as printed in the paper: ERR, DCG, NDCG on YLTRC and on MQ2007
PAPER = {
    "preorder": (("0.4392↓", "1.6894↓", "0.8332↓"), ("0.31392", "1.7678", "0.66696")),
    "consistent-dcg": (("0.4469", "1.7025", "0.8349↓"), ("0.316", "1.76806", "0.66714")),
    "consistent-ndcg": (("0.4472", "1.7021", "0.8374"), ("0.3134", "1.76566", "0.66858")),
    "preorder:norm": (("0.4458↓", "1.6988↓", "0.8370"), ("0.31278", "1.76412", "0.66794")),
    "preorder:norm+dcg": (("0.4499", "1.7072", "0.8376"), ("0.31276", "1.77058", "0.6714")),
    "consistent-dcg:norm": (("0.4511", "1.7082", "0.8370"), ("0.31746", "1.77124", "0.67032")),
}


class Cell(NamedTuple):
    """A figure of the table: mean over the test folds, values of all test queries, best C of each fold."""

    mean: float
    values: np.ndarray
    costs: tuple[float, ...]


def run(name: str, loss: str, report: Callable[[], None] = lambda: None) -> dict[str, Cell]:
    """One loss on one set: for each measure the test figures at the C that validates best by it."""
    measures = {"ERR": err_of(name), "DCG": "DCG", "nDCG": "nDCG"}
    values: dict[str, list[np.ndarray]] = {m: [] for m in MEASURES}
    costs: dict[str, list[float]] = {m: [] for m in MEASURES}
    ranker = LinearRanker(loss=loss, normalise=letor_set(name).normalise, tol=1e-4)
    for fold in letor_folds(name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            models = ranker.path(GRID, fold.train)
        on_valid, on_test = (
            [evaluate(list(measures.values()), data.y, model.predict(data), data.qid).per_query for model in models]
            for data in (fold.valid, fold.test)
        )
        for m in MEASURES:
            best = int(np.argmax([per_query[measures[m]].mean() for per_query in on_valid]))
            values[m].append(on_test[best][measures[m]])
            costs[m].append(models[best].C)
        report()
    return {
        m: Cell(float(np.mean([v.mean() for v in values[m]])), np.concatenate(values[m]), tuple(costs[m]))
        for m in MEASURES
    }


def mark(cells: Sequence[Cell], level: float = 0.05) -> list[bool]:
    """Which cells are significantly worse than the best one.

    >>> good, bad = np.linspace(0.5, 0.9, 40), np.linspace(0.3, 0.8, 40)
    >>> mark([Cell(good.mean(), good, ()), Cell(bad.mean(), bad, ())])
    [False, True]
    """
    best = max(cells, key=lambda c: c.mean)
    return [c is not best and wilcoxon(best.values - c.values) < level for c in cells]


def rows(results: dict[str, dict[str, Cell]], table: str) -> list[tuple[str, ...]]:
    """The rows of a table: ours, then the paper's for MQ2007 and YLTRC."""
    losses = TABLES[table]
    marks = {m: mark([results[loss][m] for loss in losses]) for m in MEASURES}
    out = []
    for i, (loss, printed) in enumerate(losses.items()):
        ours = [f"{results[loss][m].mean:.4f}{'↓' if marks[m][i] else ''}" for m in MEASURES]
        yltrc, mq2007 = PAPER[loss]
        out.append((loss, *ours, printed, *mq2007, *yltrc))
    return out


def experiment(data: list[str]) -> Results:
    """Run all losses on the sets."""
    data = named_sets(data)
    check_letor_sets(data)
    jobs = [(name, loss) for name in data for table in TABLES.values() for loss in table]
    results: dict[str, dict[str, dict[str, Cell]]] = {name: {} for name in data}
    done = 0
    with bar("fitting", total=5 * len(jobs)) as update:

        def fold_done() -> None:
            nonlocal done
            done += 1
            update(done)

        for name, loss in jobs:
            results[name][loss] = run(name, loss, fold_done)
    tables = [
        Section(
            f"{letor_set(name).title}, as {table}",
            columns=COLUMNS,
            rows=[(letor_set(name).title if is_own(name) else name, *row) for row in rows(results[name], table)],
        )
        for name in data
        for table in TABLES
    ]
    return Results(tables, note=NOTE)
