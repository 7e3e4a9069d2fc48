"""``rankine spoken models``."""

import pytest

from rankine.spoken.recognise.models.table import TABLE

from ...spoken.recognise.toy_models import wheel_row, write_wheel
from ..running import rankine


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_MODELS", str(tmp_path / "models"))
    wheel = write_wheel(tmp_path)
    monkeypatch.setitem(TABLE, "toy", wheel_row(wheel))
    return wheel


def here(tmp_path):
    lines = [line.split("\t") for line in rankine(tmp_path, "spoken", "models", "list").stdout.splitlines()]
    assert lines[0] == ["name", "recogniser", "languages", "size", "licence", "from", "here"]
    return {line[0]: line[-1] for line in lines[1:]}


def test_from_nothing_to_a_model_and_back(tmp_path, toy):
    assert here(tmp_path) == {**dict.fromkeys(TABLE, "no")}
    said = rankine(tmp_path, "spoken", "models", "check", code=1).stderr
    assert "no model is here" in said
    said = rankine(tmp_path, "spoken", "models", "add", "toy", "--from", str(toy)).stderr
    assert "licence: MIT" in said
    assert f"{tmp_path / 'models' / 'toy'}: added" in said
    assert here(tmp_path)["toy"] == "yes"
    assert "is here already, and is whole" in rankine(tmp_path, "spoken", "models", "add", "toy").stderr
    for names in ([], ["toy"]):
        said = rankine(tmp_path, "spoken", "models", "check", *names).stderr
        assert "toy: whole; from the Python package toy-models 1.0, licence: MIT" in said
    (tmp_path / "models" / "toy" / "model.bin").write_bytes(b"other")
    assert "is not what was added" in rankine(tmp_path, "spoken", "models", "check", code=1).stderr
    assert "removed" in rankine(tmp_path, "spoken", "models", "remove", "toy").stderr
    assert here(tmp_path)["toy"] == "no"


def test_an_unknown_model(tmp_path, toy):
    said = rankine(tmp_path, "spoken", "models", "add", "tiny.em", code=1).stderr
    assert "unknown model 'tiny.em'. Did you mean 'tiny.en'?" in said


def test_a_recogniser_without_its_model(tmp_path, toy):
    (tmp_path / "a.wav").write_bytes(b"")
    said = rankine(
        tmp_path, "spoken", "recognise", "a.wav", "-o", "out", "--recogniser", "whisper", "--model", "toy", code=1
    ).stderr
    assert "the model toy is not on this machine: `rankine spoken models add toy` fetches it" in said
