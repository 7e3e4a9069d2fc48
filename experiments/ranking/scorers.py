"""Linear, boosted and neural rankers with our losses beside the libraries' own ranking objectives.

Declared before it was run. Five folds of MQ2008 and OHSUMED; everything is chosen on validation nDCG@10. Boosted ones:
up to 400 trees with early stopping (50 trees without a gain), leaves 7 or 31 (YetiRank: depth 3 or 5), learning rate
0.05 or 0.1, at least 20 documents in a leaf where the library has such a limit, all else the defaults: the libraries'
for their own objectives, BoostedRanker's for our losses (no ridge and no least curvature in XGBoost's leaves). Linear
ones: C from 10^-4 to 10. Neural: two hidden layers (64, 32), early stopping, dropout 0.1 or 0.3. Gain 2^g − 1,
ties averaged over. Wilcoxon's signed-rank test of nDCG@10 against LightGBM's lambdarank, over all test queries, with
Holm's correction over the systems.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from rankine.arrays import per_row
from rankine.errors import needs
from rankine.measures import evaluate
from rankine.measures.compare import holm, mean_interval, wilcoxon
from rankine.rankers import BoostedRanker, LinearRanker, NeuralRanker
from rankine.system.parallel import process_map
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page

from ..collections import LetorFold, check_letor_sets, folder_of, letor_folds, letor_set, named_sets
from ..table import Results

MEASURES = ("nDCG@1", "nDCG@5", "nDCG@10", "AP", "ERR")
TREES, PATIENCE, BASELINE = 400, 50, "LightGBM lambdarank"
TREE_GRID = tuple(product((7, 31), (0.05, 0.1)))
C_GRID = tuple(10.0**e for e in range(-4, 2))
PACKAGES = {"lightgbm": "boost", "xgboost": "boost", "torch": "torch", "catboost": "bench"}

_LOSSES = ("svm-ndcg@10:tight", "svm-ndcg@10 (A pairs)", "svm-map", "consistent-ndcg@10", "ranksvm:norm", "listnet")


@dataclass(frozen=True)
class ScorerOnFold:
    """One system on one fold: the measures of every test query, and seconds per setting."""

    measured: dict[str, np.ndarray]
    seconds: float


def systems() -> list[str]:
    """All systems, in the order of the table."""
    boosted = [f"LightGBM {loss}" for loss in _LOSSES] + ["XGBoost svm-ndcg@10:tight", "XGBoost listnet"]
    return [
        "linear ranksvm", "linear svm-ndcg@10:tight", *boosted, "neural svm-ndcg@10:tight", "neural listnet",
        BASELINE, "XGBoost rank:ndcg", "CatBoost YetiRank",
    ]  # fmt: skip


def run_one(collection: str, number: int, system: str) -> ScorerOnFold:
    """Fit all settings of a system on one fold, choose on validation, measure on test."""
    fold = list(letor_folds(collection))[number]
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorers = _fitted(system, fold, letor_set(collection).normalise)
        seconds = (time.perf_counter() - began) / len(scorers)
        best = max(scorers, key=lambda s: _ndcg(s, fold))
    report = evaluate(list(MEASURES), fold.test.y, best(fold.test), fold.test.qid)
    return ScorerOnFold(report.per_query, seconds)


def _ndcg(score: Callable[[Any], np.ndarray], fold: LetorFold) -> float:
    return evaluate("nDCG@10", fold.valid.y, score(fold.valid), fold.valid.qid).mean["nDCG@10"]


def _fitted(system: str, fold: LetorFold, normalise: str | None) -> list[Callable[[Any], np.ndarray]]:
    model_class, name = system.split(" ", 1)
    if model_class == "linear":
        ranker = LinearRanker(name, normalise=normalise, threads=1, max_time=10.0)
        return [m.predict for m in ranker.path(C_GRID, fold.train)]
    if model_class == "neural":
        nets = [NeuralRanker(name, dropout=d, measure="nDCG@10", threads=1) for d in (0.1, 0.3)]
        return [n.fit(fold.train, valid=fold.valid).predict for n in nets]
    own = {"lambdarank": _lambdarank, "rank:ndcg": _rank_ndcg, "YetiRank": _yetirank}
    if name in own:
        return [own[name](fold, leaves, rate) for leaves, rate in TREE_GRID]
    name, pairs, _ = name.partition(" (A pairs)")
    options = {"A": "partial-order"} if pairs else None
    rankers = [
        BoostedRanker(
            name,
            model_class.lower(),
            TREES,
            rate,
            leaves,
            measure="nDCG@10",
            patience=PATIENCE,
            loss_options=options,
            threads=1,
        )
        for leaves, rate in TREE_GRID
    ]
    return [m.fit(fold.train, valid=fold.valid).predict for m in rankers]


def _lambdarank(fold: LetorFold, leaves: int, rate: float) -> Callable[[Any], np.ndarray]:
    lgb = needs("lightgbm", "boost")
    train = lgb.Dataset(fold.train.X, fold.train.y, group=np.diff(fold.train.ptr))
    valid = lgb.Dataset(fold.valid.X, fold.valid.y, group=np.diff(fold.valid.ptr), reference=train)
    settings = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "verbose": -1, "num_leaves": leaves,
                "learning_rate": rate, "min_data_in_leaf": 20, "num_threads": 1, "seed": 0}  # fmt: skip
    booster = lgb.train(
        settings, train, TREES, valid_sets=[valid], callbacks=[lgb.early_stopping(PATIENCE, verbose=False)]
    )
    return lambda data: np.asarray(booster.predict(data.X))


def _rank_ndcg(fold: LetorFold, leaves: int, rate: float) -> Callable[[Any], np.ndarray]:
    xgb = needs("xgboost", "boost")

    def matrix(data: Any) -> Any:
        return xgb.DMatrix(data.X, data.y, qid=per_row(np.arange(data.n_queries), data.ptr))

    settings = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "max_leaves": leaves, "max_depth": 0,
                "grow_policy": "lossguide", "learning_rate": rate, "nthread": 1, "seed": 0}  # fmt: skip
    booster = xgb.train(
        settings, matrix(fold.train), TREES, evals=[(matrix(fold.valid), "valid")], early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )  # fmt: skip
    return lambda data: booster.predict(xgb.DMatrix(data.X), iteration_range=(0, booster.best_iteration + 1))


def _yetirank(fold: LetorFold, leaves: int, rate: float) -> Callable[[Any], np.ndarray]:
    cat = needs("catboost", "bench")

    def pool(data: Any) -> Any:
        return cat.Pool(data.X, data.y, group_id=per_row(np.arange(data.n_queries), data.ptr))

    model = cat.CatBoost({
        "loss_function": "YetiRank", "eval_metric": "NDCG:top=10;type=Exp", "iterations": TREES, "learning_rate": rate,
        "depth": 3 if leaves == 7 else 5, "thread_count": 1, "random_seed": 0, "verbose": False,
        "allow_writing_files": False, "od_type": "Iter", "od_wait": PATIENCE,
    })  # fmt: skip
    model.fit(pool(fold.train), eval_set=pool(fold.valid))
    return lambda data: np.asarray(model.predict(np.asarray(data.X)))


def _job(job: tuple[str, int, str]) -> ScorerOnFold:
    return run_one(*job)


def run(
    names: list[str], workers: int, report: Callable[[int], None], only: list[str] | None = None
) -> dict[str, dict[str, list[ScorerOnFold]]]:
    """All systems on all folds: collection → system → five outcomes."""
    listed = systems() if only is None else only
    todo = [(name, i, system) for name in names for system in listed for i in range(5)]
    out: dict[str, dict[str, list[ScorerOnFold]]] = {name: {s: [] for s in listed} for name in names}
    for done, (job, outcome) in enumerate(
        zip(todo, process_map(_job, todo, workers, patience=0, chunk=1), strict=True), 1
    ):
        out[job[0]][job[2]].append(outcome)
        report(done)
    return out


def rows(results: dict[str, list[ScorerOnFold]]) -> list[tuple[str, ...]]:
    """System, measures, seconds per fit, difference to the baseline in nDCG@10 with its interval and p."""
    pooled = {
        s: {m: np.concatenate([o.measured[m] for o in outcomes]) for m in MEASURES} for s, outcomes in results.items()
    }
    others = [s for s in results if s != BASELINE]
    differences = {s: pooled[s]["nDCG@10"] - pooled[BASELINE]["nDCG@10"] for s in others}
    corrected = dict(zip(others, holm([wilcoxon(d) for d in differences.values()]), strict=True))
    out = []
    for system, outcomes in results.items():
        cells = [f"{pooled[system][m].mean():.4f}" for m in MEASURES]
        seconds = f"{np.mean([o.seconds for o in outcomes]):.1f}"
        tests = ["-", "-"]
        if system != BASELINE:
            d = differences[system]
            low, high = mean_interval(d, 0.95, 0)
            tests = [f"{d.mean():+.4f} [{low:+.4f}, {high:+.4f}]", f"{corrected[system]:.2g}"]
        out.append((system, *cells, seconds, *tests))
    return out


COLUMNS = ("scorer", *MEASURES, "seconds a fit", "nDCG@10 to lambdarank", "p (Holm)")


def sections(name: str, results: dict[str, list[ScorerOnFold]]) -> list[Section]:
    """The report on one collection."""
    n = sum(len(o.measured["AP"]) for o in next(iter(results.values())))
    return [Section(letor_set(name).title, f"{n} test queries; one thread each.", COLUMNS, rows(results))]


def experiment(data: list[str], output: Path, workers: int) -> Results:
    """Run all systems on the sets; write a report for each into a folder below ``output``."""
    for package, extra in PACKAGES.items():
        needs(package, extra)
    data = named_sets(data)
    check_letor_sets(data)
    with bar("fits", total=5 * len(data) * len(systems())) as update:
        results = run(data, workers, update)
    tables, reports = [], []
    for name in data:
        folder = output / folder_of(name)
        folder.mkdir(parents=True, exist_ok=True)
        report = sections(name, results[name])
        tables.append(replace(report[0], text=""))
        reports.append(write(report, folder))
    return Results(tables, reports)


def make(folder: Path, workers: int) -> None:
    """Run everything; write the pages that the documentation includes into ``folder``."""
    for name in ("mq2008", "ohsumed"):
        results = run([name], workers, lambda done: None)[name]
        write_page(sections(name, results), folder, name, level=3)
