"""``rankine spoken recognise``, ``add`` and ``play``."""

import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from rankine.spoken import Archive

from ..test_cli import rankine

pytest.importorskip("pocketsphinx")
soundfile = pytest.importorskip("soundfile")
SAMPLE = Path(str(files("rankine").joinpath("sample", "spoken")))


@pytest.fixture
def place(tmp_path):
    """A folder with two recordings, and an archive of them."""
    (tmp_path / "recordings").mkdir()
    for name in ("tape-70", "tape-50"):
        samples, rate = soundfile.read(SAMPLE / "audio" / f"{name}.ogg")
        soundfile.write(tmp_path / "recordings" / f"{name}.wav", samples, rate)
    said = rankine(tmp_path, "spoken", "add", "archive", "recordings", "--workers", "1").stderr
    assert "2 recordings recognised" in said
    assert "archive: 2 recordings added, 0 updated, 0 unchanged; 2 in all" in said
    return tmp_path


@pytest.mark.parametrize("how", ["python", "command line"])
def test_a_deleted_recording_stays_deleted(place, how):
    if how == "python":
        Archive(place / "archive").delete(["tape-50"])
    else:
        assert "1 left" in rankine(place, "spoken", "delete", "archive", "tape-50").stderr
    said = rankine(place, "spoken", "add", "archive", "recordings", "--workers", "1").stderr
    assert Archive(place / "archive").documents == ["tape-70"]
    assert "0 recordings recognised" in said
    assert "tape-50.wav were deleted from this archive and are left out; to add one again, give the file itself" in said
    rankine(place, "spoken", "add", "archive", "recordings/tape-50.wav", "--workers", "1")
    assert sorted(Archive(place / "archive").documents) == ["tape-50", "tape-70"]


def test_recognising_alone(place):
    said = rankine(place, "spoken", "recognise", "recordings", "-o", "lattices", "--workers", "1").stderr
    assert "lattices: 2 recordings recognised" in said
    said = rankine(place, "spoken", "recognise", "recordings", "-o", "lattices", "--workers", "1").stderr
    assert "0 recordings recognised" in said
    assert "2 were there already" in said
    soundfile.write(place / "recordings" / "bad.wav", np.zeros(0), 16000)
    (place / "recordings" / "bad.wav").write_bytes(b"no audio")
    done = rankine(place, "spoken", "recognise", "recordings", "-o", "lattices", "--workers", "1", code=1)
    assert "1 of 3 recordings could not be used" in done.stderr


def test_both_commands_have_the_options_of_recognition(place):
    options = []
    for command in ("recognise", "add"):
        text = rankine(place, "spoken", command, "--help").stdout
        options.append(set(re.findall(r"--[a-z-]+", text)))
    assert options[0] - {"--output", "--about"} == options[1]
    assert {
        "--without-words",
        "--model",
        "--lm",
        "--dict",
        "--beam",
        "--word-beam",
        "--longest",
        "--workers",
    } <= options[1]


def test_a_folder_without_recordings_makes_no_archive(place):
    rankine(place, "spoken", "add", "new", "no-such-folder", code=1)
    assert not (place / "new").exists()


def test_playing_a_hit(place):
    hit = Archive(place / "archive").documents[0] + "@0.5-1.0"
    said = rankine(place, "spoken", "play", "archive", hit, "-o", "hit.wav", "--pad", "0").stderr
    assert "hit.wav: 0.5 seconds of" in said
    assert soundfile.info(place / "hit.wav").duration == pytest.approx(0.5, abs=0.01)
