"""What losses say of their own rounding, against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from rankine.losses import get
from rankine.losses.base import Seen
from rankine.losses.pairwise_kernels import SHORT

from .. import exact


def rounding_at(prepared, scores, near=0.0):
    values, grad = prepared(scores)
    first = prepared.ptr[:-1]
    steep, largest = np.add.reduceat(np.abs(grad), first), np.maximum.reduceat(np.abs(scores), first)
    seen = Seen(values, steep, largest, np.full(len(first), near))
    return values, grad, prepared.rounding(0, len(first), seen)


def as_fraction(value):
    if isinstance(value, Fraction):
        return value
    from mpmath import nstr

    return Fraction(nstr(value, 40, strip_zeros=False))


def within(name, scores, y, near):
    """Check value, plane and steepness of one query at ``scores`` against the exact loss there and around."""
    m = len(y)
    values, grad, said = rounding_at(get(name).prepare(y, [0, m]), scores, near)
    here = as_fraction(exact.LOSSES[name](exact.fractions(scores), list(y)))
    off = Fraction(float(said.value[0]))
    assert abs(Fraction(float(values[0])) - here) <= off
    rng = np.random.default_rng(0)
    for distance in (near, 1e-3, 1.0, 10 * float(np.abs(scores).max())):
        other = scores + rng.uniform(-distance, distance, m)
        there = as_fraction(exact.LOSSES[name](exact.fractions(other), list(y)))
        change = [b - a for a, b in zip(exact.fractions(scores), exact.fractions(other), strict=True)]
        farthest = max(map(abs, change))
        plane = Fraction(float(values[0])) + sum(g * c for g, c in zip(exact.fractions(grad), change, strict=True))
        assert there >= plane - off - Fraction(float(said.grad[0])) * farthest
        if distance == near:
            assert abs(there - here) <= Fraction(float(said.steep[0])) * farthest


@pytest.mark.parametrize("name", exact.LOSSES)
def test_losses_are_as_exact_as_they_say(name):
    if name in exact.WITH_EXPONENTIALS:
        pytest.importorskip("mpmath").mp.dps = 60
    rng = np.random.default_rng(1)
    for scale in (1e-8, 1.0, 1e4):
        for _ in range(4):
            m = int(rng.integers(2, 5))
            within(name, rng.standard_normal(m) * scale, rng.integers(0, 3, m).astype(float), near=1e-6 * scale)


def test_a_loss_that_says_nothing_is_taken_for_a_short_sum():
    prepared = get("squared").prepare([1.0, 0.0], [0, 2])
    values, _, own = rounding_at(prepared, np.array([3.0, 1.0]))
    usual = super(type(prepared), prepared).rounding(0, 1, Seen(values, np.array([6.0]), np.array([3.0]), np.zeros(1)))
    assert 0 < own.value[0] < 1e-12
    assert 0 < usual.value[0] < 1e-12
    assert usual.steep[0] >= 6.0


def test_pairs_at_their_margin_count_for_both_documents():
    """In a long list, too, where each side of the pairs is summed for itself: the gradient is of one set of pairs."""
    rng = np.random.default_rng(3)
    m = SHORT + 60
    y = (np.arange(m) < 100).astype(float)
    scores = np.where(y > 0, 1.0, rng.integers(-9, 10, m) * 1e-17)  # differences of 1, up to rounding
    values, grad, said = rounding_at(get("ranksvm").prepare(y, [0, m]), scores)
    s = exact.fractions(scores)
    assert abs(Fraction(float(values[0])) - exact.ranksvm(s, y.tolist())) <= Fraction(float(said.value[0]))
    assert sum(exact.fractions(grad)) == 0
    for _ in range(3):
        other = exact.fractions(scores + 100 * rng.standard_normal(m))
        change = [b - a for a, b in zip(s, other, strict=True)]
        plane = Fraction(float(values[0])) + sum(g * c for g, c in zip(exact.fractions(grad), change, strict=True))
        slack = Fraction(float(said.value[0])) + Fraction(float(said.grad[0])) * max(map(abs, change))
        assert exact.ranksvm(other, y.tolist()) >= plane - slack
