"""``rankine losses``."""

from .shared import common as c
from .shared.printing import print_rows

COLUMNS = ("name", "variants", "made for", "learns from", "bounds", "what it is")


def command(output: c.OutputOption = c.Output.table) -> None:
    """List all losses: names, the measure each is made for, what it learns from, and what it bounds."""
    from ..losses.structured.hinge import POSITION_WEIGHTS

    note = f"Position weights A of the svm- losses: {', '.join(POSITION_WEIGHTS)}; learn learns them along with w."
    print_rows("Losses", COLUMNS, rows(), output, note)


def rows() -> list[tuple[str, str, str, str, str, str]]:
    """Each loss with its variants, its measure if it is made for one, its supervision, its bound, its explanation."""
    from ..losses.table import TABLE, get

    out = []
    for name, row in TABLE.items():
        cut = {"no": "", "may": "[@k]", "must": "@k"}[row.cut]
        loss = get(name if row.cut == "no" else f"{name}@10")
        made_for_none = not cut and loss.measure == "nDCG@10"  # then it is only reported by that
        measure = "" if made_for_none else loss.measure.replace("@10", cut)
        bounded = "" if loss.bounded is None else loss.bounded.text.replace("@10", cut)
        variants = " ".join(f":{v}" for v in row.variants)
        out.append((f"{name}{cut}", variants, measure, " or ".join(loss.supervision), bounded, row.explanation))
    return out
