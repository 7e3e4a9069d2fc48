"""Models that leave the house: the JSON and ONNX that we write give the scores that we predict."""

import json
import os

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputError
from rankine.export import export, to_onnx, to_opensearch, to_solr
from rankine.export.onnx import check, run
from rankine.sample import judged_set
from tests.cli.test_cli import rankine


@pytest.fixture(scope="module")
def data():
    return judged_set(n_queries=20)


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
    assert json.loads(to_solr(plain))["features"][0] == {"name": "feature_1"}
    assert json.loads(to_solr(plain, features={str(i): f"f{i}" for i in range(1, 9)}))["features"][7] == {"name": "f8"}


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
    from rankine.experiments.collections import letor_folds as folds

    fold = next(folds("mq2008"))
    whole = rk.concatenate([fold.train, fold.valid, fold.test])
    assert whole.n_queries == 784
    for model in (rk.LinearRanker("svm-map", C=0.1), rk.BoostedRanker(n_trees=20), rk.NeuralRanker(epochs=1)):
        assert check(to_onnx(model.fit(fold.train)), model, whole) <= 1e-5
    linear = rk.LinearRanker("svm-map", C=0.1).fit(fold.train)
    names = [f"feature_{i + 1}" for i in range(46)]
    assert scored_by_opensearch(to_opensearch(linear), whole.X, names) == pytest.approx(linear.predict(whole), abs=1e-5)
    assert scored_by_solr(to_solr(linear), whole.X, names) == pytest.approx(linear.predict(whole), abs=1e-5)


@pytest.mark.parametrize(
    ("make", "target", "message"),
    [
        (lambda d: rk.LinearRanker(normalise="query-zscore").fit(d), "solr", "within a query"),
        (lambda d: rk.LinearRanker(normalise="query-zscore").fit(d), "onnx", "within a query"),
        (lambda d: rk.BoostedRanker(n_trees=1).fit(d), "opensearch", "linear models only, got BoostedRanker"),
        (lambda d: rk.KernelRanker(C=0.1, max_iter=2).fit(d.take(np.arange(60))), "onnx", "linear, boosted and neural"),
        (lambda d: rk.BoostedRanker(n_trees=1, categorical=[7]).fit(d), "onnx", "categorical"),
        (lambda d: rk.LinearRanker().fit(d), "lucene", "unknown target 'lucene'"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_a_target_cannot_hold(data, make, target, message, tmp_path):
    with pytest.raises(InputError, match=message):
        export(make(data), target, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_command_line(data, tmp_path):
    rk.save_letor(data, tmp_path / "data.txt")
    rankine(tmp_path, "train", "data.txt", "--loss", "svm-map", "-o", "model.json")
    (tmp_path / "names.txt").write_text("".join(f"{i} f{i}\n" for i in range(1, 9)))
    for target in ("opensearch", "elasticsearch", "solr"):
        rankine(tmp_path, "export", "model.json", "--to", target, "-o", f"{target}.json", "--features", "names.txt")
        assert json.loads((tmp_path / f"{target}.json").read_text())
    assert (tmp_path / "opensearch.json").read_bytes() == (tmp_path / "elasticsearch.json").read_bytes()
    said = rankine(tmp_path, "export", "model.json", "--to", "onnx", "-o", "model.onnx", "--check", "data.txt")
    assert "the same scores as the model on data.txt" in said.stderr
    (tmp_path / "few.txt").write_text("1 f1\n")
    args = ("export", "model.json", "--to", "solr", "-o", "x.json", "--features", "few.txt")
    assert "no name is given for 7 features" in rankine(tmp_path, *args, code=1).stderr
    rankine(tmp_path, "train", "data.txt", "--loss", "ranksvm", "-o", "other.json")
    out = rankine(tmp_path, "compare", "--models", "model.json", "other.json", "data.txt", "--details", "3").stdout
    assert "rank-biased overlap" in out
    assert len(out.strip().splitlines()) == 8 + 1 + 3
    same = rankine(tmp_path, "compare", "--models", "model.json", "model.json", "data.txt").stdout
    assert "1.0000" in same
    assert (
        "two models and a data set" in rankine(tmp_path, "compare", "--models", "model.json", "data.txt", code=1).stderr
    )


@pytest.mark.filterwarnings("ignore")
def test_trees_that_converters_do_not_know_are_refused(data):
    for options in ({"params": {"linear_tree": True}}, {"library": "xgboost", "params": {"booster": "gblinear"}}):
        model = rk.BoostedRanker(n_trees=5, **options).fit(data)
        with pytest.raises(InputError):
            to_onnx(model)


@pytest.mark.filterwarnings("ignore")
def test_double_precision_does_not_cross_thresholds(data):
    X = np.round(np.random.default_rng(0).normal(size=(600, 5)), 3)
    judged = rk.RankingData(X, (X[:, 0] > 0).astype(int), np.repeat(np.arange(20), 30))
    for library in ("lightgbm", "xgboost"):
        model = rk.BoostedRanker("listnet", library, n_trees=10, normalise="zscore").fit(judged)
        if library == "xgboost":
            assert check(to_onnx(model), model, judged) < 1e-5


def test_names_by_number_and_with_blanks(data, tmp_path):
    model = rk.LinearRanker().fit(data)
    by_number = {str(i): f"f{i}" for i in range(1, 9)}
    assert [f["name"] for f in json.loads(to_solr(model, features=by_number))["features"]] == list(by_number.values())
    blank = rk.RankingData(data.X[:, :2], data.y, data.qid, feature_names=["the title", "body"])
    rk.LinearRanker().fit(blank).save(tmp_path / "m.json")
    (tmp_path / "n.txt").write_text("the title\tt\nbody\tb\n")
    rankine(tmp_path, "export", "m.json", "--to", "solr", "-o", "s.json", "--features", "n.txt")
    rk.save_letor(data, tmp_path / "d.txt")
    args = ("export", "m.json", "--to", "solr", "-o", "s.json", "--check", "d.txt")
    assert "only onnx can be run here" in rankine(tmp_path, *args, code=1).stderr
