"""Mandarin words as syllables in pinyin."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ....errors import InputError, install
from ...text import HAN
from .dictionary import Split


def pinyin(tones: bool = True) -> Split:
    """Mandarin syllables by pypinyin, with or without tone; characters it does not have stay as they are."""
    try:
        from pypinyin import Style, lazy_pinyin
    except ImportError:
        raise InputError(f"Mandarin syllables need pypinyin: {install('spoken')}") from None
    style = Style.TONE3 if tones else Style.NORMAL

    @lru_cache(maxsize=1 << 17)
    def split(word: str) -> list[list[str]]:
        return [lazy_pinyin(word, style=style, neutral_tone_with_five=tones)]

    return split


def is_han(dictionary: str | None = None) -> Callable[[str], bool]:
    """Whether a word consists of Chinese characters, which all have a pronunciation.

    >>> is_han()("设定"), is_han()("U2")
    (True, False)
    """
    return lambda word: re.fullmatch(f"[{HAN}]+", word) is not None
