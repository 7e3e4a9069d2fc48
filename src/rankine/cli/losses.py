"""``rankine losses``."""

from ..console import print_table

NAME = "losses"


def command() -> None:
    """List all losses: names, the measure each is made for, what it learns from, and what it bounds."""
    from ..losses.structured.hinge import POSITION_WEIGHTS
    from ..losses.table import TABLE, get

    rows = []
    for name, row in TABLE.items():
        form = f"{name}@k" if row.cut == "must" else f"{name}[@k]" if row.cut == "may" else name
        loss = get(f"{name}@10" if row.cut == "must" else name)
        bounded = "" if loss.bounded is None else loss.bounded.text.replace("@10", "@k")
        variants = " ".join(f":{v}" for v in row.variants)
        rows.append((form, variants, loss.supervision[0], bounded, row.explanation))
    note = f"Position weights A of the svm- losses: {', '.join(POSITION_WEIGHTS)}; learn learns them along with w."
    print_table("Losses", ["name", "variants", "learns from", "bounds", "what it is"], rows, note)
