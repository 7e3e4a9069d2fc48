"""Least squares on grades and gains."""

import numpy as np
import pytest

import rankine as rk

from .cases import problem


@pytest.mark.parametrize("on", ["grades", "gains"])
def test_regression_is_least_squares(on, tmp_path):
    X, y, qid = problem()
    model = rk.RegressionRanker(on=on, alpha=0).fit(X, y, qid=qid)
    target = y if on == "grades" else 2**y - 1
    want = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), target, rcond=None)[0][:-1]
    np.testing.assert_allclose(model.coef_, want, rtol=1e-8)
    model.save(tmp_path / "r.json")
    assert np.array_equal(rk.load(tmp_path / "r.json").coef_, model.coef_)
    assert model.score(X, y, qid) == rk.evaluate("nDCG@10", y, X @ model.coef_, qid).mean["nDCG@10"]
    as_start = rk.LinearRanker(C=1e-9, w0=model.coef_).fit(X, y, qid=qid)
    np.testing.assert_allclose(as_start.coef_, model.coef_, atol=1e-6)
    for parameters, message in (
        ({"on": "x"}, "grades or gains"),
        ({"alpha": -1}, "alpha must be"),
        ({"alpha": "x"}, "or 'auto'"),
    ):
        with pytest.raises(rk.InputError, match=message):
            rk.RegressionRanker(**parameters).fit(X, y, qid=qid)


def test_features_too_large_to_be_squared_are_refused():
    X = np.array([[7e19], [-7e19]], np.float32)
    with pytest.raises(rk.InputError, match="too large to be squared"):
        rk.RegressionRanker(alpha=1e-6).fit(X, [2, 0], qid=[1, 1])


def test_the_penalty_by_default_follows_scale_and_number():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y, qid = np.clip(np.round(X[:, 0] + 1), 0, 3), np.repeat(np.arange(20), 10)
    model = rk.RegressionRanker().fit(X, y, qid=qid)
    scale = np.array([1.0, 1e3, 1e-3])
    np.testing.assert_allclose(rk.RegressionRanker().fit(X * scale, y, qid=qid).coef_ * scale, model.coef_, rtol=1e-6)
    twice = rk.RegressionRanker().fit(np.tile(X, (2, 1)), np.tile(y, 2), qid=np.concatenate([qid, qid + 100]))
    np.testing.assert_allclose(twice.coef_, model.coef_, rtol=1e-6)
    deviation = X.std(0)
    by_hand = rk.RegressionRanker(alpha=20.0).fit(X / deviation, y, qid=qid).coef_ / deviation
    np.testing.assert_allclose(model.coef_, by_hand, rtol=1e-9)


def test_features_that_depend_on_each_other_are_no_news():
    x = np.linspace(1.0, 2.0, 30)
    rk.RegressionRanker(alpha=1e-12).fit(np.column_stack([x, x + 1e-13, 3 * x]), np.arange(30) % 3, qid=[1] * 30)
