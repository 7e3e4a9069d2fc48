"""Models as files: what is written, and what is not read."""

import json

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
    write(tmp_path / "m.json", "LinearRanker", {"coef": [1.5, -2], "names": ["größe"]})
    text = (tmp_path / "m.json").read_text(encoding="utf-8")
    assert "größe" in text
    assert text.endswith("}\n")
    assert json.loads(text) == {
        "rankine": rk.__version__, "schema": 1, "kind": "LinearRanker", "coef": [1.5, -2], "names": ["größe"],
    }  # fmt: skip


def test_a_model_that_is_no_json_leaves_the_old_file(tmp_path):
    write(tmp_path / "m.json", "LinearRanker", {"coef": [1]})
    before = (tmp_path / "m.json").read_bytes()
    with pytest.raises(TypeError):
        write(tmp_path / "m.json", "LinearRanker", {"coef": object()})
    assert (tmp_path / "m.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_a_file_cut_anywhere_is_not_read(content, tmp_path):
    whole = (tmp_path / "model.json").read_bytes().rstrip()
    for length in range(len(whole)):
        (tmp_path / "cut.json").write_bytes(whole[:length])
        with pytest.raises(rk.InputError, match=r"cut\.json: not a model file, or cut short"):
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
        (b"\xff\xfe{}", "not a model file, or cut short"),
    ],
)
def test_other_files(text, message, tmp_path):
    (tmp_path / "bad.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(rk.InputError, match=rf"bad\.json: {message}"):
        load(tmp_path / "bad.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 99, "rankine": "7.0"}, "written with schema 99 by Rankine 7.0; this one reads 1"),
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
    write(tmp_path / "bad.json", kind, {})
    with pytest.raises(rk.InputError, match=r"bad\.json: a damaged model file \(KeyError"):
        load(tmp_path / "bad.json")


def test_weights_that_are_missing_or_no_numbers(content, tmp_path):
    without = {key: value for key, value in content.items() if key != "coef"}
    for damaged in (without, content | {"coef": ["x", 1]}, content | {"coef": {}}):
        (tmp_path / "bad.json").write_text(json.dumps(damaged))
        with pytest.raises(rk.InputError, match="damaged model file"):
            load(tmp_path / "bad.json")
