"""``rankine compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..io.formats import DataReading
from ..system.console import print_table, put, put_json
from .shared import common as c
from .shared.details import print_details
from .shared.preferences import PreferencesOption, check_preference_measures
from .shared.printing import print_comparison
from .shared.runs import RunColumns

if TYPE_CHECKING:
    from ..measures import Report
    from ..measures.compare import Drift

Models = Annotated[
    bool, typer.Option("--models", help="Compare the rankings of two models without judgments: MODEL MODEL DATA.")
]


def command(
    judgments: c.Judgments,
    systems: Annotated[
        list[str], typer.Argument(help="Two or more TREC runs; or score files or models for a judged data set.")
    ],
    measure: c.Measures = None,
    baseline: Annotated[
        str | None, typer.Option(help="Compare all systems with this one (the stem of its file).")
    ] = None,
    per_query: Annotated[bool, typer.Option("-q", "--per-query", help="Also print every query's values.")] = False,
    details: Annotated[
        int, typer.Option(help="Number of queries to show for each pair: those that differ most, with their documents.")
    ] = 0,
    plot: Annotated[str | None, typer.Option(help="Draw the per-query differences: a .png, .svg or .pdf.")] = None,
    confidence: Annotated[float, typer.Option(help="Confidence level of the interval of the mean difference.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Random seed of the bootstrap and the randomisation test.")] = 0,
    output: c.OutputOption = c.Output.table,
    gain: c.GainOption = c.Gain.exp,
    ties: c.TiesOption = c.Ties.auto,
    complete: c.Complete = False,
    judged_only: c.JudgedOnly = False,
    empty: c.EmptyOption = c.Empty.zero,
    models: Models = False,
    run_columns: RunColumns = None,
    preferences: PreferencesOption = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Test whether systems differ: three paired tests, Holm-corrected, and an interval of the difference.

    `rankine compare qrels.txt bm25.run new.run -m nDCG@10 --plot difference.png`

    Before a release: `rankine compare --models old.json new.json queries.txt --details 10` needs no judgments and
    prints how much the rankings change (rank-biased overlap, new documents in the top ten), for which queries most.
    """
    from ..measures import compare_reports

    if models:
        _check_drift(
            measure, baseline, per_query, plot, output is c.Output.csv, confidence != 0.95, seed, complete, judged_only,
            gain != c.Gain.exp, ties != c.Ties.auto, empty != c.Empty.zero, run_columns, preferences,
        )  # fmt: skip
        _print_drift([judgments, *systems], details or 5, output is c.Output.json, reading)
        return
    _check(details, judgments, output, empty, per_query, preferences)
    c.check_output("-" if plot is None else plot, [judgments, *systems])
    names = _measures(measure, gain, preferences)
    reports = c.reports(
        judgments, systems, names, ties, complete, judged_only, empty, reading, preferences, run_columns
    )  # fmt: skip
    comparison = compare_reports(_checked(reports), baseline, confidence, seed)
    if plot is not None:
        comparison.plot(plot)
    if output is not c.Output.table:
        put(comparison.to_json() if output is c.Output.json else comparison.to_csv())
        return
    if per_query:
        _print_queries(reports)
    print_comparison(comparison)
    for pair in comparison.pairs if details > 0 else ():
        print_details(pair, reports, judgments, systems, details, reading, run_columns)


def _measures(measure: list[str] | None, gain: c.Gain, preferences: str | None) -> list[str]:
    """The measures to compare by; a preference graph has its own."""
    graph = preferences is not None
    names = ["WPD"] if graph and measure is None else c.measure_names(measure or ["nDCG@10"], gain)
    check_preference_measures(names, graph)
    return names


def _check(
    details: int, judgments: str, output: c.Output, empty: c.Empty, per_query: bool, preferences: str | None
) -> None:
    """Raise unless these options go together in a comparison by judgments."""
    from ..errors import InputError

    if details < 0:
        raise InputError(f"--details must be at least 0, got {details}")
    if details and output is not c.Output.table:
        raise InputError("--details are part of the table: leave out -o")
    if per_query and output is not c.Output.table:
        raise InputError("-q is part of the table: leave out -o")
    if details and preferences is not None:
        raise InputError("--details show grades, and --preferences takes their place: leave out one of them")
    if details and judgments == "-":
        raise InputError("--details reads the judgments again: give them as a file")
    if empty is c.Empty.skip:
        raise InputError("--empty skip would compare over different queries: use zero or one")


def _check_drift(*options: object) -> None:
    """Raise if an option is given that says something about judgments."""
    from ..errors import InputError

    if any(options):
        raise InputError("--models compares rankings without judgments: only --details and -o json go with it")


def _checked(reports: dict[str, Report]) -> dict[str, Report]:
    """The reports, if all systems answer the same queries."""
    from ..errors import InputError

    (first, report), *others = reports.items()
    for name, other in others:
        a, b = set(report.query_ids), set(other.query_ids)
        if a != b:
            poor, rich, of = (name, first, sorted(a - b)) if a - b else (first, name, sorted(b - a))
            raise InputError(
                f"{poor} lacks {len(of)} of the queries of {rich}, such as {of[0]}: -c counts missing queries as empty"
            )
    return reports


def _print_queries(reports: dict[str, Report]) -> None:
    """Print the values of every query."""
    first = next(iter(reports.values()))
    rows = [
        (m, q, *(f"{r.per_query[m][i]:.4f}" for r in reports.values()))
        for m in first.mean
        for i, q in enumerate(first.query_ids)
    ]
    print_table("Queries", ["measure", "query", *reports], rows)


def _print_drift(files: list[str], n: int, as_json: bool, reading: DataReading) -> None:
    """Print how ranks change between two models on the same data."""

    from ..errors import InputError
    from ..measures.compare import drift
    from ..rankers import load

    if len(files) < 3:
        raise InputError(f"--models takes two models and a data set, got {len(files)} files")
    (a, b), data = (load(path) for path in files[:2]), c.load_data(files[2:], reading)
    change = drift(a.predict(data), b.predict(data), data.qid, data.ptr)
    if as_json:
        names = ("overlap", "turnover", "moved", "first_changed")
        queries = [
            {"query": str(q), **{k: getattr(change, k)[i].item() for k in names}} for i, q in enumerate(change.queries)
        ]
        put_json({"p": change.p, "k": change.k, "queries": queries})
        return
    _print_change(f"From {files[0]} to {files[1]} on {c.listed(files[2:])}", change, n)


def _print_change(title: str, change: Drift, n: int) -> None:
    """Print the means of a change, and the queries that change most."""
    import numpy as np

    rows = [
        ("queries", f"{len(change.queries)}"),
        (f"rank-biased overlap (p = {change.p:g}), mean", f"{change.overlap.mean():.4f}"),
        ("… lowest tenth of queries, at most", f"{np.quantile(change.overlap, 0.1):.4f}"),
        (f"new in the top {change.k}, mean share", f"{change.turnover.mean():.4f}"),
        ("another document first, share of queries", f"{change.first_changed.mean():.4f}"),
        ("ranks moved, mean", f"{change.moved.mean():.2f}"),
        ("queries that do not change", f"{(change.moved == 0).sum()}"),
    ]
    print_table(title, ["", "value"], rows)
    most = [
        (str(change.queries[q]), f"{change.overlap[q]:.4f}", f"{change.turnover[q]:.4f}", f"{change.moved[q]:.2f}")
        for q in np.argsort(change.overlap, kind="stable")[:n].tolist()
    ]
    print_table("Queries that change most", ["query", "overlap", f"new in the top {change.k}", "ranks moved"], most)
