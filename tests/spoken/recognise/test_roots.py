"""Archive and recordings move to another machine: paths are stored relative to named roots."""

import json
import shutil
import zipfile

import pytest

import rankine as rk
from rankine.spoken import Archive
from rankine.spoken.archive import create_or_open
from rankine.spoken.index import schema
from rankine.spoken.recordings.roots import RecordingRoots
from rankine.spoken.search.hits import locate

from .cases import Echo, write

pytest.importorskip("soundfile")


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "config" / "first.json"))


@pytest.fixture
def archive(tmp_path):
    for i, name in enumerate(("a", "b", "deep/c")):
        write(tmp_path / "first" / "tapes" / f"{name}.wav", 8000 + i, seed=i)
    opened = create_or_open(tmp_path / "first" / "archive", "en")
    assert opened.recordings.add(tmp_path / "first" / "tapes", [Echo()]).errors == []
    return opened


@pytest.fixture
def second(archive, tmp_path, monkeypatch):
    """The archive and its recordings on another machine."""
    shutil.move(tmp_path / "first", tmp_path / "second")
    (tmp_path / "second" / "tapes").rename(tmp_path / "second" / "recordings")
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "config" / "second.json"))
    return Archive(tmp_path / "second" / "archive"), tmp_path / "second" / "recordings"


def stored(archive):
    """The paths that the journal, its table and the index hold."""
    lines = (archive.folder / "recognised" / "recognised.jsonl").read_text().splitlines()
    table = (archive.folder / "recognised" / "recordings.tsv").read_text().splitlines()[1:]
    index = {audio for part in archive.index.parts for audio in part.texts(schema.AUDIO).all()}
    last = {line["recording"]: line["audio"] for line in map(json.loads, lines)}
    return set(last.values()), {row.split("\t")[2] for row in table}, index


def shown(archive):
    return {hit.audio for hit in archive.search("heard")}


TAPES = {"tapes/a.wav", "tapes/b.wav", "tapes/deep/c.wav"}


def test_paths_are_stored_relative_and_shown_in_full(archive, tmp_path):
    assert stored(archive) == (TAPES, TAPES, TAPES)
    assert shown(archive) == {str((tmp_path / "first" / name).resolve()) for name in TAPES}


def test_two_folders_of_one_name(archive, tmp_path):
    write(tmp_path / "more" / "tapes" / "x.wav", 8000, seed=9)
    archive.recordings.add(tmp_path / "more" / "tapes", [Echo()])
    assert stored(archive)[0] == {*TAPES, "tapes-2/x.wav"}
    assert locate(archive.index, "x@0.1").audio == (tmp_path / "more" / "tapes" / "x.wav").resolve()
    assert locate(archive.index, "a@0.1").audio == (tmp_path / "first" / "tapes" / "a.wav").resolve()


def test_a_file_of_the_same_name_below_another_root_is_not_taken(archive, tmp_path):
    write(tmp_path / "before" / "a.wav", 8000, seed=9)  # of the folders it is the first
    archive.recordings.add(tmp_path / "before", [Echo()])
    assert locate(archive.index, "a@0.1").audio == (tmp_path / "first" / "tapes" / "a.wav").resolve()
    assert locate(archive.index, "a.wav@0.1").audio == (tmp_path / "before" / "a.wav").resolve()


def test_a_file_that_is_given_alone_opens_no_other(archive, tmp_path):
    write(tmp_path / "home" / "x.wav", 8000, seed=9)
    write(tmp_path / "home" / "private.wav", 8000, seed=10)
    archive.recordings.add(tmp_path / "home" / "x.wav", [Echo()])
    assert "home/x.wav" in stored(archive)[0]
    roots = RecordingRoots(archive.folder, archive.index.manifest)
    assert roots.find("home/x.wav") == (tmp_path / "home" / "x.wav").resolve()
    for audio in ("home/private.wav", "tapes/../../home/private.wav"):
        with pytest.raises(rk.InputError, match="is not there"):
            roots.find(audio)


def test_a_part_of_a_root_is_no_other_root(archive, tmp_path):
    write(tmp_path / "first" / "tapes" / "deep" / "d.wav", 8000, seed=9)
    archive.recordings.add(tmp_path / "first" / "tapes" / "deep", [Echo()])
    assert stored(archive)[0] == {*TAPES, "tapes/deep/d.wav"}


@pytest.mark.parametrize("how", ["relocate", "recordings", "add"])
def test_on_another_machine_one_step_is_enough(second, how):
    archive, folder = second
    assert shown(archive) == TAPES
    with pytest.raises(rk.InputError, match="no folder of recordings was given"):
        locate(archive.index, "deep/c@0.1")
    if how == "relocate":
        assert len(archive.recordings.relocate(folder).paths) == 3
    elif how == "recordings":
        archive.recordings.add_roots([folder])
    added = archive.recordings.add(folder, [Echo()])
    assert (added.errors, added.recognised.done, added.recognised.before, added.changes.unchanged) == ([], 0, 3, 3)
    assert stored(archive) == (TAPES, TAPES, TAPES)
    assert locate(archive.index, "deep/c@0.1").audio == (folder / "deep" / "c.wav").resolve()
    assert shown(archive) == {str((folder / name).resolve()) for name in ("a.wav", "b.wav", "deep/c.wav")}


def test_other_recordings_in_a_folder_of_the_same_name(second, tmp_path):
    """They do not take the place of those that the archive has."""
    archive, _ = second
    for i, name in enumerate(("a", "b", "deep/c")):
        write(tmp_path / "other" / "tapes" / f"{name}.wav", 9000 + i, seed=20 + i)
    added = archive.recordings.add(tmp_path / "other" / "tapes", [Echo()])
    assert (added.recognised.done, len(archive)) == (3, 6)
    assert stored(archive)[0] == {*TAPES, *(name.replace("tapes", "tapes-2") for name in TAPES)}


def test_a_packed_archive_tells_no_place_of_its_machine(archive, tmp_path, monkeypatch):
    write(tmp_path / "first" / "tapes" / "d.wav", 8000, seed=9)
    archive.recordings.add(tmp_path / "first" / "tapes", [Echo()])
    archive.recordings.delete(["b"])
    archive.pack(tmp_path / "packed.zip")
    with zipfile.ZipFile(tmp_path / "packed.zip") as packed:
        assert not [name for name in packed.namelist() if str(tmp_path).encode() in packed.read(name)]
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "config" / "second.json"))
    unpacked = Archive.unpack(tmp_path / "packed.zip", tmp_path / "unpacked")
    assert shown(unpacked) == {"tapes/a.wav", "tapes/deep/c.wav", "tapes/d.wav"}


def test_full_paths_where_settings_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "file" / "settings.json"))
    write(tmp_path / "tapes" / "a.wav", 8000)
    archive = create_or_open(tmp_path / "archive", "en")
    assert archive.recordings.add(tmp_path / "tapes", [Echo()]).errors == []
    assert stored(archive)[0] == {str((tmp_path / "tapes" / "a.wav").resolve())}
