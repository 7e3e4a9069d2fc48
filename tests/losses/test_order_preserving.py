"""Losses on preference graphs."""

import numpy as np
import pytest

import rankine as rk
from rankine.losses import get, standard_form

from .. import reference as ref


def test_a_pair_judged_twice_is_one_edge_with_both_weights():
    once, twice = rk.Preferences([0], [1], [3.0]), rk.Preferences([0, 0], [1, 1], [1.0, 2.0])
    for name in ("consistent-wpd", "duchi"):
        a, b = (get(name).value_and_grad([0.3, 0.2], g, [0, 2]) for g in (once, twice))
        assert a[0] == pytest.approx(b[0])
        np.testing.assert_allclose(a[1], b[1])
    assert standard_form("WPD", twice, [0, 2]).tolist() == [9, 3]


def test_preference_graphs():
    rng = np.random.default_rng(9)
    for _ in range(300):
        m = int(rng.integers(2, 6))
        order = rng.permutation(m)
        edges = [(order[i], order[j]) for i in range(m) for j in range(i + 1, m) if rng.random() < 0.6]
        if not edges:
            continue
        weight = rng.random(len(edges)) + 0.1
        winners, losers = zip(*edges, strict=True)
        graph = rk.Preferences(winners, losers, weight)
        a = np.zeros((m, m))
        a[list(winners), list(losers)] = weight
        alpha = m * weight.max() + (a - a.T).sum(1)
        np.testing.assert_allclose(standard_form("WPD", graph, [0, m]), alpha)
        s = rng.standard_normal(m)
        got = get("consistent-wpd").value_and_grad(s, graph, [0, m])[0][0]
        assert got == pytest.approx(ref.pair_loss("consistent-wpd", s, None, gains=alpha))
        linear = sum(weight[e] * (s[j] - s[i]) for e, (i, j) in enumerate(edges))
        c = (a - a.T).sum(1)
        want = linear + 0.5 * 3.0 * (s @ s) + 0.5 * (c @ c) / 3.0
        assert get("duchi", nu=3.0).value_and_grad(s, graph, [0, m])[0][0] == pytest.approx(want)
