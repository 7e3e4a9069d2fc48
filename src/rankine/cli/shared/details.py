"""The queries where two systems differ most, with their first documents: ``rankine compare --details``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...io.formats import DataReading
from ...system.console import print_table
from . import common as c
from .runs import run_columns_of

if TYPE_CHECKING:
    from ...data.ranking_data import RankingData
    from ...io import TrecTable
    from ...measures import Report
    from ...measures.compare import Pair


def print_details(
    pair: Pair,
    reports: dict[str, Report],
    judgments: str,
    systems: list[str],
    n: int,
    reading: DataReading,
    run_columns: str | None,
) -> None:
    """Print the queries where two systems differ most, with the first documents of each and their grades."""
    from ...explain.differences import most_different

    a, b = (reports[name] for name in (pair.a, pair.b))
    x, y = (r.per_query[pair.measure] for r in (a, b))
    numbers = most_different(x, y, n)
    files = dict(zip(c.system_names(systems), systems, strict=True))
    queries = [a.query_ids[q] for q in numbers]
    options = judgments, queries, reading, run_columns
    first, second = (top_documents(files[name], *options) for name in (pair.a, pair.b))
    rows = [
        (str(query), f"{x[q]:.4f}", f"{y[q]:.4f}", first[query], second[query])
        for q, query in zip(numbers, queries, strict=True)
    ]
    title = f"Where {pair.a} and {pair.b} differ most in {pair.measure}; first documents, grades in brackets"
    print_table(title, ["query", pair.a, pair.b, f"top of {pair.a}", f"top of {pair.b}"], rows)


def top_documents(
    system: str,
    judgments: str,
    queries: Sequence[Any],
    reading: DataReading = c.NOTHING_SAID,
    run_columns: str | None = None,
    depth: int = 5,
) -> dict[Any, str]:
    """The first documents of a system for each of these queries, with their grades in brackets (– for none)."""
    from ...io.formats import holds_features

    if holds_features(judgments, reading):
        return _top_of_data_set(c.load_data(judgments, reading), system, queries, depth)
    from ...io import load_qrels, load_run

    qrels = load_qrels(judgments, **c.qrels_columns(reading, judgments))
    return _top_of_run(qrels, load_run(system, **run_columns_of(run_columns)), queries, depth)


def _top_of_data_set(data: RankingData, system: str, queries: Sequence[Any], depth: int) -> dict[Any, str]:
    """The first documents by the scores of a data set."""
    import numpy as np

    scores = c.load_scores(system, data)
    numbers = {q: i for i, q in enumerate(data.query_ids.tolist())}
    reasons = _reasons(system, data)
    out = {}
    for query in queries:
        lo, hi = data.ptr[numbers[query]], data.ptr[numbers[query] + 1]
        best = lo + np.argsort(-scores[lo:hi], kind="stable")[:depth]
        names = [f"row {data.order[r]}" if data.doc_ids is None else str(data.doc_ids[r]) for r in best]
        out[query] = ", ".join(f"{n} ({data.y[r]:g}){reasons(r)}" for n, r in zip(names, best, strict=True))
    return out


def _top_of_run(qrels: TrecTable, run: TrecTable, queries: Sequence[Any], depth: int) -> dict[Any, str]:
    """The first documents of a TREC run, ties by document id descending."""
    import numpy as np

    names = {str(q) for q in queries}
    grades = {
        (qrels.query_ids[q], qrels.document_ids[d]): v
        for q, d, v in zip(qrels.query.tolist(), qrels.document.tolist(), qrels.value.tolist(), strict=True)
        if qrels.query_ids[q] in names
    }
    numbers = {name: number for number, name in enumerate(run.query_ids)}
    out = {}
    for query in queries:
        rows = np.flatnonzero(run.query == numbers.get(str(query), -1))
        scored = [(np.float32(run.value[r]), run.document_ids[run.document[r]]) for r in rows]
        top = [document for _, document in sorted(scored, reverse=True)[:depth]]
        out[query] = ", ".join(
            f"{d} ({grades[str(query), d]:g})" if (str(query), d) in grades else f"{d} (–)" for d in top
        )
    return out


def _reasons(system: str, data: RankingData) -> Callable[[int], str]:
    """For a linear model, a function that names the largest terms of a row's score; empty for other systems."""
    from ...explain.differences import contributions
    from ...rankers import load

    model: Any = load(system) if c.is_model(system) else None
    if not hasattr(model, "coef_"):
        return lambda row: ""
    data = model.conform(data)
    X = (data if model.normaliser_ is None else model.normaliser_.apply(data)).dense().X
    first = 1 if model.first_index_ is None else model.first_index_
    names = getattr(model, "feature_names_in_", [f"f{f + first}" for f in range(data.n_features)])
    return lambda row: f" [{contributions(model.coef_, X[row].astype(float), names)}]"
