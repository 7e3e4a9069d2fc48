"""``rankine convert``."""

from dataclasses import replace
from typing import Annotated

import typer

from ..io.formats import DataReading, save_data, source_format, target_format
from ..system.console import say
from .shared import common as c


def command(
    source: Annotated[list[str], typer.Argument(help=f"{c.FORMATS}; - is standard input. {c.SEVERAL}")],
    target: Annotated[str, typer.Argument(help="The same, by its ending; - is standard output.")],
    dtype: Annotated[
        str | None, typer.Option(help="float32 or float64, of LETOR text; by default float64 from text to text.")
    ] = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Convert judged data between the formats that `rankine formats` lists (Arrow opens at once, whatever its size).

    `rankine convert train.txt.xz train.arrow`
    """
    c.check_output(target, source)
    if dtype is None and target_format(target).text and "dtype" in source_format(source).options:
        dtype = "float64"
    data = c.load_data(source, replace(reading, dtype=dtype))
    weighted = data.query_weight is not None or data.doc_weight is not None
    if weighted and target_format(target).text:
        say(f"{target}: without the weights, which text does not hold")
    save_data(data, target)
    say(f"{data} -> {target}")
