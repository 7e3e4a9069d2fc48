"""The words of an archive: found as they are written, by their folded form, or by how they begin."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from ..index import schema
from ..index.grams import chain_counts
from ..index.reader import Index, PartReader
from ..index.schema import Postings, Strings
from .folding import fold, fold_all, without_apostrophes

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


# -- The words of an archive: found as they are written, by their folded form, or by how they begin


_UNFOLDED = re.compile("[a-z\u4000-\u9fff]+")
_FOLDED_BYTES = np.ones(256, np.bool_)  # of UTF-8: what such a word has no byte of
_FOLDED_BYTES[[*range(ord("a"), ord("z") + 1), *range(0xE4, 0xEA), *range(0x80, 0xC0)]] = False


class WordList:
    """Words with their expected counts: how often each was said.

    >>> words = WordList(["cafe", "café", "email", "it's", "its"])
    >>> words.same("Café"), words.same("e-mail"), words.same("its"), words.beginning("caf")
    (['café', 'cafe'], ['email'], ['its'], {'cafe': 1.0, 'café': 1.0})
    """

    def __init__(self, words: Iterable[str], units: Mapping[str, Iterable[str]] | None = None) -> None:
        self.number = dict.fromkeys(words, 1.0)
        self.other_units = units or {}

    def __contains__(self, word: object) -> bool:
        return word in self.number

    def all(self) -> list[str]:
        """All words."""
        return list(self.number)

    def special(self) -> list[str]:
        """The words that can differ from their folded form: all but those of the letters a to z and of Chinese ones."""
        return [w for w in self.number if not _UNFOLDED.fullmatch(w)]

    def count(self, word: str) -> float:
        """The expected count of a word."""
        return self.number.get(word, 0.0)

    def together(self, words: Sequence[str]) -> float:
        """The expected count of words one after the other, as far as it is known."""
        return min(map(self.count, words), default=0.0)

    def written(self, prefix: str) -> dict[str, float]:
        """The words that begin so exactly as they are written, with their counts."""
        return {word: n for word, n in self.number.items() if word.startswith(prefix)}

    def of_kind(self, kind: str) -> WordList:
        """The units of another kind."""
        return WordList(self.other_units.get(kind, ()))

    @cached_property
    def _special(self) -> list[str]:
        return self.special()

    @cached_property
    def signs(self) -> frozenset[str]:
        """The characters of the words that are special."""
        return frozenset("".join(self._special))

    @cached_property
    def folded(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """Words by their folded form where it differs, and by the folded form without apostrophes where that does."""
        forms: dict[str, list[str]] = {}
        bare: dict[str, list[str]] = {}
        for word, form in zip(self._special, fold_all(self._special), strict=True):
            if form != word and form:
                forms.setdefault(form, []).append(word)
            if "'" in form and (short := without_apostrophes(form)):
                bare.setdefault(short, []).append(word)
        return forms, bare

    def same(self, word: str) -> list[str]:
        """The words with the same folded form; without apostrophes too where one is typed or there are no others.

        The word as it is typed in lower case comes first, then as it is typed, then the most frequent one.
        """
        forms, bare = self.folded
        form = fold(word)
        same = {w for w in (word.lower(), word, form) if w in self} | set(forms.get(form, ()))
        if not same or "'" in form:
            short = without_apostrophes(form)
            same |= ({short} if short in self else set()) | set(bare.get(short, ())) | set(forms.get(short, ()))
        typed = (word.lower(), word)
        if len(same) < 2:
            return list(same)
        return sorted(same, key=lambda w: (typed.index(w) if w in typed else 2, -self.count(w), w))

    def beginning(self, prefix: str) -> dict[str, float]:
        """The words whose folded form begins like that of ``prefix``, with their counts, the most frequent first."""
        form = fold(prefix)
        words = self.written(form) if form else {}
        for folded, same in self.folded[0].items():
            if form and folded.startswith(form):
                words |= {word: self.count(word) for word in same}
        return dict(sorted(words.items(), key=lambda pair: (-pair[1], pair[0])))


class ArchiveWords(WordList):
    """The words, or the units of another kind, of an archive's index."""

    def __init__(self, parts: Sequence[PartReader], kind: str) -> None:
        self.parts, self.kind = parts, kind

    def _texts(self) -> list[Strings]:
        return [part.texts(schema.units(self.kind)) for part in self.parts]

    def __contains__(self, word: object) -> bool:
        return any(part.has(self.kind, str(word)) for part in self.parts)

    def all(self) -> list[str]:
        """All words."""
        return list(dict.fromkeys(word for texts in self._texts() for word in texts.all()))

    def some(self, most: int) -> list[str]:
        """Words from all over the list, which is sorted; at most so many of each part of the index."""
        every = [(texts, np.arange(0, len(texts), len(texts) // most + 1)) for texts in self._texts()]
        return [word for texts, numbers in every for word in texts.some(numbers)]

    def special(self) -> list[str]:
        """The words that can differ from their folded form: all but those of the letters a to z and of Chinese ones."""
        words: dict[str, None] = {}
        for texts in self._texts():
            other = np.cumsum(np.concatenate([[False], _FOLDED_BYTES[texts.text]]))
            words |= dict.fromkeys(texts.some(np.flatnonzero(other[texts.ptr[1:]] > other[texts.ptr[:-1]])))
        return list(words)

    def count(self, word: str) -> float:
        """The expected count of a word: the sum of its posteriors in the confusion networks."""
        total = 0.0
        for part in self.parts:
            first, last = part.bounds(self.kind, "cn", [word])
            utterances, _, coded = (column[first[0] : last[0]] for column in part.postings(self.kind, "cn"))
            if part.hidden:
                coded = coded[part.rows_count[utterances]]
            total += float(part.posteriors[coded].sum())
        return total

    def together(self, words: Sequence[str]) -> float:
        """The expected count of words one after the other, in the confusion networks."""
        total = 0.0
        for part in self.parts:
            rows, counts = chain_counts(part, self.kind, "cn", words)
            total += float((counts * part.rows_count[rows]).sum() if part.hidden else counts.sum())
        return total

    def written(self, prefix: str) -> dict[str, float]:
        """The words that begin so exactly as they are written, with their counts."""
        counts: dict[str, float] = {}
        start = prefix.encode("utf-8", "replace")
        for part, texts in zip(self.parts, self._texts(), strict=True):
            numbers = range(len(texts))
            low = bisect_left(numbers, start, key=texts.bytes_of)
            high = bisect_left(numbers, start + b"\xff", key=texts.bytes_of)
            postings = Postings(self.kind, "cn")
            ptr = postings.bounds(part.part)[low : high + 1]
            postings.check(part.part, int(ptr[0]), int(ptr[-1]))
            rows, _, coded = (column[ptr[0] : ptr[-1]] for column in postings.unchecked(part.part))
            posteriors = part.posteriors[coded]
            sums = np.concatenate([[0.0], np.cumsum(posteriors * part.rows_count[rows] if part.hidden else posteriors)])
            for number, count in zip(range(low, high), np.diff(sums[ptr - ptr[0]]).tolist(), strict=True):
                if part.hidden and not count:
                    continue
                word = texts[number]
                counts[word] = counts.get(word, 0.0) + count
        return counts

    def of_kind(self, kind: str) -> WordList:
        """The units of another kind."""
        return ArchiveWords(self.parts, kind)


_WORDS: WeakKeyDictionary[Index, ArchiveWords] = WeakKeyDictionary()


def words_of(index: Index) -> ArchiveWords:
    """The words of an index; their folded forms are kept as long as the index is."""
    if index not in _WORDS:
        _WORDS[index] = ArchiveWords(index.parts, index.kinds[0])
    return _WORDS[index]
