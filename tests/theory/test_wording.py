"""What is printed is what was proved: words that name the quantity, numbers rounded up."""

import math
from fractions import Fraction

import numpy as np
import pytest

from rankine.losses import get
from rankine.theory.wording import bounded_by, decimals_up, digits_up, misordered, number_up, probability


@pytest.mark.parametrize("variant", ["", ":tight", ":slack"])
@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ("svm-ndcg@10", "1 − nDCG@10"),
        ("svm-p@5", "1 − P@5 / best possible P@5"),
        ("svm-map", "1 − AP"),
        ("svm-rr", "1 − RR"),
    ],
)
def test_every_form_of_a_loss_bounds_the_same(loss, variant, words):
    assert bounded_by(get(loss + variant)).startswith(words + " (0 for")


def test_pairs():
    assert bounded_by(get("ranksvm:norm")).startswith("the share of misordered pairs")
    assert "over the number of pairs" in bounded_by(get("position-sensitive:norm"))
    assert misordered(norm=False) == "the number of misordered pairs (the 0–1 error)"
    assert bounded_by(get("listnet")).startswith("the loss itself")


def test_an_upper_bound_is_never_rounded_down():
    rng = np.random.default_rng(0)
    for value in [0.0, 1.0, 0.1, 0.99995, *(10.0 ** rng.uniform(-12, 12, 500)).tolist()]:
        assert Fraction(decimals_up(value)) >= Fraction(value)
        assert Fraction(digits_up(value)) >= Fraction(value)
        assert Fraction(digits_up(value)) <= Fraction(value) * Fraction(1001, 1000)
        log = math.log(value) if value else -math.inf
        assert Fraction(number_up(log, certain=True)) >= Fraction(value)


def test_numbers_beyond_floats():
    assert number_up(82110.3) == "10^35660.1"
    assert float(number_up(82110.3)[3:]) * math.log(10) >= 82110.3


def test_a_probability_is_never_rounded_up():
    for delta in (0.05, 0.1, 1e-7, 1e-9, 1e-300, 0.5, 0.123456789):
        text = probability(delta)
        if not text.startswith("1 −"):
            assert Fraction(text) <= 1 - Fraction(repr(delta))
    assert probability(1e-7) == "1 − 1e-07"
