"""``rankine measures``."""

from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING

import typer

from ..console import print_table
from . import common as c

if TYPE_CHECKING:
    from ..measures.table import Parameter

NAME = "measures"


def command(output: c.OutputOption = c.Output.table) -> None:
    """List all measures: names, parameters, trec_eval's names, and a line of explanation."""
    from ..measures.evaluation import GAIN_NOTE

    columns = ["name", "also", "what it says"]
    if output is c.Output.json:
        typer.echo(json.dumps([dict(zip(columns, row, strict=True)) for row in rows()], ensure_ascii=False, indent=2))
    elif output is c.Output.csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows([columns, *rows()])
    else:
        print_table("Measures", columns, rows(), GAIN_NOTE)


def rows() -> list[tuple[str, str, str]]:
    """Each measure with its parameters, its other names, and its explanation."""
    from ..measures.table import ALIASES, TABLE, TREC_NAMES

    out = []
    for name, row in TABLE.items():
        others = [a for a, b in ALIASES.items() if b == name]
        trec = [t for t, (n, _) in TREC_NAMES.items() if n == name and t not in (name, *others)]
        out.append((_spelled(name, row.parameters), " ".join([*others, *trec]), row.explanation))
    return out


def _spelled(name: str, parameters: dict[str, Parameter]) -> str:
    """The name with its parameters, their defaults, and where a cutoff goes."""
    inside = [k if p.default is None else f"{k}={_short(p.default)}" for k, p in parameters.items() if k != "cutoff"]
    cutoff = parameters.get("cutoff")
    suffix = "" if cutoff is None else "@k" if cutoff.required else "[@k]"
    return name + (f"({', '.join(inside)})" if inside else "") + suffix


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)
