"""The table of ways of writing: what stands in a text in one way or another and is said alike.

A row reads tokens to values and writes a value in all its ways. Its examples are pairs of which each finds the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from . import amounts, money
from .amounts import Tokens
from .numerals import LONGEST, NUMBER_WORDS, english_ordinals
from .spelling import american, other_spelling

_SAME = """
mister mr|mrs missus missis|doctor dr|professor prof|saint st|street st|captain capt|colonel col|lieutenant lt
sergeant sgt|general gen|reverend rev|honourable hon|governor gov|senator sen|junior jr|senior sr|versus vs
et-cetera etc etcetera|okay ok o.k|mount mt|avenue ave|percent per-cent
kilometers kilometres km|centimeters centimetres cm|millimeters millimetres mm
kilograms kilogrammes kg|miles-per-hour mph
"""  # as it is said first; hyphens stand for blanks
GROUPS: tuple[tuple[Tokens, ...], ...] = tuple(
    tuple(tuple(way.split("-")) for way in group.split()) for group in _SAME.replace("\n", "|").split("|") if group
)
_MOST_TOKENS = LONGEST + 4
_INITIALS = re.compile(r"[a-z](?:\.[a-z])+\.?|[b-df-hj-np-tv-xz]{3,5}")  # u.s, bbc


class WritingRow(NamedTuple):
    """A way of writing.

    ``read`` gives the values of tokens, in lower case; ``write`` all ways of writing a value, as it is said first.
    ``begins`` tells of a token whether one can begin with it; ``most`` is the largest number of tokens.
    """

    explanation: str
    examples: tuple[tuple[str, str], ...]
    read: Callable[[Tokens], Sequence[Any]]
    write: Callable[[Any], Sequence[Tokens]]
    begins: Callable[[str], bool]
    most: int = _MOST_TOKENS


class Span(NamedTuple):
    """Tokens from, to, that are written in a way of the table, and what they mean."""

    begin: int
    end: int
    kind: str
    value: Any

    def ways(self) -> Sequence[Tokens]:
        """All ways of writing the same, as it is said first."""
        return TABLE[self.kind].write(self.value)


@lru_cache(maxsize=1 << 14)
def _is_numeric(token: str) -> bool:
    """Whether a token can begin a number, in digits, with a sign or in words."""
    if any("0" <= c <= "9" for c in token):
        return True
    first = token.partition("-")[0]
    return first in NUMBER_WORDS or bool(english_ordinals((first,))) or first.endswith("ties")


def _groups_by_way() -> dict[Tokens, list[tuple[Tokens, ...]]]:
    by_way: dict[Tokens, list[tuple[Tokens, ...]]] = {}
    for group in GROUPS:
        for way in group:
            by_way.setdefault(way, []).append(group)
    return by_way


_BY_WAY = _groups_by_way()
_FIRST = frozenset(way[0] for way in _BY_WAY)


def _without_points(tokens: Tokens) -> Tokens:
    return tuple(token if token in _FIRST else token.rstrip(".") for token in tokens)


def _read_same(tokens: Tokens) -> Sequence[tuple[Tokens, ...]]:
    return _BY_WAY.get(_without_points(tokens), ())


def _read_initials(tokens: Tokens) -> list[str]:
    """The letters of u.s., bbc, and of u. s. and u s."""
    if len(tokens) == 1:
        return [tokens[0].replace(".", "")] if _INITIALS.fullmatch(tokens[0]) else []
    letters = [token.rstrip(".") for token in tokens]
    return ["".join(letters)] if all(len(c) == 1 and c.isascii() and c.isalpha() for c in letters) else []


def _is_initial(token: str) -> bool:
    return len(token) == 1 or token[1:] == "." or _INITIALS.fullmatch(token) is not None


def _write_initials(letters: str) -> list[Tokens]:
    whole = [(letters,)] if len(letters) > 2 else []
    return [tuple(letters), (".".join(letters),), (".".join(letters) + ".",), tuple(f"{c}." for c in letters), *whole]


def _read_spelling(tokens: Tokens) -> list[str]:
    return [american(tokens[0])] if other_spelling(tokens[0]) else []


def _write_spelling(word: str) -> list[Tokens]:
    other = other_spelling(word)
    return [(word,), (other,)] if other else [(word,)]


TABLE: dict[str, WritingRow] = {
    "numbers": WritingRow(
        "numbers and years in digits and in words",
        (
            ("1450", "fourteen fifty"), ("1450", "fourteen hundred and fifty"),
            ("1450", "one thousand four hundred fifty"), ("1,450", "fourteen hundred fifty"), ("1,450", "1450"),
            ("1905", "nineteen oh five"), ("2005", "two thousand five"), ("100", "a hundred"), ("42", "forty-two"),
            ("forty-two", "forty two"), ("3.5", "three point five"),
            ("3 million", "three million"), ("3 million", "3,000,000"), ("1.5 million", "one point five million"),
        ),
        amounts.read_number, amounts.write_number, _is_numeric,
    ),
    "ordinals": WritingRow(
        "ordinal numbers",
        (
            ("21st", "twenty first"), ("21st", "twenty-first"), ("16th", "sixteenth"), ("3rd", "third"),
            ("101st", "a hundred and first"),
        ),
        amounts.read_ordinal, amounts.write_ordinal, _is_numeric,
    ),
    "decades": WritingRow(
        "decades",
        (("1480s", "fourteen eighties"), ("80s", "eighties"), ("1900s", "nineteen hundreds"), ("1480s", "1480's")),
        amounts.read_decade, amounts.write_decade, _is_numeric,
    ),
    "currency": WritingRow(
        "amounts of money with a sign or in words",
        (
            ("$5", "five dollars"), ("$5", "5 dollars"), ("$1", "one dollar"), ("£3 million", "three million pounds"),
            ("£3 million", "3 million pounds"), ("€1,450", "one thousand four hundred and fifty euros"),
            ("20¢", "twenty cents"), ("20p", "20 pence"), ("$3.50", "three dollars and fifty cents"),
            ("$3.50", "three dollars fifty"),
        ),
        money.read_money, money.write_money, _is_numeric,
    ),
    "per cent": WritingRow(
        "shares of a hundred",
        (
            ("5%", "five percent"), ("5%", "five per cent"), ("5 percent", "five per cent"),
            ("2.5%", "two point five percent"),
        ),
        amounts.read_share, amounts.write_share, _is_numeric,
    ),
    "numbered": WritingRow(
        "numbers of things",
        (("no. 5", "number five"), ("#5", "number 5"), ("no. 10", "number ten")),
        amounts.read_numbered, amounts.write_numbered,
        lambda token: token in ("number", "no", "no.") or token.startswith("#"),
    ),
    "abbreviations": WritingRow(
        "abbreviations of titles, streets and measures",
        (
            ("Mr.", "mister"), ("Dr.", "doctor"), ("St.", "saint"), ("St.", "street"), ("percent", "per cent"),
            ("etc.", "et cetera"), ("km", "kilometres"), ("Prof.", "professor"), ("OK", "okay"),
        ),
        _read_same, lambda group: group, lambda token: token in _FIRST or token.rstrip(".") in _FIRST, 3,
    ),
    "initials": WritingRow(
        "letters with points, without and apart",
        (("U.S.", "u s"), ("B.B.C.", "BBC"), ("B.B.C.", "b b c")),
        _read_initials, _write_initials, _is_initial, 5,
    ),
    "spelling": WritingRow(
        "British and American spelling",
        (
            ("colour", "color"), ("organise", "organize"), ("analyse", "analyze"), ("centre", "center"),
            ("catalogue", "catalog"), ("travelled", "traveled"), ("mediaeval", "medieval"), ("grey", "gray"),
            ("tyre", "tire"), ("programme", "program"), ("gaol", "jail"), ("defence", "defense"),
        ),
        _read_spelling, _write_spelling, lambda token: True, 1,
    ),
}  # fmt: skip


def spans(tokens: Sequence[str], kinds: Sequence[str] = tuple(TABLE)) -> list[Span]:
    """What of some tokens, in lower case, has other ways of writing: of each kind the longest from the left.

    >>> [(span.begin, span.end, span.kind) for span in spans(["in", "fourteen", "fifty", "mr", "gray"])]
    [(1, 3, 'numbers'), (3, 4, 'abbreviations'), (4, 5, 'spelling')]
    """
    out: list[Span] = []
    for kind in kinds:
        row, at = TABLE[kind], 0
        while at < len(tokens):
            end, values = _longest(row, tokens, at) if row.begins(tokens[at]) else (at, ())
            out += [Span(at, end, kind, value) for value in values]
            at = max(end, at + 1)
    return out


def _longest(row: WritingRow, tokens: Sequence[str], at: int) -> tuple[int, Sequence[Any]]:
    for end in range(min(at + row.most, len(tokens)), at, -1):
        values = row.read(tuple(tokens[at:end]))
        if values:
            return end, values
    return at, ()
