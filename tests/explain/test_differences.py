"""Analysis of rankers: features left out, queries that differ, parts of a score."""

import numpy as np
import pytest

import rankine as rk
from rankine.explain.differences import contributions, drop_one, most_different


def test_dropping_features():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    data = rk.RankingData(X, np.clip(np.round(2 * X[:, 1]), 0, 3), np.repeat(np.arange(20), 10), None, ["a", "b", "c"])
    rows = drop_one(rk.RegressionRanker(), data, data)
    assert rows[0].feature == "b"
    part = data.select(["a", "c"])
    want = rk.RegressionRanker().fit(part).score(part)
    assert rows[0].without == pytest.approx(want)
    with pytest.raises(rk.InputError, match="linear ranker"):
        drop_one(rk.RankBoost(), data, data)
    with pytest.raises(rk.InputError, match="only one feature"):
        drop_one(rk.RegressionRanker(), data.select(["a"]), data)
    assert len(most_different(np.zeros(3), np.zeros(3), 2)) == 0
    assert contributions(np.zeros(2), np.ones(2), ["x", "y"]) == "x +0.00, y +0.00"
