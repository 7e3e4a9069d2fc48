"""Runs on the command line: the names of their columns."""

from __future__ import annotations

from typing import Annotated

import typer

RunColumns = Annotated[
    str | None,
    typer.Option(
        "--run-columns",
        metavar="QUERY,DOCUMENT,SCORE",
        help="The columns of runs that are CSV, TSV, JSON lines or Parquet, where they have none of the usual names. "
        "--query, --document and --label name those of judgments.",
    ),
]


def run_columns_of(text: str | None) -> dict[str, str]:
    """The columns that ``--run-columns`` names, as ``load_run`` takes them.

    >>> run_columns_of("Q,D,S")
    {'query': 'Q', 'document': 'D', 'score': 'S'}
    """
    from ..errors import InputError

    names = [] if text is None else [name.strip() for name in text.split(",")]
    if text is not None and (len(names) != 3 or not all(names)):
        raise InputError(f"--run-columns are three names with commas, query,document,score; got {text!r}")
    return dict(zip(("query", "document", "score"), names, strict=False))
