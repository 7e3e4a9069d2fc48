"""The simplest baselines: one feature, and all with equal weights."""

import numpy as np

import rankine as rk
from rankine.rankers.baselines import feature_performances

from .cases import rounded_problem


def test_single_feature_and_uniform_fusion():
    X, y, qid = rounded_problem(6)
    table = [rk.evaluate("nDCG@10", y, s * X[:, f], qid).mean["nDCG@10"] for s in (1, -1) for f in range(5)]
    model = rk.SingleFeature(both_signs=True).fit(X, y, qid=qid)
    assert model.feature_ + (5 if model.coef_.sum() < 0 else 0) == int(np.argmax(table))
    data = rk.RankingData(X, y, qid)
    np.testing.assert_allclose(feature_performances(data, "nDCG@10", True).mean(axis=1), table)
    uniform = rk.UniformFusion(normalise="query-minmax").fit(X, y, qid=qid)
    by_hand = rk.Normaliser("query-minmax").fit(data).apply(data).X.mean(axis=1)
    np.testing.assert_allclose(uniform.predict(X, qid), by_hand)
