"""Models as files: what is written, and what is not read."""

import json
from pathlib import Path

import pytest

import rankine as rk
from rankine.rankers.model_file import write
from rankine.rankers.table import CLASSES, load


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


SAVED = Path(__file__).parent.parent / "saved" / "models"


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
