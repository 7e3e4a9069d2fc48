"""SVM-NDCG and its variants on OHSUMED and MQ2008: Figure 2 (right) of Chapelle, Le & Smola, and where each idea pays.

Figure 1 and the two web-search sets of Figure 2, for which made ones stand in, are in :mod:`.underfitting` and
:mod:`.web_search`; files of one's own are cut into five folds by query.

Declared before it was run. Five folds: trained on three fifths of the queries, C (ten to the −6 to 2; to 0 on MQ2008,
where a path of tight fits takes minutes) chosen on the fourth, tested on the last. Choice is by nDCG@10, for the losses
of a single k by nDCG@k. Tight bounds are minimised by CCCP along the same C, each from the convex optimum, from
regression and from where the last C ended, the best taken. nDCG with gain 2^g − 1, equal scores averaged over. "each k"
is trained for every k from 1 to 10 and measured there. Tests are Wilcoxon's, over the per-query sum of nDCG@1 to
nDCG@10.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankine.measures import evaluate
from rankine.measures.compare import mean_interval, wilcoxon
from rankine.rankers import LinearRanker, RankBoost, RegressionRanker
from rankine.system.parallel import process_map
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page

from ..collections import LETOR_SETS, LetorFold, check_letor_sets, folder_of, letor_folds, letor_set, named_sets
from ..table import Results
from . import underfitting, web_search
from .large_margin_pictures import draw_curves_by_k

DEPTH = 10
C_GRID = tuple(10.0**e for e in range(-6, 3))
SHAPES = {"linear": "linear", "1/√r": "inverse-sqrt", "D": "discount", "pairs": "partial-order", "learned": "learn"}
_MEASURES = [f"nDCG@{k}" for k in range(1, DEPTH + 1)]


def grid(collection: str) -> tuple[float, ...]:
    """The values of C that are tried."""
    return tuple(C for C in C_GRID if collection != "mq2008" or C <= 1)


def systems() -> dict[str, tuple[str, dict[str, Any]]]:
    """Name → loss and its options, for those that are linear rankers of one k."""
    losses: dict[str, tuple[str, dict[str, Any]]] = {"RankSVM": ("ranksvm", {})}
    for shape, A in SHAPES.items():
        losses[f"SVM-NDCG@10, A {shape}"] = ("svm-ndcg@10", {"A": A})
        if A != "learn":
            losses[f"tight, A {shape}"] = ("svm-ndcg@10:tight", {"A": A})
    losses["slack, A pairs"] = ("svm-ndcg@10:slack", {"A": "partial-order"})
    return losses


@dataclass(frozen=True)
class SystemsOnFold:
    """One fold: nDCG@1..10 of every test query by every system, the norm of the convex optimum for every C."""

    collection: str
    measured: dict[str, np.ndarray]
    norms: dict[float, float]
    costs: dict[str, float]  # the C of every linear system


def run_fold(collection: str, number: int) -> SystemsOnFold:
    """All systems on one fold."""
    fold = list(letor_folds(collection))[number]
    normalise = letor_set(collection).normalise
    measured: dict[str, np.ndarray] = {}
    costs: dict[str, float] = {}
    norms: dict[float, float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, models in _others(fold, normalise).items():
            measured[name] = _table(_best(models, fold, DEPTH), fold)
        for name, (loss, options) in systems().items():
            models = _path(loss, options, collection, fold)
            if options.get("A") == "linear" and loss == "svm-ndcg@10":
                norms = {m.C: float(np.linalg.norm(m.coef_)) for m in models}
            best = _best(models, fold, DEPTH)
            measured[name], costs[name] = _table(best, fold), best.C
        for name, loss in (("SVM-NDCG, each k", "svm-ndcg@{}"), ("tight, each k", "svm-ndcg@{}:tight")):
            columns = []
            for k in range(1, DEPTH + 1):
                best = _best(_path(loss.format(k), {}, collection, fold), fold, k)
                columns.append(_table(best, fold)[:, k - 1])
            measured[name] = np.column_stack(columns)
    return SystemsOnFold(collection, measured, norms, costs)


def _path(loss: str, options: dict[str, Any], collection: str, fold: LetorFold) -> list[Any]:
    """Linear rankers for every C."""
    normalise = letor_set(collection).normalise
    ranker = LinearRanker(loss, loss_options=options or None, normalise=normalise, threads=1, max_time=20.0)
    return ranker.path(grid(collection), fold.train)


def _others(fold: LetorFold, normalise: str | None) -> dict[str, list[Any]]:
    regression = [RegressionRanker(alpha=a).set_params(normalise=normalise) for a in (0.1, 1.0, 10.0, 100.0)]
    boosted = [RankBoost(n_rounds=n, normalise=normalise) for n in (25, 50, 100, 200)]
    return {"regression": [m.fit(fold.train) for m in regression], "RankBoost": [m.fit(fold.train) for m in boosted]}


def _best(models: list[Any], fold: LetorFold, k: int) -> Any:
    name = f"nDCG@{k}"
    scores = [evaluate(name, fold.valid.y, m.predict(fold.valid), fold.valid.qid).mean[name] for m in models]
    return models[int(np.argmax(scores))]


def _table(model: Any, fold: LetorFold) -> np.ndarray:
    """nDCG@1..10 of every test query."""
    per_query = evaluate(_MEASURES, fold.test.y, model.predict(fold.test), fold.test.qid).per_query
    return np.column_stack([per_query[m] for m in _MEASURES])


def _job(job: tuple[str, int]) -> SystemsOnFold:
    return run_fold(*job)


def run(names: list[str], workers: int, report: Callable[[int], None]) -> dict[str, list[SystemsOnFold]]:
    """All folds of all collections."""
    jobs = [(name, i) for name in names for i in range(5)]
    out: dict[str, list[SystemsOnFold]] = {name: [] for name in names}
    outcomes = process_map(_job, jobs, workers, patience=0, chunk=1)
    for done, (job, outcome) in enumerate(zip(jobs, outcomes, strict=True), 1):
        out[job[0]].append(outcome)
        report(done)
    return out


def rows(outcomes: list[SystemsOnFold]) -> list[tuple[str, ...]]:
    """System, nDCG@1, 3, 5, 10, the mean over k, and its difference to regression and RankSVM with p."""
    pooled = {n: np.concatenate([o.measured[n] for o in outcomes]) for n in outcomes[0].measured}
    out = []
    for name, table in pooled.items():
        cells = [f"{table[:, k - 1].mean():.4f}" for k in (1, 3, 5, 10)]
        tests = []
        for baseline in ("regression", "RankSVM"):
            d = (table - pooled[baseline]).sum(axis=1)
            low, high = mean_interval(d / DEPTH, 0.95, 0)
            tests += ["-", "-"] if name == baseline else [
                f"{d.mean() / DEPTH:+.4f} [{low:+.4f}, {high:+.4f}]", f"{wilcoxon(d):.2g}"]  # fmt: skip
        out.append((name, *cells, f"{table.mean():.4f}", *tests))
    return out


COLUMNS = ("ranker", "@1", "@3", "@5", "@10", "mean of @1–@10", "to regression", "p", "to RankSVM", "p (Wilcoxon)")


def sections(name: str, outcomes: list[SystemsOnFold], folder: Path) -> list[Section]:
    """The report on one collection, its picture written into ``folder``."""
    pooled = {n: np.concatenate([o.measured[n] for o in outcomes]).mean(axis=0) for n in outcomes[0].measured}
    shown = (
        "regression",
        "RankSVM",
        "RankBoost",
        "SVM-NDCG, each k",
        "SVM-NDCG@10, A linear",
        "tight, A linear",
        "tight, each k",
    )
    picture = f"large-margin-{folder_of(name)}.png"
    draw_curves_by_k({n: pooled[n].tolist() for n in shown}, "nDCG@k", folder / picture)
    zero = [
        (f"{C:g}", *("0" if o.norms[C] < 1e-9 else f"{o.norms[C]:.3g}" for o in outcomes)) for C in outcomes[0].norms
    ]
    return [
        Section(letor_set(name).title, f"{sum(len(o.measured['RankSVM']) for o in outcomes)} test queries.",
                COLUMNS, rows(outcomes)),
        Section("nDCG@k", "", picture=picture),
        Section("‖w‖ of the convex optimum of SVM-NDCG@10, A linear", "0: the certified optimum learns nothing.",
                ("C", *(f"fold {i}" for i in range(1, 6))), zero),
    ]  # fmt: skip


FIGURE_1 = "figure-1"
MADE = (FIGURE_1, *web_search.WEB_SETS)


def experiment(data: list[str], scale: float, output: Path, workers: int) -> Results:
    """Run all systems on the sets; write a report for each into a folder below ``output``."""
    names = named_sets(data, (*MADE, *LETOR_SETS))
    web_search.check_scale(scale)
    check_letor_sets(name for name in names if name not in MADE)
    tables, reports = [], []
    for name in names:
        folder = output / folder_of(name)
        folder.mkdir(parents=True, exist_ok=True)
        report = report_on(name, scale, folder, workers)
        tables.append(replace(report[0], text=""))
        reports.append(write(report, folder))
    return Results(tables, reports)


def report_on(name: str, scale: float, folder: Path, workers: int) -> list[Section]:
    """Run what a name stands for: Figure 1, a made set, or the folds of a judged one."""
    if name == FIGURE_1:
        return underfitting.sections(folder)
    if name in MADE:
        with bar(name, total=len(web_search.jobs(name, scale))) as update:
            return web_search.sections(name, scale, web_search.run(name, scale, workers, update), folder)
    with bar(f"folds of {letor_set(name).title}", total=5) as update:
        return sections(name, run([name], workers, update)[name], folder)


def make(folder: Path, workers: int, names: Sequence[str] = (*MADE, "ohsumed-letor2", "ohsumed", "mq2008")) -> None:
    """Run everything; write the pages that the documentation includes, with their pictures, into ``folder``."""
    for name in names:
        write_page(report_on(name, 1.0, folder, workers), folder, name, level=3)
