"""``rankine compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..console import print_table
from . import common as c
from .tables import print_comparison

if TYPE_CHECKING:
    from ..measures import Report
    from ..measures.compare import Pair

NAME = "compare"


def command(
    judgments: c.Judgments,
    systems: Annotated[
        list[str], typer.Argument(help="Two or more TREC runs; or score files or models (.json) for a judged data set.")
    ],
    measure: c.Measures = None,
    baseline: Annotated[str | None, typer.Option(help="Compare all with this one (its file's stem).")] = None,
    per_query: Annotated[bool, typer.Option("-q", "--per-query", help="Also print every query's values.")] = False,
    details: Annotated[
        int, typer.Option(help="Also show the queries that differ most, so many for each pair, with their documents.")
    ] = 0,
    plot: Annotated[str | None, typer.Option(help="Draw the per-query differences: a .png, .svg or .pdf.")] = None,
    confidence: Annotated[float, typer.Option(help="Of the interval of the mean difference.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the bootstrap and the randomisation test.")] = 0,
    output: c.OutputOption = c.Output.table,
    gain: c.GainOption = c.Gain.exp,
    ties: c.TiesOption = c.Ties.auto,
    complete: c.Complete = False,
    judged_only: c.JudgedOnly = False,
    empty: c.EmptyOption = c.Empty.zero,
    models: Annotated[
        bool,
        typer.Option("--models", help="What changes between two models, without judgments: MODEL MODEL DATA."),
    ] = False,
) -> None:
    """Test whether systems really differ: three paired tests, Holm-corrected, and an interval of the difference.

    `rankine compare qrels.txt bm25.run new.run -m nDCG@10 --plot difference.png`

    Before a release: `rankine compare --models old.json new.json queries.txt --details 10` needs no judgments and tells
    how much the rankings change (rank-biased overlap, new documents in the top ten), and for which queries most.
    """
    from ..errors import InputError
    from ..measures import compare_reports

    if details < 0:
        raise InputError(f"--details must be at least 0, got {details}")
    if models:
        if measure or baseline or per_query or plot or output is c.Output.csv:
            raise InputError("--models compares rankings without judgments: only --details and -o json go with it")
        _print_drift([judgments, *systems], details or 5, output is c.Output.json)
        return
    if details and output is not c.Output.table:
        raise InputError("--details are part of the table: leave out -o")
    if details and judgments == "-":
        raise InputError("--details reads the judgments again: give them as a file")
    if empty is c.Empty.skip:
        raise InputError("--empty skip would compare over different queries: use zero or one")
    found = c.reports(
        judgments, systems, c.measure_names(measure or ["nDCG@10"], gain), ties, complete, judged_only, empty
    )
    comparison = compare_reports(found, baseline, confidence, seed)
    if plot is not None:
        comparison.plot(plot)
    if output is c.Output.json:
        typer.echo(comparison.to_json())
    elif output is c.Output.csv:
        typer.echo(comparison.to_csv())
    else:
        if per_query:
            rows = [
                (m, q, *(f"{r.per_query[m][i]:.4f}" for r in found.values()))
                for m in next(iter(found.values())).mean
                for i, q in enumerate(next(iter(found.values())).query_ids)
            ]
            print_table("Queries", ["measure", "query", *found], rows)
        print_comparison(comparison)
        for pair in comparison.pairs if details > 0 else ():
            _print_details(pair, found, judgments, systems, details)


def _print_drift(given: list[str], n: int, as_json: bool) -> None:
    """Rank changes between two models on the same data."""
    import json

    import numpy as np

    from ..errors import InputError
    from ..measures.overlap import drift
    from ..rankers import load

    if len(given) != 3:
        raise InputError(f"--models takes two models and a data set, got {len(given)} files")
    (a, b), data = (load(path) for path in given[:2]), c.load_data(given[2])
    found = drift(a.predict(data), b.predict(data), data.qid, data.ptr)
    if as_json:
        names = ("overlap", "turnover", "moved", "first_changed")
        each = [
            {"query": str(q), **{k: getattr(found, k)[i].item() for k in names}} for i, q in enumerate(found.queries)
        ]
        typer.echo(json.dumps({"p": found.p, "k": found.k, "queries": each}, ensure_ascii=False))
        return
    rows = [
        ("queries", f"{len(found.queries)}"),
        (f"rank-biased overlap (p = {found.p:g}), mean", f"{found.overlap.mean():.4f}"),
        ("… lowest tenth of queries, at most", f"{np.quantile(found.overlap, 0.1):.4f}"),
        (f"new in the top {found.k}, mean share", f"{found.turnover.mean():.4f}"),
        ("another document first, share of queries", f"{found.first_changed.mean():.4f}"),
        ("ranks moved, mean", f"{found.moved.mean():.2f}"),
        ("queries that do not change", f"{(found.moved == 0).sum()}"),
    ]
    print_table(f"From {given[0]} to {given[1]} on {given[2]}", ["", "value"], rows)
    worst = np.argsort(found.overlap, kind="stable")[:n]
    most = [
        (str(found.queries[q]), f"{found.overlap[q]:.4f}", f"{found.turnover[q]:.4f}", f"{found.moved[q]:.2f}")
        for q in worst.tolist()
    ]
    print_table("Queries that change most", ["query", "overlap", f"new in the top {found.k}", "ranks moved"], most)


def _print_details(pair: Pair, found: dict[str, Report], judgments: str, systems: list[str], n: int) -> None:
    """The queries where two systems differ most, with the first documents of each and their grades."""
    from ..rankers.analysis import most_different

    a, b = (found[name] for name in (pair.a, pair.b))
    x, y = (r.per_query[pair.measure] for r in (a, b))
    chosen = most_different(x, y, n)
    files = dict(zip(c.system_names(systems), systems, strict=True))
    queries = [a.query_ids[q] for q in chosen]
    first, second = (c.top_documents(judgments, files[name], queries) for name in (pair.a, pair.b))
    rows = [
        (str(query), f"{x[q]:.4f}", f"{y[q]:.4f}", first[query], second[query])
        for q, query in zip(chosen, queries, strict=True)
    ]
    title = f"Where {pair.a} and {pair.b} differ most in {pair.measure}; first documents, grades in brackets"
    print_table(title, ["query", pair.a, pair.b, f"top of {pair.a}", f"top of {pair.b}"], rows)
