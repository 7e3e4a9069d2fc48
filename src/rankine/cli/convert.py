"""``rankine convert``."""

from pathlib import Path
from typing import Annotated

import typer

NAME = "convert"
_TEXT = (".txt", ".letor", ".svm", ".svmlight", ".libsvm", ".dat")


def command(
    source: Annotated[
        str,
        typer.Argument(help="LETOR text (also .gz .xz .zst), .parquet or .arrow; - is standard input."),
    ],
    target: Annotated[str, typer.Argument(help="The same, by its ending; - is standard output.")],
    dtype: Annotated[
        str | None, typer.Option(help="float32 or float64, of LETOR text; by default float64 from text to text.")
    ] = None,
) -> None:
    """Convert judged data between LETOR text, Parquet and Arrow (which opens at once, whatever its size).

    `rankine convert train.txt.xz train.arrow`
    """
    from ..errors import InputError
    from ..io import load_letor, load_table, save_letor, save_table
    from ..io.table import TABLE_SUFFIXES

    def is_table(path: str) -> bool:
        return Path(path).suffix.lower() in TABLE_SUFFIXES

    if target != "-" and not is_table(target) and not set(Path(target).suffixes) & set(_TEXT):
        known = ", ".join([*TABLE_SUFFIXES, *_TEXT])
        raise InputError(f"expected a file name ending in one of {known} (text may add .gz, .xz or .zst)", target)
    kind = dtype or ("float32" if is_table(target) else "float64")
    data = load_table(source) if is_table(source) else load_letor(source, dtype=kind)
    if is_table(target):
        save_table(data, target)
    else:
        save_letor(data, target)
    typer.echo(f"{data} -> {target}", err=True)
