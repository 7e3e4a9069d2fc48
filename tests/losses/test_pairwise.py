"""Pairwise, order-preserving, listwise and squared losses against double loops and differences."""

import itertools

import numpy as np
import pytest

import rankine as rk
from rankine.losses import get, names, pairwise_errors, standard_form

from .. import reference as ref

PAIRS = [
    "ranksvm", "ranksvm:norm", "ranksvm-l2", "ranksvm-l2:norm", "position-sensitive", "position-sensitive:norm",
    "preorder", "preorder:norm", "preorder:norm+dcg",
]  # fmt: skip
CONSISTENT = ["consistent-dcg", "consistent-dcg:norm", "consistent-ndcg", "consistent-ndcg@3", "consistent-ndcg:norm"]
OTHERS = ["listnet", "listmle", "squared", "squared-dcg", "squared-ndcg", "squared-ndcg@3", "duchi"]
GRADED = PAIRS + CONSISTENT + OTHERS


def random_queries(rng, n, grades=4, longest=9):
    """Scores with many ties, grades with many repetitions, some queries of one document or one grade."""
    lengths = rng.integers(1, longest, n)
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    s = np.round(2 * rng.standard_normal(ptr[-1]), int(rng.integers(0, 3)))
    y = rng.integers(0, grades, ptr[-1]).astype(float)
    return s, y, ptr


def slow(name, s, y, h=0.5, phi="smooth-hinge"):
    s, y = list(map(float, s)), list(map(float, y))
    k = int(name.split("@")[1].split(":")[0]) if "@" in name else None
    gains = [2**g - 1 for g in y]
    if "ndcg" in name:
        best = ref.best_dcg(y, k)
        gains = [g / best if best else 0.0 for g in gains]
    if name == "listnet":
        return ref.list_net(s, y)
    if name == "listmle":
        return ref.list_mle(s, y)
    if name == "duchi":
        c = [sum((2 ** y[i] - 2 ** y[j]) for j in range(len(s))) for i in range(len(s))]
        return sum(-a * b + 0.5 * b * b + 0.5 * a * a for a, b in zip(c, s, strict=True))
    if name.startswith("squared"):
        return sum((a - b) ** 2 for a, b in zip(s, y if name == "squared" else gains, strict=True))
    return ref.pair_loss(name, s, y, h, gains, phi)


@pytest.mark.parametrize("name", GRADED)
def test_value_is_the_double_loop(name):
    rng = np.random.default_rng(0)
    for _ in range(60):
        s, y, ptr = random_queries(rng, 25)
        values = get(name).value_and_grad(s, y, ptr)[0]
        want = [slow(name, s[a:b], y[a:b]) for a, b in itertools.pairwise(ptr)]
        np.testing.assert_allclose(values, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["preorder", "preorder:norm+dcg", "consistent-dcg", "consistent-ndcg"])
