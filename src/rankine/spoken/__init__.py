"""Speech: lattices of recognisers, posteriors of what was said where."""

from .archive import Archive
from .confusion import confusion_network
from .formats import read_archive, read_lattice
from .lattice import Lattice
from .posterior import arc_posteriors
from .pspl import pspl
from .sparse import Posteriors

__all__ = [
    "Archive",
    "Lattice",
    "Posteriors",
    "arc_posteriors",
    "confusion_network",
    "pspl",
    "read_archive",
    "read_lattice",
]
