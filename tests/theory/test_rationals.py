"""Exact vertices from floats."""

from fractions import Fraction

from rankine.theory.rationals import vertex


def test_exact_vertices():
    """x + y = 1, x − y = 1/3 (tight); floats near the solution."""
    rows = [([Fraction(1), Fraction(1)], Fraction(1))]
    tight = [([Fraction(1), Fraction(-1)], Fraction(1, 3)), ([Fraction(1), Fraction(-1)], Fraction(1, 2))]
    assert vertex(rows, tight, [0.6666, 0.3334]) == [Fraction(2, 3), Fraction(1, 3)]
    assert vertex(rows, [], [0.0, 0.9]) == [0, 1]