@pytest.mark.parametrize("phi", ["smooth-hinge", "squared-hinge"])
@pytest.mark.parametrize("h", [0.1, 0.5, 1.5])
def test_pair_functions(name, phi, h):
    rng = np.random.default_rng(1)
    s, y, ptr = random_queries(rng, 200)
    values = get(name, phi=phi, h=h).value_and_grad(s, y, ptr)[0]
    want = [slow(name, s[a:b], y[a:b], h, phi) for a, b in itertools.pairwise(ptr)]
    np.testing.assert_allclose(values, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", GRADED)
def test_gradient_by_differences(name):
    rng = np.random.default_rng(2)
    s, y, ptr = random_queries(rng, 30, grades=5)
    s = rng.standard_normal(len(s))  # away from kinks
    prepared = get(name).prepare(y, ptr)
    grad = prepared(s)[1]
    for i in range(len(s)):
        e = np.zeros(len(s))
        e[i] = 1e-6
        difference = (prepared(s + e)[0].sum() - prepared(s - e)[0].sum()) / 2e-6
        assert grad[i] == pytest.approx(difference, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", [n for n in GRADED if get(n).prepare([1, 0], [0, 2]).curved])
def test_hessian_products_by_differences(name):
    rng = np.random.default_rng(3)
    s, y, ptr = random_queries(rng, 30, grades=5)
    s = rng.standard_normal(len(s))
    prepared = get(name).prepare(y, ptr)
    v, out, state = rng.standard_normal(len(s)), np.empty(len(s)), np.empty(len(s), np.int64)
    prepared.prepare_hessian(0, 30, s, state)
    prepared.curvature(0, 30, s, state, v, out)
    difference = (prepared(s + 1e-6 * v)[1] - prepared(s - 1e-6 * v)[1]) / 2e-6
    np.testing.assert_allclose(out, difference, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", GRADED)
def test_convex_and_never_negative(name):
    rng = np.random.default_rng(4)
    for _ in range(20):
        s, y, ptr = random_queries(rng, 30)
        other = np.round(rng.standard_normal(len(s)), 1)
        prepared = get(name).prepare(y, ptr)
        (f, g), (f2, _) = prepared(s), prepared(other)
        assert (f >= -1e-9).all()
        for q, (a, b) in enumerate(itertools.pairwise(ptr)):
            assert f2[q] >= f[q] + g[a:b] @ (other[a:b] - s[a:b]) - 1e-8


@pytest.mark.parametrize("name", GRADED)
def test_rows_and_queries_in_any_order(name):
    rng = np.random.default_rng(5)
    s, y, ptr = random_queries(rng, 40)
    values, grad = get(name).value_and_grad(s, y, ptr)
    rows = np.concatenate([a + rng.permutation(b - a) for a, b in itertools.pairwise(ptr)])
    again, moved = get(name).value_and_grad(s[rows], y[rows], ptr)
    np.testing.assert_allclose(values, again, rtol=1e-10, atol=1e-12)
    if not name.startswith(("ranksvm", "position")) or "-l2" in name:
        np.testing.assert_allclose(grad[rows], moved, rtol=1e-9, atol=1e-9)
    one = get(name, threads=1).value_and_grad(s, y, ptr)
    assert np.array_equal(one[0], values)
    assert np.array_equal(one[1], grad)


@pytest.mark.parametrize("name", PAIRS + CONSISTENT)
@pytest.mark.parametrize("m", [257, 400])
@pytest.mark.parametrize("levels", [4, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_long_queries_agree_with_the_double_loop(name, m, levels, weighted, monkeypatch):
    """Beyond 256 documents a query is sorted; the double loop of the short ones is the twin, itself tested above."""
    rng = np.random.default_rng(m + levels)
    s, y = rng.standard_normal(m), rng.integers(0, levels, m) / 8
    s[:30] = s[30:60]  # ties, but no pair exactly at its margin
    weight = rng.random(m) if weighted else None
    v, state, out = rng.standard_normal(m), np.empty(m, np.int64), np.empty(m)
    prepared = get(name).prepare(y, [0, m], doc_weight=weight)
    values, grad = prepared(s)
    want, slope, bent = double_loop(prepared, s, v)
    assert values[0] == pytest.approx(want, rel=1e-9)
    if prepared.curved:
        np.testing.assert_allclose(grad, slope, rtol=1e-8, atol=1e-8 * np.abs(slope).max())
        prepared.prepare_hessian(0, 1, s, state)
        prepared.curvature(0, 1, s, state, v, out)
        np.testing.assert_allclose(out, bent, rtol=1e-8, atol=1e-8 * np.abs(bent).max())
    else:
        np.testing.assert_allclose(grad, slope, rtol=1e-8, atol=1e-8 * np.abs(slope).max())


def double_loop(prepared, s, v):
    """Value, gradient and product with the Hessian over all pairs at once, as matrices."""
    x, phi = prepared.layout, prepared.pair
    t = s - x.offset
    mask = ~np.eye(len(s), dtype=bool) if prepared.every else x.level[:, None] > x.level
    weight = mask * sum(np.outer(a, b) for a, b in zip(x.a, x.b, strict=True))
    value, slope, bend = 0.0, np.zeros((len(s), len(s))), np.zeros((len(s), len(s)))
    for c, M in zip(phi.coefs, phi.margins, strict=True):
        z = M - (t[:, None] - t)
        value += c * (weight * np.maximum(z, 0) ** phi.power).sum()
        slope -= c * weight * ((z > 0) if phi.power == 1 else 2 * np.maximum(z, 0))
        bend += 2 * c * weight * (z > 0)
    product = bend * (v[:, None] - v)
    return value, slope.sum(1) - slope.sum(0), product.sum(1) - product.sum(0)


def test_long_queries_and_many_levels():
    rng = np.random.default_rng(6)
    s, y = np.round(rng.standard_normal(700), 2), np.round(rng.random(700), 2)
    for name in ("ranksvm", "ranksvm-l2", "position-sensitive", "preorder", "consistent-dcg"):
        value = get(name).value_and_grad(s, y, [0, 700])[0][0]
        assert value == pytest.approx(slow(name, s, y), rel=1e-9)
    assert pairwise_errors(s, y, [0, 700])[0] == ref.pair_errors(s, y)


def test_pairwise_errors():
    rng = np.random.default_rng(7)
    s, y, ptr = random_queries(rng, 2000)
    want = [ref.pair_errors(s[a:b], y[a:b]) for a, b in itertools.pairwise(ptr)]
    assert np.array_equal(pairwise_errors(s, y, ptr), want)


@pytest.mark.parametrize(
    ("y", "s", "want"),
    [
        ([3, 2, 1], [0.0, 0.0, 0.0], (3 - 1.5) + (3 - 1) + (1.5 - 1)),  # a full ranking, r = m = 3
        ([3, 2, 1], [2.0, 1.0, 0.0], 0.5),  # 1.5 − 1 is left of the first pair
        ([2, 2, 1, 0], [0.0, 0.0, 0.0, 0.0], 2 * (3 - 1.5) + 2 * (3 - 1) + (1.5 - 1)),  # three levels
        ([1, 0, 0], [0.0, 0.0, 1.0], (2 - 1) + (2 - 1 + 1)),  # two levels: the margin is 1
        ([1, 1, 1], [3.0, 2.0, 1.0], 0.0),
    ],
)
def test_position_sensitive_margins_by_hand(y, s, want):
    assert get("position-sensitive").value_and_grad(s, y, [0, len(y)])[0][0] == pytest.approx(want)


def test_document_weights_multiply_pairs():
    rng = np.random.default_rng(8)
    s, y, ptr = random_queries(rng, 40)
    copies = rng.integers(1, 4, len(s))
    rows = np.repeat(np.arange(len(s)), copies)
    ends = np.concatenate([[0], np.cumsum(np.add.reduceat(copies, ptr[:-1]))])
    for name in ("ranksvm", "ranksvm-l2", "preorder", "squared"):
        weighted, grad = get(name).prepare(y, ptr, doc_weight=copies.astype(float))(s)
        copied, moved = get(name).value_and_grad(s[rows], y[rows], ends)
        np.testing.assert_allclose(weighted, copied, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(grad, np.bincount(rows, moved), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [n.replace("@k", "@10") for n in names()])
def test_degenerate_supervision(name):
    """One document; all grades equal; huge scores; not a number."""
    loss = get(name)
    supervision = {"preferences": rk.Preferences([1], [2]), "ranks": [1, 1, 2], "grades": [0, 0, 1]}
    y = supervision[loss.supervision[-1]]
    values, grad = loss.value_and_grad([0.3, 1e6, -1e6], y, [0, 1, 3])
    assert values[0] == 0 or name.startswith(("squared", "duchi"))
    assert np.isfinite(values).all()
    assert np.isfinite(grad).all()
    with pytest.raises(rk.InputError, match="scores"):
        loss.value_and_grad([0.0, np.nan, 0.0], y, [0, 1, 3])
    with pytest.raises(rk.InputError, match="expected 3 scores"):
        loss.value_and_grad([0.0], y, [0, 1, 3])
    if not name.startswith(("consistent", "squared", "duchi", "listnet")):
        values, grad = loss.value_and_grad([3.0, 1.0, 2.0], [1, 1, 1], [0, 3])
        assert not values.any()
        assert not grad.any()


def test_far_scores_keep_their_digits():
    rng = np.random.default_rng(0)
    for m in (40, 300):
        s, y = rng.standard_normal(m), rng.integers(0, 4, m).astype(float)
        s[np.argmax(y)] = 1e8
        assert get("ranksvm-l2").value_and_grad(s, y, [0, m])[0][0] == pytest.approx(slow("ranksvm-l2", s, y), rel=1e-9)
    values, grad = get("listmle").value_and_grad([-1e8, 0.0, 1e8], [2, 1, 0], [0, 3])
    assert values[0] == pytest.approx(3e8)
    np.testing.assert_allclose(grad, [-1, -1, 2], atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: standard_form("AP", [1, 0], [0, 2]), "Theorem 3"),
        (lambda: standard_form("ERR@20", [1, 0], [0, 2]), "Theorem 3"),
        (lambda: standard_form("nonsense", [1, 0], [0, 2]), "no standard form is known for 'nonsense'"),
        (lambda: standard_form("P@5", [1, 0], [0, 2]), "no standard form is known for P@5"),
        (lambda: standard_form("nDCG(dcg='letor')@5", [1, 0], [0, 2]), "LETOR"),
        (lambda: standard_form("DCG", [-1, 0], [0, 2]), "grades ≥ 0"),
        (lambda: standard_form("WPD", [1, 0], [0, 2]), "expected a preference graph"),
        (lambda: standard_form("zero-one", [1, 3], [0, 2]), "query 0: expected the ranks 1 to 2"),
        (lambda: standard_form("zero-one", [1, 2, 1, 1], [0, 2, 4]), "query 1: expected the ranks 1 to 2"),
        (lambda: standard_form("zero-one", [1.5, 2], [0, 2]), "each once"),
        (lambda: get("consistent-rank").prepare([0, 1], [0, 2]), "expected the ranks"),
        (lambda: get("consistent-wpd").prepare(rk.Preferences([0, 1, 2], [1, 2, 0]), [0, 3]), "in a circle"),
        (lambda: get("duchi").prepare(rk.Preferences([0, 1], [1, 0]), [0, 2]), "in a circle"),
        (lambda: get("consistent-wpd").prepare(rk.Preferences([0], [2]), [0, 2, 4]), "different queries"),
        (lambda: rk.Preferences([0], [1], [-1.0]), "weight ≥ 0"),
        (lambda: get("ranksvm").prepare(rk.Preferences([0], [1]), [0, 2]), "needs grades"),
        (lambda: get("preorder", h=0), "must be positive"),
        (lambda: get("consistent-dcg", h=-1), "must be positive"),
        (lambda: get("consistent-dcg", phi="hinge"), "not differentiable"),
        (lambda: get("preorder", phi="square"), "unknown pair function"),
        (lambda: get("preorder:dcg"), "unknown loss"),
        (lambda: get("ranksvm@10"), "unknown loss"),
        (lambda: get("consistent-ndcg@0"), "k must be at least 1"),
        (lambda: get("duchi", nu=0), "nu"),
        (lambda: get("preorder", h=1e-12), "at least 1e-6"),
        (lambda: get("preorder:norm", weights="one"), "in the name already"),
        (lambda: get(None), "expected the name of a loss"),
        (lambda: standard_form(None, [1, 0], [0, 2]), "expected the name of a measure"),
        (lambda: get("consistent-dcg").prepare([2000, 0], [0, 2]), "too large a number"),
        (lambda: get("preorder:norm+dcg").prepare([2000, 0], [0, 2]), "too large a number"),
        (lambda: get("ranksvm", A="linear"), "there is no option 'A', position weights"),
        (lambda: get("ranksvm").prepare([1.0, np.inf], [0, 2]), "y"),
        (lambda: get("ranksvm").prepare([1.0], [0, 2]), "one grade for each of the 2 rows"),
        (lambda: get("ranksvm").prepare([1.0, 0.0], [0, 2, 2]), "ptr"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()
