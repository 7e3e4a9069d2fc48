"""``rankine trec_eval``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ..system.console import put


class JudgmentFormat(StrEnum):
    """trec_eval's names for the formats of judgments."""

    qrels = "qrels"
    prefs = "prefs"
    qrels_prefs = "qrels_prefs"
    qrels_jg = "qrels_jg"


def command(
    qrels: Annotated[str, typer.Argument(help="TREC judgments.")],
    run: Annotated[str, typer.Argument(help="A TREC run.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            help="A measure, such as P.5,10; or official, set, all_trec, prefs, all_prefs, qrels_jg; may be repeated.",
        ),
    ] = None,
    per_query: Annotated[bool, typer.Option("-q", help="Also print every query.")] = False,
    no_summary: Annotated[bool, typer.Option("-n", help="Print no summary.")] = False,
    complete: Annotated[bool, typer.Option("-c", help="Average over all judged queries.")] = False,
    judged_only: Annotated[bool, typer.Option("-J", help="Drop documents without judgment first.")] = False,
    level: Annotated[int, typer.Option("-l", help="The smallest grade that is relevant.")] = 1,
    documents: Annotated[int, typer.Option("-N", help="How many documents the collection has, for utility.")] = 0,
    depth: Annotated[int | None, typer.Option("-M", help="How many documents of a query count.")] = None,
    form: Annotated[
        JudgmentFormat,
        typer.Option(
            "-R", help="The format of the judgments: qrels; prefs, qrels_prefs (-m prefs); qrels_jg (-m qrels_jg)."
        ),
    ] = JudgmentFormat.qrels,
    like: Annotated[int, typer.Option(min=9, max=10, help="The version of trec_eval to print as.")] = 10,
) -> None:
    """Print what trec_eval 10 prints, or version 9 with --like 9, byte for byte.

    `rankine trec_eval -m all_trec -q qrels.txt bm25.run`

    `rankine trec_eval -m P.5,10 -m ndcg_cut.10 qrels.txt bm25.run`
    """
    from ..io import load_groups, load_qrels, load_run
    from ..measures.trec_print import TrecOptions, requested, trec_lines

    names = measure or []
    requested(names)  # an error before files are read
    options = TrecOptions(per_query, not no_summary, complete, judged_only, level, documents, depth, like)
    judgments = load_qrels(qrels) if form is JudgmentFormat.qrels else load_groups(qrels)
    put("\n".join(trec_lines(judgments, load_run(run), names, options)))
