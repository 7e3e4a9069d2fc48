"""Speech: lattices of recognisers, posteriors of the words in them, and archives that can be searched."""

import warnings
from typing import Any

from .archive.archive import Archive
from .lattice.confusion import confusion_network
from .lattice.formats import read_archive, read_lattice
from .lattice.lattice import Lattice
from .lattice.positions import pspl
from .lattice.posteriors import UnitPosteriors, arc_posteriors

__all__ = [
    "Archive",
    "Lattice",
    "UnitPosteriors",
    "arc_posteriors",
    "confusion_network",
    "pspl",
    "read_archive",
    "read_lattice",
]


def __getattr__(name: str) -> Any:
    if name == "Posteriors":  # its name until release 0.1
        warnings.warn("rankine.spoken.Posteriors is called UnitPosteriors now", DeprecationWarning, stacklevel=2)
        return UnitPosteriors
    raise AttributeError(f"module 'rankine.spoken' has no attribute {name!r}")
