"""Recordings are opened only below folders that the user gave for this archive, on this machine."""

import json
import os
import shutil

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.recordings.roots import RecordingRoots, roots_of, settings_file
from rankine.spoken.search.hits import locate

from ..cases import SMALL, sausages


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "config" / "settings.json"))
    return tmp_path / "config" / "settings.json"


@pytest.fixture
def archive(tmp_path):
    """An archive that says that its recording is ``recordings/a.wav``."""
    (tmp_path / "recordings").mkdir()
    audio = tmp_path / "recordings" / "a.wav"
    audio.touch()
    opened = Archive.create(tmp_path / "archive", SMALL)
    about = {"u": rk.spoken.index.about.About("u", {}, str(audio))}
    opened.lattices.index(sausages(tmp_path / "s.sausage", "u [ a 1 ]"), about)
    return opened


def roots(archive):
    return RecordingRoots(archive.folder, archive.index.manifest)


def test_nothing_is_played_until_a_root_is_given(archive, tmp_path):
    with pytest.raises(rk.InputError, match=r"no folder of recordings was given .* say where .*a\.wav' is with --rec"):
        locate(archive.index, "u@1")
    archive.recordings.add_roots([tmp_path / "elsewhere"])
    with pytest.raises(rk.InputError, match=r"is not there, nor below .*elsewhere: say"):
        locate(archive.index, "u@1")
    archive.recordings.add_roots([tmp_path / "recordings"])
    assert locate(archive.index, "u@1").audio == tmp_path / "recordings" / "a.wav"
    assert locate(Archive(archive.folder).index, "u@1").audio.exists()


def test_another_archive_at_the_place_and_a_copy_do_not_inherit(archive, tmp_path):
    archive.recordings.add_roots([tmp_path / "recordings"])
    shutil.copytree(archive.folder, tmp_path / "copy")
    with pytest.raises(rk.InputError, match="--recordings"):
        locate(Archive(tmp_path / "copy").index, "u@1")
    archive.folder.rename(tmp_path / "old")
    other = Archive.create(archive.folder, SMALL)
    assert other.index.manifest.id != archive.index.manifest.id
    assert roots(other).given == []
    other.recordings.add_roots([tmp_path / "new"])
    assert roots(other).given == [tmp_path / "new"]


def test_settings_of_others_are_kept(archive, tmp_path, settings):
    settings.parent.mkdir()
    other = {"archive": "/x", "id": "1", "folders": ["/y"]}
    settings.write_text(json.dumps({"colour": "none", "recordings": [other]}))
    archive.recordings.add_roots([tmp_path / "recordings"])
    content = json.loads(settings.read_text())
    assert content["colour"] == "none"
    assert content["recordings"][0] == other
    assert content["recordings"][1]["folders"] == [str(tmp_path / "recordings")]
    settings.write_text('{"recordings": [{"archive": 1}]}')
    with pytest.raises(rk.InputError, match=r"settings\.json: not a file of Rankine's settings"):
        locate(archive.index, "u@1")


def test_links_devices_and_dots_do_not_lead_out_of_a_root(archive, tmp_path):
    (tmp_path / "private.wav").touch()
    inner = tmp_path / "recordings" / "inner"
    inner.mkdir()
    (inner / "link.wav").symlink_to(tmp_path / "private.wav")
    os.mkfifo(inner / "pipe.wav")
    for audio in (
        "link.wav",
        "pipe.wav",
        "../../private.wav",
        "inner/../../private.wav",
        str(tmp_path / "private.wav"),
    ):
        with pytest.raises(rk.InputError, match="--recordings"):
            roots(archive).find(audio, [inner])
    for audio in ("", "a\0b", "x" * 5000):
        with pytest.raises(rk.InputError, match="expected the path of a recording"):
            roots(archive).find(audio, [inner])
    (inner / "b.wav").touch()
    assert roots(archive).find("anywhere/b.wav", [inner]) == inner / "b.wav"
    assert roots(archive).find(str(inner / "b.wav"), [inner / "b.wav"]) == inner / "b.wav"


def test_a_recording_in_the_archive_needs_no_root(archive, tmp_path):
    (archive.folder / "own.wav").touch()
    assert roots(archive).find("own.wav") == archive.folder / "own.wav"
    (archive.folder / "link.wav").symlink_to(tmp_path / "recordings" / "a.wav")
    with pytest.raises(rk.InputError, match="a link"):
        roots(archive).find("link.wav")


def test_roots_of_links_are_the_folders_of_what_they_name(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "mine").mkdir()
    for name in ("disk/x.wav", "mine/y.wav"):
        (tmp_path / name).touch()
    (tmp_path / "mine" / "x.wav").symlink_to(tmp_path / "disk" / "x.wav")
    assert roots_of([tmp_path / "mine"]) == [tmp_path / "mine", tmp_path / "disk"]
    assert roots_of([tmp_path / "mine" / "y.wav"]) == [tmp_path / "mine" / "y.wav"]


def test_where_settings_are(monkeypatch, tmp_path):
    monkeypatch.delenv("RANKINE_SETTINGS")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_file() == tmp_path / "rankine" / "settings.json"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert settings_file() == tmp_path / ".config" / "rankine" / "settings.json"
