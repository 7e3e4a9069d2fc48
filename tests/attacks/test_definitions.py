"""The exact losses against the library's own, which are written quite differently."""

from fractions import Fraction

import numpy as np
import pytest

from attacks.definitions import Query, terms
from attacks.exact import Objective
from rankine import losses

GRADED = [name for name in losses.names() if not name.startswith(("consistent-wpd", "consistent-rank"))]


def exact(name, options, y, s):
    """Σ of the terms at these scores."""
    query = Query([Fraction(float(g)) for g in y], [Fraction(1)] * len(y), None, [0.0] * len(y), len(y))
    X = [[Fraction(x)] for x in s]
    objective = Objective(X, [(0, Fraction(1), terms(name, options, query))], Fraction(1), [Fraction(1)])
    return float(objective.value([Fraction(1)]))


@pytest.mark.parametrize("form", GRADED)
def test_values_agree_with_the_library(form):
    rng = np.random.default_rng(0)
    for k in (1, 3):
        name = form.replace("@k", f"@{k}")
        for options in ({}, {"A": "partial-order"}, {"A": "discount"}, {"target": "best"}):
            if options and not (form.startswith("svm") and not (":" in form and "target" in options)):
                continue
            for _ in range(4):
                y, s = rng.integers(0, 3, 4), rng.integers(-3, 4, 4) / 4
                prepared = losses.get(name, **options).prepare(y, [0, 4])
                low, high, value = prepared(s)[0][0], prepared.upper(s)[0], exact(name, options, y, s.tolist())
                assert low - 1e-9 <= value <= high + 1e-9
                assert low == high or "slack" in name
