"""Numbers in digits and in words: 1455, fourteen fifty five, one thousand four hundred fifty five; 29, 二十九."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

LONGEST = 12  # digits, and words of a number
_ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)", re.ASCII)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = (
    {word: i for i, word in enumerate(_SMALL)}
    | {word: 10 * i for i, word in enumerate(_TENS, 2)}
    | {"oh": 0, "o": 0, "and": 0, "a": 1}
)
POWERS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
NUMBER_WORDS = frozenset(_VALUES) | frozenset(POWERS)
_HAN_DIGITS = "零一二三四五六七八九"
_HAN_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
HAN_NUMBER = "〇两" + _HAN_DIGITS + "".join(_HAN_POWERS)


def is_number(word: str) -> bool:
    """Whether a word is a number in digits, also an ordinal.

    >>> is_number("1455"), is_number("21st"), is_number("u2")
    (True, True, False)
    """
    return (word.isascii() and word.isdigit()) or _ORDINAL.fullmatch(word) is not None


def cardinal(number: int) -> list[str]:
    """A number in English words, with *and* as in Britain.

    >>> " ".join(cardinal(1_000_105)), " ".join(cardinal(2005))
    ('one million one hundred and five', 'two thousand and five')
    """
    words: list[str] = []
    for name, size in reversed(POWERS.items()):
        high, number = divmod(number, size)
        words += [*cardinal(high), name] if high else []
    if number or not words:
        words += ["and"] if words else []
        words += _SMALL[number : number + 1] or [_TENS[number // 10 - 2], *_SMALL[number % 10 : number % 10 + 1]]
    return words[:-1] if len(words) > 1 and words[-1] == "zero" else words


def ordinal(words: list[str]) -> list[str]:
    """The words of an ordinal number, by those of the number.

    >>> ordinal(["twenty", "one"]), ordinal(["twenty"])
    (['twenty', 'first'], ['twentieth'])
    """
    last = words[-1]
    return [*words[:-1], _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")]


def year(number: int) -> list[str]:
    """A number from 1001 to 9999 as a year.

    >>> year(1455), year(1905), year(1900), year(2005)[:2]
    (['fourteen', 'fifty', 'five'], ['nineteen', 'oh', 'five'], ['nineteen', 'hundred'], ['two', 'thousand'])
    """
    high, low = divmod(number, 100)
    if high % 10 == 0 and low < 10:
        return cardinal(number)
    return [*cardinal(high), *(["hundred"] if low == 0 else ["oh", *cardinal(low)] if low < 10 else cardinal(low))]


def main_ways(digits: str) -> list[tuple[str, ...]]:
    """The usual ways to say a number in digits, also an ordinal: as a year, as a number, without *and*, one by one.

    >>> main_ways("1455")[0], main_ways("007"), main_ways("21st")
    (('fourteen', 'fifty', 'five'), [('zero', 'zero', 'seven')], [('twenty', 'first')])
    """
    number, is_ordinal = _number(digits)
    return _ordinals(_usual(number)) if is_ordinal else _usual(number)


@lru_cache(maxsize=1000)
def english_numbers(digits: str) -> tuple[tuple[str, ...], ...]:
    """All ways to say a number in digits, also an ordinal, in English; the usual ones first.

    >>> english_numbers("1455")[:2]
    (('fourteen', 'fifty', 'five'), ('one', 'thousand', 'four', 'hundred', 'and', 'fifty', 'five'))
    """
    number, is_ordinal = _number(digits)
    ways = _usual(number)
    if ways and not number.startswith("0"):
        ways += _hundreds(int(number))
        ways += [("a", *way[1:]) for way in ways if way[0] == "one" and way[1:] and way[1] in POWERS]
        ways += [tuple("o" if word == "oh" else word for word in way) for way in ways]
    return tuple(dict.fromkeys(_ordinals(ways) if is_ordinal else ways))


def _number(digits: str) -> tuple[str, bool]:
    """A number in digits, empty where it is none, and whether it is an ordinal."""
    match = _ORDINAL.fullmatch(digits)
    number = match[1] if match else digits
    return (number if number.isascii() and number.isdigit() and len(number) <= LONGEST else ""), match is not None


def _ordinals(ways: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [tuple(ordinal(list(way))) for way in ways]


def _usual(number: str) -> list[tuple[str, ...]]:
    one_by_one = tuple(_SMALL[int(d)] for d in number)
    if not number or (number.startswith("0") and number != "0"):
        return [one_by_one] if number else []
    value = int(number)
    ways = [tuple(year(value))] if 1000 < value < 10000 else []
    ways.append(tuple(cardinal(value)))
    ways += [tuple(word for word in words if word != "and") for words in ways]
    return list(dict.fromkeys([*ways, *([one_by_one] if len(number) > 4 else [])]))


def _hundreds(value: int) -> list[tuple[str, ...]]:
    """Fourteen hundred and fifty."""
    if not 1100 <= value < 10000 or value // 100 % 10 == 0:
        return []
    high = (*cardinal(value // 100), "hundred")
    return [(*high, "and", *cardinal(value % 100)), (*high, *cardinal(value % 100))] if value % 100 else [high]


def english_digits(words: tuple[str, ...]) -> list[str]:
    """The digits of a number that is said in English; none where the words are no number.

    >>> english_digits(("fourteen", "fifty", "five")), english_digits(("five", "hundred")), english_digits(("paper",))
    (['1455'], ['500'], [])
    """
    if not 0 < len(words) <= LONGEST or not all(w in NUMBER_WORDS for w in words):
        return []
    return [v for v in sorted(set(_candidates(words))) if words in english_numbers(v)]


def _candidates(words: tuple[str, ...]) -> Iterator[str]:
    yield "".join(str(_VALUES.get(w, 10)) for w in words)  # one by one
    yield str(_sum(words))
    yield from (str(100 * _sum(words[:i]) + _sum(words[i:])) for i in range(1, len(words)))


def english_ordinals(words: tuple[str, ...]) -> list[str]:
    """The digits of an ordinal number that is said in English, without their ending.

    >>> english_ordinals(("twenty", "first")), english_ordinals(("twenty", "one"))
    (['21'], [])
    """
    plain = _PLAIN.get(words[-1]) if words else None
    if plain is None:
        return []
    number = (*words[:-1], plain)
    if len(words) == 1 and plain in POWERS:  # the hundredth
        number = ("one", plain)
    return [digits for digits in english_digits(number) if number in english_numbers(digits)]


_PLAIN = {ordinal([word])[0]: word for word in (*_SMALL, *_TENS, *POWERS)}


def with_ending(digits: str) -> str:
    """An ordinal number in digits.

    >>> [with_ending(d) for d in ("1", "12", "22", "113")]
    ['1st', '12th', '22nd', '113th']
    """
    last = "" if digits[-2:-1] == "1" else digits[-1]
    return digits + {"1": "st", "2": "nd", "3": "rd"}.get(last, "th")


def _sum(words: tuple[str, ...]) -> int:
    total = part = 0
    for word in words:
        if word == "hundred":
            part = max(part, 1) * 100
        elif word in POWERS:
            total, part = total + max(part, 1) * POWERS[word], 0
        else:
            part += _VALUES[word]
    return total + part


@lru_cache(maxsize=1000)
def mandarin_numbers(digits: str) -> tuple[str, ...]:
    """How a number in digits is said in Mandarin, as a number and digit by digit.

    >>> mandarin_numbers("29"), mandarin_numbers("2005")
    (('二十九', '二九'), ('二千零五', '两千零五', '二零零五', '二〇〇五'))
    """
    if not (digits.isascii() and digits.isdigit()) or len(digits) > LONGEST:
        return ()
    one_by_one = "".join(_HAN_DIGITS[int(d)] for d in digits)
    said = [] if digits.startswith("0") and digits != "0" else [_mandarin(int(digits))]
    said += [re.sub("二(?=[百千万亿])", "两", text) for text in said]
    return tuple(dict.fromkeys([*said, one_by_one, one_by_one.replace("零", "〇")]))


def _mandarin(number: int) -> str:
    if number < 10:
        return _HAN_DIGITS[number]
    power, size = next((p, n) for p, n in reversed(_HAN_POWERS.items()) if number >= n)
    high, low = divmod(number, size)
    text = ("" if power == "十" and high == 1 else _mandarin(high)) + power
    if not low:
        return text
    tail = _mandarin(low)
    if 10 <= low < 20:
        tail = "一" + tail
    return text + ("零" if low < size // 10 else "") + tail


def mandarin_digits(text: str) -> list[str]:
    """The digits of a number that is said in Mandarin; none where the text is no number.

    >>> mandarin_digits("二十九"), mandarin_digits("一四五五"), mandarin_digits("温")
    (['29'], ['1455'], [])
    """
    if not 0 < len(text) <= 2 * LONGEST or any(c not in HAN_NUMBER for c in text):
        return []
    plain = text.replace("两", "二").replace("〇", "零")
    digits = "".join(str(_HAN_DIGITS.index(c)) for c in plain if c in _HAN_DIGITS)
    candidates = {digits, str(_mandarin_sum(plain))}
    return sorted(c for c in candidates if text in mandarin_numbers(c))


def _mandarin_sum(text: str) -> int:
    total = section = digit = 0
    for c in text:
        if c in _HAN_DIGITS:
            digit = _HAN_DIGITS.index(c)
        elif _HAN_POWERS[c] < 10**4:
            section, digit = section + max(digit, 1) * _HAN_POWERS[c], 0
        elif c == "亿":
            total, section, digit = (total + section + digit) * _HAN_POWERS[c], 0, 0
        else:
            total, section, digit = total + (section + digit) * _HAN_POWERS[c], 0, 0
    return total + section + digit
