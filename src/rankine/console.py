"""Tables on standard output, drawn on a terminal and tab-separated where output is piped, and times for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "", whole: Sequence[str] = ()
) -> None:
    """Print a table, drawn on a terminal, tab-separated where output is piped; columns in ``whole`` are never cut."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        for row in (columns, *rows):
            typer.echo("\t".join(map(str, row)))
        if note:
            typer.echo(note, err=True)
        return
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), collapse_padding=True)
    for i, column in enumerate(columns):
        numeric = all(str(r[i])[:1] in "+-−0123456789." for r in rows)
        table.add_column(column, justify="right" if numeric else "left", no_wrap=column in whole)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console.print(title, style="bold", markup=False, highlight=False)
    console.print(table)
    if note:
        console.print(note, style="dim", markup=False, highlight=False)


def clock(seconds: float) -> str:
    """A time for people.

    >>> clock(3723.46), clock(5), clock(float("nan"))
    ('1:02:03.5', '0:05.0', '-')
    """
    if seconds != seconds:
        return "-"
    tenths = round(seconds * 10)
    hours, minutes, rest = tenths // 36000, tenths // 600 % 60, tenths % 600 / 10
    return f"{hours}:{minutes:02d}:{rest:04.1f}" if hours else f"{minutes}:{rest:04.1f}"
