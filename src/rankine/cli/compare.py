"""``rankine compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import print_comparison, print_table
from . import common as c

NAME = "compare"


def command(
    judgments: c.Judgments,
    systems: Annotated[list[str], typer.Argument(help="Two or more TREC runs, or score files of a judged data set.")],
    measure: c.Measures = None,
    baseline: Annotated[str | None, typer.Option(help="Compare all with this one (its file's stem).")] = None,
    per_query: Annotated[bool, typer.Option("-q", "--per-query", help="Also print every query's values.")] = False,
    plot: Annotated[str | None, typer.Option(help="Draw the per-query differences: a .png, .svg or .pdf.")] = None,
    confidence: Annotated[float, typer.Option(help="Of the interval of the mean difference.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the bootstrap and the randomisation test.")] = 0,
    output: c.OutputOption = c.Output.table,
    gain: c.GainOption = c.Gain.exp,
    ties: c.TiesOption = c.Ties.auto,
    complete: c.Complete = False,
    judged_only: c.JudgedOnly = False,
    empty: c.EmptyOption = c.Empty.zero,
) -> None:
    """Test whether systems really differ: three paired tests, Holm-corrected, and an interval of the difference.

    `rankine compare qrels.txt bm25.run new.run -m nDCG@10 --plot difference.png`
    """
    from ..errors import InputError
    from ..measures import compare_reports

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
