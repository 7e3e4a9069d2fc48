"""The commands that pack and unpack an archive."""

import shutil

from rankine.spoken.archive import Archive

from ... import folders
from ..running import rankine


def test_there_and_back(tmp_path):
    shutil.copytree(folders.OPENS / "recorded", tmp_path / "arch")
    assert "out.zip: 2 recordings, 13 files, " in rankine(tmp_path, "spoken", "pack", "arch", "out.zip").stderr
    assert rankine(tmp_path, "spoken", "unpack", "out.zip", "other").stderr == "other: 2 recordings\n"
    said = rankine(tmp_path, "spoken", "pack", "arch", "small.zip", "--without-index").stderr
    assert "small.zip: without the index, 13 files" in said
    rankine(tmp_path, "spoken", "unpack", "small.zip", "built", "--workers", "1")
    names = [sorted(Archive(tmp_path / name).recordings.names) for name in ("arch", "other", "built")]
    assert names == [["tape-28", "tape-56"]] * 3


def test_what_is_wrong_is_one_line(tmp_path):
    (tmp_path / "bad.zip").write_bytes(b"PK")
    done = rankine(tmp_path, "spoken", "unpack", "bad.zip", "a", code=1)
    assert done.stderr == "rankine: bad.zip: not a packed archive, or damaged (File is not a zip file)\n"
    assert "not a spoken archive" in rankine(tmp_path, "spoken", "pack", "none", "out.zip", code=1).stderr


def test_closed_recordings_and_files_that_are_there(tmp_path):
    shutil.copytree(folders.OPENS / "recorded", tmp_path / "arch")
    rankine(tmp_path, "spoken", "about", "arch", "tape-28", "--set", "rights=closed")
    said = rankine(tmp_path, "spoken", "pack", "arch", "out.zip", code=1).stderr
    assert "--open-only leaves out what is not open, --closed packs it too" in said
    assert "=True" not in said
    said = rankine(tmp_path, "spoken", "pack", "arch", "out.zip", "--open-only", "--closed", code=1).stderr
    assert "--closed and --open-only cannot be used together" in said
    assert "out.zip: 1 recording," in rankine(tmp_path, "spoken", "pack", "arch", "out.zip", "--open-only").stderr
    before = (tmp_path / "out.zip").read_bytes()
    said = rankine(tmp_path, "spoken", "pack", "arch", "out.zip", "--closed", code=1).stderr
    assert said == "rankine: out.zip: there is a file already; --replace replaces it\n"
    assert (tmp_path / "out.zip").read_bytes() == before
    said = rankine(tmp_path, "spoken", "pack", "arch", "out.zip", "--closed", "--replace").stderr
    assert "out.zip: 2 recordings" in said
