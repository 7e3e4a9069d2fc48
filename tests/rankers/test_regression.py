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
    for parameters, message in (({"on": "x"}, "grades or gains"), ({"alpha": -1}, "alpha must be")):
        with pytest.raises(rk.InputError, match=message):
            rk.RegressionRanker(**parameters).fit(X, y, qid=qid)


def test_features_too_large_to_be_squared_are_refused():
    X = np.array([[7e19], [-7e19]], np.float32)
    with pytest.raises(rk.InputError, match="too large to be squared"):
        rk.RegressionRanker().fit(X, [2, 0], qid=[1, 1])
