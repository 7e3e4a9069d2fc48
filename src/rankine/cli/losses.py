"""``rankine losses``."""

from . import common as c
from .tables import print_rows

COLUMNS = ("name", "variants", "learns from", "bounds", "what it is")


def command(output: c.OutputOption = c.Output.table) -> None:
    """List all losses: names, the measure each is made for, what it learns from, and what it bounds."""
    from ..losses.structured.hinge import POSITION_WEIGHTS

    note = f"Position weights A of the svm- losses: {', '.join(POSITION_WEIGHTS)}; learn learns them along with w."
    print_rows("Losses", COLUMNS, rows(), output, note)


def rows() -> list[tuple[str, str, str, str, str]]:
    """Each loss with its variants, its supervision, what it bounds, and its explanation."""
    from ..losses.table import TABLE, get

    out = []
    for name, row in TABLE.items():
        form = f"{name}@k" if row.cut == "must" else f"{name}[@k]" if row.cut == "may" else name
        loss = get(f"{name}@10" if row.cut == "must" else name)
        bounded = "" if loss.bounded is None else loss.bounded.text.replace("@10", "@k")
        variants = " ".join(f":{v}" for v in row.variants)
        out.append((form, variants, loss.supervision[0], bounded, row.explanation))
    return out
