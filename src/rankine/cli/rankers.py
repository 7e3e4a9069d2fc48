"""``rankine rankers``."""

from ..console import print_table

NAME = "rankers"


def command() -> None:
    """List all rankers: names, the classes in Python, what each is, and what `rankine tune` tries for it."""
    from ..rankers.table import TABLE

    rows = []
    for name, row in TABLE.items():
        grid = "; ".join(f"{parameter}: {', '.join(map(_short, values))}" for parameter, values in row.grid.items())
        rows.append((name, row.class_name, row.extra and f"rankine[{row.extra}]", row.explanation, grid))
    print_table("Rankers", ["name", "in Python", "needs", "what it is", "what tune tries"], rows)


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
