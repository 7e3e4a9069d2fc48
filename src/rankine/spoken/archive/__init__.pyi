"""The public names of the room; see ``__init__.py``."""

from .archive import Archive as Archive
from .archive import create_or_open as create_or_open
from .hearings import Hearings as Hearings
from .judgments import Judgments as Judgments
from .judgments import KeptJudgment as KeptJudgment
from .lattices import Lattices as Lattices
from .open_archive import OpenArchive as OpenArchive
from .recordings import Recordings as Recordings
from .weights import ArchiveWeights as ArchiveWeights
from .weights import LearningResult as LearningResult
