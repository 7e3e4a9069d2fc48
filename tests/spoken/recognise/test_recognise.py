"""Recordings that are no good, for every recogniser: each is named, and the rest goes on.

A recogniser whose packages or model are not here is left out.
"""

import json
import os
import sys

import numpy as np
import pytest
import soundfile

from rankine.spoken import Archive
from rankine.spoken.recognise import Command, PocketSphinx, Vosk, Whisper, recognise
from rankine.spoken.recognise.models import models
from rankine.spoken.recognise.recognisers.table import TABLE

from .cases import Echo, heard

SAID = json.dumps({"text": "railway", "result": [{"word": "railway", "start": 0.0, "end": 0.001, "conf": 1.0}]})


def command(tmp_path):
    """A command that hears "railway" wherever there is sound."""
    program = tmp_path / "program.py"
    program.write_text(f"import sys\nopen(sys.argv[2], 'w').write({SAID!r})\n")
    return Command(f"'{sys.executable}' '{program}' {{audio}} {{output}}")


RECOGNISERS = {
    "echo": lambda tmp_path: Echo(),
    "pocketsphinx": lambda tmp_path: PocketSphinx(),
    "whisper": lambda tmp_path: Whisper(hypotheses="best"),
    "vosk": lambda tmp_path: Vosk(),
    "command": command,
}
MODELS = {"whisper": "tiny.en", "vosk": "vosk-small-en"}


@pytest.fixture(params=RECOGNISERS)
def recogniser(request, own_models, tmp_path):
    row, model = TABLE.get(request.param), MODELS.get(request.param)
    if row is not None and not row.is_installed:
        pytest.skip(f'needs pip install -e ".[{row.extra}]"')
    if model is not None and not models.is_here(model):
        pytest.skip(f"needs the model {model}: rankine spoken models add {model}")
    return RECOGNISERS[request.param](tmp_path)


@pytest.fixture
def folder(tmp_path):
    """Recordings that are no good, and speech at 8 kHz and in one of two channels."""
    place = tmp_path / "audio"
    place.mkdir()
    speech = heard("tape-70") / 32768
    tones = sum(0.2 * np.sin(2 * np.pi * f * np.arange(48000) / 16000) for f in (262, 330, 392))
    soundfile.write(place / "silence.wav", np.zeros(16000), 16000)
    soundfile.write(place / "music.wav", tones, 16000)
    soundfile.write(place / "moment.wav", tones[:16], 16000)
    soundfile.write(place / "telephone.wav", speech[::2], 8000)
    soundfile.write(place / "one-channel.wav", np.stack([speech, np.zeros(len(speech))], axis=1), 16000)
    (place / "letter.wav").write_text("Dear Sir or Madam")
    soundfile.write(place / "cut.flac", np.tile(speech, 3), 16000)
    (place / "cut.flac").write_bytes((place / "cut.flac").read_bytes()[:20000])
    soundfile.write(place / "cut.wav", speech, 16000)
    (place / "cut.wav").write_bytes((place / "cut.wav").read_bytes()[:3000])
    soundfile.write(place / "cut.ogg", speech, 16000)
    (place / "cut.ogg").write_bytes((place / "cut.ogg").read_bytes()[:5000])
    for path in place.iterdir():
        os.utime(path, (1e9, 1e9))  # it rests
    return place


def test_bad_recordings_are_named_and_the_rest_goes_on(recogniser, folder, tmp_path):
    archive = Archive.create(tmp_path / "archive")
    added = archive.recordings.add(folder, [recogniser])
    errors = " ".join(added.errors)
    assert "letter.wav: cannot be read as audio" in errors
    assert "cut.flac: cannot be read to its end" in errors
    assert "cut.ogg: there is no sound in it: it is empty or cut off" in errors
    assert any("cut.wav: cut off (its head states at least" in note for note in added.recognised.notes)
    assert all("\n" not in error for error in added.errors)
    assert any("silence.wav: no speech was recognised" in note for note in added.recognised.notes)
    assert added.recognised.done >= 5
    if not isinstance(recogniser, Echo):
        assert {hit.recording for hit in archive.search("railway")} >= {"telephone", "one-channel"}


def test_a_full_disk(recogniser, folder, tmp_path, monkeypatch):
    def full(path, content, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rankine.spoken.recognise.run.write_file", full)
    with pytest.raises(OSError, match="No space left on device") as raised:
        recognise([folder / "one-channel.wav"], tmp_path / "out", recogniser)
    assert raised.value.filename.endswith("one-channel" + recogniser.ending)


def test_no_network_is_used(recogniser, folder, tmp_path, monkeypatch):
    def refused(*arguments, **options):
        raise AssertionError("a network was used")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)
    archive = Archive.create(tmp_path / "archive")
    assert archive.recordings.add(folder / "one-channel.wav", [recogniser]).errors == []
    archive.search("railway")
