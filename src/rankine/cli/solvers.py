"""``rankine solvers``."""

from ..console import print_table

NAME = "solvers"


def command() -> None:
    """List all solvers: names, what each needs of a loss, and what it does."""
    from ..solvers import NEEDS, TABLE

    rows = [
        (name, "any" if row.not_convex else "convex", ", ".join(NEEDS[need] for need in row.needs), row.explanation)
        for name, row in TABLE.items()
    ]
    print_table("Solvers", ["name", "losses", "a loss must have", "what it does"], rows)
