"""Models as files: what is written, and what is not read."""

import json
import warnings

import pandas as pd
import pytest

import rankine as rk
from rankine.rankers.auto.fusion import FusedRanker
from rankine.rankers.models.file import write
from rankine.rankers.scikit.fit_arguments import OneQueryWarning
from rankine.rankers.table import CLASSES, TABLE, load

from ... import folders
from ..cases import linear_problem


@pytest.fixture
def content(tmp_path):
    """A model file as a dictionary."""
    rk.LinearRanker().fit([[0.0, 1.0], [1.0, 3.0]], [0, 1], qid=[1, 1]).save(tmp_path / "model.json")
    return json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))


def test_the_file_is_plain_json(tmp_path):
    write(tmp_path / "m.json", {"kind": "LinearRanker", "coef": [1.5, -2], "names": ["größe"]})
    text = (tmp_path / "m.json").read_text(encoding="utf-8")
    assert "größe" in text
    assert text.endswith("}\n")
    assert json.loads(text) == {
        "rankine": rk.__version__, "schema": 1, "kind": "LinearRanker", "coef": [1.5, -2], "names": ["größe"],
    }  # fmt: skip


def test_a_model_that_is_no_json_leaves_the_old_file(tmp_path):
    write(tmp_path / "m.json", {"kind": "LinearRanker", "coef": [1]})
    before = (tmp_path / "m.json").read_bytes()
    with pytest.raises(TypeError):
        write(tmp_path / "m.json", {"kind": "LinearRanker", "coef": object()})
    assert (tmp_path / "m.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_a_file_cut_anywhere_is_not_read(content, tmp_path):
    whole = (tmp_path / "model.json").read_bytes().rstrip()
    for length in range(len(whole)):
        (tmp_path / "cut.json").write_bytes(whole[:length])
        with pytest.raises(rk.InputError, match=r"cut\.json: not a model file, or damaged"):
            load(tmp_path / "cut.json")
    (tmp_path / "cut.json").write_bytes(whole)
    assert load(tmp_path / "cut.json").coef_.tolist() == content["coef"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "not a Rankine model file"),
        ("3", "not a Rankine model file"),
        ('{"schema": 1, "kind": "LinearRanker"}', "not a Rankine model file"),
        ('{"rankine": "1", "kind": "LinearRanker"}', "not a Rankine model file"),
        (b"\xff\xfe{}", "not a model file, or damaged"),
    ],
)
def test_other_files(text, message, tmp_path):
    (tmp_path / "bad.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(rk.InputError, match=rf"bad\.json: {message}"):
        load(tmp_path / "bad.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 99, "rankine": "7.0"}, "written with schema 99 by Rankine '7.0'; this one reads 1"),
        ({"kind": "Oracle"}, "unknown kind of model 'Oracle'; there are: .*LinearRanker"),
        ({"kind": None}, "unknown kind of model None"),
    ],
)
def test_files_of_others(content, change, message, tmp_path):
    (tmp_path / "bad.json").write_text(json.dumps(content | change))
    with pytest.raises(rk.InputError, match=message):
        load(tmp_path / "bad.json")


@pytest.mark.parametrize("kind", CLASSES)
def test_a_file_without_its_content_is_damaged(kind, tmp_path):
    write(tmp_path / "bad.json", {"kind": kind})
    with pytest.raises(rk.InputError, match=rf"bad\.json: not a {kind}, or damaged: .*missing required field"):
        load(tmp_path / "bad.json")


def test_a_C_that_was_chosen_must_be_there(content, tmp_path):
    without = {key: value for key, value in content.items() if key != "C_"}
    without["parameters"] = content["parameters"] | {"C": "auto"}
    (tmp_path / "bad.json").write_text(json.dumps(without))
    with pytest.raises(rk.InputError, match="the C that was used is missing"):
        load(tmp_path / "bad.json")


def test_weights_that_are_missing_or_no_numbers(content, tmp_path):
    without = {key: value for key, value in content.items() if key != "coef"}
    for damaged in (without, content | {"coef": ["x", 1]}, content | {"coef": {}}):
        (tmp_path / "bad.json").write_text(json.dumps(damaged))
        with pytest.raises(rk.InputError, match=r"bad\.json: not a LinearRanker, or damaged: .*coef"):
            load(tmp_path / "bad.json")


