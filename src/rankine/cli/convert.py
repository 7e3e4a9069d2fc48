"""``rankine convert``."""

from typing import Annotated

import typer

from ..console import say
from . import common as c


def command(
    source: Annotated[str, typer.Argument(help=f"{c.FORMATS}; - is standard input.")],
    target: Annotated[str, typer.Argument(help="The same, by its ending; - is standard output.")],
    dtype: Annotated[
        str | None, typer.Option(help="float32 or float64, of LETOR text; by default float64 from text to text.")
    ] = None,
) -> None:
    """Convert judged data between the formats that `rankine formats` lists (Arrow opens at once, whatever its size).

    `rankine convert train.txt.xz train.arrow`
    """
    from ..io.formats import DataReading, load_data, save_data, source_format, target_format

    if dtype is None and target_format(target).text and "dtype" in source_format(source).options:
        dtype = "float64"
    data = load_data(source, DataReading(dtype=dtype))
    save_data(data, target)
    say(f"{data} -> {target}")
