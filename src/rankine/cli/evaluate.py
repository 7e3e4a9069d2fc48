"""``rankine evaluate``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from ..io.formats import DataReading
from ..system.console import print_table, put, put_json, say
from .shared import common as c
from .shared.preferences import PreferencesOption, check_preference_measures
from .shared.runs import RunColumns

if TYPE_CHECKING:
    from ..measures import Report


def command(
    judgments: c.Judgments,
    systems: Annotated[
        list[str],
        typer.Argument(help="TREC runs; or, for a judged data set, files with one score per line in its order."),
    ],
    measure: c.Measures = None,
    per_query: Annotated[bool, typer.Option("-q", "--per-query", help="Also print every query.")] = False,
    output: c.OutputOption = c.Output.table,
    gain: c.GainOption = c.Gain.exp,
    ties: c.TiesOption = c.Ties.auto,
    complete: c.Complete = False,
    judged_only: c.JudgedOnly = False,
    empty: c.EmptyOption = c.Empty.zero,
    preferences: PreferencesOption = None,
    run_columns: RunColumns = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Measure how well systems rank.

    `rankine evaluate qrels.txt bm25.run -m nDCG@10 -m AP`

    `rankine evaluate test.txt.xz scores.txt -m "nDCG@10 ERR@20" -q -o csv`

    `rankine evaluate qrels.csv run.csv --query topic --run-columns topic,url,bm25`

    `rankine evaluate test.txt model.json --preferences prefs.csv -m WPD`
    """
    names = ["WPD"] if preferences is not None and measure is None else c.measure_names(measure, gain)
    check_preference_measures(names, preferences is not None)
    reports = c.reports(
        judgments, systems, names, ties, complete, judged_only, empty, reading, preferences, run_columns
    )
    _check_averages(reports)
    if output is c.Output.table:
        _print(reports, per_query)
        return
    if output is c.Output.json:
        content = {name: json.loads(r.to_json(per_query)) for name, r in reports.items()}
        put_json(content, indent=2)
    else:
        for i, (name, r) in enumerate(reports.items()):
            lines = r.to_csv(per_query).split("\n")
            put("\n".join([f"system,{lines[0]}"] * (i == 0) + [f"{name},{line}" for line in lines[1:]]))
    for remark in dict.fromkeys([_gain(reports), _unequal(reports), *(r.uncounted for r in reports.values())]):
        if remark:
            say(remark)


def _check_averages(reports: dict[str, Report]) -> None:
    """Raise if there is no query to average over."""
    for name, r in reports.items():
        if not any(r.averaged.values()):
            n = len(r.query_ids)
            raise InputError(f"none of the {n} queries has a relevant document: --empty skip leaves nothing", name)


def _gain(reports: dict[str, Report]) -> str:
    """Which measures have which gain, where names that differ only in case have different ones; else empty."""
    from ..measures.evaluation import gain_note

    first = next(iter(reports.values()))
    names = [name.lower() for name in first.mean]
    return gain_note(dict(zip(first.mean, first.measures, strict=True))) if len(set(names)) < len(names) else ""


def _unequal(reports: dict[str, Report]) -> str:
    """The remark that means are over different numbers of queries; empty if they are not."""
    sizes = {name: len(r.query_ids) for name, r in reports.items()}
    if len(set(sizes.values())) == 1:
        return ""
    listed = ", ".join(f"{name} {n}" for name, n in sizes.items())
    return f"* The means are over different numbers of queries ({listed}); -c counts queries that a run lacks as 0."


def _print(reports: dict[str, Report], per_query: bool) -> None:
    from ..measures.evaluation import written

    first = next(iter(reports.values()))
    remark = _unequal(reports)
    most = max(len(r.query_ids) for r in reports.values())
    rows = []
    for name, r in reports.items():
        if per_query:
            for i, q in enumerate(r.query_ids):
                values = [v[i] for v in r.per_query.values()]
                rows.append((name, q, 1 - all(v != v for v in values), *map(written, values, r.measures)))
        mark = "*" if remark and len(r.query_ids) < most else ""
        rows.append((name, "all", f"{_queries(r)}{mark}", *map(written, r.mean.values(), r.measures)))
    notes = dict.fromkeys(r.note for r in reports.values())
    note = "\n".join(filter(None, [*notes, remark]))
    print_table("Evaluation", ["system", "query", "queries", *first.mean], rows, note)


def _queries(report: Report) -> str:
    """The number of queries averaged, or from the smallest to the largest of the measures."""
    counts = report.averaged.values()
    return str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}–{max(counts)}"
