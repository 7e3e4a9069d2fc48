"""The public names of the room; see ``__init__.py``."""

from . import index as index
from . import lattice as lattice
from . import learn as learn
from . import recognise as recognise
from . import text as text
from .archive import Archive as Archive
from .lattice.confusion import confusion_network as confusion_network
from .lattice.formats import read_archive as read_archive
from .lattice.formats import read_lattice as read_lattice
from .lattice.lattice import Lattice as Lattice
from .lattice.positions import pspl as pspl
from .lattice.posteriors import UnitPosteriors as UnitPosteriors
from .lattice.posteriors import arc_posteriors as arc_posteriors
