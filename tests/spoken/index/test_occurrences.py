"""Grams of units, and the expected number of places of any of several."""

import numpy as np
import pytest

from rankine.spoken.index.occurrences import Occurrences, df_of_any, grams_of, joining_grams


def test_grams():
    for order in (2, 3):
        for n in range(1, 7):
            units = [f"u{i}" for i in range(n)]
            grams = grams_of(units, order)
            size = min(order, n)
            want = [tuple(units[i : i + size]) for i in range(n - size + 1)]
            assert grams == ([] if (order, n) == (3, 1) else want)
            for cut in range(1, n):
                crossing = joining_grams(units[:cut], units[cut:], order)
                assert crossing == [g for g in grams_of(units, order) if units[cut - 1] in g and units[cut] in g]
    assert grams_of([], 2) == joining_grams([], ["a"], 2) == joining_grams(["a"], [], 3) == []


def test_any_of_several():
    rng = np.random.default_rng(0)
    for _ in range(200):
        some = []
        for _ in range(int(rng.integers(1, 4))):
            places = np.flatnonzero(rng.random(6) < 0.5)
            some.append(Occurrences(places, rng.random(len(places))))
        want = 0.0
        for place in range(6):
            missing = 1.0
            for o in some:
                for p in o.p[o.places == place]:
                    missing *= 1 - p
            want += 1 - missing
        assert df_of_any(some) == pytest.approx(want, abs=1e-12)
