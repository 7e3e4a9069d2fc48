"""Folded forms: what does not matter in a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankine.spoken.query.folding import fold, fold_all


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("naïve", "Naive"), ("nai\u0308ve", "naïve"), ("CAFÉ", "cafe"), ("Straße", "STRASSE"), ("Øresund", "oresund"),
        ("don’t", "don't"), ("donʼt", "DON'T"), ("e-mail", "email"), ("e‑mail", "E\u00adMAIL"), ("１４５５", "1455"),
        ("ＡＢＣ", "abc"), ("ｶﾞ", "ガ"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"), ("a\u200db", "ab"), ("ﬁne", "fine"),
    ],
)  # fmt: skip
def test_what_does_not_matter(a, b):
    assert fold(a) == fold(b)


@pytest.mark.parametrize(("a", "b"), [("its", "it's"), ("が", "か"), ("हिन्दी", "हन्दी"), ("her", "here"), ("设", "射")])
def test_what_matters(a, b):
    assert fold(a) != fold(b)


@given(st.text())
def test_a_folded_form_is_its_own(text):
    assert fold(fold(text)) == fold(text)


@given(st.lists(st.text() | st.sampled_from(["a\nb", "", "\n", "\u0301a", "É"])))
def test_many_at_once(words):
    assert fold_all(words) == [fold(word) for word in words]
