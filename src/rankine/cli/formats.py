"""``rankine formats``."""

from .shared import common as c
from .shared.printing import print_rows

COLUMNS = ("name", "holds", "endings", "what it is")


def command(output: c.OutputOption = c.Output.table) -> None:
    """List all formats that are read: judged data, judgments, runs, and lattices of speech recognisers."""
    print_rows("Formats", COLUMNS, rows(), output)


def rows() -> list[tuple[str, str, str, str]]:
    """Each format with its content, its endings, and its explanation."""
    from ..io.formats import TABLE
    from ..spoken.lattice.formats import TABLE as LATTICES

    return [
        *((name, row.holds, " ".join(row.endings), row.explanation) for name, row in TABLE.items()),
        *((name, "lattices", " ".join(row.endings), row.explanation) for name, row in LATTICES.items()),
    ]
