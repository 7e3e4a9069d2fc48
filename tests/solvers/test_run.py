"""Limits, interrupts and warm starts, alike in every solver."""

import numpy as np
import pytest

import rankine as rk
from rankine.losses import get
from rankine.rankers.oracle import linear as oracle_module
from rankine.solvers.certificate import ConvergenceWarning

from ..cases import linear_problem

pytestmark = pytest.mark.filterwarnings("ignore::rankine.rankers.training.NothingLearnedWarning")


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sgd", "bundle"])
def test_limits_and_warm_starts(solver):
    X, y, qid = linear_problem()
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        rk.LinearRanker(loss="ranksvm-l2", solver=solver, tol=1e-12, max_iter=1).fit(X, y, qid=qid)
    with pytest.warns(ConvergenceWarning, match="seconds"):
        rk.LinearRanker(loss="ranksvm-l2", solver=solver, tol=1e-12, max_time=0).fit(X, y, qid=qid)
    tol = 1e-2 if solver == "sgd" else 1e-4
    for model in rk.LinearRanker(loss="ranksvm-l2", solver=solver, tol=tol).path([1e-3, 1e-2], X, y, qid=qid):
        alone = rk.LinearRanker(loss="ranksvm-l2", C=model.C, tol=1e-7).fit(X, y, qid=qid)
        assert model.objective_ == pytest.approx(alone.objective_, rel=tol)
    near = rk.LinearRanker(loss="ranksvm-l2", solver=solver, C=1e-7, w0=np.ones(6), tol=tol).fit(X, y, qid=qid)
    np.testing.assert_allclose(near.coef_, 1, atol=2e-2)


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sgd"])
def test_an_interrupt_keeps_the_best_point(solver, monkeypatch):
    X, y, qid = linear_problem()
    inner, calls = oracle_module.LinearOracle.value_grad, [0]

    def value_grad(self, w):
        calls[0] += 1
        if calls[0] > 1:
            raise KeyboardInterrupt
        return inner(self, w)

    monkeypatch.setattr(oracle_module.LinearOracle, "value_grad", value_grad)
    monkeypatch.setattr(oracle_module.LinearOracle, "hvp", lambda self, w, v: value_grad(self, w))
    with pytest.warns(ConvergenceWarning, match="an interrupt"):
        model = rk.LinearRanker(loss="ranksvm-l2", C=1.0, solver=solver, tol=1e-12).fit(X, y, qid=qid)
    data = rk.RankingData(X, y, qid)
    height = [0.5 * w @ w + get("ranksvm-l2").value_and_grad(data.X @ w, data.y, data.ptr)[0].sum()
              for w in (model.coef_, np.zeros(6))]  # fmt: skip
    assert model.objective_ == pytest.approx(height[0])
    assert height[0] <= height[1]


@pytest.mark.parametrize("solver", ["auto", "bundle", "lbfgs", "sgd"])
def test_nothing_to_learn_from_is_certified(solver):
    for X, y, loss in (
        (np.zeros((4, 2)), [0, 1, 2, 1], "ranksvm-l2"),
        (np.ones((4, 2)), [0, 1, 2, 1], "preorder"),
        (np.eye(2), [1, 1], "consistent-dcg"),
    ):
        model = rk.LinearRanker(loss=loss, solver=solver).fit(X, y)
        assert model.gap_ <= 1e-9
        assert np.linalg.norm(model.coef_) < 1e-9


def test_a_small_C_still_takes_a_step():
    X, y, qid = linear_problem()
    for solver in ("newton", "bundle", "lbfgs", "sgd"):
        model = rk.LinearRanker(loss="preorder", C=1e-7, solver=solver).fit(X, y, qid=qid)
        assert rk.evaluate("nDCG", y, model.predict(X), qid).mean["nDCG"] > 0.85
