"""``rankine export``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..export.table import TABLE
from ..io.formats import DataReading
from ..system.console import say
from .shared import common as c

_RUN = ", ".join(name for name, row in TABLE.items() if row.runs)


def command(
    model: Annotated[str, typer.Argument(help="A model that `rankine train` (or `save`) wrote.")],
    to: Annotated[str, typer.Option("--to", help=f"The target: {', '.join(TABLE)}.")],
    output: Annotated[str, typer.Option("-o", "--output", help="The file to write.")],
    name: Annotated[str, typer.Option(help="What the model is called there.")] = "rankine",
    features: Annotated[
        str | None,
        typer.Option(help="A file of two columns: the model's feature (or its number), and its name there."),
    ] = None,
    check: Annotated[
        list[str] | None, typer.Option(help=f"For {_RUN}: data on which the result is compared with the model.")
    ] = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Write a model in the format of a search engine, or as ONNX.

    `rankine export model.json --to opensearch -o model-opensearch.json --features names.txt`

    `rankine export boosted.json --to onnx -o model.onnx --check test.txt`
    """
    from ..export import export

    c.check_output(output, [model, features, *(check or [])])
    names = None if features is None else _read_names(features)
    if check is None:
        c.refuse_reading(reading, "there is no --check")
    data = None if check is None else c.load_data(check, reading)
    export(c.load_model(model), to, output, name=name, features=names, data=data)
    checked = "" if check is None else f", the same scores as the model on {c.listed(check)}"
    say(f"{output}: for {to}{checked}")


def _read_names(path: str) -> dict[str, str]:
    """Two columns, separated by a tab or by blanks."""
    from ..errors import InputError
    from ..system.sources import text_lines

    names = {}
    for number, line in text_lines(path):
        words = line.split("\t") if "\t" in line else line.split()
        if len(words) not in (0, 2):
            raise InputError("expected a feature and its name there", f"{path}, line {number}")
        if words:
            names[words[0]] = words[1]
    return names
