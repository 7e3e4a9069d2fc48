"""Fused rankers: those that are linear are so in all that is asked of linear models."""

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.fused import FusedRanker
from rankine.sample import judged_set


@pytest.fixture(scope="module")
def data():
    return judged_set(n_queries=10)


def fusion(data, *members, by_query=False):
    fitted = [member.fit(data) for member in members]
    return FusedRanker.of(fitted, [0.25, 0.75], [2.0, 0.5], by_query)


def test_a_fusion_of_linear_models_is_linear(data, tmp_path):
    model = fusion(data, rk.LinearRanker("svm-map", normalise="zscore"), rk.SingleFeature())
    model.save(tmp_path / "m.json")
    for fused in (model, rk.load(tmp_path / "m.json")):
        assert fused.form == "linear"
        scores = fused.predict(data)
        ((weights, bias),) = fused.layers()
        assert data.X @ weights[0] + bias[0] == pytest.approx(scores, abs=1e-9 * np.ptp(scores))
        assert (fused.coef_ == weights[0]).all()
        parts = fused.explain(data.X[3])
        assert {name for name, _ in parts} == set(data.feature_names)
        assert sum(part for _, part in parts) == pytest.approx(scores[3])
        assert [abs(part) for _, part in parts] == sorted((abs(part) for _, part in parts), reverse=True)


def test_others_say_why_they_are_not(data):
    linear, boosted = rk.LinearRanker("svm-map"), rk.RankBoost(n_rounds=3)
    cases = {
        r"not all members are linear \(RankBoost\); --ranker linear is": fusion(data, linear, boosted),
        "standardises scores within each query.*--deployable": fusion(data, linear, linear, by_query=True),
        "looks at the other documents of a query.*--deployable": fusion(data, linear, rk.UniformFusion("query-zscore")),
    }
    for message, model in cases.items():
        assert model.form == ""
        assert not hasattr(model, "coef_")
        with pytest.raises(rk.InputError, match=message):
            model.explain(data.X[0])
