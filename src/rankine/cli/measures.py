"""``rankine measures``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shared import common as c
from .shared.printing import print_rows

if TYPE_CHECKING:
    from ..measures.table import Parameter

COLUMNS = ("name", "also", "what it is")


def command(output: c.OutputOption = c.Output.table) -> None:
    """List all measures: names, parameters, trec_eval's names, and a line of explanation."""
    from ..measures.evaluation import GAIN_NOTE

    print_rows("Measures", COLUMNS, rows(), output, GAIN_NOTE)


def rows() -> list[tuple[str, str, str]]:
    """Each measure with its parameters, its other names, and its explanation."""
    from ..measures.table import ALIASES, TABLE
    from ..measures.trec_eval.names import TREC_NAMES

    out = []
    for name, row in TABLE.items():
        others = [a for a, b in ALIASES.items() if b == name]
        trec = [
            t + _settings(trec_row.params, row.parameters)
            for t, trec_row in TREC_NAMES.items()
            if trec_row.measure == name and t not in (name, *others)
        ]
        out.append((_spelled(name, row.parameters), " ".join([*others, *trec]), row.explanation))
    return out


def _settings(given: dict[str, Any], parameters: dict[str, Parameter]) -> str:
    """The parameters that a name of trec_eval has otherwise than the measure."""
    other = [f"{k}={_short(v)}" for k, v in given.items() if v != parameters[k].default]
    return f"({', '.join(other)})" if other else ""


def _spelled(name: str, parameters: dict[str, Parameter]) -> str:
    """The name with its parameters, their defaults, and where a cutoff goes."""
    inside = [k if p.default is None else f"{k}={_short(p.default)}" for k, p in parameters.items() if k != "cutoff"]
    cutoff = parameters.get("cutoff")
    letter = "k" if cutoff is None or cutoff.value_type is int else "x"
    suffix = "" if cutoff is None else f"@{letter}" if cutoff.required else "[@k]"
    return name + (f"({', '.join(inside)})" if inside else "") + suffix


def _short(value: object) -> str:
    if value == ():
        return "()"
    if isinstance(value, tuple):
        return f"({_short(value[0])}, …, {_short(value[-1])})"
    return f"{value:g}" if isinstance(value, float) else repr(value)
