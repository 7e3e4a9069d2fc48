"""Example words: some that an archive holds, for whoever does not know yet what to search for."""

from __future__ import annotations

from ..spoken.index.reader import Index
from ..spoken.metadata.rights import open_index
from ..spoken.query.vocabulary import words_of
from ..spoken.text import STOP_WORDS

_LOOKED_AT = 300  # words
_SHORTEST = 5  # letters; of words in characters one
_STOP = frozenset().union(*STOP_WORDS.values())


def example_words(index: Index, most: int = 5) -> list[str]:
    """Words of recordings that are open, which were said more than once, the longest of the frequent ones first."""
    index = open_index(index)
    if len(index) == 0:
        return []
    words = words_of(index)
    some = [w for w in dict.fromkeys(words.some(_LOOKED_AT)) if w not in _STOP and _is_telling(w)]
    counts = {word: words.count(word) for word in some}
    frequent = sorted((w for w in some if counts[w] >= 0.5), key=lambda w: (-min(counts[w], 3.0), -counts[w], w))
    return sorted(frequent[: 4 * most], key=lambda w: (-len(w), w))[:most]


def _is_telling(word: str) -> bool:
    return word.isalpha() and (len(word) >= _SHORTEST or not word.isascii())
