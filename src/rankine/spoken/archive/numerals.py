"""Numbers in digits and in words: 1455, fourteen fifty five, one thousand four hundred fifty five; 29, 二十九.

English words come from num2words, which the letter-to-sound rules bring along.
"""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST = 12  # digits, and words of a number
_ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)", re.ASCII)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = (
    {word: i for i, word in enumerate(_SMALL)} | {word: 10 * i for i, word in enumerate(_TENS, 2)} | {"oh": 0, "and": 0}
)
_POWERS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_HAN_DIGITS = "零一二三四五六七八九"
_HAN_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
HAN_NUMBER = "〇两" + _HAN_DIGITS + "".join(_HAN_POWERS)


def is_number(word: str) -> bool:
    """Whether a word is a number in digits, also an ordinal.

    >>> is_number("1455"), is_number("21st"), is_number("u2")
    (True, True, False)
    """
    return (word.isascii() and word.isdigit()) or _ORDINAL.fullmatch(word) is not None


@lru_cache(maxsize=1000)
def english_numbers(digits: str) -> tuple[tuple[str, ...], ...]:
    """How a number in digits, also an ordinal such as 21st, is said in English.

    >>> english_numbers("1455")[:2]
    (('fourteen', 'fifty', 'five'), ('one', 'thousand', 'four', 'hundred', 'and', 'fifty', 'five'))
    """
    ordinal = _ORDINAL.fullmatch(digits)
    number = ordinal[1] if ordinal else digits
    if not (number.isascii() and number.isdigit()) or len(number) > LONGEST:
        return ()
    one_by_one = tuple(_SMALL[int(d)] for d in number)
    if number.startswith("0") and number != "0":
        return (one_by_one,)
    try:
        from num2words import num2words
    except ImportError:  # without the letter-to-sound rules numbers are found by their digits only
        return ()
    if ordinal:
        texts = [num2words(int(number), to="ordinal")]
    else:
        year = 1000 < int(number) < 10000
        texts = [*([num2words(int(number), to="year")] if year else []), num2words(int(number))]
    said = [tuple(re.findall("[a-z]+", text)) for text in texts]
    said += [tuple(word for word in words if word != "and") for words in said]
    return tuple(dict.fromkeys([*said, *([one_by_one] if len(number) > 4 else [])]))


def english_digits(words: tuple[str, ...]) -> list[str]:
    """The digits of a number that is said in English; none where the words are no number.

    >>> english_digits(("fourteen", "fifty", "five")), english_digits(("five", "hundred")), english_digits(("paper",))
    (['1455'], ['500'], [])
    """
    if not 0 < len(words) <= LONGEST or not all(w in _VALUES or w in _POWERS for w in words):
        return []
    values = {_sum(words)} | {100 * _sum(words[:i]) + _sum(words[i:]) for i in range(1, len(words))}
    one_by_one = "".join(str(_VALUES.get(w, 10)) for w in words)
    return [v for v in sorted({one_by_one, *map(str, values)}) if words in english_numbers(v)]


def _sum(words: tuple[str, ...]) -> int:
    total = part = 0
    for word in words:
        if word == "hundred":
            part = max(part, 1) * 100
        elif word in _POWERS:
            total, part = total + max(part, 1) * _POWERS[word], 0
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
