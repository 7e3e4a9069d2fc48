"""Tokens: the words of a text as they are written, and words without the punctuation around them."""

from __future__ import annotations

import re
import unicodedata

from ..text import HAN

CURRENCY_SIGNS = "$£€¥₹¢"
_KEPT = "%#&@+"  # marks that belong to a word: R&B, C#, C++
_NOT_SPEECH = re.compile(r"[\[\uff3b][^\]\[\d]{0,40}[\]\uff3d]|♪|♫")  # [Music], [BLANK_AUDIO]
BREAKS = re.compile(r"\s+|[\u2013\u2014\u2026\u3000-\u3004\u3008-\u301f\uff0c\uff01\uff1f\uff1a\uff1b]+|\.{2,}|-{2,}")
_HAN_OR_NOT = re.compile(f"[{HAN}]|[^{HAN}]+")


def clean(word: str) -> str:
    """A word without the punctuation around it; a currency sign at a number stays.

    >>> [clean(w) for w in ("“Hello,”", "don’t", "(R&B)", "你好。", "–", "C++.", "($5)", "20¢.")]
    ['Hello', 'don’t', 'R&B', '你好', '', 'C++', '$5', '20¢']
    """
    first, last = 0, len(word)
    while first < last and _is_edge(word[first]):
        first += 1
    while first < last and _is_edge(word[last - 1]):
        last -= 1
    if first < last:
        first -= word[first].isdigit() and word[:first].endswith(tuple(CURRENCY_SIGNS))
        last += word[last - 1].isdigit() and word[last:].startswith(tuple(CURRENCY_SIGNS))
    return word[first:last]


def _is_edge(c: str) -> bool:
    return c not in _KEPT and not c.isalnum() and unicodedata.category(c)[0] in "PSZC"


def is_speech(text: str) -> bool:
    """Whether a word stands for something that was said, and not for noise such as [Music].

    >>> is_speech("yes"), is_speech("[Music]"), is_speech("–")
    (True, False, False)
    """
    return bool(clean(text)) and not _NOT_SPEECH.fullmatch(text.strip())


def written_words(text: str) -> list[str]:
    """The words of a text as they are written; a Chinese character is a word, and what is no speech is left out.

    >>> written_words("Well—yes, [Music] 你好。")
    ['Well', 'yes,', '你', '好']
    """
    tokens = [t for t in BREAKS.split(_NOT_SPEECH.sub(" ", text)) if t]
    parts = [p for t in tokens for p in (_HAN_OR_NOT.findall(t) if re.search(f"[{HAN}]", t) else [t])]
    return [p for p in parts if clean(p)]
