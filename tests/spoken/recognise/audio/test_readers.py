"""Which reader opens which file, and what is said where there is none."""

import os
import shutil

import numpy as np
import pytest
import soundfile

from rankine.errors import InputError
from rankine.spoken.recognise.audio import readers
from rankine.spoken.recognise.audio.readers import MEDIA, SOUND, endings, open_audio
from rankine.spoken.recognise.recordings import find
from rankine.spoken.recognise.run import recognise

from ..cases import Echo
from ..clips import clip, sweep


def find_only(path, folder):
    """Look for recordings in a folder that holds a copy of this file only."""
    folder.mkdir()
    shutil.copy(path, folder)
    try:
        return find([folder])
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def alone(monkeypatch):
    """Only libsndfile is installed."""
    for name in ("PyAV", "ffmpeg"):
        monkeypatch.setitem(readers.TABLE, name, readers.TABLE[name]._replace(ready=lambda: False))


def test_without_a_reader_it_says_what_to_install(tmp_path, alone):
    (tmp_path / "a.m4a").write_bytes(b"x")
    soundfile.write(tmp_path / "b.wav", np.zeros(100), 16000)
    assert endings() == SOUND
    with (
        pytest.raises(
            InputError, match=r"a\.m4a: \.m4a needs ffmpeg or PyAV to be read: install ffmpeg, or pip install"
        ),
        open_audio(tmp_path / "a.m4a"),
    ):
        pass
    with pytest.raises(InputError, match=r"1 file such as .*a\.m4a cannot be read: install ffmpeg, or pip install"):
        find_only(tmp_path / "a.m4a", tmp_path / "media")
    recordings, notes = find([tmp_path])
    assert [r.name for r in recordings] == ["b"]
    assert notes == [
        f'1 file such as {tmp_path / "a.m4a"} cannot be read: install ffmpeg, or pip install -e ".[media]" '
        "(PyAV, whose wheels bundle x264 and x265 under the GPL)"
    ]


def test_all_endings_are_listed_where_they_can_be_read(tmp_path):
    pytest.importorskip("av")
    assert endings() == SOUND + MEDIA
    for name in ("a.m4a", "b.MP4", "c.mkv", "d.txt", "e.webm"):
        (tmp_path / name).touch()
    assert [r.name for r in find([tmp_path]).recordings] == ["a", "b", "c", "e"]


def test_a_name_may_be_wrong(tmp_path):
    """A file is read by its content: libsndfile refuses AAC in a .wav, and the next reader takes it."""
    pytest.importorskip("av")
    clip(tmp_path / "a.m4a", sweep(1.0, 16000), 16000, "aac")
    shutil.move(tmp_path / "a.m4a", tmp_path / "a.wav")
    soundfile.write(tmp_path / "b.flac", np.zeros(1600), 16000)
    shutil.move(tmp_path / "b.flac", tmp_path / "b.unknown")
    for name, frames in (("a.wav", 16000), ("b.unknown", 1600)):
        with open_audio(tmp_path / name) as audio:
            assert audio.frames == frames


def test_the_first_reader_says_why(tmp_path):
    (tmp_path / "bad.wav").write_bytes(b"nothing" * 50)
    with (
        pytest.raises(InputError, match=r"bad\.wav: cannot be read as audio: the file holds something else, or is dam"),
        open_audio(tmp_path / "bad.wav"),
    ):
        pass
    (tmp_path / "empty.wav").touch()
    with (
        pytest.raises(InputError, match=r"empty\.wav: cannot be read as audio: the file is empty"),
        open_audio(tmp_path / "empty.wav"),
    ):
        pass
    with pytest.raises(FileNotFoundError), open_audio(tmp_path / "none.wav"):
        pass


def test_a_file_that_cannot_be_read_does_not_stop_the_others(tmp_path):
    pytest.importorskip("av")
    folder = tmp_path / "media"
    folder.mkdir()
    for name, codec in (("a.mp4", "aac"), ("b.webm", "libopus"), ("c.m4a", "aac"), ("d.webm", "libopus")):
        clip(folder / name, sweep(3.0, 48000), 48000, codec)
    for name in ("c.m4a", "d.webm"):
        (folder / name).write_bytes((folder / name).read_bytes()[:5000])
        os.utime(folder / name, (1e9, 1e9))  # otherwise it is taken for one that is still being written
    report = recognise([folder], tmp_path / "out", Echo())
    assert report.done == 2
    assert [error.split(": ")[0].rpartition("/")[2] for error in report.errors] == ["c.m4a", "d.webm"]
    assert sorted(p.name for p in (tmp_path / "out").glob("*.nbest")) == ["a.nbest", "b.nbest"]
    again = recognise([folder], tmp_path / "out", Echo())
    assert (again.done, again.before) == (0, 2)
