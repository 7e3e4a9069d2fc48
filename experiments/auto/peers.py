"""AutoRanker, the best single feature and the ranking objectives of other libraries on one test fold.

All learn from four fifths of the queries and are tested on the last fifth. AutoRanker makes its own folds of the four
fifths. Tuned peers are judged on folds made by the same function and seed; settings are tried in a random order until
as much processor time is over as AutoRanker took (the setting that is running then is finished). The one with the best
mean on held-out queries is fitted on all four fifths. Every job has one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple, TypedDict

import numpy as np

from rankine.arrays import per_row
from rankine.data.alignment import concatenate
from rankine.data.ranking_data import RankingData
from rankine.errors import needs
from rankine.measures import evaluate
from rankine.rankers import AutoRanker, SingleFeature
from rankine.rankers.folds import seeded
from rankine.sample import bundled_sample
from rankine.system.records import Count, Finite

from ..collections import letor_folds
from .jobs import one_thread

AUTO, SINGLE, SAMPLE = "AutoRanker", "single feature", "sample"
LIGHTGBM, XGBOOST, CATBOOST = "LightGBM lambdarank", "XGBoost rank:ndcg", "CatBoost YetiRank"
TUNED = ", tuned"
MEASURES = ("nDCG@10", "AP")
CANDIDATES: Any = "auto"
TREES = (25, 50, 100, 200, 400)
LIGHTGBM_GRID = tuple(product((7, 15, 31), (0.05, 0.1), (20, 50, 100), (0.5, 1.0)))
XGBOOST_GRID = tuple(product((3, 6), (0.05, 0.1), (0.5, 1.0)))

Scorer = Callable[[RankingData], np.ndarray]


class PeerResult(TypedDict):
    """A system on a test fold: the measures of each test query, seconds of processor time, and what was chosen.

    ``tried`` is the number of settings that were judged on held-out queries, all numbers of trees as one.
    """

    measured: dict[str, list[Finite]]
    seconds: Finite
    choice: str
    tried: Count


class PeerJob(NamedTuple):
    """A system on a test fold; ``measures`` is what it is to be good at, ``seconds`` the time for tuning."""

    collection: str
    fold: int
    system: str
    measures: tuple[str, ...]
    seconds: float = 0.0


def peers() -> list[str]:
    """The systems that AutoRanker is compared with."""
    catboost = [CATBOOST] if find_spec("catboost") else []
    return [SINGLE, LIGHTGBM, LIGHTGBM + TUNED, XGBOOST, XGBOOST + TUNED, *catboost]


def fifths(collection: str, number: int) -> tuple[RankingData, RankingData]:
    """Four fifths of the queries, and the last fifth."""
    if collection == SAMPLE:
        return list(bundled_sample().folds(5, seed=0))[number]
    fold = list(letor_folds(collection))[number]
    return concatenate([fold.train, fold.valid]), fold.test


def run_peer(job: PeerJob) -> PeerResult:
    """Fit a system on four fifths of the queries, measure it on the last."""
    train, test = fifths(job.collection, job.fold)
    with one_thread():
        began = time.process_time()
        scores, choice, tried = _scores(job, train, test)
        seconds = time.process_time() - began
    measured = {m: evaluate(m, test.y, s, test.qid).per_query[m].tolist() for m, s in scores.items()}
    return PeerResult(measured=measured, seconds=seconds, choice=choice, tried=tried)


def _scores(job: PeerJob, train: RankingData, test: RankingData) -> tuple[dict[str, np.ndarray], str, int]:
    """The scores of the test documents by the model for each measure, what was chosen, and of how many settings."""
    if job.system in (AUTO, SINGLE):
        (measure,) = job.measures
        if job.system == SINGLE:
            single = SingleFeature(measure, both_signs=True).fit(train)
            return {measure: single.predict(test)}, f"feature {single.feature_ + 1}", 0
        auto = AutoRanker(measure, CANDIDATES, workers=1).fit(train)
        best = next(r.name for r in auto.leaderboard_ if r.verdict == "best")
        return {measure: auto.predict(test)}, best, len(auto.leaderboard_)
    if job.system.endswith(TUNED):
        staged = {LIGHTGBM: (staged_lambdarank, LIGHTGBM_GRID), XGBOOST: (staged_rank_ndcg, XGBOOST_GRID)}
        return tuned(*staged[job.system.removesuffix(TUNED)], train, test, job.measures, job.seconds)
    default = {LIGHTGBM: _lambdarank, XGBOOST: _rank_ndcg, CATBOOST: _yetirank}[job.system]
    scores = default(train, test)
    return dict.fromkeys(job.measures, scores), "default", 1


def tuned(
    staged: Callable[[RankingData, tuple], Scorer], grid: Sequence[tuple], train: RankingData, test: RankingData,
    measures: Sequence[str], seconds: float,
) -> tuple[dict[str, np.ndarray], str, int]:  # fmt: skip
    """Test scores of the setting and number of trees that is best on held-out queries, for each measure."""
    folds = seeded(train.n_queries, min(5, train.n_queries), 0)
    rows = per_row(folds, train.ptr)
    means: dict[str, list[tuple[float, int, int]]] = {m: [] for m in measures}
    began, tried = time.process_time(), 0
    for number in np.random.default_rng(0).permutation(len(grid)).tolist():
        if tried and time.process_time() - began > seconds:
            break
        scores = np.empty((len(TREES), train.n_documents))
        for k in range(int(folds.max()) + 1):
            model = staged(train.subset(folds != k), grid[number])
            scores[:, rows == k] = model(train.subset(folds == k))
        for m in measures:
            means[m] += [(evaluate(m, train.y, s, train.qid).mean[m], number, i) for i, s in enumerate(scores)]
        tried += 1
    out, choices = {}, []
    for m in measures:
        _, number, stage = max(means[m])
        out[m] = staged(train, grid[number])(test)[stage]
        choices.append(f"{m}: {grid[number]}, {TREES[stage]} trees")
    return out, "; ".join(choices), tried


def staged_lambdarank(data: RankingData, setting: tuple) -> Scorer:
    """LightGBM's lambdarank: scores after each number of ``TREES``, a row for each."""
    lgb = needs("lightgbm", "boost")
    leaves, rate, documents, share = setting
    settings = {"objective": "lambdarank", "num_leaves": leaves, "learning_rate": rate, "min_data_in_leaf": documents,
                "feature_fraction": share, "num_threads": 1, "seed": 0, "verbose": -1}  # fmt: skip
    booster = lgb.train(settings, lgb.Dataset(data.X, data.y, group=np.diff(data.ptr)), max(TREES))
    return lambda held_out: np.stack([booster.predict(held_out.X, num_iteration=n) for n in TREES])


