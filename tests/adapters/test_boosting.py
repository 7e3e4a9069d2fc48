"""Losses and measures as the boosting libraries take them: gradients, groups, curvature."""

import lightgbm
import numpy as np
import pytest
import xgboost

import rankine as rk
from rankine.adapters import lightgbm as lgb_adapter
from rankine.adapters import xgboost as xgb_adapter
from rankine.errors import InputError
from rankine.losses import get
from rankine.sample import judged_set


@pytest.fixture(scope="module")
def data():
    return judged_set(n_queries=30)


LOSSES = [
    "svm-ndcg@10", "svm-map", "svm-p@3", "svm-rr", "svm-ndcg@5:tight", "svm-map:tight", "ranksvm", "ranksvm-l2:norm",
    "position-sensitive", "preorder", "consistent-ndcg@10", "listnet", "listmle", "squared", "squared-dcg", "duchi",
]  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_what_libraries_are_handed_is_the_gradient(data, name):
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(data.n_documents)
    scores = rng.normal(size=data.n_documents)
    values, grad = get(name).value_and_grad(scores, data.y, data.ptr)
    for objective in (lgb_adapter.objective(name, data.qid[shuffled]), xgb_adapter.objective(name, data.qid[shuffled])):

        class Rows:
            @staticmethod
            def get_label():
                return data.y[shuffled]

        got, curve = objective(scores[shuffled], Rows)
        # queries come in another order, so sums within a query are the same but for rounding
        assert got == pytest.approx(grad[shuffled], rel=1e-5, abs=1e-5 * max(np.abs(grad).max(), 1))
        assert (curve > 0).all()
        assert np.isfinite(curve).all()
    assert np.isfinite(values).all()


def test_groups_of_the_library_do_as_well_as_ids(data):
    sizes = np.diff(data.ptr)
    scores = np.random.default_rng(0).normal(size=data.n_documents)
    want = get("svm-map").value_and_grad(scores, data.y, data.ptr)[1]
    train = lightgbm.Dataset(data.X, data.y, group=sizes).construct()
    assert lgb_adapter.objective("svm-map")(scores, train)[0] == pytest.approx(want)
    name, value, higher = lgb_adapter.metric("nDCG@5")(scores, train)
    assert (name, higher) == ("nDCG@5", True)
    assert value == pytest.approx(rk.evaluate("nDCG@5", data.y, scores, data.qid).mean["nDCG@5"])
    matrix = xgboost.DMatrix(data.X, data.y, qid=np.repeat(np.arange(30), sizes))
    assert xgb_adapter.objective("svm-map")(scores, matrix)[0] == pytest.approx(want, abs=1e-6)
    assert xgb_adapter.metric("nDCG@5")(scores, matrix) == ("nDCG@5", pytest.approx(value))
    with pytest.raises(InputError, match="Give qid"):
        lgb_adapter.objective("svm-map")(scores, lightgbm.Dataset(data.X, data.y).construct())
    with pytest.raises(InputError, match="Give qid"):
        xgb_adapter.objective("svm-map")(scores, xgboost.DMatrix(data.X, data.y))


def test_the_squared_loss_is_the_librarys_own(data):
    X, y, qid = data.X, data.y, data.qid
    common = {"num_leaves": 15, "learning_rate": 0.1, "verbose": -1, "min_data_in_leaf": 5, "boost_from_average": False,
              "deterministic": True, "force_row_wise": True}  # fmt: skip
    own = lightgbm.train({**common, "objective": "regression"}, lightgbm.Dataset(X, y), 20)
    ours = lightgbm.train({**common, "objective": lgb_adapter.objective("squared", qid)}, lightgbm.Dataset(X, y), 20)
    assert ours.predict(X) == pytest.approx(own.predict(X), abs=1e-6)
    common = {"max_depth": 4, "learning_rate": 0.1, "reg_lambda": 0.0, "base_score": 0.0, "min_child_weight": 0.0}
    own = xgboost.train({**common, "objective": "reg:squarederror"}, xgboost.DMatrix(X, y), 20)
    ours = xgboost.train(common, xgboost.DMatrix(X, y), 20, obj=xgb_adapter.objective("squared", qid))
    assert ours.predict(xgboost.DMatrix(X)) == pytest.approx(own.predict(xgboost.DMatrix(X)), abs=1e-5)


def test_a_metric_serves_several_data_sets(data):
    sizes = np.diff(data.ptr)
    scores = np.random.default_rng(0).normal(size=data.n_documents)
    whole = lightgbm.Dataset(data.X, data.y, group=sizes).construct()
    half = int(data.ptr[15])
    part = lightgbm.Dataset(data.X[:half], data.y[:half], group=sizes[:15]).construct()
    measured = lgb_adapter.metric("nDCG@5")
    first = measured(scores, whole)[1]
    assert measured(scores[:half], part)[1] == pytest.approx(
        rk.evaluate("nDCG@5", data.y[:half], scores[:half], data.qid[:half]).mean["nDCG@5"]
    )
    assert measured(scores, whole)[1] == first
