"""Archives of other formats are refused."""

import json
import shutil

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.storage import writing
from rankine.spoken.store.manifest import FORMAT, has_store
from rankine.system.files import sealed

from ... import folders


@pytest.fixture
def folder(tmp_path):
    """An archive that an earlier commit wrote."""
    return shutil.copytree(folders.OPENS / "archive", tmp_path / "archive")


def content(folder):
    return json.loads((folder / "manifest.json").read_bytes().partition(b"\n")[2])


def lock(folder):
    with writing(folder):
        pass


def test_a_new_archive_has_the_present_format(tmp_path):
    Archive.create(tmp_path / "a")
    assert content(tmp_path / "a")["format"] == FORMAT == 2
    assert has_store(tmp_path / "a")
    assert not has_store(tmp_path)


@pytest.mark.parametrize("use", [Archive, lock, lambda folder: Archive.repair(folder)], ids=["open", "write", "repair"])
@pytest.mark.parametrize(
    ("number", "message"),
    [(3, "reads up to 2"), (1, "reads from 2 on"), (0, "reads from 2 on"), (-1, "reads from 2 on")],
)
def test_other_formats_are_refused(folder, number, message, use):
    (folder / "manifest.json").write_bytes(sealed(json.dumps(content(folder) | {"format": number, "version": "7.0"})))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(rk.InputError, match=rf"made by Rankine 7\.0, format {number}; this version {message}"):
        use(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_damaged_manifest(folder):
    text = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(text.replace(b'"serial": ', b'"serial": 5'))
    for use in (has_store, Archive):
        with pytest.raises(rk.InputError, match="the checksum is wrong"):
            use(folder)
