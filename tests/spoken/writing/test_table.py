"""The table of ways of writing: its examples both ways, numbers there and back, and that any text is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankine.spoken.writing.amounts import read_decade, read_number, read_ordinal, read_share, split_hyphens
from rankine.spoken.writing.money import CURRENCIES, Money, read_money
from rankine.spoken.writing.numerals import LONGEST, main_ways
from rankine.spoken.writing.table import TABLE, spans
from rankine.spoken.writing.tokens import clean

NUMBERS = st.integers(0, 10**6).map(str)
PAIRS = [(kind, *pair) for kind, row in TABLE.items() for example in row.examples for pair in (example, example[::-1])]


def tokens(text):
    return tuple(clean(word).lower() for word in text.split())


@pytest.mark.parametrize(("kind", "one", "other"), PAIRS)
def test_examples(kind, one, other):
    whole = [span for span in spans(tokens(one), [kind]) if span[:2] == (0, len(tokens(one)))]
    assert any(tokens(other) in span.ways() for span in whole)


def test_every_row_has_examples_and_an_explanation():
    for kind, row in TABLE.items():
        assert row.examples, kind
        assert row.explanation, kind


def there_and_back(kind, value, read):
    """Every way of writing a value is read as it, if it is not too long."""
    ways = TABLE[kind].write(value)
    assert ways
    for way in ways:
        if len(split_hyphens(way)) <= LONGEST:
            assert value in read(way), way


@given(NUMBERS)
def test_numbers(number):
    there_and_back("numbers", number, read_number)
    there_and_back("per cent", number, read_share)
    there_and_back("ordinals", number, read_ordinal)


@given(st.integers(1000, 2999).map(str))
def test_years(number):
    there_and_back("numbers", number, read_number)
    assert number in read_number(main_ways(number)[0])


@given(st.integers(100, 209))
def test_decades(tens):
    there_and_back("decades", f"{tens}0", read_decade)


@given(st.integers(0, 10**6), st.integers(1, 9999))
def test_numbers_with_a_point(whole, behind):
    there_and_back("numbers", f"{whole}.{behind}", read_number)


@given(NUMBERS, st.sampled_from(list(CURRENCIES)), st.integers(0, 99))
def test_money(number, currency, small):
    has_small = CURRENCIES[currency].small and small
    there_and_back("currency", Money(number, currency, str(small) if has_small else ""), read_money)


@given(st.lists(st.text(alphabet="1250,.$£¢%#-' aeonstfiv", min_size=1, max_size=8), max_size=6))
def test_any_tokens_are_read(some):
    for span in spans(some):
        assert 0 <= span.begin < span.end <= len(some)
        assert all(way and all(way) for way in span.ways())


@pytest.mark.parametrize(
    "text",
    ["no one", "point", "a", "and", "hundreds", "$", "%", "5.5.5", "1,45", "o", "cents", "the", "ties"],
)
def test_what_is_no_number(text):
    assert spans(tuple(text.split()), ["numbers", "ordinals", "decades", "currency", "per cent", "numbered"]) in (
        [], [(1, 2, "numbers", "1")],
    )  # fmt: skip
