"""How typed words are read: as words of the archive, numbers, pinyin, or words that nobody heard."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import NamedTuple

from ..lattice.units import Split
from ..text import HAN
from ..writing.numerals import (
    HAN_NUMBER,
    LONGEST,
    english_digits,
    main_ways,
    mandarin_digits,
    mandarin_numbers,
)
from .folding import APOSTROPHES, HYPHENS, fold
from .pinyin import Syllable, read_pinyin
from .spellings import Writings
from .terms import WordSequence, joined, sequence
from .vocabulary import WordList

MOST = 100  # alternatives of a term or a phrase
_LONGEST = 8  # characters of a Mandarin word
_SAID = 0.5  # expected count from which a word was really heard: fewer are traces
_COUNTED = 25  # sequences of syllables that are looked up
_INVISIBLE = re.compile("[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+", re.ASCII)  # 1,455


class TypedWord(NamedTuple):
    """A word of a query and what it may be.

    ``pinyin`` are the ways to read it as syllables, where there is a way; ``hyphen``: one joins it to the next word.
    ``part`` tells which word of a number in digits it is, from 1; 0: of none. ``note`` says what was assumed.
    """

    text: str
    alternatives: tuple[WordSequence, ...]
    pinyin: tuple[tuple[Syllable, ...], ...] = ()
    hyphen: bool = False
    part: int = 0
    note: str = ""


class TypedRun(NamedTuple):
    """Typed words from, to, and what they may be instead: digits, or a word without its hyphens."""

    begin: int
    end: int
    words: tuple[WordSequence, ...]


class WordReader:
    """Reads typed words for one archive: its splits, words and language.

    ``listed`` tells whether a word has a pronunciation in a dictionary, so that it is sounded as it is written.
    """

    def __init__(
        self,
        splits: Mapping[str, Split | None],
        words: WordList,
        language: str,
        listed: Callable[[str], bool] = lambda word: False,
    ) -> None:
        self.splits, self.words, self.language, self.listed = splits, words, language, listed
        self.writings = Writings(words) if language == "en" else None

    def sequence(self, *words: str) -> WordSequence:
        """Words as they are written."""
        return sequence(words, self.splits)

    def read(self, chunks: Sequence[str]) -> list[TypedWord]:
        """The words of texts without blanks."""
        typed = [word for chunk in chunks for word in self._chunk(unicodedata.normalize("NFC", chunk))]
        return list(self._with_pinyin(typed))

    def _chunk(self, chunk: str) -> Iterator[TypedWord]:
        if same := self._same(chunk):
            yield self._word(chunk, same)
            return
        plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", chunk))
        if self.writings and (token := self.writings.token(plain)):
            if self.writings.of_word(token):
                yield self._word(token)
                return
            plain = self.writings.number(token) or plain
        elif _GROUPED.fullmatch(plain):
            plain = plain.replace(",", "")
        for token in cut_words(plain):
            if re.match(f"[{HAN}]", token):
                yield from (TypedWord(w, (self.sequence(w),)) for w in longest_words(token, self.words))
            elif same := self._same(token):
                yield self._word(token, same)
            else:  # a hyphen is a blank
                parts = re.split(f"[{HYPHENS[1:]}-]", token)
                for number, part in enumerate(parts, 1):
                    *words, last = self._partly_heard(part) or [self._word(part)]
                    yield from (*words, last._replace(hyphen=number < len(parts)))

    def _same(self, text: str) -> list[str]:
        """The archive's words that are written so; with a hyphen in the text only if one of them was really heard."""
        same = self.words.same(text)
        hyphen = any(c in HYPHENS for c in _INVISIBLE.sub("", text).strip(HYPHENS))
        return [] if hyphen and all(self.words.count(word) < _SAID for word in same) else same

    def _word(self, token: str, same: Sequence[str] | None = None) -> TypedWord:
        """A word; ``same`` are the archive's words that are written so."""
        own = [(word,) for word in (self.words.same(token) if same is None else same)]
        alternatives = list(dict.fromkeys(own + self._other_ways(token)))
        pinyin = () if alternatives or not self.pinyin_kind else tuple(read_pinyin(token))
        typed = (self._unheard(token),)
        if typed not in alternatives and (not alternatives or token.isdigit()):
            alternatives.append(typed)
        return TypedWord(token, tuple(self.sequence(*words) for words in alternatives[:MOST]), pinyin)

    def _unheard(self, text: str) -> str:
        """A word that nobody heard, as it is sounded: as it is written where a dictionary lists it, else folded."""
        written, form = text.lower(), fold(text)
        return written if form in ("", written) or self.listed(written) else form

    def _other_ways(self, token: str) -> list[tuple[str, ...]]:
        """Other ways of writing a word of which the archive has all words."""
        if self.writings:
            return self.writings.of_word(token)
        return [way for way in self._ways(token) if all(word in self.words for word in way)]

    def _ways(self, token: str) -> list[tuple[str, ...]]:
        """The usual ways to say a number in digits."""
        if self.language == "zh":
            return [tuple(longest_words(text, self.words)) for text in mandarin_numbers(token)]
        return main_ways(token.lower())

    def _partly_heard(self, token: str) -> list[TypedWord]:
        """The words of a number in digits that nobody said as a whole: of the way to say it that was heard most.

        They are words of the query as if they had been typed, so that a place counts by how much of the number it has.
        None where a way was heard, or nothing of any.
        """
        ways = self._ways(token)
        shares = {way: sum(word in self.words for word in way) / len(way) for way in ways if "and" not in way}
        best = max(shares, key=lambda way: shares[way], default=())
        if not best or not 0 < shares[best] < 1 or self.words.same(token):
            return []
        note = f"{token}: read as {' '.join(best)}; not heard: {', '.join(w for w in best if w not in self.words)}"
        return [
            TypedWord(word, tuple(map(self.sequence, self.words.same(word) or [word])), (), False, part, note)
            for part, word in enumerate(best, 1)
        ]

    # -- words that are one word

    def runs(self, typed: Sequence[TypedWord]) -> list[TypedRun]:
        """Where typed words have another way of writing as a whole, or are a listed word without its hyphens."""
        if not self.writings:
            return [*self._number_runs(typed), *self._hyphen_runs(typed)]
        ways = self.writings.runs([word.text for word in typed])
        runs = [TypedRun(begin, end, tuple(self.sequence(*way) for way in some)) for begin, end, some in ways]
        return [*runs, *self._hyphen_runs(typed)]

    def _number_runs(self, typed: Sequence[TypedWord]) -> Iterator[TypedRun]:
        """Where typed words say a number that the archive has in digits; of several runs the longest."""
        at = 0
        while at < len(typed):
            longest = next((end for end in range(min(at + LONGEST, len(typed)), at, -1) if _digits(typed[at:end])), 0)
            if longest:
                digits = tuple(self.sequence(d) for d in _digits(typed[at:longest]) if d in self.words)
                yield from [TypedRun(at, longest, digits)] if digits else []
            at = longest or at + 1

    def _hyphen_runs(self, typed: Sequence[TypedWord]) -> Iterator[TypedRun]:
        """Where hyphens stand between words that are also written as one: co-operate."""
        begin = 0
        for end, word in enumerate(typed, 1):
            if word.hyphen and end < len(typed):
                continue
            whole = fold("".join(some.text for some in typed[begin:end]))
            if end > begin + 1 and self.listed(whole):
                yield TypedRun(begin, end, (self.sequence(whole),))
            begin = end

    def sequences(self, typed: Sequence[TypedWord]) -> tuple[WordSequence, ...]:
        """The word sequences that typed words one after the other may be, at most ``MOST``."""
        edges = [[(at + 1, some) for some in word.alternatives] for at, word in enumerate(typed)]
        for run in self.runs(typed):
            edges[run.begin] += [(run.end, word) for word in run.words]

        paths = list[tuple[WordSequence, ...]]()
        waiting = [(0, tuple[WordSequence, ...]())]  # the last is looked at first
        while waiting and len(paths) < MOST:
            at, path = waiting.pop()
            if at == len(typed):
                paths += [path] if path else []
                continue
            waiting += [(end, (*path, some)) for end, some in reversed(edges[at])]
        return tuple(joined(path, list(self.splits)) for path in paths)

    # -- words that begin so

    def prefix(self, stem: str) -> tuple[tuple[WordSequence, ...], str]:
        """The archive's words that begin so, the most frequent ones, and a note where something was assumed."""
        words = list(self.words.beginning(stem))
        if not words:
            note = f"{stem}*: no word of this archive begins so; {stem} is searched for"
            return (self.sequence(self._unheard(stem)),), note
        note = f"{stem}*: the {MOST} most frequent of {len(words)} words" if len(words) > MOST else ""
        return tuple(map(self.sequence, words[:MOST])), note

    # -- pinyin

    @property
    def pinyin_kind(self) -> str:
        """The kind of units that are syllables of pinyin; empty where there is none."""
        if self.language != "zh":
            return ""
        return next((kind for kind, split in self.splits.items() if split and _is_pinyin(split)), "")

    def _with_pinyin(self, typed: Sequence[TypedWord]) -> Iterator[TypedWord]:
        """Typed words; syllables that stand alone are put together, for words have two syllables or three."""
        run: list[TypedWord] = []
        for word in typed:
            if word.pinyin and len(word.pinyin[0]) == 1:
                run.append(word)
                continue
            yield from self._syllables(run)
            run = []
            yield self._sounding(word.text, word.pinyin) if word.pinyin else word
        yield from self._syllables(run)

    def _syllables(self, run: Sequence[TypedWord]) -> Iterator[TypedWord]:
        while run:
            n = 3 if len(run) == 3 else 2
            ways = tuple(tuple(s for way in some for s in way) for some in product(*(w.pinyin for w in run[:n])))
            yield self._sounding(" ".join(word.text for word in run[:n]), ways)
            run = run[n:]

    def _sounding(self, text: str, ways: Sequence[tuple[Syllable, ...]]) -> TypedWord:
        """A word by its syllables: of those without tone, with every tone that the archive has."""
        kind = self.pinyin_kind
        units, toned = self.words.of_kind(kind), _is_toned(self.splits[kind])
        ranked: dict[tuple[str, ...], float] = {}
        for way in ways:
            choices = []
            for base, tone in way:
                names = [base + t for t in (tone or "12345")] if toned else [base]
                counts = {name: units.count(name) for name in names}
                choices.append({n: c for n, c in counts.items() if c > 0} or dict.fromkeys(names[:1], 0.0))
            for units_of_way in islice(product(*choices), 10 * MOST):
                ranked[units_of_way] = prod(some[u] for some, u in zip(choices, units_of_way, strict=True))
        best = sorted(ranked, key=lambda some: (-ranked[some], some))[:MOST]
        best[:_COUNTED] = sorted(best[:_COUNTED], key=lambda some: -units.together(some))
        return TypedWord(text, tuple(self._by_sound(text, kind, some) for some in best), tuple(ways))

    def _by_sound(self, text: str, kind: str, syllables: tuple[str, ...]) -> WordSequence:
        by_word = {k: ((text,) if split is None else (),) for k, split in self.splits.items()}
        return WordSequence((text,), by_word | {kind: (syllables,)})


