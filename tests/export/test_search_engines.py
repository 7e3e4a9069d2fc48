"""Models of search engines: the JSON that is written gives the scores that are predicted."""

import json
import os

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputError
from rankine.export import to_opensearch, to_solr
from rankine.rankers.auto.fusion import FusedRanker


def scored_by_opensearch(content, rows, names):
    """What the plugin computes: normalise each feature, multiply, add."""
    inner = json.loads(content)["model"]["model"]
    assert inner["type"] == "model/linear"
    total = np.zeros(len(rows))
    for name, weight in json.loads(inner["definition"]).items():
        x = rows[:, names.index(name)].astype(float)
        norm = inner.get("feature_normalizers", {}).get(name)
        if norm is not None:
            x = (x - norm["standard"]["mean"]) / norm["standard"]["standard_deviation"]
        total += weight * x
    return total


def scored_by_solr(content, rows, names):
    model = json.loads(content)
    assert model["class"] == "org.apache.solr.ltr.model.LinearModel"
    total = np.zeros(len(rows))
    for feature in model["features"]:
        x = rows[:, names.index(feature["name"])].astype(float)
        if "norm" in feature:
            params = feature["norm"]["params"]
            x = (x - float(params["avg"])) / float(params["std"])
        total += model["params"]["weights"][feature["name"]] * x
    return total


@pytest.mark.parametrize("normalise", [None, "zscore"])
def test_search_engines_compute_our_scores(data, normalise):
    X = data.X.copy()
    X[:, 3] = 7.0  # a constant feature
    judged = rk.RankingData(X, data.y, data.qid, feature_names=data.feature_names)
    model = rk.LinearRanker("svm-map", C=0.01, normalise=normalise).fit(judged)
    names = list(judged.feature_names)
    want = model.predict(judged)
    for scored in (scored_by_opensearch(to_opensearch(model), X, names), scored_by_solr(to_solr(model), X, names)):
        assert scored - scored[0] == pytest.approx(want - want[0], abs=1e-4 * max(np.ptp(want), 1))


def test_feature_names_are_mapped(data):
    model = rk.RegressionRanker().fit(data)
    mapped = {n: f"my_{n}" for n in data.feature_names}
    body = json.loads(to_opensearch(model, "m1", mapped))
    assert body["model"]["name"] == "m1"
    assert set(json.loads(body["model"]["model"]["definition"])) == set(mapped.values())
    with pytest.raises(InputError, match="no name is given for 7 features"):
        to_solr(model, features={"bm25_title": "x"})
    with pytest.raises(InputError, match="same name"):
        to_solr(model, features=dict.fromkeys(data.feature_names, "x"))
    plain = rk.LinearRanker().fit(data.X, data.y, qid=data.qid)
    assert json.loads(to_solr(plain))["features"][0]["name"] == "feature_1"
    assert json.loads(to_solr(plain, features={str(i): f"f{i}" for i in range(1, 9)}))["features"][7]["name"] == "f8"


@pytest.mark.skipif("RANKINE_DATA" not in os.environ, reason="needs RANKINE_DATA")
def test_all_of_mq2008():
    from experiments.collections import letor_folds as folds

    fold = next(folds("mq2008"))
    whole = rk.concatenate([fold.train, fold.valid, fold.test])
    linear = rk.LinearRanker("svm-map", C=0.1).fit(fold.train)
    names = [f"feature_{i + 1}" for i in range(46)]
    assert scored_by_opensearch(to_opensearch(linear), whole.X, names) == pytest.approx(linear.predict(whole), abs=1e-5)
    assert scored_by_solr(to_solr(linear), whole.X, names) == pytest.approx(linear.predict(whole), abs=1e-5)


def test_the_best_of_an_auto_ranker_is_written(data):
    auto = rk.AutoRanker(candidates=["single feature"], folds=2, workers=1).fit(data)
    assert to_opensearch(auto) == to_opensearch(auto.best_)
    assert to_solr(auto) == to_solr(auto.best_)
    boosted = rk.AutoRanker(candidates=["RankBoost"], folds=2, workers=1).fit(data)
    with pytest.raises(InputError, match="exports only linear models to opensearch, got RankBoost; --deployable or"):
        to_opensearch(boosted)


def test_a_fusion_of_linear_models_is_written_as_one(data):
    members = [rk.LinearRanker("svm-map", normalise="zscore").fit(data), rk.SingleFeature().fit(data)]
    fused = FusedRanker.of(members, [0.3, 0.7], [1.0, 0.1], by_query=False)
    want, names = fused.predict(data), list(data.feature_names)
    for scored in (
        scored_by_opensearch(to_opensearch(fused), data.X, names),
        scored_by_solr(to_solr(fused), data.X, names),
    ):
        assert scored - scored[0] == pytest.approx(want - want[0], abs=1e-4 * max(np.ptp(want), 1))
    by_query = FusedRanker.of(members, [0.3, 0.7], [1.0, 0.1], by_query=True)
    with pytest.raises(InputError, match=r"only linear models to solr, got FusedRanker: .* \(--deployable\)"):
        to_solr(by_query)
