"""English text as it is said: one form for all ways of writing, by which texts and words are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .amounts import Tokens, read_number, split_hyphens, write_count
from .table import TABLE, Span, spans
from .tokens import clean, written_words

_APOSTROPHES = re.compile("[’‘ʼ`´′＇]")
_SAID_OTHERWISE = tuple(kind for kind in TABLE if kind != "spelling")


class Saying(NamedTuple):
    """Words from, to, of a text, and how they are said."""

    begin: int
    end: int
    words: Tokens


def normal_words(text: str) -> list[str]:
    """The words of an English text as they are said, in American spelling, without hyphens and possessive apostrophes.

    >>> normal_words("In 1450 Mr. Smith's colour cost $5.")
    ['in', 'fourteen', 'fifty', 'mister', 'smiths', 'color', 'cost', 'five', 'dollars']
    """
    return [word for some in sayings(written_words(text)) for word in some.words]


def sayings(words: Sequence[str]) -> list[Saying]:
    """Words as they are written, with punctuation, in stretches that are said as a whole."""
    tokens = [(token, number) for number, word in enumerate(words) for token in _tokens(word)]
    out: list[Saying] = []
    begin, waiting = 0, Tokens()
    for end, words_said in _stretches([token for token, _ in tokens]):
        waiting += tuple(word for word in words_said if word != "and") if len(words_said) > 1 else words_said
        following = tokens[end][1] if end < len(tokens) else len(words)
        if following > tokens[end - 1][1]:  # else the word goes on
            out.append(Saying(begin, following, waiting))
            begin, waiting = following, Tokens()
    return out


def _tokens(word: str) -> Tokens:
    """The tokens of a word: hyphens divide it, and ``no.`` keeps its point, by which it is known for number."""
    text = _APOSTROPHES.sub("'", word.lower())
    bare = clean(text)
    if bare == "no" and text.rstrip(")]}\"'").endswith("no."):
        return ("no.",)
    if bare == "&":
        return ("and",)
    parts = (part for token in split_hyphens((bare,)) if (part := clean(token)))
    return tuple(f"{part[:-2]}s" if part.endswith("'s") else part for part in parts)


@lru_cache(maxsize=1 << 14)
def said(word: str) -> Tokens:
    """How a word in lower case is said that is not written so; none where it is.

    >>> said("$5"), said("1,450")[:2], said("42-line"), said("line")
    (('five', 'dollars'), ('one', 'thousand'), ('forty', 'two', 'line'), ())
    """
    if "," in word and (numbers := read_number((word,))):
        return write_count(numbers[0])[0]
    words = tuple(some for _, words in _stretches(split_hyphens((word,)), _SAID_OTHERWISE) for some in words)
    return () if words == (word,) else words


def _stretches(tokens: Sequence[str], kinds: Sequence[str] = tuple(TABLE)) -> list[tuple[int, Tokens]]:
    """Where stretches end, and how they are said: of those that begin at a token the longest."""
    longest: dict[int, Span] = {}
    for span in spans(tokens, kinds):
        if span.kind == "numbered" and tokens[span.begin] == "no":
            continue
        if span.begin not in longest or span.end > longest[span.begin].end:
            longest[span.begin] = span
    out, at = list[tuple[int, Tokens]](), 0
    while at < len(tokens):
        if at not in longest:
            out.append((at + 1, (tokens[at],)))
            at += 1
            continue
        span = longest[at]
        out.append((span.end, split_hyphens(span.ways()[0])))
        at = span.end
    return out
