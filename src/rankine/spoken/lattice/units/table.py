"""The table of units: what a word is split into. Help and error messages are made from it."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ....errors import InputError, nearest
from .dictionary import Split, from_mapping, lexicon, stamp
from .english import listed, pronounce, syllables
from .mandarin import is_han, pinyin


def characters(word: str) -> list[list[str]]:
    """The characters of a word, as its one pronunciation.

    >>> characters("设定")
    [['设', '定']]
    """
    return [list(word)]


def letters(word: str) -> list[list[str]]:
    """The letters and digits of a word without accents, as its one pronunciation; a word without any has none.

    >>> letters("Müller's"), letters("-")
    ([['m', 'u', 'l', 'l', 'e', 'r', 's']], [])
    """
    plain = unicodedata.normalize("NFKD", word.casefold())
    own = [c for c in plain if c.isalnum()]
    return [own] if own else []


class UnitRow(NamedTuple):
    """A row of the table of units.

    ``make`` gets a pronunciation dictionary (None: the usual one) and gives the function that splits a word, None for
    words as they are. ``languages`` are those whose new archives index the unit; ``singular`` is its name in them, and
    must differ from the language's other units. The unit that follows words also finds quoted phrases that hold a
    word which does not occur. ``candidates`` says whether the unit helps to choose the recordings that are ranked:
    phones do not, for they occur in nearly all recordings. ``grams`` is how many units in a row are evidence of a word.
    ``listed`` gets a pronunciation dictionary and gives the function that tells whether a word is in it; without it
    every word is that can be split.
    """

    singular: str
    explanation: str
    make: Callable[[str | None], Split | None]
    languages: tuple[str, ...] = ()
    candidates: bool = True
    grams: int = 2
    listed: Callable[[str | None], Callable[[str], bool]] | None = None


OTHER = "other"  # languages whose words nothing here can pronounce
TABLE: dict[str, UnitRow] = {
    "words": UnitRow("word", "words as the recogniser wrote them", lambda _: None, ("en", "zh", OTHER)),
    "characters": UnitRow("character", "characters of words", lambda _: characters, ("zh",)),
    "letters": UnitRow("letter", "letters of words without accents", lambda _: letters, (OTHER,), False, 3),
    "pinyin": UnitRow("syllable", "Mandarin syllables with tone", lambda _: pinyin(), ("zh",), listed=is_han),
    "pinyin-toneless": UnitRow(
        "syllable", "Mandarin syllables without tone", lambda _: pinyin(tones=False), listed=is_han
    ),
    "syllables": UnitRow("syllable", "English syllables, made from the phones", syllables, ("en",), listed=listed),
    "phones": UnitRow(
        "phone",
        "English phones by a dictionary and letter-to-sound rules",
        pronounce,
        ("en",),
        candidates=False,
        grams=3,
        listed=listed,
    ),
}
LANGUAGES = TABLE["words"].languages


def splitter(units: str, dictionary: str | os.PathLike | None = None) -> Split | None:
    """The function that splits a word into units; None for words.

    Args:
        units: a name in ``TABLE``, or a file of words and their units.
        dictionary: a pronunciation dictionary for English; None: CMU's.

    >>> splitter("characters")("ab")
    [['a', 'b']]
    """
    return _splitter(units, None if dictionary is None else str(dictionary), stamp(units), stamp(dictionary))


@lru_cache(maxsize=32)
def _splitter(units: str, dictionary: str | None, *stamps: tuple[str, int] | None) -> Split | None:
    if units in TABLE:
        return TABLE[units].make(dictionary)
    if not Path(units).is_file():
        names = ", ".join(TABLE)
        raise InputError(f"units must be {names}, or a file of words and units; got {units!r}.{nearest(units, TABLE)}")
    return from_mapping(lexicon(units, strip_stress=False), str(units))
