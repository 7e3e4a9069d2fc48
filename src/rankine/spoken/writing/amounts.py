"""Numbers, ordinals, decades and shares: from tokens to a value and from a value to all ways of writing it.

A number is a text of digits, perhaps with a point: ``"1450"``, ``"3.5"``. Tokens are in lower case. What reads tokens
gives all values that they may have, mostly none or one; what writes a value gives the ways as tokens, as it is said
first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from .numerals import (
    LONGEST,
    POWERS,
    cardinal,
    english_digits,
    english_numbers,
    english_ordinals,
    main_ways,
    with_ending,
)

Tokens = tuple[str, ...]
_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d{1,4})?|\d+(?:\.\d{1,4})?", re.ASCII)
_ORDINAL = re.compile(r"([\d,]+)(?:st|nd|rd|th)", re.ASCII)
_DECADE = re.compile(r"(\d{2}|\d{4})['’]?s", re.ASCII)
_LARGE = {name: size for name, size in POWERS.items() if size >= 1000}
_PLURALS = ("tens", "hundreds", "thousands")
_TEN = re.compile("(?:twen|thir|for|fif|six|seven|eigh|nine)ty")


# -- numbers


def plain_number(token: str) -> str | None:
    """The number of a token in digits; None if it is no number."""
    if not _DIGITS.fullmatch(token) or len(token) > LONGEST + 4:
        return None
    whole, _, rest = token.replace(",", "").partition(".")
    return f"{whole}.{rest}" if rest else whole


def _scaled(number: str, size: int) -> str | None:
    """A number times a whole one; None where it is none in digits."""
    value = Fraction(number) * size
    return str(value.numerator) if value.denominator == 1 and len(str(value.numerator)) <= LONGEST else None


@lru_cache(maxsize=4096)
def read_number(tokens: Tokens) -> list[str]:
    """Numbers in digits, in words, and in both.

    >>> read_number(("1,450",)), read_number(("fourteen", "fifty")), read_number(("1.5", "million"))
    (['1450'], ['1450'], ['1500000'])
    """
    number = plain_number(tokens[0])
    if number is not None:
        size = 1
        for token in tokens[1:]:
            size *= POWERS.get(token, 0)
        scaled = number if len(tokens) == 1 else _scaled(number, size) if size else None
        return [scaled] if scaled else []
    words = split_hyphens(tokens)
    if "point" in words:
        return _read_point(words)
    return english_digits(words)


def _read_point(words: Tokens) -> list[str]:
    """Three point five; also million behind it."""
    at = words.index("point")
    size = _LARGE.get(words[-1], 1)
    behind = words[at + 1 : len(words) - (size > 1)]
    digits = [english_digits((word,)) for word in behind]
    if not 0 < len(behind) <= 4 or not all(some and len(some[0]) == 1 for some in digits):
        return []
    numbers = [f"{whole}.{''.join(some[0] for some in digits)}" for whole in english_digits(words[:at])]
    return [scaled for n in numbers if (scaled := n if size == 1 else _scaled(n, size))]


def split_hyphens(tokens: Iterable[str]) -> Tokens:
    """Tokens without hyphens.

    >>> split_hyphens(("twenty-one", "days"))
    ('twenty', 'one', 'days')
    """
    return tuple(part for token in tokens for part in (token.split("-") if "-" in token else [token]) if part)


def with_hyphens(words: Tokens) -> Tokens:
    """Words with hyphens between tens and ones.

    >>> with_hyphens(("nineteen", "twenty", "first")), with_hyphens(("fourteen", "fifty"))
    (('nineteen', 'twenty-first'), ('fourteen', 'fifty'))
    """
    out: list[str] = []
    for word in words:
        if out and _TEN.fullmatch(out[-1]) and (english_digits((word,)) or english_ordinals((word,))):
            out[-1] += f"-{word}"
        else:
            out.append(word)
    return tuple(out)


def number_ways(number: str) -> list[Tokens]:
    """How a number is said."""
    whole, _, rest = number.partition(".")
    ways = list(english_numbers(whole))
    if rest:
        behind = tuple(word for digit in rest for word in cardinal(int(digit)))
        return [(*way, "point", *behind) for way in ways]
    for name, size in _LARGE.items():  # one point five million
        share = Fraction(whole) / size
        if 1 <= share < 1000 and share.denominator in (2, 5, 10) and whole != "0":
            high, tenth = divmod(share * 10, 10)
            ways += [(*way, "point", *cardinal(int(tenth)), name) for way in english_numbers(str(high))]
    return ways


def digit_ways(number: str) -> list[Tokens]:
    """A number in digits: plain, in groups of three, with a word for a power of ten.

    >>> digit_ways("1500000")
    [('1500000',), ('1,500,000',), ('1500', 'thousand'), ('1.5', 'million')]
    """
    whole, _, rest = number.partition(".")
    ways = [number]
    if len(whole) > 3 and not whole.startswith("0"):
        ways.append(f"{int(whole):,}" + (f".{rest}" if rest else ""))
    out: list[Tokens] = [(way,) for way in ways]
    for name, size in _LARGE.items() if not rest and not whole.startswith("0") else ():
        share = Fraction(whole) / size
        if 1 <= share < 10000 and 100 % share.denominator == 0:
            out.append((str(share.numerator) if share.denominator == 1 else f"{float(share):.2f}".rstrip("0"), name))
    return out


@lru_cache(maxsize=4096)
def write_number(number: str) -> list[Tokens]:
    """All ways of writing a number; one of four digits as a year first."""
    said = number_ways(number)
    return unique([*said, *map(with_hyphens, said), *digit_ways(number)])


def write_count(number: str) -> list[Tokens]:
    """All ways of writing a number that is no year.

    >>> write_count("1450")[0]
    ('one', 'thousand', 'four', 'hundred', 'and', 'fifty')
    """
    ways = write_number(number)
    return unique([tuple(cardinal(int(number))), *ways]) if len(number) == 4 and number.isdigit() else ways


def unique(ways: Iterable[Tokens]) -> list[Tokens]:
    """Ways of writing, each once."""
    return list(dict.fromkeys(ways))


# -- ordinals and decades


def read_ordinal(tokens: Tokens) -> list[str]:
    """Ordinal numbers: 21st, twenty first."""
    match = _ORDINAL.fullmatch(tokens[0])
    if match:
        number = plain_number(match[1])
        return [number] if number and len(tokens) == 1 else []
    return english_ordinals(split_hyphens(tokens))


def write_ordinal(number: str) -> list[Tokens]:
    """All ways of writing an ordinal number."""
    said = list(english_numbers(with_ending(number)))
    digits = [(with_ending(way[0]),) for way in digit_ways(number) if len(way) == 1]
    return unique([*said, *map(with_hyphens, said), *digits])


def read_decade(tokens: Tokens) -> list[str]:
    """Decades: 1450s, fourteen fifties, eighties."""
    match = _DECADE.fullmatch(tokens[0])
    if match:
        return [match[1]] if len(tokens) == 1 and match[1].endswith("0") else []
    last = tokens[-1]
    single = f"{last[:-3]}y" if last.endswith("ties") else last[:-1] if last in _PLURALS else ""
    if not single or (len(tokens) == 1 and single in POWERS):
        return []
    numbers = english_digits(split_hyphens((*tokens[:-1], single)))
    return [n for n in numbers if n.endswith("0") and len(n) in (2, 4) and n != "10"]


def write_decade(number: str) -> list[Tokens]:
    """All ways of writing a decade."""
    said = []
    for way in main_ways(number)[: 1 if len(number) == 4 else None]:
        last = way[-1]
        said.append((*way[:-1], f"{last[:-1]}ies" if last.endswith("y") else f"{last}s"))
    return unique([*said, (f"{number}s",), (f"{number}'s",)])


# -- shares, and numbers of things


def read_share(tokens: Tokens) -> list[str]:
    """Shares: 5%, five percent, five per cent."""
    if tokens[0].endswith("%"):
        number = plain_number(tokens[0][:-1])
        return [number] if number and len(tokens) == 1 else []
    for name in (("percent",), ("per", "cent"), ("%",)):
        if len(tokens) > len(name) and tokens[-len(name) :] == name:
            return read_number(tokens[: -len(name)])
    return []


def write_share(number: str) -> list[Tokens]:
    """All ways of writing a share."""
    signed = [(f"{way[0]}%",) for way in digit_ways(number) if len(way) == 1]
    return unique([*(way for n in write_count(number) for way in ((*n, "percent"), (*n, "per", "cent"))), *signed])


def read_numbered(tokens: Tokens) -> list[str]:
    """Numbers of things in order: #5, no. 5, number five; *no* without its point only before digits."""
    if tokens[0].startswith("#"):
        number = plain_number(tokens[0][1:])
        return [number] if number and len(tokens) == 1 else []
    if len(tokens) < 2 or tokens[0] not in ("number", "no", "no."):
        return []
    return read_number(tokens[1:]) if tokens[0] != "no" or tokens[1][0].isdigit() else []


def write_numbered(number: str) -> list[Tokens]:
    """All ways of writing the number of a thing."""
    ways = write_number(number)
    numbers = (("no", *way) for way in digit_ways(number))
    return unique([*(("number", *way) for way in ways), *numbers, (f"#{number}",)])
