"""Units below the word: characters, syllables, phones, or those of a user's own mapping."""

from .chains import to_units
from .dictionary import Split, from_mapping, lexicon, stamp
from .mandarin import pinyin
from .table import TABLE, UnitRow, characters, splitter

__all__ = [
    "TABLE",
    "Split",
    "UnitRow",
    "characters",
    "from_mapping",
    "lexicon",
    "pinyin",
    "splitter",
    "stamp",
    "to_units",
]
