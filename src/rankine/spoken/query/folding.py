"""Folded forms of words: one form for all ways of writing a word.

Accents, case, the width of characters and hyphens do not matter, and all apostrophes are one. A query's word
means every word of the archive with the same folded form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

APOSTROPHES = "'’‘ʼʻ`´′＇"
HYPHENS = "-‐‑‒–—−\u00ad"
_INVISIBLE = "\u061c\u0640\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # marks of direction, joiners, tatweel
_ACCENTS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"  # vowels of Hebrew and Arabic
_DROPPED = re.compile(f"[{HYPHENS[1:]}{_INVISIBLE}{_ACCENTS}{_POINTS}-]")
_LETTERS = dict.fromkeys(APOSTROPHES[1:], "'") | {
    "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th",
}  # fmt: skip
_OTHER = re.compile(f"[{''.join(_LETTERS)}]")


def fold(text: str) -> str:
    """The folded form of a word.

    >>> fold("Naïve"), fold("E-Mail"), fold("don’t"), fold("１４５５")
    ('naive', 'email', "don't", '1455')
    """
    if text.isascii() and text.islower() and text.isalpha():
        return text
    wide = unicodedata.normalize("NFKC", _plain_letters(text)).casefold()
    bare = _DROPPED.sub("", unicodedata.normalize("NFD", wide))
    return unicodedata.normalize("NFC", _plain_letters(bare))


def _plain_letters(text: str) -> str:
    """Text with plain letters for those that differ by more than an accent, and one apostrophe for all."""
    return _OTHER.sub(lambda match: _LETTERS[match[0]], text)


def fold_all(words: Sequence[str]) -> list[str]:
    """The folded forms of many words, made at once.

    >>> fold_all(["Café", "naïve"])
    ['cafe', 'naive']
    """
    folded = fold("\n".join(words)).split("\n") if words else []
    return folded if len(folded) == len(words) else [fold(word) for word in words]


def without_apostrophes(folded: str) -> str:
    """A folded form without apostrophes.

    >>> without_apostrophes("don't")
    'dont'
    """
    return folded.replace("'", "")
