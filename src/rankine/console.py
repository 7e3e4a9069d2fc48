"""Tables for people: drawn on a terminal, tab-separated where output is piped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from .measures import Comparison
    from .spoken.archive.hits import Hit


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "", whole: Sequence[str] = ()
) -> None:
    """A table on standard output: drawn on a terminal, tab-separated where piped; ``whole`` columns are never cut."""
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


def print_comparison(comparison: Comparison) -> None:
    """Means of the systems, then the tests between them."""
    first = next(iter(comparison.reports.values()))
    means = [(name, *(f"{v:.4f}" for v in r.mean.values())) for name, r in comparison.reports.items()]
    print_table(f"Means over {len(first.query_ids)} queries", ["system", *first.mean], means)
    measures = list(first.mean)
    rows: list[tuple[str, ...]] = [
        (
            p.measure,
            f"{p.a} − {p.b}",
            f"{p.difference:+.4f}",
            f"[{p.low:+.4f}, {p.high:+.4f}]",
            f"{p.effect:+.2f}",
            f"{p.wins}/{p.ties}/{p.losses}",
            f"{p.wilcoxon_holm:.2g}",
            f"{p.t_holm:.2g}",
            f"{p.randomisation_holm:.2g}",
        )
        for p in comparison.pairs
    ]
    interval = f"{comparison.confidence:.0%} interval"
    columns = ["measure", "systems", "mean", interval, "effect", "w/t/l", "Wilcoxon", "t", "random."]
    title = "Paired differences"
    if len(measures) == 1:
        title += f" in {measures[0]}"
        columns, rows = columns[1:], [row[1:] for row in rows]
    note = "p-values of three tests, Holm-corrected over the pairs of a measure; w/t/l: queries won, tied, lost. "
    print_table(title, columns, rows, note + comparison.note)


def print_hits(title: str, hits: Sequence[Hit]) -> None:
    """What a search has found."""
    titled = any(h.title for h in hits)
    rows = [
        (h.rank, h.place, *([h.title or h.document] if titled else []), clock(h.start), f"{h.score:.3f}",
         " ".join(f"{m.unit}:{m.posterior:.2f}" for m in h.matches), h.snippet)
        for h in hits
    ]  # fmt: skip
    columns = ["", "hit", *(["title"] if titled else []), "at", "score", "heard", "around it"]
    print_table(title, columns, rows, whole=("hit", "at"))
    if not hits:
        typer.echo("nothing found", err=True)


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
