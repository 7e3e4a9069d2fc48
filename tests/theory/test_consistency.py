"""Consistency on small cases: Bayes-optimal rankings, minimisers, counter-examples, noise conditions."""

from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from scipy.optimize import minimize

from rankine.errors import InputError
from rankine.losses import get
from rankine.theory import consistency as lab
from rankine.theory import standard_form_exists
from rankine.theory.exact_errors import errors, rankings

BINARY = {m: list(product((0, 1), repeat=m)) for m in (2, 3, 4)}


def test_bayes_optimal_rankings_by_hand():
    optimum = lab.bayes_optimal("AP", [(1, 0, 0), (0, 1, 0)], [Fraction(2, 3), Fraction(1, 3)])
    assert optimum.rankings == ((0, 1, 2),)
    assert optimum.error == 1 - (Fraction(2, 3) + Fraction(1, 3) / 2)


@pytest.mark.parametrize("loss", ["squared-dcg", "consistent-dcg", "preorder", "listnet", "ranksvm-l2", "svm-ndcg"])
def test_minimisers_cannot_be_improved(loss):
    """Against SciPy from several starts on the same expected loss."""
    rng = np.random.default_rng(0)
    labels = list(product((0, 1, 2), repeat=3))
    for _ in range(6):
        some = rng.choice(27, 3, replace=False)
        p = np.array([0.5, 0.3, 0.2])
        y = np.array([labels[k] for k in some], float).ravel()

        def expected(s, y=y, p=p):
            return float(get(loss).value_and_grad(np.tile(s, 3), y, [0, 3, 6, 9])[0] @ p)

        scores = lab.minimiser(loss, [labels[k] for k in some], p)
        for start in (np.zeros(3), rng.normal(size=3)):
            other = minimize(expected, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
            assert expected(scores) <= other.fun + 1e-5 * (1 + other.fun)


@pytest.mark.parametrize("loss", ["consistent-dcg", "squared-dcg"])
def test_consistent_losses_are_never_refuted(loss):
    assert lab.search(loss, "DCG", lab.every_label((0, 1, 2), 3), tries=60) is None
    assert lab.search(loss.replace("dcg", "ndcg"), "nDCG", lab.every_label((0, 1, 2), 3), tries=60) is None


@pytest.mark.parametrize("loss", ["preorder", "preorder:norm+dcg", "ranksvm-l2", "listnet"])
def test_others_are(loss):
    refutation = lab.search(loss, "DCG", lab.every_label((0, 1, 2), 3), tries=60)
    assert refutation is not None
    expected = dict(zip(rankings(3), errors("DCG", list(refutation.labels)), strict=True))

    def error(order):
        return sum(p * e for p, e in zip(refutation.probabilities, expected[order], strict=True))

    assert {o for o in rankings(3) if error(o) == min(map(error, rankings(3)))} == set(refutation.optimum.rankings)
    sorted_by_loss = tuple(np.argsort(-np.array(refutation.scores), kind="stable").tolist())
    assert refutation.regret > 0
    if len(refutation.order) == 3:
        assert error(sorted_by_loss) - refutation.optimum.error == refutation.regret


def test_the_order_preserving_loss_succeeds_where_the_preorder_loss_fails():
    bad = lab.search("preorder", "DCG", lab.every_label((0, 1, 2), 3), tries=60)
    used = [(y, p) for y, p in zip(bad.labels, bad.probabilities, strict=True) if p]
    good = lab.check("consistent-dcg", "DCG", [y for y, _ in used], [p for _, p in used])
    assert good.answer == "consistent here"
    assert good.regret == 0


def test_wpd_form_is_optimal_under_low_noise_and_not_outside():
    rng = np.random.default_rng(4)
    inside = outside = wrong = 0
    while inside < 40 or outside < 40:
        labels = []
        for _ in range(3):
            a = np.zeros((3, 3), int)
            order = rng.permutation(3)
            for s, t in ((0, 1), (0, 2), (1, 2)):
                a[order[s], order[t]] = rng.integers(0, 4)
            labels.append(a)
        p = [Fraction(1, 3)] * 3
        if len({x.tobytes() for x in labels}) < 3:
            continue
        balance = sum(x - x.T for x in labels).sum(axis=1)
        best = lab.bayes_optimal("WPD", labels, p).rankings
        sorts = any(all(balance[a] >= balance[b] for a, b in pairwise(o)) for o in best)
        if lab.low_noise(labels, p):
            inside += 1
            assert sorts
        else:
            outside += 1
            wrong += not sorts
    assert (inside, outside, wrong) == (40, 73, 15)


def test_zero_one_form_on_order_preserving_spaces_and_outside():
    ranks = [tuple(r + 1 for r in p) for p in permutations(range(3))]
    rng = np.random.default_rng(5)
    inside, wrong = 0, 0
    for _ in range(400):
        # Mallows-like models are order-preserving for the pairs of their centre; random ones hardly ever are
        weight = [2.0 ** -sum(r[a] > r[b] for a, b in ((0, 1), (0, 2), (1, 2))) for r in ranks]
        if rng.random() < 0.5:
            weight = rng.random(6).tolist()
        p = [Fraction(w).limit_denominator(1000) for w in weight]
        p = [x / sum(p) for x in p]
        distribution = dict(zip(ranks, p, strict=True))
        mean = [sum(x * (4 - r[i]) for r, x in distribution.items()) for i in range(3)]
        best = lab.bayes_optimal("zero-one", ranks, p).rankings
        sorts = any(all(mean[a] >= mean[b] for a, b in pairwise(o)) for o in best)
        order = best[0]
        if all(lab.order_preserving(distribution, a, b) for a, b in pairwise(order)):
            inside += 1
            assert sorts
        else:
            wrong += not sorts
    assert (inside, wrong) == (199, 113)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lab.bayes_optimal("AP", [(0,) * 8], [1]), "between 2 and 7 items"),
        (lambda: lab.bayes_optimal("AP", [(0, 1), (0, 1, 1)], [0.5, 0.5]), "expected 2 items like the first one"),
        (lambda: lab.bayes_optimal("AP", [(0, 1), (1, 0)], [0.5, 0.6]), "sum to 1"),
        (lambda: lab.bayes_optimal("AP", [(0, 1), (1, 0)], [1]), "each of the 2 supervisions, got 1"),
        (lambda: lab.bayes_optimal("AP", [(0, 1), (0, 1)], [0.5, 0.5]), "given twice"),
        (lambda: lab.bayes_optimal("NDGC", [(0, 1)], [1]), "unknown measure 'NDGC'"),
        (lambda: lab.bayes_optimal("AP", [(0, float("nan"))], [1]), "all finite"),
        (lambda: lab.bayes_optimal("AP", [], []), "at least one supervision"),
        (lambda: lab.check("svm-map:tight", "AP", [(0, 1)], [1]), "not convex"),
        (lambda: standard_form_exists("AP", list(product((0, 1), repeat=7))), "at most 6 items"),
        (lambda: lab.every_label((0, 1), 30), "between 2 and 7 items"),
        (lambda: lab.every_label(range(9), 6), "too many"),
        (lambda: lab.bayes_optimal("AP", [1, 2], [0.5, 0.5]), "expected grades"),
        (lambda: lab.bayes_optimal("AP", [(0, 1)], ["1/0"]), "expected probabilities"),
        (lambda: lab.bayes_optimal("nDCG(dcg='letor')", [(0, 1)], [1]), "LETOR tool"),
        (lambda: lab.bayes_optimal(None, [(0, 1)], [1]), "the name of a measure"),
        (lambda: lab.bayes_optimal(lambda o, y: None, [(0, 1)], [1]), "must be a number"),
        (lambda: lab.bayes_optimal("WPD", [((0, -1), (0, 0))], [1]), "not negative"),
        (lambda: lab.low_noise([(0, 1)], [1]), "property of preferences"),
        (lambda: lab.search("preorder", "DCG", [(0, 1), (1, 0)], tries=2.5), "whole number"),
        (lambda: lab.order_preserving({(1, 2): Fraction(1)}, 0, 5), "numbered from 0 to 1"),
        (lambda: standard_form_exists("zero-one", [(1, 1)]), "the ranks 1 to 2, each once"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_exact_probabilities_stay_exact():
    p = [Fraction(500000001, 10**9), Fraction(499999999, 10**9)]
    assert lab.bayes_optimal("DCG", [(0, 1), (1, 0)], p).rankings == ((1, 0),)


@pytest.mark.parametrize("loss", ["preorder", "ranksvm", "listnet", "svm-ndcg"])
def test_verdicts_do_not_depend_on_the_numbering_of_items(loss):
    rng = np.random.default_rng(1)
    labels = list(product((0, 1, 2), repeat=3))
    for _ in range(4):
        some = rng.choice(27, 3, replace=False)
        to = rng.permutation(3)
        p = ["1/2", "3/10", "1/5"]
        one = lab.check(loss, "DCG", [labels[k] for k in some], p)
        two = lab.check(loss, "DCG", [tuple(labels[k][i] for i in to) for k in some], p)
        assert one.answer == two.answer
        if one.answer != "undecided":
            assert one.regret == two.regret


def test_a_true_tie_is_inconsistent_whichever_item_comes_first():
    assert lab.check("preorder", "DCG", [(3, 0), (0, 1)], [0.5, 0.5]).answer == "inconsistent"
    assert lab.check("preorder", "DCG", [(0, 3), (1, 0)], [0.5, 0.5]).answer == "inconsistent"


def test_ranks_are_turned_round_for_losses_of_grades():
    for loss in ("listnet", "squared", "consistent-rank"):
        assert lab.check(loss, "zero-one", [(1, 2, 3)], [1]).answer == "consistent here"
