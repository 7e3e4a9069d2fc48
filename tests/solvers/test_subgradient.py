"""Subgradient descent reaches the optimum of the bundle method."""

import pytest

import rankine as rk


@pytest.mark.parametrize("solver", ["subgradient", "conjugate"])
@pytest.mark.parametrize("loss", ["svm-ndcg@10", "svm-map", "ranksvm", "ranksvm-l2"])
def test_subgradient_descent_reaches_the_same_optimum(data, solver, loss):
    options = {"A": "partial-order"} if "ndcg" in loss else {}
    want = rk.LinearRanker(loss=loss, C=0.1, tol=1e-4, loss_options=options).fit(data)
    model = rk.LinearRanker(loss=loss, C=0.1, solver=solver, max_iter=5000, loss_options=options).fit(data)
    assert model.gap_ <= 1e-3
    assert model.lower_bound_ <= want.objective_ * (1 + 1e-9)
    assert want.lower_bound_ <= model.objective_ <= want.objective_ * (1 + 2e-3)
