"""``rankine export``."""

from __future__ import annotations

from typing import Annotated

import typer

from . import common as c

NAME = "export"


def command(
    model: Annotated[str, typer.Argument(help="A model that `rankine train` (or `save`) wrote.")],
    to: Annotated[str, typer.Option("--to", help="opensearch, elasticsearch, solr or onnx.")],
    output: Annotated[str, typer.Option("-o", "--output", help="The file to write.")],
    name: Annotated[str, typer.Option(help="What the model is called there.")] = "rankine",
    features: Annotated[
        str | None,
        typer.Option(help="A file of two columns: the model's feature (or its number from 1), and its name there."),
    ] = None,
    check: Annotated[
        str | None, typer.Option(help="For onnx: data on which the result is compared with the model.")
    ] = None,
) -> None:
    """Hand a model to a search engine, or to anything that runs ONNX.

    `rankine export model.json --to opensearch -o model-opensearch.json --features names.txt`

    `rankine export boosted.json --to onnx -o model.onnx --check test.txt`
    """
    from pathlib import Path

    from ..errors import InputError
    from ..export import export
    from ..rankers import load

    names = None
    if features is not None:
        names = {}
        for number, line in enumerate(Path(features).read_text(encoding="utf-8").splitlines(), 1):
            words = line.split("\t") if "\t" in line else line.split()
            if len(words) not in (0, 2):
                raise InputError("expected a feature and its name there", f"{features}, line {number}")
            if words:
                names[words[0]] = words[1]
        if to == "onnx":
            raise InputError("ONNX takes a matrix without names: --features is for the search engines")
    data = None if check is None else c.load_data(check)
    export(load(model), to, output, name=name, features=names, data=data)
    told = "" if check is None else f", the same scores as the model on {check}"
    typer.echo(f"{output}: for {to}{told}", err=True)
