"""``rankine demo``."""

from pathlib import Path
from typing import Annotated

import typer

NAME = "demo"


def command(
    folder: Annotated[str, typer.Argument(help="Where the demo's files and pictures are written.")] = "demo-output",
) -> None:
    """Evaluate and compare three systems on a small judged set that Rankine brings along, with a picture."""
    from ..experiments.demo import run_demo

    run_demo(Path(folder))
