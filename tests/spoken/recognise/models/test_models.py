"""The folder of models: finding, comparing, removing."""

import json
import os

import pytest

from rankine.errors import InputError
from rankine.spoken.recognise.models import fetching, models
from rankine.spoken.recognise.models.table import DEFAULT, TABLE
from rankine.spoken.recognise.recognisers.table import TABLE as recognisers

from ..toy_models import FILES


@pytest.fixture
def added(toy):
    fetching.add("toy", toy)
    return models.folder_of("toy")


def test_the_table():
    assert DEFAULT in TABLE
    for name, row in TABLE.items():
        assert name == name.strip().replace("/", "")
        assert row.size > 10**6
        assert row.licence
        assert row.recogniser in recognisers
        assert row.source.text
        assert (row.language != "") == (not row.languages[:1].isdigit())
    assert all(row.language for row in TABLE.values() if row.recogniser == "vosk")


def test_the_folder_of_models(monkeypatch, tmp_path):
    monkeypatch.setenv("RANKINE_MODELS", str(tmp_path))
    assert models.models_folder() == tmp_path
    monkeypatch.delenv("RANKINE_MODELS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert models.models_folder() == tmp_path / "rankine" / "models"


def test_a_model_that_is_not_here(toy):
    with pytest.raises(InputError, match=r"toy is not on this machine: `rankine spoken models add toy` fetches it"):
        models.find("toy")
    with pytest.raises(InputError, match="not on this machine"):
        models.remove("toy")
    with pytest.raises(InputError, match=r"expected the folder of a model, or one of tiny\.en.*toy; got 'toi'$"):
        models.check_name_or_folder("toi", "whisper")
    with pytest.raises(InputError, match=r"one of vosk-small-en, vosk-small-zh; got 'toy', a model of whisper"):
        models.check_name_or_folder("toy", "vosk")
    assert not models.is_here("toy")


def test_bytes_are_compared_once_and_stamps_afterwards(added, monkeypatch):
    read = []
    before = models.sha256_of
    monkeypatch.setattr(models, "sha256_of", lambda path: read.append(path.name) or before(path))
    assert models.find("toy") == added
    assert sorted(read) == sorted(name.split("/")[-1] for name in FILES)
    models.find("toy")
    assert len(read) == len(FILES)
    os.utime(added / "config.json", (1, 1))
    models.find("toy")
    assert len(read) == 2 * len(FILES)
    models.compare("toy")
    assert len(read) == 3 * len(FILES)


def test_damage_is_found(added):
    models.find("toy")
    data = bytearray((added / "model.bin").read_bytes())
    data[100] ^= 1
    (added / "model.bin").write_bytes(data)
    for compare in (models.find, models.compare):
        with pytest.raises(InputError, match=r"model\.bin: this file of the model is not what was added: .*add toy"):
            compare("toy")
    (added / "model.bin").write_bytes(FILES["model.bin"][:50])
    with pytest.raises(InputError, match="not what was added"):
        models.find("toy")
    (added / "model.bin").unlink()
    with pytest.raises(InputError, match=r"model\.bin: this file of the model is missing"):
        models.find("toy")


def test_same_size_and_time_is_found_by_check(added):
    models.find("toy")
    state = (added / "model.bin").stat()
    (added / "model.bin").write_bytes(b"x" * state.st_size)
    os.utime(added / "model.bin", ns=(state.st_atime_ns, state.st_mtime_ns))
    models.find("toy")  # nothing shows it
    with pytest.raises(InputError, match="not what was added"):
        models.compare("toy")


@pytest.mark.parametrize("content", [b"", b"{}\n{}\n", b"\xff\xff"])
def test_a_damaged_record(added, content):
    (added / models.RECORD).write_bytes(content)
    with pytest.raises(InputError, match="record of a model"):
        models.find("toy")


def test_damaged_stamps_are_made_anew(added):
    models.find("toy")
    (added / models.STAMPS).write_bytes(b"nothing")
    models.find("toy")
    assert b"config.json" in (added / models.STAMPS).read_bytes()


def test_a_record_that_names_files_outside(added, tmp_path):
    content = {"model": "toy", "source": "", "licence": "", "files": {"../../x": {"size": 0, "sha256": ""}}}
    (added / models.RECORD).write_bytes(models.sealed_record(content))
    with pytest.raises(InputError, match="must stay in its folder"):
        models.find("toy")


def test_identity(added, tmp_path):
    first = models.identity("toy")
    assert len(first) == 64
    os.utime(added / "model.bin", (1, 1))
    assert models.identity("toy") == first  # the content counts
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "model.bin").write_bytes(b"x")
    assert str(tmp_path / "other") in models.identity(str(tmp_path / "other"))


def test_remove(added):
    models.remove("toy")
    assert not added.exists()
    assert not models.is_here("toy")


def test_the_record(added):
    content = json.loads((added / models.RECORD).read_bytes().split(b"\n")[1])
    assert content["licence"] == "MIT"
    assert content["source"] == "the Python package toy-models 1.0"
    assert content["files"]["model.bin"]["size"] == len(FILES["model.bin"])
