"""Stand-ins for the two web-search sets of Chapelle, Le & Smola (Figure 2, left and centre), which are not public.

Declared before test queries were looked at (the range of C was set on validation queries). Sets are
generated with the sizes that the paper states: 1,500 queries of about 33 documents, a fifth for validation and a fifth
for the test; and 1,000 queries each for training, validation and test, of about 50 documents. There are 300 features
("several hundred") and five grades. How they are made: a document of a query has a quality, normal with deviation 1
around that of its query (deviation ½); grades are cut at 0.3, 1.0, 1.7 and 2.3, which gives about 60, 22, 12, 4 and 2
percent. Ten features see the quality, ten only how far it is above 1, ten only how far
below 1, each with normal noise of deviation 3; the other 270 are noise. (Features that tell the best from the good, and
others that tell the bad from the fair, are what web search has; a linear ranker must choose between them.)

As in the paper, SVM-NDCG is optimised for every k from 1 to 10 by itself, with A = max(k + 1 − r, 0) on the first set
and 1/√r on the second; C is chosen on validation by nDCG@k. Baselines: regression on the grades and RankSVM, chosen by
nDCG@10. The test is Wilcoxon's, over the sum of nDCG@1 to nDCG@10 of each query.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankine.data.ranking_data import RankingData
from rankine.errors import InputError
from rankine.measures import evaluate
from rankine.measures.compare import mean_interval, wilcoxon
from rankine.rankers import LinearRanker, RegressionRanker
from rankine.system.parallel import process_map
from rankine.system.report import Section

from ..collections import LetorFold
from .large_margin_pictures import draw_curves_by_k

DEPTH, FEATURES, SEEN, NOISE = 10, 300, 10, 3.0
CUTS = (0.3, 1.0, 1.7, 2.3)
C_GRID = tuple(10.0**e for e in range(-8, 0))
ALPHAS = (1.0, 1e2, 1e4, 1e6)
OURS, LEAST = "SVM-NDCG, each k", 10
_MEASURES = [f"nDCG@{k}" for k in range(1, DEPTH + 1)]


class WebSet(NamedTuple):
    """A set of the paper: its title, its numbers of queries, the mean length of a query, and A."""

    title: str
    queries: tuple[int, int, int]
    length: float
    A: str


WEB_SETS = {
    "web-1": WebSet("Web search 1 (made)", (900, 300, 300), 33.0, "linear"),
    "web-2": WebSet("Web search 2 (made)", (1000, 1000, 1000), 50.0, "inverse-sqrt"),
}


def made(n: int, length: float, seed: tuple[int, ...]) -> RankingData:
    """So many queries; see the head of this module."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(n), np.maximum(rng.poisson(length, n), 2))
    quality = rng.normal(size=len(query)) + rng.normal(0, 0.5, n)[query]
    X = rng.standard_normal((len(query), FEATURES), np.float32)
    seen = np.repeat([quality, np.maximum(quality - 1, 0), np.minimum(quality, 1)], SEEN, axis=0).T
    X[:, : 3 * SEEN] = seen + NOISE * X[:, : 3 * SEEN]
    return RankingData(X, np.digitize(quality, CUTS).astype(float), query)


@lru_cache(maxsize=2)
def web_fold(name: str, scale: float) -> LetorFold:
    """Training, validation and test queries; ``scale`` shortens all three."""
    row = WEB_SETS[name]
    number = list(WEB_SETS).index(name)
    return LetorFold(*(made(round(n * scale), row.length, (number, i)) for i, n in enumerate(row.queries)))


def check_scale(scale: float) -> None:
    """Raise unless at least ten queries of every part remain, and no more than all."""
    least = min(n for row in WEB_SETS.values() for n in row.queries)
    if not LEAST / least <= scale <= 1:
        raise InputError(f"--scale must be between {LEAST / least:.2f} and 1, got {scale:g}")


