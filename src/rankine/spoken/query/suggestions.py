"""Suggestions for words that nobody heard: the archive's words that are written or sound nearly so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from ..index.reader import Index
from ..lattice.units import Split
from ..text import HAN
from ..writing.numerals import is_number
from .folding import fold, fold_all
from .vocabulary import WordList, words_of

ALIKE = {"letters": "is written nearly like", "sound": "sounds nearly like"}
LEAST = 0.5  # expected count of a word that is suggested
_LONGEST = 40  # letters of a word that is compared
_BY_SOUND = 12  # words whose units are compared: letter-to-sound rules are slow
_SIGNS = 0xF0000  # private characters, which stand for syllables
_SOUNDS = (  # letters that sound alike
    ("igh", "i"), ("gh", "g"), ("ph", "f"), (r"(?m)^kn", "n"), (r"(?m)^wr", "r"), ("ck|ch|c(?![eiy])|q", "k"),
    ("c", "s"), ("x", "ks"), ("z", "s"), ("j", "g"), ("h", ""), (r"(?m)(?<=[a-z]{2})e$", ""), ("[aeiouy]+", "a"),
    (r"([b-z])\1+", r"\1"),
)  # fmt: skip


@dataclass(frozen=True)
class Suggestion:
    """A word of the archive, how often it was said (expected count), and what is alike: ``letters`` or ``sound``."""

    word: str
    count: float
    by: str


def suggest(index: Index, word: str, most: int = 3) -> list[Suggestion]:
    """Return the archive's words that are nearest to a word by letters or by sound, best first.

    A number has none: one with nearly the same digits is another number.
    """
    if is_number(word):
        return []
    words = words_of(index)
    if words not in _SPELLINGS:
        _SPELLINGS[words] = Spellings(words, _sound(index))
    spellings = _SPELLINGS[words]
    alike = {other: (changes / len(fold(word)), "letters") for other, changes in spellings.by_letters(word).items()}
    for other, share in spellings.by_sound(word).items():
        alike[other] = min((share, "sound"), alike.get(other, (1.0, "")))
    counts = {other: words.count(other) for other in alike}
    best = sorted((o for o in alike if counts[o] >= LEAST), key=lambda o: (alike[o], -counts[o], o))
    return [Suggestion(other, counts[other], alike[other][1]) for other in best[:most]]


def suggestion_line(word: str, suggestions: Sequence[Suggestion], by_sound: bool = True) -> str:
    """Suggestions in words; ``by_sound`` where the archive has units by which a word that nobody heard is searched for.

    >>> suggestion_line("printng", [Suggestion("printing", 14.2, "letters")])
    'printng: did you mean printing (14)?'
    >>> suggestion_line("1455", [], by_sound=False)
    '1455: no such number was heard'
    """
    if not suggestions:
        missing = f"{word}: no such {'number' if is_number(word) else 'word'} was heard"
        return f"{missing}; its sound is searched for" if by_sound else missing
    return f"{word}: did you mean {', '.join(f'{s.word} ({max(s.count, 1):.0f})' for s in suggestions)}?"


def _sound(index: Index) -> Split | None:
    """What splits a word into sounds: the smallest units that are none of its letters."""
    for kind, how in reversed(index.settings.kinds.items()):
        if how not in ("words", "characters"):
            return index.splits[kind]
    return None


class Spellings:
    """The words of an archive as they are compared: folded, and as letters that stand for sounds."""

    def __init__(self, words: WordList, split: Split | None) -> None:
        self.words, self.split = words.all(), split
        special = words.special()
        folded = dict(zip(special, fold_all(special), strict=True))
        self.folded = [folded.get(word, word) for word in self.words]
        self.syllables: dict[str, int] = {}  # numbers of the syllables of Chinese characters

    @cached_property
    def letters(self) -> list[str | None]:
        """The letters of all words."""
        return compared(self.folded)

    @cached_property
    def sounds(self) -> list[str | None]:
        """Letters that stand for sounds, of all words."""
        return compared(sounding(self._by_syllable(self.folded)))

    def by_letters(self, word: str) -> dict[str, int]:
        """Words that few changes of letters lead to, with the number of changes."""
        sought = fold(word)
        most = allowed(sought)
        return {self.words[i]: d for i, d in nearest_words(self.letters, sought, most).items()} if most else {}

    def by_sound(self, word: str) -> dict[str, float]:
        """Words whose units are nearly those of a word, with the share of units that differ; at most a third.

        Letters that stand for sounds choose the words whose units are compared.
        """
        from rapidfuzz.distance.Levenshtein import distance

        sought, units = fold(word), _toneless(word, self.split)
        sounds = sounding(self._by_syllable([sought]))[0]
        if not sounds or not 2 <= len(units) <= _LONGEST or len(sounds) > _LONGEST:
            return {}
        near = nearest_words(self.sounds, sounds, max(1, len(sounds) // 3))
        best = sorted(near, key=lambda i: (near[i], distance(self.folded[i], sought), self.words[i]))[:_BY_SOUND]
        shares = {self.words[i]: distance(_toneless(self.words[i], self.split), units) / len(units) for i in best}
        return {other: share for other, share in shares.items() if share <= 1 / 3}

    def _by_syllable(self, words: Sequence[str]) -> list[str]:
        """Words with one sign for all Chinese characters of a syllable, whatever its tone."""
        signs: dict[int, str] = {}
        for c in {c for word in words for c in word if re.match(f"[{HAN}]", c)}:
            syllable = "".join(_toneless(c, self.split)) or c
            signs[ord(c)] = chr(_SIGNS + self.syllables.setdefault(syllable, len(self.syllables)))
        return [word.translate(signs) for word in words] if signs else list(words)


_SPELLINGS: WeakKeyDictionary[WordList, Spellings] = WeakKeyDictionary()


def _toneless(word: str, split: Split | None) -> list[str]:
    """The units of a word, without tone."""
    ways = split(word) if split else None
    return [unit.rstrip("12345") or unit for unit in ways[0]] if ways else []


def sounding(words: Sequence[str]) -> list[str]:
    """Words with the same letters for the same sounds, roughly.

    >>> sounding(["photograph", "fotograf", "night", "nite"])
    ['fatagraf', 'fatagraf', 'nat', 'nat']
    """
    text = "\n".join(words)
    for pattern, letters in _SOUNDS:
        text = re.sub(pattern, letters, text)
    rows = text.split("\n") if words else []
    return rows if len(rows) == len(words) else [sounding([word.replace("\n", "")])[0] for word in words]


def allowed(word: str) -> int:
    """How many changes of letters a suggestion may be away.

    >>> allowed("a"), allowed("teh"), allowed("printng"), allowed("typograhpyc")
    (0, 1, 2, 3)
    """
    if len(word) > _LONGEST or (len(word) < 3 and not (len(word) == 2 and re.match(f"[{HAN}]", word))):
        return 0
    return 1 if len(word) < 5 else 2 if len(word) < 9 else 3


def compared(words: Sequence[str]) -> list[str | None]:
    """Words that are compared: None stands for those without letters, and those above ``_LONGEST`` letters."""
    return [word if 0 < len(word) <= _LONGEST else None for word in words]


def nearest_words(words: Sequence[str | None], sought: str, most: int) -> dict[int, int]:
    """The numbers of words that at most so many changes lead to, with the number of changes; None is no word.

    A change is a letter more, less or another, or two neighbours exchanged, of which neither changes again (optimal
    string alignment).

    >>> nearest_words(["printing", None, "printer"], "pritnng", 2)
    {0: 2}
    """
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    near = process.extract(sought, words, scorer=OSA.distance, score_cutoff=most, limit=None)
    return {number: changes for _, changes, number in near}
