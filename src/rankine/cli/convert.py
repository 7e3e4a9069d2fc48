"""``rankine convert``."""

from pathlib import Path
from typing import Annotated

import typer

NAME = "convert"


def command(
    source: Annotated[
        str,
        typer.Argument(help="LETOR text (also .gz .xz .zst), .parquet or .arrow; - is standard input."),
    ],
    target: Annotated[str, typer.Argument(help="The same, by its ending; - is standard output.")],
    dtype: Annotated[str, typer.Option(help="float32 or float64, for LETOR text.")] = "float32",
) -> None:
    """Convert judged data between LETOR text, Parquet and Arrow (which opens at once, whatever its size).

    `rankine convert train.txt.xz train.arrow`
    """
    from ..io import load_letor, load_table, save_letor, save_table
    from ..io.table import TABLE_SUFFIXES

    def is_table(path: str) -> bool:
        return Path(path).suffix.lower() in TABLE_SUFFIXES

    data = load_table(source) if is_table(source) else load_letor(source, dtype=dtype)
    if is_table(target):
        save_table(data, target)
    else:
        save_letor(data, target)
    typer.echo(f"{data} -> {target}", err=True)
