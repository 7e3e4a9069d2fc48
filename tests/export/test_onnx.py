"""ONNX: exported models give the scores that are predicted."""

import os

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputError
from rankine.export import to_onnx
from rankine.export.onnx import check, run
from rankine.rankers.auto.fusion import FusedRanker

MODELS = [
    rk.LinearRanker("svm-map", C=0.01, normalise="zscore"), rk.RegressionRanker(), rk.UniformFusion(normalise="zscore"),
    rk.BoostedRanker(n_trees=20), rk.BoostedRanker(n_trees=20, normalise="zscore"),
    rk.BoostedRanker(library="xgboost", n_trees=20),
    rk.BoostedRanker("listnet", "xgboost", n_trees=20, normalise="zscore"),
    rk.NeuralRanker(hidden=(8, 4), epochs=2), rk.NeuralRanker(hidden=(), epochs=2, normalise=None),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{type(m).__name__}-{m.get_params().get('library', '')}")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_onnx_reproduces_predict(data, model):
    model.fit(data)
    content = to_onnx(model, data=data)
    assert run(content, data.X) == pytest.approx(model.predict(data), abs=1e-5 * max(1, np.ptp(model.predict(data))))
    assert run(content, data.X[:1]).shape == (1,)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_onnx_after_early_stopping_and_loading(data, tmp_path):
    train, valid = next(data.folds(3, seed=0))
    for library in ("lightgbm", "xgboost"):
        model = rk.BoostedRanker(library=library, n_trees=40, patience=3, n_leaves=7).fit(train, valid=valid)
        model.save(tmp_path / "model.json")
        assert check(to_onnx(rk.load(tmp_path / "model.json")), model, valid) < 1e-5


@pytest.mark.skipif("RANKINE_DATA" not in os.environ, reason="needs RANKINE_DATA")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_all_of_mq2008():
    from experiments.collections import letor_folds as folds

    fold = next(folds("mq2008"))
    whole = rk.concatenate([fold.train, fold.valid, fold.test])
    assert whole.n_queries == 784
    for model in (rk.LinearRanker("svm-map", C=0.1), rk.BoostedRanker(n_trees=20), rk.NeuralRanker(epochs=1)):
        assert check(to_onnx(model.fit(fold.train)), model, whole) <= 1e-5


@pytest.mark.filterwarnings("ignore")
def test_trees_that_converters_do_not_know_are_refused(data):
    for options in ({"params": {"linear_tree": True}}, {"library": "xgboost", "params": {"booster": "gblinear"}}):
        model = rk.BoostedRanker(n_trees=5, **options).fit(data)
        with pytest.raises(InputError, match=r"refuses trees of this type|differs from the original"):
            to_onnx(model)


@pytest.mark.filterwarnings("ignore")
def test_double_precision_does_not_cross_thresholds(data):
    X = np.round(np.random.default_rng(0).normal(size=(600, 5)), 3)
    judged = rk.RankingData(X, (X[:, 0] > 0).astype(int), np.repeat(np.arange(20), 30))
    for library in ("lightgbm", "xgboost"):
        model = rk.BoostedRanker("listnet", library, n_trees=10, normalise="zscore").fit(judged)
        single = judged.with_features(X.astype(np.float32))  # what ONNX takes
        assert check(to_onnx(model), model, judged if library == "xgboost" else single) < 1e-5


def test_a_fusion_of_linear_models_and_an_auto_ranker(data):
    members = [rk.LinearRanker("svm-map", normalise="zscore").fit(data), rk.SingleFeature().fit(data)]
    fused = FusedRanker.of(members, [0.3, 0.7], [1.0, 0.1], by_query=False)
    assert check(to_onnx(fused, data=data), fused, data) < 1e-5
    auto = rk.AutoRanker(candidates=["single feature"], folds=2, workers=1).fit(data)
    assert check(to_onnx(auto, data=data), auto, data) < 1e-5
