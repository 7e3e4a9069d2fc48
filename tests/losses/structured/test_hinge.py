"""Structural hinges against all permutations, linear assignment, and the inequalities that define them."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import rankine as rk
from rankine import losses
from rankine.losses.structured.hinge import StructuredHinge

from ... import reference as ref

CUTOFFS = {"ndcg": (None, 1, 2, 3, 10), "p": (1, 2, 3, 10), "map": (None,), "rr": (None,)}
WEIGHTS = ("linear", "inverse-sqrt", "discount", "partial-order", "yue", (3.0, 1.0, 1.0, 0.5))
CONFIGURATIONS = [
    (of, k, A) for of, cuts in CUTOFFS.items() for k in cuts for A in WEIGHTS if not (of == "ndcg" and A == "yue")
]


def case(rng, most=6):
    m = int(rng.integers(1, most + 1))
    y = rng.integers(0, rng.integers(1, 4) + 1, m).astype(float)
    s = 0.5 * rng.integers(-2, 3, m) if rng.random() < 0.5 else rng.choice([0.1, 1, 10]) * rng.standard_normal(m)
    return y, s


@pytest.mark.parametrize(("of", "k", "A"), CONFIGURATIONS)
def test_value_is_the_maximum_over_all_permutations(of, k, A):
    rng = np.random.default_rng(len(str((of, k, A))))
    for _ in range(40):
        y, s = case(rng)
        for target in ("mean", "best"):
            value = StructuredHinge(of, k, A=A, target=target).value_and_grad(s, y, [0, len(y)])[0][0]
            want = ref.structural_hinge(of, k, A, target, y, s)
            assert abs(value - want) <= 1e-10 * max(1, abs(want)), (y, s, target)


@pytest.mark.parametrize(("of", "k", "A"), CONFIGURATIONS)
def test_argmax_attains_the_maximum(of, k, A):
    rng = np.random.default_rng(1)
    loss = StructuredHinge(of, k, A=A)
    for _ in range(25):
        y, s = case(rng)
        order = loss.argmax(s, y, [0, len(y)])
        assert sorted(order) == list(range(len(y)))
        value = loss.value_and_grad(s, y, [0, len(y)])[0][0]
        if value == 0:
            continue
        levels = y if of == "ndcg" else (y >= 1).astype(int)
        at = ref.prediction_loss(of, k, y, order) + ref.ranking_score(A, k, levels, s, order)
        top = max(
            ref.prediction_loss(of, k, y, p) + ref.ranking_score(A, k, levels, s, p)
            for p in ref.permutations(range(len(y)))
        )
        assert at == pytest.approx(top, abs=1e-10)


def many(rng, n=40, longest=60):
    lengths = rng.integers(1, longest, n)
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    y = rng.integers(0, 5, ptr[-1]).astype(float)
    return y, ptr


@pytest.mark.parametrize(("of", "k", "A"), [c for c in CONFIGURATIONS if c[1] in (None, 3, 10)])
@pytest.mark.parametrize("target", ["mean", "random"])
def test_subgradient_inequality(of, k, A, target):
    rng = np.random.default_rng(2)
    y, ptr = many(rng)
    loss = StructuredHinge(of, k, A=A, target=target)
    assert loss.convex
    prepared = loss.prepare(y, ptr)
    for _ in range(6):
        s, t = (rng.standard_normal(len(y)) * rng.choice([0.1, 1]) for _ in range(2))
        f, g = prepared(s)
        h, _ = prepared(t)
        slope = np.add.reduceat(g * (t - s), ptr[:-1])
        assert (h >= f + slope - 1e-9 * (1 + np.abs(f))).all()


@pytest.mark.parametrize(("of", "k", "A"), [c for c in CONFIGURATIONS if c[1] in (None, 3, 10)])
def test_bounds_the_loss_of_the_predicted_ranking(of, k, A):
    rng = np.random.default_rng(3)
    y, ptr = many(rng)
    s = rng.standard_normal(len(y)) * 0.3
    best = StructuredHinge(of, k, A=A, target="best").value_and_grad(s, y, ptr)[0]
    mean = StructuredHinge(of, k, A=A).value_and_grad(s, y, ptr)[0]
    measure = {"ndcg": "nDCG", "p": "P", "map": "AP", "rr": "RR"}[of] + (f"@{k}" if k and of in ("ndcg", "p") else "")
    qid = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    performance = rk.evaluate(measure, y, s, qid, ties="stable", empty="one").per_query[measure]
    if of == "p":
        n_rel = np.add.reduceat(y >= 1, ptr[:-1])
        performance = performance * k / np.maximum(np.minimum(k, n_rel), 1)
    informative = mean > 0
    assert (best[informative] >= 1 - performance[informative] - 1e-9).all()
    assert (mean >= best - 1e-9).all()
    assert (mean >= 0).all()


@pytest.mark.parametrize("k", [3, 10, None])
@pytest.mark.parametrize("A", ["linear", "discount", "inverse-sqrt"])
@pytest.mark.parametrize("grades", [2, 3, 5])
def test_routes_agree_with_each_other_and_with_scipy(k, A, grades):
    rng = np.random.default_rng(4)
    for m in (2, 7, 30, 200 if k else 60):
        y = rng.integers(0, grades, m).astype(float)
        y[0] = 1
        s = 0.3 * rng.standard_normal(m) if m % 2 else 0.2 * rng.integers(-3, 4, m)
        loss = StructuredHinge("ndcg", k, A=A)
        prepared = loss.prepare(y, [0, m])
        value = prepared(s)[0][0]
        if y.min() == y.max():
            assert value == 0
            continue
        cut = m if k is None else min(k, m)
        a = np.array(ref.position_weights(A, k, m))
        d = np.array([ref.discount(r, "exp-log2") if r <= cut else 0 for r in range(1, m + 1)])
        gain = 2**y - 1
        gain = gain / (np.sort(gain)[::-1][:cut] @ d[:cut])
        benefit = np.outer(a, s) - np.outer(d, gain)
        rows, columns = linear_sum_assignment(benefit, maximize=True)
        want = 1 + benefit[rows, columns].sum() - prepared.problem.target @ s
        assert value == pytest.approx(want, abs=1e-9)
        ways = ["augmenting"] + ["sorting"] * (A == "discount")
        small = np.prod([min((y == g).sum(), cut) + 1.0 for g in np.unique(y)]) < 2e5
        for route in ways + ["counts"] * bool(small and (k is not None or m < 60)):
            order = prepared.argmax(s, route)
            assert benefit[np.arange(m), order].sum() == pytest.approx(want - 1 + prepared.problem.target @ s, abs=1e-9)


def test_ap_routes_agree():
    rng = np.random.default_rng(5)
    for _ in range(200):
        m = int(rng.integers(2, 60))
        y, s = rng.integers(0, 2, m).astype(float), 0.3 * rng.standard_normal(m)
        for A in ("yue", "partial-order"):
            prepared = StructuredHinge("map", A=A).prepare(y, [0, m])
            if not prepared.informative[0]:
                continue
            levels = y.astype(int)
            values = [
                ref.prediction_loss("map", None, y, order) + ref.ranking_score(A, None, levels, s, order)
                for order in (prepared.argmax(s, "insertion"), prepared.argmax(s, "grid"))
            ]
            assert values[0] == pytest.approx(values[1], abs=1e-10)


@pytest.mark.parametrize(("of", "k", "A"), [c for c in CONFIGURATIONS if c[1] in (None, 10)])
def test_rows_and_queries_may_be_permuted(of, k, A):
    rng = np.random.default_rng(6)
    y, ptr = many(rng)
    s = rng.integers(-3, 4, len(y)) * 0.1
    loss = StructuredHinge(of, k, A=A)
    values, grad = loss.value_and_grad(s, y, ptr)
    queries = rng.permutation(len(ptr) - 1)
    rows = np.concatenate([ptr[q] + rng.permutation(ptr[q + 1] - ptr[q]) for q in queries])
    new_ptr = np.concatenate([[0], np.cumsum(np.diff(ptr)[queries])])
    again, _ = loss.value_and_grad(s[rows], y[rows], new_ptr)
    np.testing.assert_allclose(again, values[queries], rtol=1e-12, atol=1e-13)
    one = StructuredHinge(of, k, A=A, threads=1).value_and_grad(s, y, ptr)
    assert np.array_equal(one[0], values)
    assert np.array_equal(one[1], grad)


@pytest.mark.parametrize(("of", "k", "A"), CONFIGURATIONS)
def test_queries_without_information_contribute_exactly_zero(of, k, A):
    loss = StructuredHinge(of, k, A=A)
    for y in ([0.0], [2.0], [0.0, 0.0], [3.0, 3.0, 3.0]):
        values, grad = loss.value_and_grad(np.arange(len(y)) * 7.0, y, [0, len(y)])
        assert values.tolist() == [0.0]
        assert not grad.any()
        assert sorted(loss.argmax(np.arange(len(y)) * 1.0, y, [0, len(y)])) == list(range(len(y)))
    if of == "p" and k == 10:
        assert loss.value_and_grad([1.0, 0.0], [1, 0], [0, 2])[0].tolist() == [0.0]


def test_huge_scores_and_float_grades():
    for of in ("ndcg", "map", "rr"):
        scores, grades = [1e150, -1e150, 0.0], [0.5, 2.5, 1.0]
        hinge = StructuredHinge(of)
        values, grad = hinge.value_and_grad(scores, grades, [0, 3])
        assert values[0] == pytest.approx(ref.structural_hinge(of, None, hinge.A, "mean", grades, scores), rel=1e-12)
        assert grad @ np.array(scores) == pytest.approx(values[0], rel=1e-12)  # Δ is nothing beside such scores


def test_random_target_is_seeded_and_one_perfect_ranking():
    y, ptr = np.array([1.0, 1, 0, 0, 2]), [0, 5]
    first = StructuredHinge("ndcg", target="random", seed=3).prepare(y, ptr).problem.target
    again = StructuredHinge("ndcg", target="random", seed=3).prepare(y, ptr).problem.target
    assert np.array_equal(first, again)
    assert sorted(first.tolist()) == [1, 2, 3, 4, 5]
    assert first[4] == 5
    assert set(first[:2]) == {3, 4}


def test_names_and_errors():
    assert losses.get("svm-ndcg@10").measure == "nDCG@10"
    assert losses.get("svm-map").A == "yue"
    assert losses.get("svm-rr").measure == "RR"
    assert losses.get("svm-p@5", rel=2).measure == "P(rel=2)@5"
    assert not losses.get("svm-ndcg", target="best").convex
    assert losses.get("svm-map", target="best").convex
    for call, message in (
        (lambda: losses.get("svm-nddcg"), "Did you mean 'svm-ndcg'"),
        (lambda: losses.get("svm-map@5"), "unknown loss"),
        (lambda: losses.get("svm-ndcg@0"), "k must be at least 1"),
        (lambda: losses.get("svm-p"), "Did you mean 'svm-p@k'"),
        (lambda: losses.get("svm-ndcg", A="liner"), "Did you mean 'linear'"),
        (lambda: losses.get("svm-ndcg", A=[1.0, 2.0]), "must not increase"),
        (lambda: losses.get("svm-ndcg", A=[]), "array of one dimension"),
        (lambda: losses.get("svm-ndcg", A=[np.nan]), "finite"),
        (lambda: losses.get("svm-ndcg", A="yue"), "partial-order"),
        (lambda: losses.get("svm-ndcg", target="worst"), "target must be one of"),
        (lambda: losses.get("svm-ndcg", gain="log"), "gain must be"),
        (lambda: losses.get("svm-ndcg").value_and_grad([1.0], [1, 0], [0, 2]), "expected 2 scores"),
        (lambda: losses.get("svm-ndcg").value_and_grad([1.0, np.nan], [1, 0], [0, 2]), "finite"),
        (lambda: losses.get("svm-ndcg").value_and_grad([1.0, 2.0], [1, -1], [0, 2]), "needs grades ≥ 0"),
        (lambda: losses.get("svm-ndcg").value_and_grad([1.0, 2.0], [1, 0], [0, 3]), "one grade for each of the 3 rows"),
        (lambda: losses.get("svm-ndcg").argmax([1.0, 2.0], [1, 0], [0, 2], route="x"), "route must be"),
    ):
        with pytest.raises(rk.InputError, match=message):
            call()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
def test_scores_that_cannot_be_added_up_are_refused(bad):
    """An overflow in X @ w came to the searches, which ran out of their arrays."""
    rng = np.random.default_rng(0)
    for of, k, A in (
        ("ndcg", None, "linear"),
        ("ndcg", 10, "discount"),
        ("map", None, "partial-order"),
        ("p", 3, "discount"),
    ):
        for m in (5, 40):
            y, scores = rng.integers(0, 3, m).astype(float), rng.normal(size=m)
            y[:2] = 0, 2
            scores[:] = bad if m == 5 else np.where(rng.random(m) < 0.4, bad, scores)
            prepared = StructuredHinge(of, k=k, A=A).prepare(y, np.array([0, m]))
            with pytest.raises(rk.InputError, match="not finite, or too large"):
                prepared.evaluate(0, 1, scores, np.empty(1), np.empty(m))


def test_gains_beyond_all_numbers_are_refused():
    with pytest.raises(rk.InputError, match="nDCG@10 of a grade 2000: its gain is too large"):
        StructuredHinge("ndcg", k=10).prepare([2000.0, 0.0, 1.0], [0, 3])
