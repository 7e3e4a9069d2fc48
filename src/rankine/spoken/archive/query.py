"""Queries: words and quoted phrases, and the units of each kind that they are made of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from ...errors import InputError
from ..lattice.units import Split
from ..text import HAN

_TOKEN = re.compile(rf'"|[{HAN}]+|[^\W_{HAN}]+(?:[\'’-][^\W_{HAN}]+)*')
_LONGEST, _MOST_WORDS = 8, 100  # characters of a Mandarin word; words of a query


class SpokenQuery(NamedTuple):
    """A query: its words, the phrases in it (as word numbers from, to), and units of each kind, word by word."""

    text: str
    words: tuple[str, ...]
    phrases: tuple[tuple[int, int], ...]
    by_word: dict[str, tuple[tuple[str, ...], ...]]

    def units(self, kind: str, words: tuple[int, int] | None = None) -> list[str]:
        """The units of one kind, of all words or of those from, to."""
        begin, end = words or (0, len(self.words))
        return [u for units in self.by_word[kind][begin:end] for u in units]


def parse(text: str, splits: Mapping[str, Split | None], vocabulary: Container[str]) -> SpokenQuery:
    """Cut a query into words and units; ``vocabulary`` are the words of the archive, by which Mandarin is cut.

    >>> parse('find "spoken words"', {"word": None}, {"find", "spoken", "words"}).phrases
    ((1, 3),)
    """
    words: list[str] = []
    phrases: list[tuple[int, int]] = []
    opened = -1
    for token in _tokens(text, vocabulary):
        if token == '"':
            if opened >= 0 and len(words) > opened:
                phrases.append((opened, len(words)))
            opened = len(words) if opened < 0 else -1
        elif re.match(rf"[{HAN}]", token):
            words += longest_words(token, vocabulary)
        else:
            lower = token.lower()
            words.append(token if token in vocabulary and lower not in vocabulary else lower)
    if opened >= 0:
        raise InputError(f"a quotation mark is missing in {text!r}")
    if len(words) > _MOST_WORDS:
        raise InputError(f"a query of {len(words)} words; at most {_MOST_WORDS} can be asked for")
    if not words:
        raise InputError(f"the query {text!r} has no words")
    by_word = {kind: tuple(_pieces(word, split) for word in words) for kind, split in splits.items()}
    return SpokenQuery(text, tuple(words), tuple(phrases), by_word)


def _tokens(text: str, vocabulary: Container[str]) -> Iterator[str]:
    """Quotation marks and words; the text between two blanks is one word if the archive holds it as it is."""
    plain = re.sub("[“”„«»]", '"', unicodedata.normalize("NFC", text)).replace("’", "'")
    for chunk in re.findall(r'"|[^\s"]+', plain):
        if chunk != '"' and (chunk in vocabulary or chunk.lower() in vocabulary):
            yield chunk
        else:
            yield from _TOKEN.findall(chunk)


def _pieces(word: str, split: Split | None) -> tuple[str, ...]:
    if split is None:
        return (word,)
    ways = split(word)
    return tuple(ways[0]) if ways else ()


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
