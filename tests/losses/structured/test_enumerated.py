"""Sum and soft-max hinges against sums over all permutations."""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

import rankine as rk
from rankine import losses
from rankine.losses.structured.enumerated import drawn_outputs
from rankine.rankers.linear import LongQueryWarning
from rankine.sample import judged_set

from ... import reference as ref
from .test_hinge import case

LOSSES = [("ndcg", None), ("ndcg", 2), ("map", None)]


@pytest.mark.parametrize(("of", "k"), LOSSES)
@pytest.mark.parametrize("soft", [False, True])
def test_sums_over_all_outputs(of, k, soft):
    rng = np.random.default_rng(7)
    name = f"{'softmax' if soft else 'sum'}-{of}" + ("" if k is None else f"@{k}")
    loss, worst = losses.get(name), losses.get(f"svm-{of}" + ("" if k is None else f"@{k}"),
                                               A="partial-order" if of == "ndcg" else "yue")  # fmt: skip
    for _ in range(150):
        y, s = case(rng, most=5)
        ptr = [0, len(y)]
        value, grad = loss.value_and_grad(s, y, ptr)
        assert value[0] == pytest.approx(ref.over_outputs(of, k, y, s, soft), abs=1e-9, rel=1e-9)
        hinge = worst.value_and_grad(s, y, ptr)[0][0]
        assert value[0] >= hinge - 1e-9 * max(1, abs(s).max())  # it dominates the worst one
        other = s + 0.1 * rng.normal(size=len(s))
        above = loss.value_and_grad(other, y, ptr)[0][0]
        assert above >= value[0] + grad @ (other - s) - 1e-8 * max(1, abs(s).max())


def test_without_loss_the_soft_maximum_is_a_likelihood():
    """Of all m! rankings of a full order: log Σ exp(F − F*) is −log of the probability of the right one."""
    y, s = np.array([3.0, 2.0, 1.0, 0.0]), np.array([0.3, -0.2, 0.5, 0.1])
    scored = [ref.ranking_score("partial-order", None, list(y), s, p) for p in permutations(range(4))]
    want = -math.log(math.exp(scored[0]) / sum(map(math.exp, scored)))
    value = losses.get("softmax-ndcg").value_and_grad(s, y, [0, 4])[0][0]
    assert want < value < want + 1  # Δ lies between 0 and 1


def test_a_ranker_learns_with_them():
    data = judged_set(n_queries=8)
    small = data.take(np.flatnonzero(np.arange(data.n_documents) - np.repeat(data.ptr[:-1], np.diff(data.ptr)) < 6))
    for name in ("sum-ndcg", "sum-map", "softmax-ndcg@3", "softmax-map"):
        model = rk.LinearRanker(name, C=0.1, normalise="zscore").fit(small)
        assert model.gap_ <= 1e-3


def name_of(of, k, soft):
    return f"{'softmax' if soft else 'sum'}-{of}" + ("" if k is None else f"@{k}")


@pytest.mark.parametrize(("of", "k"), LOSSES)
@pytest.mark.parametrize("soft", [False, True])
def test_the_worst_output_stands_in_for_a_long_query(of, k, soft):
    """It is the arg-max hinge, a lower bound, within a factor of N − 1 of a sum, within log N of a soft maximum."""
    rng, long = np.random.default_rng(8), 0
    A = "partial-order" if of == "ndcg" else "yue"
    for _ in range(150):
        y, s = case(rng, most=5)
        loss = losses.get(name_of(of, k, soft), limit=4)
        value, grad = loss.value_and_grad(s, y, [0, len(y)])
        terms, _ = ref.output_terms(of, k, y, s)
        n = 1 if terms is None else len(terms)
        exact = ref.over_outputs(of, k, y, s, soft)
        if n <= 4:
            assert value[0] == pytest.approx(exact, abs=1e-9, rel=1e-9)
            continue
        long += 1
        hinge = losses.get(f"svm-{of}" + ("" if k is None else f"@{k}"), A=A).value_and_grad(s, y, [0, len(y)])
        assert value[0] == hinge[0][0] == pytest.approx(max(terms.values()), abs=1e-9)
        np.testing.assert_array_equal(grad, hinge[1])
        slack = 1e-9 * max(1, abs(s).max())
        assert value[0] <= exact + slack
        assert exact <= (value[0] + math.log(n) if soft else (n - 1) * value[0]) + slack
    assert long > 20


