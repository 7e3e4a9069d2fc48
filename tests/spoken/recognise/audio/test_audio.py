"""Audio of any rate as one channel, segments, snippets."""

from itertools import pairwise

import numpy as np
import pytest
import soundfile

from rankine.errors import InputError
from rankine.spoken.recognise.audio.audio import blocks, seconds, segments, snippet

from ..cases import heard, write


@pytest.mark.parametrize("ending", ["wav", "flac", "ogg", "mp3"])
@pytest.mark.parametrize(("rate", "channels"), [(16000, 1), (8000, 1), (44100, 2), (48000, 1)])
def test_any_rate_and_number_of_channels(tmp_path, ending, rate, channels):
    t = np.arange(2 * rate) / rate
    tone = 0.3 * np.sin(2 * np.pi * 440 * t)
    soundfile.write(tmp_path / f"x.{ending}", np.stack([tone] * channels, axis=1), rate)
    got = np.concatenate(list(blocks(tmp_path / f"x.{ending}", 16000))) / 32768
    assert len(got) == pytest.approx(32000, abs=2400 if ending == "mp3" else 3)
    middle = got[8000:24000]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert np.argmax(spectrum) == 440
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(0.3 / np.sqrt(2), rel=0.05)


def test_channels_are_averaged(tmp_path):
    soundfile.write(tmp_path / "x.wav", np.stack([np.full(1600, 0.4), np.zeros(1600)], axis=1), 16000)
    assert np.concatenate(list(blocks(tmp_path / "x.wav", 16000)))[100] == pytest.approx(0.2 * 32768, abs=1)


def test_segments_are_short_enough_and_complete(tmp_path):
    write(tmp_path / "x.wav", 50 * 16000)
    got = list(segments(tmp_path / "x.wav", 16000, longest=30.0))
    assert got[0].start == 0.0
    assert max(len(s.samples) for s in got) <= 30 * 16000
    assert got[-1].start + len(got[-1].samples) / 16000 == 50.0
    for left, right in pairwise(got):
        assert left.start + left.inner[1] == pytest.approx(right.start + right.inner[0])
    assert [len(s.samples) for s in segments(tmp_path / "x.wav", 16000, longest=60.0)] == [50 * 16000]


def test_the_end_of_a_recording_is_heard(tmp_path):
    """The last frame may be whole or not: speech goes on to the end either way."""
    names = ("tape-70", "tape-50", "tape-18", "tape-30", "tape-54", "tape-63", "tape-08", "tape-75", "tape-17")
    speech = np.concatenate([heard(n) for n in names])
    for length in (480 * 1067, 480 * 1067 + 77):
        soundfile.write(tmp_path / "x.wav", speech[:length], 16000)
        *_, last = segments(tmp_path / "x.wav", 16000, 30.0)
        assert last.start + len(last.samples) / 16000 == pytest.approx(length / 16000, abs=0.05)


def test_snippets(tmp_path):
    ramp = np.arange(16000 * 4, dtype=np.int16) % 30000
    soundfile.write(tmp_path / "x.wav", ramp, 16000)
    assert snippet(tmp_path / "x.wav", 1.0, 2.0, 0.5, tmp_path / "s.wav") == 2.0
    got, rate = soundfile.read(tmp_path / "s.wav", dtype="int16")
    assert rate == 16000
    assert got.tolist() == ramp[8000:40000].tolist()
    assert snippet(tmp_path / "x.wav", 3.5, 3.9, 0.5, tmp_path / "s.wav") == pytest.approx(1.0)
    with pytest.raises(InputError, match=r"not within its 4\.0 s"):
        snippet(tmp_path / "x.wav", 9.0, 9.5, 0.5, tmp_path / "s.wav")
    assert seconds(tmp_path / "x.wav") == 4.0


def test_snippets_of_loud_and_floating_recordings(tmp_path):
    t = np.arange(16000) / 16000
    soundfile.write(tmp_path / "f.wav", 0.5 * np.sin(440 * t), 16000, subtype="FLOAT")
    soundfile.write(tmp_path / "loud.wav", 3.0 * np.sin(440 * t), 16000, subtype="FLOAT")
    snippet(tmp_path / "f.wav", 0.2, 0.8, 0.0, tmp_path / "s.wav")
    assert np.abs(soundfile.read(tmp_path / "s.wav")[0]).max() == pytest.approx(0.5, abs=0.01)
    snippet(tmp_path / "loud.wav", 0.2, 0.8, 0.0, tmp_path / "s.wav")
    assert np.abs(np.diff(soundfile.read(tmp_path / "s.wav")[0])).max() < 0.3  # cut off, not wrapped
    for target, message in (("f.wav", "the recording itself"), ("x.mp3", "as a .wav file")):
        with pytest.raises(InputError, match=message):
            snippet(tmp_path / "f.wav", 0.2, 0.8, 0.0, tmp_path / target)
    with pytest.raises(InputError, match="pad of at least 0"):
        snippet(tmp_path / "f.wav", 0.2, 0.8, float("inf"), tmp_path / "s.wav")
