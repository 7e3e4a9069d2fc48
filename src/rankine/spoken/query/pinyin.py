"""Pinyin in queries, with or without tones: shè dìng, she4 ding4, sheding."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

# initial: finals, in pypinyin's spelling (v for ü)
_TABLE = (
    ":a ai an ang ao e ei en eng er o ou|b:a ai an ang ao ei en eng i ian iao ie in ing o u|c:a ai an ang ao e en"
    " eng i ong ou u uan ui un uo|ch:a ai an ang ao e en eng i ong ou u ua uai uan uang ui un uo|d:a ai an ang ao"
    " e ei en eng i ia ian iao ie ing iu ong ou u uan ui un uo|f:a an ang ei en eng iao o ou u|g:a ai an ang ao e"
    " ei en eng ong ou u ua uai uan uang ui un uo|h:a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un "
    "uo|j:i ia ian iang iao ie in ing iong iu u uan ue un|k:a ai an ang ao e ei en eng ong ou u ua uai uan uang "
    "ui un uo|l:a ai an ang ao e ei en eng i ia ian iang iao ie in ing iu o ong ou u uan un uo v ve|m:a ai an ang"
    " ao e ei en eng i ian iao ie in ing iu o ou u|n:a ai an ang ao e ei en eng i ian iang iao ie in ing iu ong "
    "ou u uan un uo v ve|p:a ai an ang ao ei en eng i ian iao ie in ing o ou u|q:i ia ian iang iao ie in ing iong"
    " iu u uan ue un|r:an ang ao e en eng i ong ou u ua uan ui un uo|s:a ai an ang ao e en eng i ong ou u uan ui "
    "un uo|sh:a ai an ang ao e ei en eng i ou u ua uai uan uang ui un uo|t:a ai an ang ao e ei eng i ian iao ie "
    "ing ong ou u uan ui un uo|w:a ai an ang ei en eng o u|x:i ia ian iang iao ie in ing iong iu u uan ue un|y:a "
    "an ang ao e i in ing o ong ou u uan ue un|z:a ai an ang ao e ei en eng i ong ou u uan ui un uo|zh:a ai an "
    "ang ao e ei en eng i ong ou u ua uai uan uang ui un uo"
)
SYLLABLES = frozenset(
    initial + final
    for row in _TABLE.split("|")
    for initial, _, finals in [row.partition(":")]
    for final in finals.split(" ")
)
LONGEST = 24  # letters that are cut into syllables
_TONES = {"\u0304": "1", "\u0301": "2", "\u030c": "3", "\u0300": "4"}
_PIECE = re.compile(r"([a-z\u0300-\u030c]+)([1-5]?)")


class Syllable(NamedTuple):
    """A syllable; the tone is 1 to 5, or empty where none was written."""

    base: str
    tone: str = ""


def read_pinyin(text: str) -> list[tuple[Syllable, ...]]:
    """The ways to read a text as syllables of pinyin, those of fewest syllables; none where it is something else.

    >>> [["".join(syllable) for syllable in way] for way in read_pinyin("sheding") + read_pinyin("xi'an")]
    [['she', 'ding'], ['xi', 'an']]
    >>> ["".join(syllable) for syllable in read_pinyin("lǜ4shè")[0]], read_pinyin("press")
    (['lv4', 'she4'], [])
    """
    ways: list[tuple[Syllable, ...]] = [()]
    plain = unicodedata.normalize("NFD", text.lower()).replace("u\u0308", "v").replace("u:", "v")
    if not plain or len(plain) > 2 * LONGEST:
        return []
    for part in re.split("['’]", plain):
        pieces = _PIECE.findall(part)
        if not part or "".join(letters + tone for letters, tone in pieces) != part:
            return []
        for letters, tone in pieces:
            ways = [(*way, *cut) for way in ways for cut in _cuts(letters, tone)]
    return ways


def _cuts(marked: str, last_tone: str) -> list[tuple[Syllable, ...]]:
    """The cuts of letters with tone marks into the fewest syllables; the last has a tone of its own."""
    letters, tones = "", dict[int, str]()
    for c in marked:
        if c in _TONES:
            tones[len(letters) - 1] = _TONES[c]
        elif c.isascii():
            letters += c
        else:
            return []
    cuts = []
    for bases in _fewest(letters) if 0 < len(letters) <= LONGEST else ():
        at, cut = 0, list[Syllable]()
        for base in bases:
            marks = [tones[i] for i in range(at, at + len(base)) if i in tones]
            at += len(base)
            tone = last_tone if at == len(letters) and last_tone else "".join(marks)
            cut.append(Syllable(base, tone))
        if all(len(s.tone) <= 1 for s in cut):
            cuts.append(tuple(cut))
    return cuts


@lru_cache(maxsize=1000)
def _fewest(letters: str) -> tuple[tuple[str, ...], ...]:
    if not letters:
        return ((),)
    ways = [
        (letters[:n], *rest) for n in range(1, min(6, len(letters)) + 1) if letters[:n] in SYLLABLES
        for rest in _fewest(letters[n:])
    ]  # fmt: skip
    least = min(map(len, ways), default=0)
    return tuple(way for way in ways if len(way) == least)