class WebJob(NamedTuple):
    """A system on a set: ``k`` is what SVM-NDCG is trained for, 0 for the baselines."""

    data: str
    scale: float
    system: str
    k: int


def jobs(name: str, scale: float) -> list[WebJob]:
    """All fits of a set."""
    own = [WebJob(name, scale, OURS, k) for k in range(1, DEPTH + 1)]
    return [*(WebJob(name, scale, system, 0) for system in ("regression", "RankSVM")), *own]


def outcome(job: WebJob) -> np.ndarray:
    """nDCG@1..10 of every test query, by the setting that validates best; of SVM-NDCG only the column of its k."""
    fold, row = web_fold(job.data, job.scale), WEB_SETS[job.data]
    models: list[Any]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if job.system == "regression":
            models = [RegressionRanker(alpha=a).fit(fold.train) for a in ALPHAS]
        else:
            loss, options = ("ranksvm", None) if job.system == "RankSVM" else (f"svm-ndcg@{job.k}", {"A": row.A})
            ranker = LinearRanker(loss, loss_options=options, threads=1, tol=1e-2, max_time=5.0)
            models = ranker.path(C_GRID, fold.train)
    by = f"nDCG@{job.k or DEPTH}"
    valid = [evaluate(by, fold.valid.y, m.predict(fold.valid), fold.valid.qid).mean[by] for m in models]
    best = models[int(np.argmax(valid))]
    per_query = evaluate(_MEASURES, fold.test.y, best.predict(fold.test), fold.test.qid).per_query
    table = np.column_stack([per_query[m] for m in _MEASURES])
    return table[:, job.k - 1 : job.k] if job.k else table


def run(name: str, scale: float, workers: int, report: Callable[[int], None]) -> dict[str, np.ndarray]:
    """nDCG@1..10 of every test query, by system."""
    tables: dict[str, list[np.ndarray]] = {}
    todo = jobs(name, scale)
    for done, (job, table) in enumerate(
        zip(todo, process_map(outcome, todo, workers, patience=0, chunk=1), strict=True), 1
    ):
        tables.setdefault(job.system, []).append(table)
        report(done)
    return {system: np.hstack(parts) for system, parts in tables.items()}


COLUMNS = ("ranker", *(f"@{k}" for k in range(1, DEPTH + 1)), "mean", "SVM-NDCG less this", "p (Wilcoxon)")


def rows(tables: dict[str, np.ndarray]) -> list[tuple[str, ...]]:
    """nDCG at every cutoff, their mean, and what SVM-NDCG gains over each baseline with its interval and p."""
    out = []
    for system, table in tables.items():
        test = ["-", "-"]
        if system != OURS:
            d = (tables[OURS] - table).sum(axis=1)
            low, high = mean_interval(d / DEPTH, 0.95, 0)
            test = [f"{d.mean() / DEPTH:+.4f} [{low:+.4f}, {high:+.4f}]", f"{wilcoxon(d):.2g}"]
        out.append((system, *(f"{x:.4f}" for x in table.mean(axis=0)), f"{table.mean():.4f}", *test))
    return out


def sections(name: str, scale: float, tables: dict[str, np.ndarray], folder: Path) -> list[Section]:
    """The report on one set, its picture written into ``folder``."""
    row = WEB_SETS[name]
    sizes = [round(n * scale) for n in row.queries]
    draw_curves_by_k({n: t.mean(axis=0).tolist() for n, t in tables.items()}, "nDCG@k", folder / f"{name}.png")
    text = (
        f"{sizes[0]:,} / {sizes[1]:,} / {sizes[2]:,} queries for training, validation and test"
        + ("" if scale == 1 else f" ({scale:g} of what the paper has)")
        + f", about {row.length:g} documents each, {FEATURES} features, noise {NOISE:g}, A = "
        + ("max(k + 1 − r, 0)." if row.A == "linear" else "1/√r.")
    )
    return [Section(row.title, text, COLUMNS, rows(tables)), Section("nDCG@k", "", picture=f"{name}.png")]
