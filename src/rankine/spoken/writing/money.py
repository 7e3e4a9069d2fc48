"""Amounts of money: with a sign, in words, and in both; see :mod:`.amounts`."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from .amounts import Tokens, digit_ways, plain_number, read_number, unique, write_count, write_number


class Currency(NamedTuple):
    """A currency: its sign, its name (one and several), and that of its hundredth."""

    sign: str
    one: str
    many: str
    small: str = ""


CURRENCIES = {
    "dollar": Currency("$", "dollar", "dollars", "cent"),
    "pound": Currency("£", "pound", "pounds", "penny"),
    "euro": Currency("€", "euro", "euros", "cent"),
    "yen": Currency("¥", "yen", "yen"),
    "rupee": Currency("₹", "rupee", "rupees"),
    "cent": Currency("¢", "cent", "cents"),
    "penny": Currency("p", "penny", "pence"),
}
_BEHIND = ("cent", "penny")  # currencies whose sign stands behind the number
_BY_SIGN = {currency.sign: name for name, currency in CURRENCIES.items() if name not in _BEHIND}
_BY_NAME = {word: name for name, currency in CURRENCIES.items() for word in (currency.one, currency.many)}


class Money(NamedTuple):
    """An amount: a number, the currency's name, and the number of hundredths ("": none)."""

    number: str
    currency: str
    small: str = ""


def read_money(tokens: Tokens) -> list[Money]:
    """Amounts of money: $5, £3 million, five dollars, three pounds and twenty pence, 20¢."""
    first = tokens[0]
    if first[0] in _BY_SIGN:
        numbers = read_number((first[1:], *tokens[1:])) if plain_number(first[1:]) is not None else []
        return [_money(number, _BY_SIGN[first[0]], len(tokens) == 1) for number in numbers]
    if len(tokens) == 1:
        behind = [name for name in _BEHIND if first.endswith(CURRENCIES[name].sign)]
        return [Money(number, name) for name in behind if (number := plain_number(first[:-1]))]
    at = next((i for i, token in enumerate(tokens) if token in _BY_NAME), 0)
    if not at:
        return []
    name, rest = _BY_NAME[tokens[at]], tokens[at + 1 :]
    numbers = read_number(tokens[:at])
    if not rest:
        return [Money(number, name) for number in numbers]
    return [Money(n, name, small) for n, small in product(numbers, _read_small(rest, CURRENCIES[name].small))]


def _money(number: str, currency: str, plain: bool) -> Money:
    """An amount of which two digits behind the point are hundredths."""
    whole, _, rest = number.partition(".")
    if len(rest) == 2 and plain and CURRENCIES[currency].small:
        return Money(whole, currency, "" if rest == "00" else str(int(rest)))
    return Money(number, currency)


def _read_small(tokens: Tokens, name: str) -> list[str]:
    """The hundredths behind an amount: and fifty cents, fifty cents, fifty."""
    words = tokens[1:] if tokens[0] == "and" else tokens
    if words and _BY_NAME.get(words[-1]) == name:
        words = words[:-1]
    elif tokens[0] == "and":
        return []
    return [n for n in read_number(words) if n.isdigit() and 0 < int(n) < 100] if words and name else []


def _small_ways(money: Money) -> list[Tokens]:
    """How the hundredths of an amount are said: fifty, fifty cents, and fifty cents."""
    small = CURRENCIES[CURRENCIES[money.currency].small]
    name = small.one if money.small == "1" else small.many
    numbers = write_number(money.small)
    return [way for n in numbers for way in (n, (*n, name), ("and", *n, name))]


def write_money(money: Money) -> list[Tokens]:
    """All ways of writing an amount."""
    currency = CURRENCIES[money.currency]
    name = currency.one if money.number == "1" else currency.many
    said = [(*way, name) for way in write_count(money.number)]
    digits = digit_ways(money.number)
    if money.small:
        said = [(*way, *small) for way, small in product(said, _small_ways(money))]
        cents = f".{int(money.small):02d}"
        return unique([*said, *((currency.sign + way[0] + cents,) for way in digits if len(way) == 1)])
    signed: list[Tokens]
    if money.currency in _BEHIND:
        signed = [(way[0] + currency.sign,) for way in digits if len(way) == 1]
    else:
        signed = [(currency.sign + way[0], *way[1:]) for way in digits]
        signed += [(f"{way[0]}.00",) for way in signed if len(way) == 1 and currency.small and "." not in way[0]]
    return unique([*said, *signed])
