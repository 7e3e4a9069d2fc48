"""The public names of the room; see ``__init__.py``."""

from .chains import to_units as to_units
from .dictionary import Lexicon as Lexicon
from .dictionary import Split as Split
from .dictionary import from_mapping as from_mapping
from .dictionary import lexicon as lexicon
from .dictionary import stamp as stamp
from .mandarin import pinyin as pinyin
from .table import TABLE as TABLE
from .table import UnitRow as UnitRow
from .table import characters as characters
from .table import splitter as splitter
