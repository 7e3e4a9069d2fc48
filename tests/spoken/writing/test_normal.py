"""Text as it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankine.spoken.writing.normal import normal_words, said, sayings
from rankine.spoken.writing.table import TABLE


@pytest.mark.parametrize(
    ("one", "other"), [pair for kind, row in TABLE.items() for pair in row.examples if kind != "abbreviations"]
)
def test_both_forms_of_an_example_are_the_same(one, other):
    assert normal_words(f"of {one}, or") == normal_words(f"Of {other} or")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("About 1455, the 42-line Bible.", "about fourteen fifty five the forty two line bible"),
        ("No. 5; no five; there is no one.", "number five no five there is no one"),
        ("the king's kings’ men—don't", "the kings kings men don't"),
        ("rock & roll and 105", "rock and roll and one hundred five"),
        ("100, 200", "one hundred two hundred"),
        ("one hundred two hundred", "one hundred two hundred"),
        ("Mr. Smith, Dr. Who, St. James", "mister smith doctor who saint james"),
        ("$3.50 or 5%", "three dollars fifty or five percent"),
        ("five dollars twenty people", "five dollars twenty people"),
        ("in 1950 four people", "in nineteen fifty four people"),
        ("[Music] – ", ""),
    ],
)
def test_texts(text, words):
    assert normal_words(text) == words.split()


@given(st.text(alphabet="ab15,.$%-–’' \n", max_size=30))
def test_sayings_cover_all_words(text):
    words = text.split()
    ends = [0, *(some.end for some in sayings(words))]
    assert [some.begin for some in sayings(words)] == ends[:-1]
    assert ends[-1] in (0, len(words))
    assert normal_words(" ".join(normal_words(text))) == normal_words(text)


def test_what_is_said_as_it_is_written():
    for word in ("paper", "one", "colour", "king's", "u2", "--", "", "x" * 100):
        assert said(word) == (), word
    assert said("twenty-one") == ("twenty", "one")
    assert said("u.s") == ("u", "s")
