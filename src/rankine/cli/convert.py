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
    from ..io.formats import load_data, save_data, target_format

    c.check_output(target, [source])
    data = load_data(source, dtype or ("float64" if target_format(target).text else "float32"))
    save_data(data, target)
    say(f"{data} -> {target}")
