"""Standard forms of measures, and losses whose minimisers sort by them."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import rankine as rk
from rankine.losses import get, standard_form

from .. import reference as ref


@given(st.integers(1, 8), st.integers(0, 1000))
def test_standard_forms(m, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, m).astype(float)
    np.testing.assert_allclose(standard_form("DCG@3", y, [0, m]), 2**y - 1)
    best = ref.best_dcg(y.tolist(), 3)
    np.testing.assert_allclose(standard_form("nDCG@3", y, [0, m]), (2**y - 1) / best if best else 0 * y)
    linear = sorted(y, reverse=True)
    best = sum(g / np.log2(2 + r) for r, g in enumerate(linear))
    np.testing.assert_allclose(standard_form("nDCG(dcg='log2')", y, [0, m]), y / best if best else 0 * y)
    ranks = rng.permutation(m) + 1
    np.testing.assert_allclose(standard_form("zero-one", ranks, [0, m]), m + 1 - ranks)


def expected_minimiser(name, outcomes, chances, m=None):
    """The scores that minimise the expected loss over several supervisions of one query."""
    m = len(outcomes[0]) if m is None else m
    prepared = [get(name).prepare(y, [0, m]) for y in outcomes]

    def risk(s):
        parts = [p(s) for p in prepared]
        value = sum(c * v[0] for c, (v, _) in zip(chances, parts, strict=True))
        return value + 1e-9 * s @ s, sum(c * g for c, (_, g) in zip(chances, parts, strict=True)) + 2e-9 * s

    return minimize(risk, np.zeros(m), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000}).x


def sorts_as(scores, wanted, margin):
    """Whether every pair that ``wanted`` separates by more than ``margin`` stands in its order."""
    return all(
        scores[i] > scores[j]
        for i in range(len(scores)) for j in range(len(scores)) if wanted[i] > wanted[j] + margin
    )  # fmt: skip


def random_distribution(rng):
    m, n = int(rng.integers(2, 5)), int(rng.integers(2, 4))
    return [rng.integers(0, 4, m).astype(float) for _ in range(n)], rng.dirichlet(np.ones(n))


def test_minimisers_of_consistent_losses_sort_by_the_expected_standard_form():
    rng = np.random.default_rng(10)
    for round_ in range(1000):
        outcomes, chances = random_distribution(rng)
        name, measure = (("consistent-dcg", "DCG"), ("consistent-ndcg", "nDCG"))[round_ % 2]
        wanted = sum(
            c * standard_form(measure, y, [0, len(y)]) for c, y in zip(chances, outcomes, strict=True)
        )  # fmt: skip
        s = expected_minimiser(name, outcomes, chances)
        assert sorts_as(s, wanted, 0.02 * wanted.max()), (outcomes, chances)


def test_minimisers_under_the_conditions_of_the_other_forms():
    rng = np.random.default_rng(12)
    for _ in range(60):
        m = int(rng.integers(2, 5))
        u = rng.permutation(m) + rng.random(m) * 0.3  # low noise: E[A − Aᵀ] is a multiple of u_i − u_j
        order = np.argsort(-u)
        edges = [(order[i], order[j]) for i in range(m) for j in range(i + 1, m)]
        weight = np.array([u[i] - u[j] for i, j in edges])
        winners, losers = zip(*edges, strict=True)
        p = rng.uniform(0.6, 0.9)
        graphs = [rk.Preferences(winners, losers, weight), rk.Preferences(losers, winners, weight)]
        for name in ("consistent-wpd", "duchi"):
            s = expected_minimiser(name, graphs, [p, 1 - p], m)
            assert sorts_as(s, u, 0.0), (name, u, p)
        # an order-preserving space: Plackett and Luce's model of permutations
        skill = np.exp(u)
        permutations = list(itertools.permutations(range(m)))
        chances = [np.prod([skill[o[k]] / sum(skill[i] for i in o[k:]) for k in range(m)]) for o in permutations]
        ranks = [np.argsort(o) + 1.0 for o in permutations]
        assert sorts_as(expected_minimiser("consistent-rank", ranks, chances, m), u, 0.0)


def test_the_preorder_loss_is_caught():
    rng = np.random.default_rng(11)
    failures = 0
    for _ in range(200):
        outcomes, chances = random_distribution(rng)
        wanted = sum(c * (2**y - 1) for c, y in zip(chances, outcomes, strict=True))
        failures += not sorts_as(expected_minimiser("preorder", outcomes, chances), wanted, 0.1 * wanted.max())
    assert failures == 12
