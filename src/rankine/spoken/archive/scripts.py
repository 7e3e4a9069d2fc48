"""Scripts: whether a query is written in one that an archive has."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from ..index.reader import Index
from .words import words_of

_SAMPLE = 2000  # words that are looked at
_NAMES = {"CJK": "Chinese"}


def scripts_of(words: Iterable[str]) -> set[str]:
    """The scripts of the letters of words.

    >>> sorted(scripts_of(["press", "пресс", "设定", "14"]))
    ['Chinese', 'Cyrillic', 'Latin']
    """
    names = (unicodedata.name(c, "").split(" ")[0] for c in set("".join(words)) if c.isalpha())
    return {_NAMES.get(name, name.title()) for name in names if name}


def foreign(index: Index, words: Iterable[str]) -> str:
    """A clause that says that words are written in a script that the archive has not; empty where it has."""
    there, mine = scripts_of(words_of(index).some(_SAMPLE)), scripts_of(words)
    if not there or not mine or mine & there:
        return ""
    return f": it is written in {' and '.join(sorted(mine))} letters, the archive in {' and '.join(sorted(there))} ones"
