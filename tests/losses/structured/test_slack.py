"""Slack rescaling: found or enclosed, and certified by its upper bounds."""

from itertools import pairwise

import numpy as np
import pytest

import rankine as rk
from rankine import losses
from rankine.losses.structured.hinge import StructuredHinge
from rankine.sample import judged_set
from rankine.solvers import ConvergenceWarning

from ... import reference as ref
from .test_hinge import CONFIGURATIONS, case


def slack(of, k, A, y, s):
    """Over all permutations."""
    m = len(y)
    levels = list(y) if of == "ndcg" else [int(g >= 1) for g in y]
    orders = list(ref.permutations(range(m)))
    deltas = [ref.prediction_loss(of, k, y, order) for order in orders]
    if deltas[0] is None or max(deltas) - min(deltas) < 1e-12:
        return 0.0
    scored = [ref.ranking_score(A, k, levels, s, order) for order in orders]
    perfect = [f for f, o in zip(scored, orders, strict=True) if all(levels[a] >= levels[b] for a, b in pairwise(o))]
    star = sum(perfect) / len(perfect)
    return max(d * (1 + f - star) for d, f in zip(deltas, scored, strict=True))


@pytest.mark.parametrize(("of", "k", "A"), [c for c in CONFIGURATIONS if c[1] in (None, 2)])
def test_slack_rescaling_is_found_or_enclosed(of, k, A, monkeypatch):
    from rankine.losses.structured import slack as module
    from rankine.losses.structured.slack import SlackHinge

    rng = np.random.default_rng(5)
    loss = SlackHinge(StructuredHinge(of, k, A=A))
    for few in (2000, 0):  # by looking at all, and by bounds alone
        monkeypatch.setattr(module, "_FEW", max(few, 1e-9))
        for _ in range(40):
            y, s = case(rng, most=5)
            prepared = loss.prepare(y, [0, len(y)])
            low, high, grad = prepared.certified(np.asarray(s, float))
            want = slack(of, k, A, y, s)
            room = 1e-9 * max(1, abs(want), abs(s).max())
            assert low[0] - room <= want <= high[0] + room
            if few and of != "rr":
                assert low[0] == pytest.approx(want, abs=room)
                other = s + 0.3 * rng.normal(size=len(s))
                assert slack(of, k, A, y, other) >= want + grad @ (other - s) - 1e-8 * max(1, abs(s).max())


def test_a_fit_with_slack_rescaling_is_certified_by_the_upper_bounds(data):
    ranker = rk.LinearRanker("svm-ndcg@10:slack", C=0.3, loss_options={"A": "partial-order"})
    with pytest.warns(ConvergenceWarning, match=r"between two bounds only: ended at a relative gap of 0\.0\d+, 0\.001"):
        model = ranker.fit(data)
    upper = losses.get("svm-ndcg@10:slack", A="partial-order").prepare(data.y, data.ptr).upper(model.predict(data))
    objective = 0.5 * float(model.coef_ @ model.coef_) + 0.3 * float(upper.sum())
    assert model.objective_ == pytest.approx(objective, rel=1e-6)  # features in single precision
    plain = (model.objective_ - model.lower_bound_) / model.objective_
    assert plain <= model.gap_ <= plain + 1e-4  # and what rounding can have done to the objective
    assert model.gap_ > model.tol
    assert (model.history_[-1].objective, model.history_[-1].gap) == (model.objective_, model.gap_)
    assert model.history_[-2].gap <= model.tol  # of the lower bounds alone
    assert model.score(data) > 0.7


def test_slack_rescaling_behind_a_kernel_is_certified_by_the_upper_bounds():
    data = judged_set(n_queries=8)
    ranker = rk.KernelRanker(
        "svm-ndcg@10:slack", C=1.0, kernel="linear", loss_options={"A": "partial-order"}, max_iter=6, tol=1e-9,
        normalise="query-zscore",
    )  # fmt: skip
    with pytest.warns(ConvergenceWarning):
        model = ranker.fit(data)
    prepared = losses.get("svm-ndcg@10:slack", A="partial-order").prepare(data.y, data.ptr)
    scores = model.predict(data)
    w = model.support_.T @ model.dual_coef_
    square = 0.5 * float(w @ w)
    assert model.objective_ == pytest.approx(square + float(prepared.upper(scores).sum()), rel=1e-6)
    assert model.objective_ > square + float(prepared(scores)[0].sum()) * (1 + 1e-4)  # the lower bounds say too little
