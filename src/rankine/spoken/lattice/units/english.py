"""English words as phones and syllables: by a pronunciation dictionary, and by letter-to-sound rules outside it.

The phones are those of the CMU dictionary (ARPABET) without stress, as PocketSphinx brings it. What is written in
digits, with signs, with hyphens or short, and is in no dictionary, sounds like the words that say it; a number that is
too long to have words sounds like its digits, and other text like its letters without accents. Syllables are cut by the
largest onset: of the consonants between two vowels as many go to the second as can begin an English word.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from ....errors import InputError, install
from ...writing.normal import said
from ...writing.numerals import LONGEST
from ...writing.spelling import other_spelling
from .dictionary import Lexicon, Split, lexicon, pronunciations, stamp
from .letter_to_sound import PLAIN, guess

VOWELS = frozenset("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split())
_ONSETS = frozenset(
    tuple(onset.split())
    for onset in (
        "P|B|T|D|K|G|CH|JH|F|V|TH|DH|S|Z|SH|ZH|HH|M|N|L|R|W|Y|P R|B R|T R|D R|K R|G R|F R|TH R|SH R|P L|B L|K L|G L|"
        "F L|S L|S P|S T|S K|S M|S N|S F|S W|T W|D W|K W|G W|TH W|HH W|P Y|B Y|T Y|D Y|K Y|G Y|F Y|V Y|TH Y|S Y|HH Y|"
        "M Y|N Y|L Y|S P R|S T R|S K R|S P L|S K W|S P Y|S K Y|S T Y"
    ).split("|")
)
_RUNS = re.compile(rf"{PLAIN.pattern}|(?<![0-9])[0-9]{{1,{LONGEST}}}(?![0-9])|[0-9]")  # else digit by digit


def cut_syllables(phones: Sequence[str]) -> list[str]:
    """The syllables of a word, each written as its phones with hyphens; a word without a vowel is one.

    >>> cut_syllables("EH K S T R AH".split())
    ['EH-K', 'S-T-R-AH']
    """
    nuclei = [i for i, p in enumerate(phones) if p in VOWELS]
    cuts = [0]
    for before, after in pairwise(nuclei):
        begin = before + 1
        while begin < after and tuple(phones[begin:after]) not in _ONSETS:
            begin += 1
        cuts.append(begin)
    return ["-".join(phones[a:b]) for a, b in zip(cuts, [*cuts[1:], len(phones)], strict=True)]


class CmuDictionary:
    """The CMU dictionary, whose words are looked up in its text: most words of it are never asked for.

    Its lines are sorted by word but for a few. So halving finds most words, and a look through the text the others.
    A word that the dictionary lacks is not looked for: the words of its first letter are collected once.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.words: dict[bytes, frozenset[bytes]] = {}  # by their first byte

    def get(self, word: str) -> list[list[str]] | None:
        """The pronunciations of a word in lower case, None if it is not in the dictionary."""
        key = word.encode("utf-8", "surrogatepass")
        if key not in self.words.get(key[:1], (key,)):
            return None
        begin = self._sorted_place(key)
        if self.word_at(begin) != key:
            if key not in self._words(key[:1]):
                return None
            begin = self.content.find(b"\n" + key + b" ") + 1
        end = begin
        while key and self.word_at(end) == key:
            end = self.content.find(b"\n", end) + 1 or len(self.content)
        return pronunciations(self.content[begin:end].rstrip()) if end > begin else None

    def _words(self, first: bytes) -> frozenset[bytes]:
        """The words that begin with this byte."""
        if first not in self.words:
            self.words[first] = frozenset(re.findall(rb"^%b[^ (\n]*(?= )" % re.escape(first), self.content, re.M))
        return self.words[first]

    def _sorted_place(self, key: bytes) -> int:
        """Where the first line begins whose word is not before this one, in order."""
        low, high = 0, len(self.content)
        while low < high:
            begin = self.content.rfind(b"\n", low, (low + high) // 2) + 1 or low
            if self.word_at(begin) < key:
                low = self.content.find(b"\n", begin) + 1 or high
            else:
                high = begin
        return low

    def word_at(self, begin: int) -> bytes:
        """The word of the line that begins here, without the number of its pronunciation."""
        return self.content[begin : self.content.find(b" ", begin)].partition(b"(")[0]


@lru_cache(maxsize=4)
def _entries(dictionary: str | None, changed: tuple[str, int] | None) -> Lexicon | CmuDictionary:
    if dictionary is not None:
        return lexicon(dictionary)
    return CmuDictionary(cmu_file().read_bytes())


def cmu_file() -> Path:
    """The CMU dictionary in PocketSphinx's package, which need not be imported; an InputError where it is missing."""
    package = find_spec("pocketsphinx")
    if package is None or package.origin is None:
        raise InputError(f"English phones need the dictionary of PocketSphinx, or another: {install('spoken')}")
    return Path(package.origin).with_name("model") / "en-us" / "cmudict-en-us.dict"


def pronounce(dictionary: str | os.PathLike | None = None) -> Split:
    """Phones of English words, from this dictionary (the recogniser's own, best) or the CMU dictionary, else guessed.

    >>> pronounce()("to")
    [['T', 'UW'], ['T', 'IH'], ['T', 'AH']]
    """
    entries = _entries(None if dictionary is None else str(dictionary), stamp(dictionary))

    @lru_cache(maxsize=1 << 17)
    def split(word: str) -> list[list[str]]:
        ways = _listed(word.lower(), entries)
        if ways:
            return ways
        if parts := _parts(word.lower(), entries):
            return [[phone for part in parts for phone in split(part)[0]]]
        phones = guess(word.lower())
        if not phones:
            raise InputError(
                f"no pronunciation found for {word!r}, neither in the dictionary nor by letter-to-sound rules"
            )
        return [phones]

    return split


def _listed(word: str, entries: Lexicon | CmuDictionary) -> list[list[str]] | None:
    """The pronunciations of a word in a dictionary that has it, or its other spelling."""
    forms = (f"{word}." if "." in word else None, word, other_spelling(word))  # u.s. has lost its last point
    return next((ways for form in forms if form and (ways := entries.get(form))), None)


def _parts(word: str, entries: Lexicon | CmuDictionary) -> list[str]:
    """The words that say a word which the dictionary has not; none where it is said as it is written."""
    parts = said(word) or _runs(word)
    return [f"{part}." if len(part) == 1 and entries.get(f"{part}.") else part for part in parts if part != word]


def _runs(word: str) -> list[str]:
    """The plain words and numbers of which a text consists, without accents.

    >>> _runs("covid19"), _runs("naïve")
    (['covid', '19'], ['naive'])
    """
    plain = unicodedata.normalize("NFKD", word)
    return _RUNS.findall("".join(c for c in plain if not unicodedata.combining(c)))


def listed(dictionary: str | os.PathLike | None = None) -> Callable[[str], bool]:
    """Whether a word stands in this dictionary, or in the CMU dictionary.

    >>> listed()("to"), listed()("xqzt")
    (True, False)
    """
    entries = _entries(None if dictionary is None else str(dictionary), stamp(dictionary))
    return lambda word: bool(entries.get(word.lower()))


def syllables(dictionary: str | os.PathLike | None = None) -> Split:
    """Syllables of English words, from their phones.

    >>> syllables()("nothing")
    [['N-AH', 'TH-IH-NG']]
    """
    phones: Callable[[str], Sequence[Sequence[str]]] = pronounce(dictionary)
    entries = _entries(None if dictionary is None else str(dictionary), stamp(dictionary))

    @lru_cache(maxsize=1 << 17)
    def split(word: str) -> list[list[str]]:
        if not _listed(word.lower(), entries) and (parts := _parts(word.lower(), entries)):
            return [[syllable for part in parts for syllable in split(part)[0]]]
        return [cut_syllables(way) for way in phones(word)]

    return split