def _is_pinyin(split: Split) -> bool:
    ways = split("中")
    return bool(ways) and ways[0][:1] in (["zhong1"], ["zhong"])


def _is_toned(split: Split | None) -> bool:
    return split is not None and split("中")[0][0] == "zhong1"


def _digits(typed: Sequence[TypedWord]) -> list[str]:
    """The digits of the number that typed words say."""
    if all(c in HAN_NUMBER for word in typed for c in word.text):
        return mandarin_digits("".join(word.text for word in typed))
    words = tuple(part for word in typed for part in re.split("-", word.text.lower()))
    return english_digits(words)


def cut_words(text: str) -> list[str]:
    """The words of a text without blanks: runs of letters, digits and marks that belong to them; Chinese ones apart.

    >>> cut_words("rock'n'roll,设定u2/well-known")
    ["rock'n'roll", '设定', 'u2', 'well-known']
    """
    kinds = "".join(map(_kind_of, text))
    return [text[m.start() : m.end()] for m in re.finditer("h+|w+(?:jw+)*", kinds)]


def _kind_of(c: str) -> str:
    if re.match(f"[{HAN}]", c):
        return "h"
    if c.isalnum() or unicodedata.category(c)[0] == "M":
        return "w"
    return "j" if c in APOSTROPHES or c in HYPHENS else " "


def longest_words(text: str, vocabulary: Container[str]) -> list[str]:
    """Cut by the longest word of the vocabulary from the left; characters that begin none stay together.

    >>> longest_words("设定温度", {"设定"})
    ['设定', '温度']
    """
    words, at, rest = [], 0, ""
    while at < len(text):
        n = next((n for n in range(min(_LONGEST, len(text) - at), 0, -1) if text[at : at + n] in vocabulary), 0)
        if n == 0:
            rest += text[at]
            at += 1
            continue
        words += [rest] if rest else []
        words.append(text[at : at + n])
        rest, at = "", at + n
    return words + ([rest] if rest else [])
