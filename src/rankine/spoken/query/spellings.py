"""Other ways of writing a query's words of which the archive has all words (see :mod:`..writing.table`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..text import STOP_WORDS
from ..writing.amounts import Tokens, digit_ways, split_hyphens
from ..writing.money import CURRENCIES
from ..writing.table import TABLE, Span, spans
from ..writing.tokens import CURRENCY_SIGNS, clean
from .folding import APOSTROPHES, HYPHENS, fold
from .vocabulary import WordList

_NUMERIC = ("numbers", "ordinals", "decades", "currency", "per cent", "numbered")
_OTHERS = tuple(kind for kind in TABLE if kind not in _NUMERIC)
_SEVERAL = tuple(kind for kind, row in TABLE.items() if row.most > 1)
_SIGN = re.compile(rf"[{CURRENCY_SIGNS}%#,]")
_SIGNED = re.compile(rf"[{CURRENCY_SIGNS}%#.,]")
_APOSTROPHE, _HYPHEN = re.compile(f"[{APOSTROPHES}]"), re.compile(f"[{HYPHENS[1:]}]")
_CONTRACTED = STOP_WORDS["en"] | {"here", "how", "let", "why"}  # what 's behind is mostly a verb
_MOST_HYPHENS = 3
_LETTERS = range(2, 6)  # of initials in capitals


class Writings:
    """The ways of writing that an English archive has."""

    def __init__(self, words: WordList) -> None:
        self.words = words

    def token(self, chunk: str) -> str:
        """The one token that a chunk with signs is, such as $3.50, 5% and U.S.; empty where it is none."""
        bare = clean(chunk)
        return bare if _SIGNED.search(bare) and spans((_text(bare),), (*_NUMERIC, "initials")) else ""

    def number(self, token: str) -> str:
        """The number of a token without its sign; empty where it is none."""
        bare = _SIGN.sub("", token)
        return bare if spans((bare,), ("numbers",)) else ""

    def of_word(self, typed: str) -> list[Tokens]:
        """The ways of writing one word; those of numbers in words depend on the words beside it (:meth:`runs`)."""
        text = _text(typed)
        numeric = any(c.isdigit() for c in text)
        ways = list(self._heard(spans((text,), _NUMERIC if numeric else _OTHERS)))
        if numeric and any(c in CURRENCY_SIGNS and c not in self.words.signs for c in text):
            ways += self._forms([(self.number(typed),)])  # an archive in which signs are left out
        if "-" in text:
            ways += self._forms([split_hyphens((text,))])
        if "'" in self.words.signs and text.isalpha() and text not in _CONTRACTED:
            ways += self._forms([(f"{text}'s",)])
        elif text.endswith("'s") and text[:-2] not in _CONTRACTED:
            ways += self._forms([(text[:-2],)])
        return list(dict.fromkeys(ways))

    def runs(self, typed: Sequence[str]) -> Iterator[tuple[int, int, list[Tokens]]]:
        """Where typed words have other ways of writing as a whole: from, to, and the ways."""
        texts = [_text(word) for word in typed]
        for span in spans(texts, _SEVERAL):
            mine = tuple(texts[span.begin : span.end])
            if len(mine) == 1 and (span.kind in _OTHERS or any(c.isdigit() for c in mine[0])):
                continue
            ways = [way for way in dict.fromkeys(self._heard([span])) if way != mine]
            if ways:
                yield span.begin, span.end, ways
        yield from self._hyphened(texts)

    def _hyphened(self, texts: Sequence[str]) -> Iterator[tuple[int, int, list[Tokens]]]:
        """Where the archive has typed words with hyphens between them."""
        for begin in range(len(texts) if "-" in self.words.signs else 0):
            for end in range(begin + 2, min(begin + _MOST_HYPHENS, len(texts)) + 1):
                if ways := self._forms([("-".join(texts[begin:end]),)]):
                    yield begin, end, ways

    def _heard(self, some: Iterable[Span]) -> Iterator[Tokens]:
        for span in some:
            ways = list(span.ways())
            if span.kind == "numbers":
                ways += self._signed(span.value)
            yield from self._forms(ways)

    def _signed(self, number: str) -> Iterator[Tokens]:
        """A number with the signs that the archive has: who says five dollars says five."""
        signs = [c.sign for c in CURRENCIES.values() if c.sign in CURRENCY_SIGNS and c.sign in self.words.signs]
        for first, *rest in digit_ways(number):
            yield from ((f"{first}{sign}" if sign == "¢" else f"{sign}{first}", *rest) for sign in signs)
            if "%" in self.words.signs and not rest:
                yield (f"{first}%",)

    def _forms(self, ways: Iterable[Tokens]) -> list[Tokens]:
        """Ways of which the archive has all words, as it has them."""
        every = [*ways]
        forms = {word: self._form(word) for way in every for word in way}
        return [tuple(forms[word] for word in way) for way in every if all(forms[word] for word in way)]

    def _form(self, word: str) -> str:
        """A word as the archive has it, perhaps in capitals; empty where it has not."""
        if word in self.words:
            return word
        return next((w for w in self.words.folded[0].get(fold(word), ()) if w.lower() == word), "")


def _text(typed: str) -> str:
    """A typed word as the table reads it; short ones in capitals are initials."""
    if typed.isascii() and typed.isalpha() and typed.isupper() and len(typed) in _LETTERS:
        return ".".join(typed.lower())
    return _HYPHEN.sub("-", _APOSTROPHE.sub("'", typed.lower()))
