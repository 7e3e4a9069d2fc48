"""Files that are still being written are noticed, and taken when they are done."""

import os
import threading
import time

import numpy as np
import pytest
import soundfile

from rankine.spoken.recognise.audio.settled import settled, stated_size, unsettled
from rankine.spoken.recognise.run import recognise

from ..cases import Echo
from ..clips import clip, sweep

OLD = time.time() - 3600


def test_a_file_that_rests(tmp_path):
    soundfile.write(tmp_path / "a.wav", np.zeros(1000), 16000)
    assert settled(tmp_path / "a.wav")
    assert settled(tmp_path / "none.wav")  # whoever opens it says so


def test_a_file_that_grows(tmp_path, monkeypatch):
    path = tmp_path / "a.flac"
    path.write_bytes(b"x" * 1000)

    def grow(moment):
        with open(path, "ab") as file:
            file.write(b"y")

    monkeypatch.setattr(time, "sleep", grow)
    assert unsettled([path]) == {path: f"{path}: still being written; it is taken next time"}


def test_old_files_cost_no_pause(tmp_path, monkeypatch):
    path = tmp_path / "a.flac"
    path.write_bytes(b"x")
    os.utime(path, (OLD, OLD))
    monkeypatch.setattr(time, "sleep", lambda moment: pytest.fail("a pause"))
    assert settled(path)


def heads(place):
    av = pytest.importorskip("av")
    assert av
    rate = 16000
    soundfile.write(place / "a.wav", sweep(1.0, rate), rate)
    soundfile.write(place / "a.aiff", sweep(1.0, rate), rate)
    for name, codec in (
        ("a.mp4", "aac"),
        ("a.mkv", "aac"),
        ("a.webm", "libopus"),
        ("a.avi", "pcm_s16le"),
        ("a.mov", "aac"),
    ):
        clip(
            place / name,
            sweep(1.0, rate if codec != "libopus" else 48000),
            rate if codec != "libopus" else 48000,
            codec,
        )
    return sorted(place.iterdir())


def test_a_head_that_states_more_than_there_is(tmp_path):
    for path in heads(tmp_path):
        if not path.is_file():
            continue
        whole = path.read_bytes()
        assert 0 < stated_size(path) <= len(whole), path.name
        assert settled(path, 0.0)
        for share in (0.3, 0.6, 0.9):
            path.write_bytes(whole[: int(share * len(whole))])
            assert not settled(path, 0.0), path.name
            assert "its head states at least" in unsettled([path], 0.0)[path]
        os.utime(path, (OLD, OLD))
        assert settled(path, 0.0)  # it has been like this for long: it is damaged, and its reader says so


def test_heads_that_tell_nothing(tmp_path):
    path = tmp_path / "x"
    for data in (
        b"",
        b"RIFF",
        b"RIFF\xff\xff\xff\xffWAVE",
        b"\0\0\0\x04ftyp" + bytes(20),
        b"\x1a\x45\xdf\xa3",
        os.urandom(50),
    ):
        path.write_bytes(data)
        assert stated_size(path) <= len(data) + 1


def test_it_is_taken_next_time(tmp_path):
    folder = tmp_path / "audio"
    folder.mkdir()
    for name, loud in (("a.wav", 1.0), ("b.wav", 0.5)):
        soundfile.write(folder / name, loud * sweep(1.0, 16000), 16000)
    whole = (folder / "b.wav").read_bytes()
    (folder / "b.wav").write_bytes(whole[:20000])
    first = recognise([folder], tmp_path / "out", Echo())
    assert (first.done, first.errors) == (1, [])
    assert [note for note in first.notes if "b.wav: still being written" in note]
    (folder / "b.wav").write_bytes(whole)
    second = recognise([folder], tmp_path / "out", Echo())
    assert (second.done, second.before, second.notes) == (1, 1, [])


def test_a_writer_that_is_slow(tmp_path):
    path = tmp_path / "a.mp3"
    path.write_bytes(b"x")
    stop = threading.Event()

    def write():
        while not stop.wait(0.01):
            with open(path, "ab") as file:
                file.write(b"x")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert not settled(path)
    finally:
        stop.set()
        writer.join()
    assert settled(path)
