"""``rankine rankers``."""

from . import common as c
from .tables import print_rows

COLUMNS = ("name", "in Python", "needs", "what it is", "what tune tries")


def command(output: c.OutputOption = c.Output.table) -> None:
    """List all rankers: names, the classes in Python, what each is, and what `rankine tune` tries for it."""
    print_rows("Rankers", COLUMNS, rows(), output)


def rows() -> list[tuple[str, str, str, str, str]]:
    """Each ranker with its class, the extra it needs, its explanation, and its grid."""
    from ..rankers.table import TABLE

    out = []
    for name, row in TABLE.items():
        grid = "; ".join(f"{parameter}: {', '.join(map(_short, values))}" for parameter, values in row.grid.items())
        out.append((name, row.class_name, row.extra and f"rankine[{row.extra}]", row.explanation, grid))
    return out


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