@pytest.mark.parametrize(("of", "k"), LOSSES)
@pytest.mark.parametrize("soft", [False, True])
def test_drawn_outputs_of_a_long_query(of, k, soft):
    """The sum over just those outputs, convex, below the sum over all; the same whatever the scores."""
    rng, long = np.random.default_rng(9), 0
    for _ in range(100):
        y, s = case(rng, most=5)
        loss = losses.get(name_of(of, k, soft) + ":sample", limit=4, samples=6, seed=3)
        prepared = loss.prepare(y, [0, len(y)])
        if not len(prepared.long):
            assert prepared(s)[0][0] == losses.get(name_of(of, k, soft)).value_and_grad(s, y, [0, len(y)])[0][0]
            continue
        long += 1
        levels = sorted(set(y if of == "ndcg" else (y >= 1).astype(int)), reverse=True)
        sizes = tuple(sum((y if of == "ndcg" else (y >= 1).astype(int)) == g) for g in levels)
        kept = {tuple(levels[j] for j in row) for row in drawn_outputs(sizes, 6, 3)}
        assert 1 <= len(kept) <= 6
        value, grad = prepared(s)
        assert value[0] == pytest.approx(ref.over_outputs(of, k, y, s, soft, kept), abs=1e-9, rel=1e-9)
        assert value[0] <= ref.over_outputs(of, k, y, s, soft) + 1e-9
        other = s + 0.1 * rng.normal(size=len(s))
        assert prepared(other)[0][0] >= value[0] + grad @ (other - s) - 1e-8 * max(1, abs(s).max())
    assert long > 20


def test_every_output_is_drawn_equally_often():
    counts = Counter(tuple(row.tolist()) for seed in range(2000) for row in drawn_outputs((2, 1, 2), 4, seed))
    assert len(counts) == 29  # of 30 sequences the perfect one is left out
    assert max(counts.values()) - min(counts.values()) < 8 * math.sqrt(np.mean(list(counts.values())))


@pytest.mark.parametrize("name", ["sum-ndcg:sample", "softmax-map:sample", "sum-map", "softmax-ndcg@2"])
def test_the_order_of_queries_and_rows_does_not_matter(name):
    rng = np.random.default_rng(4)
    ptr, y = np.arange(0, 49, 8), rng.integers(0, 3, 48).astype(float)
    s = rng.normal(size=48)
    loss = losses.get(name, limit=5, samples=20)
    values, grad = loss.value_and_grad(s, y, ptr)
    assert len(loss.prepare(y, ptr).long) == 6
    order = np.concatenate([q * 8 + rng.permutation(8) for q in rng.permutation(6)])
    again, slopes = loss.value_and_grad(s[order], y[order], ptr)
    np.testing.assert_allclose(again, values[order[::8] // 8], rtol=1e-12)
    np.testing.assert_allclose(slopes, grad[order], atol=1e-12)
    part = loss.value_and_grad(s[16:32], y[16:32], [0, 8, 16])[0]  # a part of the data counts as in the whole
    np.testing.assert_array_equal(part, values[2:4])


def test_long_queries_are_named_by_id_and_counted_at_the_end():
    rng = np.random.default_rng(0)
    qid = np.repeat(["short", "long one", "long two"], [3, 14, 15])
    y = np.arange(32) % 4
    X = rng.normal(size=(32, 3)) + 2 * y[:, None]
    named = (
        r"^2 of 3 queries are too long for sum-ndcg, .* 1,000 outputs: long one, long two\. Each counts its worst "
        r"output alone \(svm-ndcg with A='partial-order'\)"
    )
    with pytest.warns(LongQueryWarning, match=named):
        rk.LinearRanker("sum-ndcg", C=0.1, loss_options={"limit": 1000}).fit(X, y, qid=qid)
    model = rk.LinearRanker("sum-ndcg", C=0.1, loss_options={"long": "sample", "samples": 50, "seed": 7})
    with pytest.warns(LongQueryWarning, match=r"at most 50 outputs, drawn with seed 7 .* of this sampled problem"):
        model.fit(X, y, qid=qid)
    with pytest.warns(LongQueryWarning, match="long one"):
        rk.KernelRanker("softmax-map", C=0.1, loss_options={"limit": 100}).fit(X, y, qid=qid)
    with pytest.raises(rk.InputError, match=r"^sum-ndcg:error: 2 of 3 queries have more than 1,000,000 outputs; query "
                       r"long two has about 10\^7\. sum-ndcg takes"):  # fmt: skip
        rk.LinearRanker("sum-ndcg:error", C=0.1).fit(X, y, qid=qid)
    with pytest.raises(rk.InputError, match="query number 3 has"):
        losses.get("sum-ndcg", long="error").prepare(y, [0, 3, 17, 32])


def test_the_certificate_is_of_the_sampled_problem():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 60)
    data = rk.RankingData(rng.normal(size=(60, 3)) + 2 * y[:, None], y, np.arange(60) // 12)
    options = {"samples": 40, "limit": 100}
    with pytest.warns(LongQueryWarning):
        model = rk.LinearRanker("sum-ndcg:sample", C=0.01, loss_options=options, tol=1e-3).fit(data)
    sampled = losses.get("sum-ndcg:sample", **options).value_and_grad(data.X @ model.coef_, data.y, data.ptr)[0].sum()
    assert model.objective_ == pytest.approx(0.5 * model.coef_ @ model.coef_ + 0.01 * sampled)
    assert model.gap_ <= 1e-3


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"long": "skip"}, "long must be one of argmax, sample, error; got 'skip'"),
        ({"limit": 0}, "limit must be a whole number, at least 1; got 0"),
        ({"samples": 2.5}, "samples must be a whole number, at least 1; got 2.5"),
        ({"seed": -1}, "seed must be a whole number, at least 0; got -1"),
    ],
)
def test_wrong_options(options, text):
    with pytest.raises(rk.InputError, match=text):
        losses.get("sum-ndcg", **options)
