"""Sum and soft-max hinges against sums over all permutations."""

import math
from itertools import permutations

import numpy as np
import pytest

import rankine as rk
from rankine import losses
from rankine.sample import judged_set

from ... import reference as ref
from .test_hinge import case

LOSSES = [("ndcg", None), ("ndcg", 2), ("map", None)]


def brute(of, k, y, s, soft):
    """Over all permutations; of those with one sequence of grades the one with the largest F counts."""
    m = len(y)
    levels = list(y) if of == "ndcg" else [int(g >= 1) for g in y]
    A = "partial-order" if of == "ndcg" else "yue"
    orders = list(permutations(range(m)))
    deltas = [ref.prediction_loss(of, k, y, order) for order in orders]
    if deltas[0] is None or max(deltas) - min(deltas) < 1e-12 or len(set(levels)) == 1:
        return 0.0
    best = {}
    for order, delta in zip(orders, deltas, strict=True):
        key = tuple(levels[i] for i in order)
        f = ref.ranking_score(A, k, levels, s, order)
        best[key] = max(best.get(key, (-math.inf, 0))[0], f), delta
    perfect = tuple(sorted(levels, reverse=True))
    star = best[perfect][0]
    if soft:
        return math.log(sum(math.exp(d + f - star) for f, d in best.values()))
    return sum(max(d + f - star, 0.0) for key, (f, d) in best.items() if key != perfect)


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
        assert value[0] == pytest.approx(brute(of, k, y, s, soft), abs=1e-9, rel=1e-9)
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


def test_a_ranker_learns_with_them_and_too_many_outputs_are_an_error():
    data = judged_set(n_queries=8)
    small = data.take(np.flatnonzero(np.arange(data.n_documents) - np.repeat(data.ptr[:-1], np.diff(data.ptr)) < 6))
    for name in ("sum-ndcg", "sum-map", "softmax-ndcg@3", "softmax-map"):
        model = rk.LinearRanker(name, C=0.1, normalise="zscore").fit(small)
        assert model.gap_ <= 1e-3
    with pytest.raises(rk.InputError, match=r"outputs, at most 1,000,000 .*svm-ndcg"):
        rk.LinearRanker("sum-ndcg").fit(data)
