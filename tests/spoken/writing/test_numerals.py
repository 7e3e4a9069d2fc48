"""Numbers in digits and in words, there and back."""

import random
import re

import pytest

from rankine.spoken.writing.numerals import (
    LONGEST,
    cardinal,
    english_digits,
    english_numbers,
    mandarin_digits,
    mandarin_numbers,
    ordinal,
    year,
)


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("1455", "fourteen fifty five"), ("1455", "one thousand four hundred fifty five"), ("5", "five"),
        ("1455", "one thousand four hundred and fifty five"), ("1900", "nineteen hundred"), ("2010", "twenty ten"),
        ("1905", "nineteen oh five"), ("007", "zero zero seven"), ("90210", "nine zero two one zero"), ("0", "zero"),
        ("21st", "twenty first"), ("1000000", "one million"), ("29", "twenty nine"),
    ],
)  # fmt: skip
def test_english(digits, words):
    assert tuple(words.split()) in english_numbers(digits)


@pytest.mark.parametrize(
    ("digits", "text"),
    [
        ("29", "二十九"), ("10", "十"), ("15", "十五"), ("110", "一百一十"), ("105", "一百零五"), ("2000", "两千"),
        ("2000", "二千"),
        ("1455", "一四五五"), ("2008", "二〇〇八"), ("10005", "一万零五"), ("120000", "十二万"), ("0", "零"),
        ("100000000", "一亿"),         ("1010", "一千零一十"),
    ],
)  # fmt: skip
def test_mandarin(digits, text):
    assert text in mandarin_numbers(digits)


def test_there_and_back():
    rng = random.Random(0)
    numbers = [*range(3000), *(rng.randrange(10 ** rng.randint(4, 12)) for _ in range(2000))]
    for digits in map(str, numbers):
        assert english_numbers(digits)
        assert all(digits in english_digits(words) for words in english_numbers(digits) if len(words) <= LONGEST)
        assert all(digits in mandarin_digits(text) for text in mandarin_numbers(digits))


def test_numbers_are_said_as_by_num2words():
    num2words = pytest.importorskip("num2words").num2words
    rng = random.Random(0)
    for number in [*range(1001, 10000, 7), *(rng.randrange(1, 10 ** rng.randint(1, 12)) for _ in range(2000))]:
        ways = {"cardinal": cardinal(number), "ordinal": ordinal(cardinal(number))}
        ways |= {"year": year(number)} if 1000 < number < 10000 else {}
        for kind, words in ways.items():
            assert words == re.findall("[a-z]+", num2words(number, to=kind))


def test_what_is_no_number():
    for text in ("", "x", "-1", "1.5", "1" * (LONGEST + 1), "²", "１"):
        assert english_numbers(text) == mandarin_numbers(text) == ()
    for words in ((), ("press",), ("five", "six", "hundred", "ten", "thousand"), ("and",), ("one",) * 50):
        assert english_digits(words) == []
    for text in ("", "温", "十十", "百万亿", "一" * 50):
        assert mandarin_digits(text) == []
