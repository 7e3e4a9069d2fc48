"""Writing pictures, and their colours. Matplotlib is imported only when one is drawn."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from .files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, RED, GREY = "#1f5fa8", "#c8553d", "#8a8f98"
_FORMATS = (".png", ".svg", ".pdf")


def check_picture(path: str | os.PathLike) -> None:
    """Raise unless the file name ends as a picture's."""
    if Path(path).suffix.lower() not in _FORMATS:
        raise InputError(f"expected a picture ending in one of {', '.join(_FORMATS)}", str(path))


def save_figure(figure: Figure, path: str | os.PathLike) -> None:
    """Write a figure whole or not at all; the same figure gives the same bytes."""
    from matplotlib import rc_context

    suffix = Path(path).suffix.lower()
    stamp = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    with replacing(path) as temporary, rc_context({"svg.hashsalt": "rankine"}):  # else ids in an SVG are random
        figure.savefig(temporary, dpi=150, metadata=stamp)
