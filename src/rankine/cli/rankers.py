"""``rankine rankers``."""

from typing import Annotated

import typer

from .shared import common as c
from .shared.printing import print_rows

COLUMNS = ("name", "in Python", "needs", "what it is", "what tune tries")
CANDIDATE_COLUMNS = ("candidate", "ranker", "needs", "settings", "what is tried")


def command(
    candidates: Annotated[
        bool, typer.Option("--candidates", help="List the candidates that `rankine train` tries, in their order.")
    ] = False,
    output: c.OutputOption = c.Output.table,
) -> None:
    """List all rankers: names, the classes in Python, what each is, and what `rankine tune` tries for it."""
    if candidates:
        print_rows("Candidates", CANDIDATE_COLUMNS, candidate_rows(), output)
    else:
        print_rows("Rankers", COLUMNS, rows(), output)


def candidate_rows() -> list[tuple[str, str, str, str, str]]:
    """Each candidate of AutoRanker with its ranker, the extra it needs, its settings, and the values it tries."""
    from ..rankers.auto.candidates import CANDIDATES
    from ..rankers.table import TABLE

    out = []
    for row in CANDIDATES:
        extra = TABLE[row.ranker].extra
        fixed = ", ".join(f"{name} {_short(value)}" for name, value in row.settings.items())
        tried = "" if row.sweep is None else f"{row.sweep[0]}: {', '.join(map(_short, row.sweep[1]))}"
        out.append((row.name, row.ranker, extra and f"[{extra}]", fixed, tried))
    return out


def rows() -> list[tuple[str, str, str, str, str]]:
    """Each ranker with its class, the extra it needs, its explanation, and its grid."""
    from ..rankers.table import TABLE

    out = []
    for name, row in TABLE.items():
        grid = "; ".join(f"{parameter}: {', '.join(map(_short, values))}" for parameter, values in row.grid.items())
        out.append((name, row.class_name, row.extra and f"[{row.extra}]", row.explanation, grid))
    return out


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
