"""Cohen's kappa against its slow twin, and which pairs of judges are compared."""

import numpy as np
import pytest

from rankine.spoken.learn.agreement import agreements, cohen_kappa

from ... import reference as ref


def test_kappa_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    undefined = 0
    for _ in range(2000):
        n, grades = int(rng.integers(0, 12)), int(rng.integers(1, 5))
        a, b = (rng.integers(0, grades, n).tolist() for _ in range(2))
        got, want = cohen_kappa(a, b), ref.cohen_kappa(a, b)
        undefined += want is None
        assert got == want if want is None else got == pytest.approx(want, abs=1e-12)
    assert 100 < undefined < 1500


def test_kappa_of_known_tables():
    a = [1] * 25 + [0] * 25  # 20 + 5, 10 + 15: the example of many textbooks
    b = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(a, b) == pytest.approx(0.4)
    assert cohen_kappa([1, 0, 2], [1, 0, 2]) == 1
    assert cohen_kappa([1, 0], [0, 1]) == -1
    assert cohen_kappa([1, 1], [1, 1]) is None


def test_pairs_of_judges():
    grades = {
        "eve": {("1", "x"): 1.0},
        "ann": {("1", "a"): 1.0, ("1", "b"): 0.0, ("2", "a"): 2.0},
        "bob": {("1", "a"): 1.0, ("1", "b"): 0.0, ("2", "a"): 1.0, ("2", "c"): 0.0},
    }
    (pair,) = agreements(grades)
    assert pair[:4] == ("ann", "bob", 3, 2)
    assert pair.kappa == pytest.approx(ref.cohen_kappa([1, 0, 2], [1, 0, 1]))
    assert pair.kappa_relevant == 1.0
