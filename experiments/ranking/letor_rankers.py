"""The rankers of ``rankine experiment letor``, on five folds: settings chosen on validation, tested once.

The rankers and their grids are written down here, before anything is run. For every fold each ranker is fitted on three
fifths of the queries with every setting, the setting with the best validation measure is kept, and its test queries are
measured. The row ``chosen`` takes, in each fold, the ranker that validates best.

Validation averages over ties. The LETOR tool leaves ties in file order, and that of OHSUMED is not by chance: a model
that scores every document 0 would seem to rank well.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rankine.data.normalisers import Normaliser
from rankine.data.ranking_data import RankingData
from rankine.errors import InputError, nearest, unknown
from rankine.measures import evaluate
from rankine.rankers import AdaRank, LinearRanker, RankBoost, RegressionRanker, SingleFeature, UniformFusion
from rankine.system.parallel import finished

from ..collections import LetorFold, check_letor_sets, err_of, letor_folds, letor_set

_C = tuple(10.0**e for e in range(-6, 3))


class FittedSetting(NamedTuple):
    """A setting of a ranker after its fit: its name, the model, the seconds of the fit."""

    setting: str
    model: Any
    seconds: float


def _path(loss: str, **options: Any) -> Callable[[LetorFold, str | None], Iterator[FittedSetting]]:
    """A linear ranker along a path of C."""

    def fit(fold: LetorFold, normalise: str | None) -> Iterator[FittedSetting]:
        ranker = LinearRanker(loss=loss, loss_options=options or None, normalise=normalise, threads=1)
        began = time.perf_counter()
        models = ranker.path(_C, fold.train)
        seconds = (time.perf_counter() - began) / len(models)
        for model in models:
            yield FittedSetting(f"C = {model.C:g}", model, seconds)

    return fit


def _each(*models: tuple[str, Any], valid: bool = False) -> Callable[[LetorFold, str | None], Iterator[FittedSetting]]:
    """Rankers that are fitted one by one."""

    def fit(fold: LetorFold, normalise: str | None) -> Iterator[FittedSetting]:
        for setting, model in models:
            ranker = type(model)(**model.get_params())
            if normalise is not None and "normalise" in ranker.get_params():
                ranker.set_params(normalise=normalise)
            began = time.perf_counter()
            ranker.fit(fold.train, valid=fold.valid) if valid else ranker.fit(fold.train)
            yield FittedSetting(setting, ranker, time.perf_counter() - began)

    return fit


RANKERS: dict[str, Callable[[LetorFold, str | None], Iterator[FittedSetting]]] = {
    "single feature": _each(("AP", SingleFeature("AP", both_signs=True))),
    "uniform fusion": _each(("", UniformFusion())),
    "regression": _each(
        *(
            (f"{on}, α = {a:g}", RegressionRanker(on=on, alpha=a))
            for on in ("grades", "gains") for a in (0.1, 1.0, 10, 100)
        )
    ),
    "RankSVM": _path("ranksvm"),
    "RankSVM, squared": _path("ranksvm-l2"),
    "position-sensitive": _path("position-sensitive:norm"),
    "consistent NDCG": _path("consistent-ndcg"),
    "ListNet": _path("listnet"),
    "SVM-MAP": _path("svm-map"),
    "SVM-NDCG@10": _path("svm-ndcg@10", A="partial-order"),
    "AdaRank": _each(
        *(
            (f"{m}, {u}{', both signs' if b else ''}", AdaRank(m, n_rounds=200, update=u, both_signs=b, patience=40))
            for m in ("AP", "nDCG@10") for u in ("original", "meng") for b in (False, True)
        ),
        valid=True,
    ),
    "RankBoost": _each(*((f"{n} rounds", RankBoost(n_rounds=n)) for n in (25, 50, 100, 200, 400))),
}  # fmt: skip

# the LETOR tool's definitions: ties in file order, its own discount, 0 for short lists
LETOR = {
    **{f"N@{k}": f"nDCG(dcg='letor')@{k}" for k in range(1, 11)},
    "MAP": "AP",
    "MeanNDCG": "MeanNDCG",
    **{f"P@{k}": f"P@{k}" for k in (1, 3, 5, 10)},
    "ERR": "ERR(gmax=2)",
}
TEXTBOOK = {
    **{f"nDCG@{k}": f"nDCG@{k}" for k in range(1, 11)},
    "AP": "AP",
    **{f"P@{k}": f"P@{k}" for k in (1, 3, 5, 10)},
    "ERR": "ERR(gmax=2)",
}

# someone else's runs on the same folds, measured by the LETOR tool (from the data's description)
PUBLISHED = {
    "ohsumed": {
        "SVM-rank": {"N@1": 0.5519, "N@3": 0.4931, "N@5": 0.4750, "N@10": 0.4525, "MAP": 0.4464},
        "AdaRank": {"N@1": 0.5552, "N@3": 0.4866, "N@5": 0.4705, "N@10": 0.4507, "MAP": 0.4464},
        "RankBoost": {"N@1": 0.4952, "N@3": 0.4547, "N@5": 0.4479, "N@10": 0.4399, "MAP": 0.4429},
        "ListNet": {"N@1": 0.5134, "N@3": 0.4664, "N@5": 0.4530, "N@10": 0.4435, "MAP": 0.4443},
    },
    "mq2008": {
        "SVM-rank": {"N@1": 0.3699, "N@5": 0.4707, "N@10": 0.2278, "MeanNDCG": 0.4851, "MAP": 0.4716},
        "AdaRank": {"N@1": 0.3745, "N@5": 0.4718, "N@10": 0.2266, "MeanNDCG": 0.4854, "MAP": 0.4766},
        "RankBoost": {"N@1": 0.3644, "N@5": 0.4693, "N@10": 0.2306, "MeanNDCG": 0.4835, "MAP": 0.4752},
        "ListNet": {"N@1": 0.3244, "N@5": 0.4396, "N@10": 0.2093, "MeanNDCG": 0.4554, "MAP": 0.4415},
    },
}


@dataclass(frozen=True)
class RankerOnFold:
    """One ranker on one fold: the setting with the best validation measure, that measure, and test values by query."""

    ranker: str
    fold: int
    setting: str
    valid: float
    seconds: float
    letor: dict[str, np.ndarray]
    textbook: dict[str, np.ndarray]
    scores: np.ndarray
    coef: np.ndarray | None
    normaliser: Normaliser | None


def run_one(collection: str, ranker: str, number: int, choose: str) -> RankerOnFold:
    """Fit every setting of a ranker on a fold, keep the one that validates best, test it."""
    fold = list(letor_folds(collection))[number]
    best: tuple[float, FittedSetting] | None = None
    total, measure = 0.0, err_of(collection) if choose == "ERR" else LETOR[choose]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for candidate in RANKERS[ranker](fold, letor_set(collection).normalise):
            total += candidate.seconds
            valid = validation(fold.valid, candidate.model.predict(fold.valid), measure)
            if best is None or valid > best[0]:
                best = valid, candidate
    assert best is not None
    model = best[1].model
    scores = model.predict(fold.test)
    tool, textbook = (of | {"ERR": err_of(collection)} for of in (LETOR, TEXTBOOK))
    by_tool = evaluate(list(tool.values()), fold.test.y, scores, fold.test.qid, ties="stable").per_query
    by_textbook = evaluate(list(textbook.values()), fold.test.y, scores, fold.test.qid).per_query
    return RankerOnFold(
        ranker,
        number,
        best[1].setting,
        best[0],
        total,
        {short: by_tool[name] for short, name in tool.items()},
        {short: by_textbook[name] for short, name in textbook.items()},
        scores,
        getattr(model, "coef_", None),
        model.normaliser_,
    )


def validation(data: RankingData, scores: np.ndarray, name: str) -> float:
    """The mean of a measure, ties averaged over."""
    return evaluate(name, data.y, scores, data.qid, ties="expected").mean[name]


def run(
    collection: str,
    rankers: list[str] | None = None,
    choose: str = "MAP",
    numbers: tuple[int, ...] = (0, 1, 2, 3, 4),
    workers: int = 1,
    report: Callable[[int], None] = lambda done: None,
) -> list[RankerOnFold]:
    """All rankers on all folds, then ``chosen``; the order does not depend on the workers."""
    names = list(RANKERS) if rankers is None else list(dict.fromkeys(rankers))
    for name in names:
        if name not in RANKERS:
            raise unknown("ranker", name, RANKERS)
    if choose not in LETOR:
        raise InputError(f"cannot choose by {choose!r}.{nearest(choose, LETOR)} There are: {', '.join(LETOR)}")
    check_letor_sets([collection])
    jobs = [(name, number) for number in numbers for name in names]
    outcomes: dict[tuple[str, int], RankerOnFold] = {}
    for job, outcome in finished(partial(_run_job, collection, choose), jobs, workers):
        outcomes[job] = outcome
        report(len(outcomes))
    in_order = [outcomes[job] for job in jobs]
    return [*in_order, *(_best_on_validation([o for o in in_order if o.fold == number]) for number in numbers)]


def _run_job(collection: str, choose: str, job: tuple[str, int]) -> RankerOnFold:
    return run_one(collection, *job, choose)


def _best_on_validation(outcomes: list[RankerOnFold]) -> RankerOnFold:
    """The row ``chosen`` of a fold: the ranker that validates best, with the seconds of all."""
    best = max(outcomes, key=lambda o: o.valid)
    seconds = sum(o.seconds for o in outcomes)
    return replace(best, ranker="chosen", setting=f"{best.ranker}, {best.setting}", seconds=seconds)


def pooled(outcomes: list[RankerOnFold], ranker: str, short: str, textbook: bool = False) -> list[np.ndarray]:
    """The test values of a ranker, fold by fold."""
    mine = sorted((o for o in outcomes if o.ranker == ranker), key=lambda o: o.fold)
    return [(o.textbook if textbook else o.letor)[short] for o in mine]


def mean_over_folds(values: list[np.ndarray]) -> float:
    """As the LETOR tables have it: the mean of the folds' means."""
    return float(np.mean([v.mean() for v in values]))
