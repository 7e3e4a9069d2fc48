"""``rankine demo``."""

from pathlib import Path
from typing import Annotated

import typer

NAME = "demo"


def command(
    folder: Annotated[str, typer.Argument(help="Where the demo's files and pictures are written.")] = "demo-output",
) -> None:
    """Both halves of Rankine on data that it brings along: a judged search set, and a spoken archive."""
    from ..experiments.demo import run_demo

    run_demo(Path(folder))
