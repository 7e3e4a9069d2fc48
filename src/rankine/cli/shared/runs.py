"""Runs on the command line: the names of their columns."""

from __future__ import annotations

from typing import Annotated

import typer

RunColumns = Annotated[
    str | None,
    typer.Option(
        "--run-columns",
        metavar="QUERY,DOCUMENT,SCORE",
        help="The columns of runs, by name or by number from 1, where they have none of the usual names. rank=… in "
        "place of the score ranks by that column. "
        "--query, --document and --label name those of judgments.",
    ),
]


def run_columns_of(text: str | None) -> dict[str, str]:
    """The columns that ``--run-columns`` names, as ``load_run`` takes them.

    >>> run_columns_of("Q,D,S")
    {'query': 'Q', 'document': 'D', 'score': 'S'}
    >>> run_columns_of("1,2,rank=3")
    {'query': '1', 'document': '2', 'rank': '3'}
    """
    from ...errors import InputError

    if text is None:
        return {}
    query, document, number = ([name.strip() for name in text.split(",")] + [""] * 3)[:3]
    role = "rank" if number.startswith("rank=") else "score"
    columns = {"query": query, "document": document, role: number.removeprefix("rank=").strip()}
    if text.count(",") != 2 or not all(columns.values()):
        raise InputError(f"--run-columns are three names with commas, query,document,score; got {text!r}")
    return columns
