"""What estimators reach with their defaults: five folds of real sets, and sets made from a seed.

On a real set each fold of test queries is scored by a model that learned from the other four. The defaults themselves
were chosen by out-of-fold values on training queries only. A made set has 20 queries or more of 20 documents with 20
features on very different scales; the grade follows a linear score through noise of 0, 1 or 4 times its deviation, and
1,500 fresh queries are the test.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankine.data.alignment import concatenate
from rankine.data.ranking_data import RankingData
from rankine.errors import needs
from rankine.measures import evaluate
from rankine.rankers.folds import seeded
from rankine.rankers.table import TABLE as RANKERS
from rankine.sample import bundled_sample
from rankine.system.parallel import process_map
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page

from ..collections import check_letor_sets, letor_folds
from ..table import Results

MEASURES = ("nDCG@10", "AP")
SETS = {
    "mq2008": "MQ2008", "ohsumed": "OHSUMED (LETOR 3)", "ohsumed-letor2": "OHSUMED (LETOR 2)",
    "sample": "the bundled sample",
}  # fmt: skip
FLOOR = "single"
# the defaults until 0.1; the exact kernel took minutes and is left out
OLD: dict[str, dict[str, Any]] = {
    "linear": {"loss": "svm-ndcg@10", "C": 1.0},
    "boosted": {
        "loss": "svm-ndcg@10:tight", "n_trees": 200, "learning_rate": 0.1, "n_leaves": 31, "feature_share": 1.0,
        "document_share": 1.0,
    },
    "neural": {"loss": "svm-ndcg@10:tight", "epochs": 100},
    "regression": {"alpha": 1e-6},
    "adarank": {"n_rounds": 100},
    "rankboost": {"n_rounds": 100, "by_query": False},
}  # fmt: skip
NAMES = (FLOOR, "linear", "boosted", "kernel", "neural", "rankboost", "regression", "adarank")
NOISES, SIZES, TEST = (0.0, 1.0, 4.0), (20, 100, 1000, 20_000), 1500
MADE = (FLOOR, "linear", "boosted")


class DefaultFit(NamedTuple):
    """A fit to make: an estimator with its new or old defaults on a fold of a real set, or on a made one."""

    ranker: str
    old: bool
    data: str
    fold: int = 0
    noise: float = 0.0


class DefaultOutcome(NamedTuple):
    """The measures of the test queries, and the seconds that the fit took."""

    values: dict[str, np.ndarray]
    seconds: float


def made_set(n_queries: int, noise: float, seed: int) -> RankingData:
    """Queries with 20 documents, 20 features of different scale, and grades 0 to 4 by a noisy linear score.

    >>> made_set(3, 1.0, seed=0)
    RankingData(3 queries, 60 documents, 20 features, dense float64)
    """
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(1)
    w, scale = fixed.standard_t(2, size=20), fixed.lognormal(0, 2, size=20)
    X = rng.normal(size=(20 * n_queries, 20))
    hidden = X @ w / np.linalg.norm(w) + noise * rng.normal(size=len(X))
    by_query = np.repeat(rng.normal(size=n_queries), 20)
    y = np.searchsorted((0.5, 1.0, 1.6, 2.2), hidden / np.sqrt(1 + noise**2) + 0.3 * by_query)
    return RankingData(X * scale, y, np.repeat(np.arange(n_queries), 20))


def split(job: DefaultFit) -> tuple[RankingData, RankingData]:
    """What a fit learns from, and its test queries."""
    if job.data.isdigit():
        return made_set(int(job.data), job.noise, 10 + job.fold), made_set(TEST, job.noise, 999)
    if job.data == "sample":
        data = bundled_sample()
        folds = seeded(data.n_queries, 5, 0)
        return data.subset(folds != job.fold), data.subset(folds == job.fold)
    fold = list(letor_folds(job.data))[job.fold]
    return concatenate([fold.train, fold.valid]), fold.test


def outcome(job: DefaultFit) -> DefaultOutcome:
    """Fit and measure."""
    train, test = split(job)
    settings = OLD[job.ranker] if job.old else {}
    ranker = RANKERS[job.ranker].make(**settings, threads=1)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranker.fit(train)
    seconds = time.perf_counter() - began
    return DefaultOutcome(evaluate(MEASURES, test.y, ranker.predict(test), test.qid).per_query, seconds)


def fits(quick: bool) -> list[DefaultFit]:
    """Everything that is measured: with ``quick`` one fold of MQ2008 and of the sample, and small made sets."""
    sets, folds = (("mq2008", "sample"), 1) if quick else (tuple(SETS), 5)
    real = [
        DefaultFit(ranker, old, data, fold)
        for data in sets
        for ranker in NAMES
        for old in (False, True)
        if not old or ranker in OLD
        for fold in range(folds)
    ]
    made = [
        DefaultFit(ranker, old, str(n), fold, noise)
        for n in (SIZES[:2] if quick else SIZES)
        for noise in NOISES
        for ranker in MADE
        for old in (False, True)
        if not old or ranker == "linear"
        for fold in range(3 if n <= 100 else 1)
        if ranker != "boosted" or n <= 1000
    ]
    return real + made


def real_table(data: str, outcomes: dict[DefaultFit, DefaultOutcome]) -> Section:
    """Means over all test queries of a real set, new and old defaults side by side."""
    rows = []
    floor = [_mean(outcomes, m, ranker=FLOOR, old=False, data=data) for m in MEASURES]
    for ranker in NAMES:
        new = [_mean(outcomes, m, ranker=ranker, old=False, data=data) for m in MEASURES]
        old = [_mean(outcomes, m, ranker=ranker, old=True, data=data) for m in MEASURES]
        mine = [o.seconds for job, o in outcomes.items() if job.ranker == ranker and not job.old and job.data == data]
        rows.append([
            f"`{RANKERS[ranker].class_name}()`", *(_figure(v) for v in new),
            *("" if ranker == FLOOR else f"{v - base:+.4f}" for v, base in zip(new, floor, strict=True)),
            *(_figure(v) for v in old), f"{np.mean(mine):.1f}",
        ])  # fmt: skip
    columns = ["estimator", *MEASURES, *(f"{m}, over the single feature" for m in MEASURES),
               *(f"{m}, defaults until 0.1" for m in MEASURES), "seconds a fit"]  # fmt: skip
    return Section(SETS[data], "", columns, rows)


def made_table(outcomes: dict[DefaultFit, DefaultOutcome]) -> Section:
    """nDCG@10 on the made sets."""
    kinds = [(FLOOR, False), ("linear", False), ("linear", True), ("boosted", False)]
    cases = dict.fromkeys((job.data, job.noise) for job in outcomes if job.data.isdigit())
    rows = [
        [f"{int(n):,}", f"{noise:g}",
         *(_figure(_mean(outcomes, "nDCG@10", ranker=r, old=o, data=n, noise=noise)) for r, o in kinds)]
        for n, noise in cases
    ]  # fmt: skip
    columns = ["queries", "noise", *(
        f"`{RANKERS[r].class_name}()`{', defaults until 0.1' if o else ''}" for r, o in kinds)]  # fmt: skip
    return Section("Made sets, nDCG@10", "", columns, rows)


def _mean(outcomes: dict[DefaultFit, DefaultOutcome], measure: str, **which: Any) -> float:
    parts = [
        o.values[measure] for job, o in outcomes.items() if all(getattr(job, k) == value for k, value in which.items())
    ]
    return float(np.concatenate(parts).mean()) if parts else np.nan


def _figure(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4f}"


def sections(outcomes: dict[DefaultFit, DefaultOutcome]) -> list[Section]:
    """The tables."""
    sets = dict.fromkeys(job.data for job in outcomes if not job.data.isdigit())
    return [*(real_table(data, outcomes) for data in sets), made_table(outcomes)]


def run(jobs: Sequence[DefaultFit], workers: int) -> dict[DefaultFit, DefaultOutcome]:
    """Make the fits."""
    out = {}
    with bar("fits", total=len(jobs)) as update:
        for job, result in zip(jobs, process_map(outcome, jobs, workers, patience=0, chunk=1), strict=True):
            out[job] = result
            update(len(out))
    return out


def experiment(quick: bool, output: Path, workers: int) -> Results:
    """Measure all defaults; write the report into ``output``."""
    for package, extra in (("lightgbm", "boost"), ("torch", "torch")):
        needs(package, extra)
    check_letor_sets(name for name in SETS if name != "sample")
    report = sections(run(fits(quick), workers))
    output.mkdir(parents=True, exist_ok=True)
    return Results(report, [write(report, output)])


def make(folder: Path, workers: int) -> None:
    """Measure all defaults; write the page that the documentation includes into ``folder``."""
    write_page(sections(run(fits(quick=False), workers)), folder, "defaults", level=3)
