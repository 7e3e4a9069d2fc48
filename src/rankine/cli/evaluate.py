"""``rankine evaluate``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import print_table, put, put_json
from ..io.formats import DataReading
from . import common as c

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
    preferences: c.PreferencesOption = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Measure how well systems rank.

    `rankine evaluate qrels.txt bm25.run -m nDCG@10 -m AP`

    `rankine evaluate test.txt.xz scores.txt -m "nDCG@10 ERR@20" -q -o csv`

    `rankine evaluate test.txt model.json --preferences prefs.csv -m WPD`
    """
    names = ["WPD"] if preferences is not None and measure is None else c.measure_names(measure, gain)
    c.check_preference_measures(names, preferences is not None)
    reports = c.reports(judgments, systems, names, ties, complete, judged_only, empty, reading, preferences)
    if output is c.Output.json:
        content = {name: json.loads(r.to_json(per_query)) for name, r in reports.items()}
        put_json(content, indent=2)
    elif output is c.Output.csv:
        for i, (name, r) in enumerate(reports.items()):
            lines = r.to_csv(per_query).split("\n")
            put("\n".join([f"system,{lines[0]}"] * (i == 0) + [f"{name},{line}" for line in lines[1:]]))
    else:
        _print(reports, per_query)


def _print(reports: dict[str, Report], per_query: bool) -> None:
    first = next(iter(reports.values()))
    rows = []
    for name, r in reports.items():
        if per_query:
            rows += [(name, q, 1, *(f"{v[i]:.4f}" for v in r.per_query.values())) for i, q in enumerate(r.query_ids)]
        rows.append((name, "all", len(r.query_ids), *(f"{v:.4f}" for v in r.mean.values())))
    print_table("Evaluation", ["system", "query", "queries", *first.mean], rows, first.note)
