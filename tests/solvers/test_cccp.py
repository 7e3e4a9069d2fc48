"""The convex-concave procedure: the objective never rises."""

import warnings
from itertools import pairwise

import pytest

import rankine as rk
from rankine import losses


@pytest.mark.parametrize("loss", ["svm-ndcg@10:tight", "svm-map:tight", "svm-ndcg@5"])
def test_the_objective_never_rises(data, loss):
    options = {"target": "best"} if ":" not in loss else {}
    with warnings.catch_warnings():  # the convex optimum may be w = 0
        warnings.simplefilter("ignore")
        convex = rk.LinearRanker(loss=loss.split(":")[0], C=1.0).fit(data)
    model = rk.LinearRanker(loss=loss, C=1.0, loss_options=options, n_starts=4).fit(data)
    objectives = [step.objective for step in model.history_]
    assert all(b <= a + 1e-9 for a, b in pairwise(objectives))
    made = losses.get(loss, **options)
    value = made.value_and_grad(data.X @ convex.coef_, data.y, data.ptr)[0].sum()
    assert model.objective_ <= 0.5 * convex.coef_ @ convex.coef_ + value + 1e-9
    assert (model.lower_bound_, model.gap_) == (0.0, 1.0)
    again = rk.LinearRanker(loss=loss, C=1.0, loss_options=options, solver="subgradient").fit(data)
    assert again.objective_ <= objectives[0] + 1e-9
    from_regression = rk.LinearRanker(loss=loss, loss_options=options, solver="subgradient", w0="regression").fit(data)
    assert from_regression.objective_ > 0
    assert rk.evaluate("AP", data.y, from_regression.predict(data), data.qid).mean["AP"] > 0.4


def test_a_path_is_no_worse_than_single_fits(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = rk.LinearRanker("svm-ndcg@5:tight").path([0.01, 1.0], data)
        alone = rk.LinearRanker("svm-ndcg@5:tight", C=1.0).fit(data)
    assert path[-1].objective_ <= alone.objective_ * (1 + 1e-9)
