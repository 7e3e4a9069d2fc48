"""Bounds on what rounding does, against fractions."""

from fractions import Fraction

import numpy as np

from rankine.rounding import gamma, norm_above, tiny_of, unit_of


def test_sums_stay_within_gamma():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        for n in (1, 7, 300):
            a, b = (rng.standard_normal(n) * 10.0 ** rng.integers(-12, 12, n) for _ in range(2))
            a, b = a.astype(dtype), b.astype(dtype)
            total = dtype(0)
            for x, y in zip(a, b, strict=True):
                total = dtype(total + dtype(x * y))
            products = [Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a, b, strict=True)]
            allowed = Fraction(gamma(n, unit_of(dtype))) * sum(map(abs, products)) + n * Fraction(tiny_of(dtype))
            assert abs(Fraction(float(total)) - sum(products)) <= allowed


def test_a_norm_is_never_below_the_true_one():
    rng = np.random.default_rng(1)
    for scale in (1e-200, 1e-160, 1.0, 1e150):
        v = rng.standard_normal(9) * scale
        assert Fraction(norm_above(v)) ** 2 >= sum(Fraction(x) ** 2 for x in v.tolist())
