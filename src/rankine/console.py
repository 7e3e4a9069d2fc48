"""Tables for people: drawn on a terminal, tab-separated where output is piped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from .measures import Comparison


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> None:
    """A table on standard output: drawn on a terminal, tab-separated where it is piped."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        for row in (columns, *rows):
            typer.echo("\t".join(map(str, row)))
        if note:
            typer.echo(note, err=True)
        return
    table = Table(title=title, title_justify="left", header_style="bold", row_styles=["", "dim"])
    for i, column in enumerate(columns):
        numeric = all(str(r[i])[:1] in "+-−0123456789." for r in rows)
        table.add_column(column, justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*map(str, row))
    console.print(table)
    if note:
        console.print(note, style="dim")


def print_comparison(comparison: Comparison) -> None:
    """Means of the systems, then the tests between them."""
    first = next(iter(comparison.reports.values()))
    means = [(name, *(f"{v:.4f}" for v in r.mean.values())) for name, r in comparison.reports.items()]
    print_table(f"Means over {len(first.query_ids)} queries", ["system", *first.mean], means)
    interval = f"{comparison.confidence:.0%} interval"
    rows = [
        (
            p.measure,
            f"{p.a} − {p.b}",
            f"{p.difference:+.4f}",
            f"[{p.low:+.4f}, {p.high:+.4f}]",
            f"{p.effect:+.2f}",
            f"{p.wins}/{p.ties}/{p.losses}",
            f"{p.wilcoxon_holm:.3g}",
            f"{p.t_holm:.3g}",
            f"{p.randomisation_holm:.3g}",
        )
        for p in comparison.pairs
    ]
    columns = [
        "measure",
        "systems",
        "difference",
        interval,
        "effect",
        "won/tied/lost",
        "Wilcoxon p",
        "t p",
        "random. p",
    ]
    note = "p-values are Holm-corrected over the pairs of a measure. " + comparison.note
    print_table("Paired differences", columns, rows, note)
