"""What readers say about input that they had to interpret."""

from __future__ import annotations

import sys
import warnings

from ..errors import InputNote

_PACKAGE = __name__.split(".")[0]


def said(text: str) -> None:
    """Tell the user what was guessed or found: an :class:`~rankine.errors.InputNote`, one line on the command line.

    The same text is told once for each line of the user's program.

    >>> with warnings.catch_warnings(record=True) as notes:
    ...     warnings.simplefilter("always")
    ...     said("train.txt: group sizes from train.txt.query")
    >>> [str(note.message) for note in notes]
    ['train.txt: group sizes from train.txt.query']
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(InputNote(text), stacklevel=level)
