"""Speech: lattices of recognisers, posteriors of what was said where."""

from .archive.archive import Archive
from .lattice.confusion import confusion_network
from .lattice.formats import read_archive, read_lattice
from .lattice.lattice import Lattice
from .lattice.positions import pspl
from .lattice.posteriors import arc_posteriors
from .lattice.sparse import Posteriors

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
