"""``rankine solvers``."""

from .shared import common as c
from .shared.printing import print_rows

COLUMNS = ("name", "losses", "a loss must have", "what it does")


def command(output: c.OutputOption = c.Output.table) -> None:
    """List all solvers: names, what each needs of a loss, and what it does."""
    print_rows("Solvers", COLUMNS, rows(), output)


def rows() -> list[tuple[str, str, str, str]]:
    """Each solver with the losses it can minimise, what it needs of them, and its explanation."""
    from ..solvers import NEEDS, TABLE

    return [
        (name, "any" if row.not_convex else "convex", ", ".join(NEEDS[need] for need in row.needs), row.explanation)
        for name, row in TABLE.items()
    ]
