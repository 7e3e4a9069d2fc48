"""RankBoost against its slow twin."""

import math

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.training import NothingLearnedWarning

from .. import reference as ref
from .cases import rounded_problem


def test_rankboost_is_the_book():
    for seed in range(12):
        X, y, qid = rounded_problem(seed, n=5, m=6, d=3)
        rounds, H = ref.rankboost(X.tolist(), y.tolist(), qid.tolist(), 8)
        model = rk.RankBoost(n_rounds=8, by_query=False).fit(X, y, qid=qid)
        np.testing.assert_allclose([abs(s.alpha) for s in model.stumps_], [abs(a) for _, a in rounds], rtol=1e-6)
        scores = model.predict(X)
        slow = sum(math.exp(H[j] - H[i]) for i in range(30) for j in range(30) if qid[i] == qid[j] and y[i] > y[j])
        fast = sum(
            math.exp(scores[j] - scores[i]) for i in range(30) for j in range(30) if qid[i] == qid[j] and y[i] > y[j]
        )
        assert fast == pytest.approx(slow, rel=1e-6)  # the exponential loss that it minimises


def test_rankboost_bins_and_weights():
    X, y, qid = rounded_problem(5, n=60, decimals=6)
    few, many = (rk.RankBoost(n_rounds=60, n_bins=n, by_query=False).fit(X, y, qid=qid) for n in (8, 255))
    assert len({s.threshold for s in few.stumps_ if s.feature == 0}) <= 8
    assert many.score(X, y, qid) > 0.75
    weighted = rk.RankBoost(n_rounds=60, by_query=True).fit(X, y, qid=qid)
    assert weighted.score(X, y, qid) > 0.75
    with pytest.warns(NothingLearnedWarning, match="no feature differs"):
        constant = rk.RankBoost(n_rounds=5).fit(np.ones((4, 2)), [0, 1, 0, 1], qid=[1, 1, 2, 2])
    assert constant.stumps_ == ()


def test_rankboost_keeps_its_digits_where_almost_everything_is_right():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = np.round(rng.standard_normal((18, 3)), 1)
        y = np.clip(np.round(1.5 * X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(18)), 0, 2)
        qid = np.repeat([1, 2, 3], 6)
        rounds, H = ref.rankboost(X.tolist(), y.tolist(), qid.tolist(), 60)
        model = rk.RankBoost(n_rounds=60, by_query=False).fit(X, y, qid=qid)
        n = len(model.stumps_)
        np.testing.assert_allclose([abs(s.alpha) for s in model.stumps_], [abs(a) for _, a in rounds[:n]], rtol=1e-5)
        assert np.ptp(model.predict(X)) < 1.01 * np.ptp(H)


def test_preferences_are_refused():
    with pytest.raises(rk.InputError, match="RankBoost learns from grades"):
        rk.RankBoost().fit(np.eye(2), rk.Preferences([0], [1]), qid=[1, 1])