SAVED = folders.OPENS / "models"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("svm-map", {"kind": ["LinearRanker"]}),
        ("svm-map", {"coef": []}),
        ("svm-map", {"coef": [[1.0]] * 8}),
        ("svm-map", {"coef": [True] * 8}),
        ("svm-map", {"coef": [10**400] * 8}),
        ("svm-map", {"coef": [float("inf")] * 8}),
        ("svm-map", {"feature_names": ["a"]}),
        ("svm-map", {"feature_names": [1] * 8}),
        ("svm-map", {"parameters": {"C": "x"}}),
        ("svm-map", {"parameters": {"C": -1}}),
        ("svm-map", {"parameters": {"loss": "none"}}),
        ("svm-map", {"parameters": {"loss_options": {"A": {}}}}),
        ("svm-map", {"parameters": {"later": 1}}),
        ("svm-map", {"certificate": {}}),
        ("svm-map", {"normaliser": {}}),
        ("svm-map", {"normaliser": {"kind": "query-zscore", "n_features": 7, "shift": None, "scale": None}}),
        ("svm-map", {"normaliser": {"kind": "query-zscore", "n_features": None, "shift": None, "scale": None}}),
        ("svm-map", {"normaliser": {"kind": "zscore", "n_features": 8, "shift": None, "scale": None}}),
        ("svm-map", {"normaliser": {"kind": "zscore", "n_features": 8, "shift": [1], "scale": [1] * 8}}),
        ("svm-map", {"normaliser": {"kind": "zscore", "n_features": 8, "shift": ["a"] * 8, "scale": [1] * 8}}),
        ("svm-ndcg-learned-weights", {"A": "x"}),
        ("adarank", {"rounds": [[8, 1, 0.5]]}),
        ("adarank", {"rounds": [[-1, 1, 0.5]]}),
        ("adarank", {"rounds": [[1, 2, 0.5]]}),
        ("adarank", {"rounds": [[1, 1]]}),
        ("rankboost", {"n_features": 0}),
        ("rankboost", {"n_features": 2.5}),
        ("rankboost", {"stumps": [[0, "x", 1.0]]}),
        ("kernel-rbf", {"gamma": 0}),
        ("kernel-rbf", {"features": 7}),
        ("kernel-rbf", {"support": []}),
        ("kernel-rbf", {"dual_coef": [1.0]}),
        ("kernel-poly", {"parameters": {"degree": -1, "kernel": "poly"}}),
        ("neural", {"layers": []}),
        ("neural", {"layers": [[[], None]]}),
        ("neural", {"layers": [[[[1.0] * 8] * 2, [1.0]], [[[1.0] * 2], None]]}),
        ("neural", {"layers": [[[[1.0] * 8, [1.0] * 7], None], [[[1.0] * 2], None]]}),
        ("single", {"parameters": {"measure": 3}}),
        ("regression", {"parameters": {"on": "x"}}),
        ("uniform", {"parameters": {"normalise": "x"}}),
    ],
)
def test_content_that_makes_no_sense_is_refused_in_one_line(name, change, tmp_path):
    kept = json.loads((SAVED / f"{name}.json").read_text())
    (tmp_path / "bad.json").write_text(json.dumps(kept | change))
    with pytest.raises(rk.InputError) as caught:
        load(tmp_path / "bad.json")
    assert str(caught.value).startswith(str(tmp_path / "bad.json"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("measure", ["AP(rel=" + "-" * 3500 + "1)", "AP(rel=1" + "+1" * 9000 + ")", "x" * 100_000])
def test_a_measure_of_many_parts_is_refused_in_one_short_line(measure, tmp_path):
    content = json.loads((SAVED / "adarank.json").read_text())
    content["parameters"]["measure"] = measure
    (tmp_path / "bad.json").write_text(json.dumps(content))
    with pytest.raises(rk.InputError, match=r"bad\.json: not a AdaRank, or damaged: .*measure '.{40}…'") as caught:
        rk.load(tmp_path / "bad.json")
    assert len(str(caught.value).removeprefix(str(tmp_path))) < 300


# A loaded model takes and refuses what the one in memory does ---------------------------------------------------------

GUARDED = {
    "auto": rk.AutoRanker(candidates=["single feature", "linear ranksvm-l2"], folds=2, workers=1),
    "linear": rk.LinearRanker("ranksvm-l2", C=0.1, normalise="query-zscore"),
    "kernel": rk.KernelRanker("ranksvm", C=0.1, kernel="linear", normalise="query-minmax"),
    "regression": rk.RegressionRanker(normalise="query-zscore"),
    "adarank": rk.AdaRank(n_rounds=3, normalise="query-zscore"),
    "rankboost": rk.RankBoost(n_rounds=3),
    "single": rk.SingleFeature(),
    "uniform": rk.UniformFusion("query-zscore"),
    "boosted": rk.BoostedRanker(n_trees=3, min_documents=2, normalise="query-zscore", threads=1),
    "neural": rk.NeuralRanker(hidden=[2], epochs=2, normalise="query-zscore", threads=1),
}
NEEDS = {"boosted": "lightgbm", "neural": "torch"}


def fitted(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    X, y, qid = linear_problem(n=8)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    if name == "fused":
        members = [GUARDED[n].fit(frame, y, qid=qid) for n in ("linear", "single")]
        return FusedRanker.of(members, (0.5, 0.5), (1.0, 1.0), by_query=False), frame, y
    return GUARDED[name].fit(frame, y, qid=qid), frame, y


def answers(model, frame, y):
    """What a model says of rows without query ids, and of columns in another order: values, errors and warnings."""
    out = []
    for call in (
        lambda: model.score(frame, y), lambda: model.predict(frame).tolist(), lambda: model.rank(frame).tolist(),
        lambda: model.predict(frame[frame.columns[::-1]]), lambda: model.predict(frame.to_numpy()[:, 1:]),
    ):  # fmt: skip
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                out.append(call())
            except ValueError as error:
                out.append((type(error), str(error)))
        out.append([(w.category, str(w.message)) for w in caught])
    return out


def test_every_estimator_is_guarded():
    assert set(GUARDED) == set(TABLE)


@pytest.mark.parametrize("name", [*GUARDED, "fused"])
def test_a_loaded_model_refuses_what_the_one_in_memory_does(name, tmp_path):
    model, frame, y = fitted(name)
    model.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    want = answers(model, frame, y)
    assert answers(loaded, frame, y) == want
    assert want[0] == (rk.InputError, want[0][1])
    assert want[0][1].startswith(f"score needs qid, the query id of each of the {len(y)} rows")
    assert [kind for kind, _ in want[3]] == [OneQueryWarning] * model.needs_queries
    assert (loaded.n_queries_in_, loaded.longest_query_in_) == (model.n_queries_in_, model.longest_query_in_)
    assert loaded.feature_names_in_.tolist() == list(frame.columns)


@pytest.mark.parametrize("name", [*GUARDED, "fused"])
def test_a_model_says_what_it_holds(name, tmp_path):
    model, frame, _ = fitted(name)
    model.save(tmp_path / "m.json")
    assert f" fitted to 8 queries with {frame.shape[1]} features" in repr(model)
    assert repr(load(tmp_path / "m.json")) == repr(model)


def test_an_AutoRanker_names_its_best(tmp_path):
    model = fitted("auto")[0]
    best = next(row.name for row in model.leaderboard_ if row.verdict == "best")
    assert repr(model).endswith(f"features for nDCG@10; the best is {best}")


@pytest.mark.parametrize("name", ["auto", "linear", "fused"])
def test_files_without_queries_tell_their_number_by_their_provenance(name, tmp_path):
    model, frame, y = fitted(name)
    model.save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    assert content.pop("queries") == {"number": 8, "longest": model.longest_query_in_}
    (tmp_path / "m.json").write_text(json.dumps(content))
    loaded = load(tmp_path / "m.json")
    assert loaded.longest_query_in_ == 1000
    with pytest.raises(rk.InputError, match=r"score needs qid, .* the model was trained on 8 queries"):
        loaded.score(frame, y)
    del content["provenance"]
    (tmp_path / "m.json").write_text(json.dumps(content))
    loaded = load(tmp_path / "m.json")
    assert loaded.n_queries_in_ is None
    assert 0 <= loaded.score(frame, y) <= 1


@pytest.mark.parametrize("bad", [3, {}, {"number": -1, "longest": 3}, {"number": 2, "longest": "many"}])
def test_queries_that_make_no_sense_are_refused(content, bad, tmp_path):
    (tmp_path / "bad.json").write_text(json.dumps(content | {"queries": bad}))
    with pytest.raises(rk.InputError, match=r"bad\.json: not a LinearRanker, or damaged: .*queries"):
        load(tmp_path / "bad.json")