def staged_rank_ndcg(data: RankingData, setting: tuple) -> Scorer:
    """XGBoost's rank:ndcg: scores after each number of ``TREES``, a row for each."""
    xgb = needs("xgboost", "boost")
    depth, rate, share = setting
    settings = {"objective": "rank:ndcg", "max_depth": depth, "learning_rate": rate, "colsample_bytree": share,
                "nthread": 1, "seed": 0}  # fmt: skip
    booster = xgb.train(settings, xgb.DMatrix(data.X, data.y, qid=_numbers(data)), max(TREES))

    def scores(held_out: RankingData) -> np.ndarray:
        matrix = xgb.DMatrix(held_out.X)
        return np.stack([booster.predict(matrix, iteration_range=(0, n)) for n in TREES])

    return scores


def _lambdarank(train: RankingData, test: RankingData) -> np.ndarray:
    lgb = needs("lightgbm", "boost")
    model = lgb.LGBMRanker(n_jobs=1, random_state=0, verbose=-1).fit(train.X, train.y, group=np.diff(train.ptr))
    return np.asarray(model.predict(test.X))


def _rank_ndcg(train: RankingData, test: RankingData) -> np.ndarray:
    xgb = needs("xgboost", "boost")
    model = xgb.XGBRanker(n_jobs=1, random_state=0).fit(train.X, train.y, qid=_numbers(train))
    return np.asarray(model.predict(test.X))


def _yetirank(train: RankingData, test: RankingData) -> np.ndarray:
    cat = needs("catboost", "bench")
    model = cat.CatBoostRanker(
        loss_function="YetiRank", thread_count=1, random_seed=0, verbose=False, allow_writing_files=False
    )
    model.fit(cat.Pool(train.dense().X, train.y, group_id=_numbers(train)))
    return np.asarray(model.predict(test.dense().X))


def _numbers(data: RankingData) -> np.ndarray:
    """The number of the query of each document."""
    return per_row(np.arange(data.n_queries), data.ptr)
