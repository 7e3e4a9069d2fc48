"""Sound of media files against the samples that they were made of."""

import os
import stat
import sys
import textwrap

import numpy as np
import pytest
import soundfile

from rankine.errors import InputError
from rankine.spoken.recognise.audio import media
from rankine.spoken.recognise.audio.audio import blocks, seconds, snippet
from rankine.spoken.recognise.audio.media import open_av, open_ffmpeg
from rankine.spoken.recognise.audio.readers import open_audio

from ..clips import clip, lag, sweep

av = pytest.importorskip("av")


def decoded(path, first=0):
    with open_av(path) as sound:
        return np.concatenate([np.zeros((0, sound.channels), np.float32), *sound.blocks(first)])[:, 0]


@pytest.mark.parametrize(
    ("name", "codec", "rate", "late"),
    [
        ("a.m4a", "aac", 44100, 0),
        ("a.mp4", "aac", 48000, 0),
        ("a.webm", "libopus", 48000, 0),
        ("a.mkv", "libopus", 48000, 0),
        ("a.mka", "aac", 16000, 0),
        ("a.mov", "pcm_s16le", 16000, 0),
        ("a.mp3", "libmp3lame", 44100, 0),
        ("a.opus", "libopus", 48000, 0),
        ("a.wma", "wmav2", 44100, 2048),  # these do not store how late their encoder is
        ("a.aac", "aac", 44100, 1024),
        ("a.avi", "libmp3lame", 44100, 1105),
    ],
)
def test_every_sample_is_where_it_was(tmp_path, name, codec, rate, late):
    want = sweep(3.3, rate)
    path = clip(tmp_path / name, want, rate, codec, picture=3.0 if name.endswith(("mp4", "mkv", "mov", "avi")) else 0)
    got = decoded(path)
    assert abs(lag(want, got) - late) <= (rate / 1000 if name == "a.wma" else 0)
    late = lag(want, got)
    n = min(len(want), len(got) - late) - 3000
    error = got[3000 + late : n + late] - want[3000:n]
    assert np.sqrt(np.mean(error**2)) < 0.03  # of a tone of about 0.2
    assert len(got) == pytest.approx(len(want), abs=5000)
    assert seconds(path) == pytest.approx(3.3, abs=0.1)


@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "aac"), ("a.webm", "libopus"), ("a.avi", "libmp3lame")])
def test_a_place_in_the_middle_is_the_same_as_in_the_whole(tmp_path, name, codec):
    path = clip(tmp_path / name, sweep(6.0, 48000), 48000, codec)
    whole = decoded(path)
    for first in (0, 1000, 48000, 200_123):
        some = decoded(path, first)
        assert abs(len(some) - len(whole[first:])) <= 48  # a millisecond: time stamps of Matroska are no finer
        n = min(len(some), len(whole) - first)
        assert abs(int(np.argmax(np.correlate(whole[first : first + 4000], some[:4000], "full"))) - 3999) <= 48
        assert n > 0


def test_sound_that_begins_later_than_the_picture(tmp_path):
    want = sweep(2.0, 48000)
    got = decoded(clip(tmp_path / "a.mp4", want, 48000, "aac", picture=3.0, start=0.5))
    assert not got[: 24000 - 2048].any()
    assert abs(lag(np.concatenate([np.zeros(24000), want]), got)) <= 48


def test_blocks_for_a_recogniser(tmp_path):
    want = sweep(2.0, 16000)
    soundfile.write(tmp_path / "a.wav", want, 16000)
    clip(tmp_path / "a.mp4", sweep(2.0, 48000), 48000, "aac", picture=1.0)
    reference, got = (np.concatenate(list(blocks(tmp_path / f"a.{end}", 16000))) for end in ("wav", "mp4"))
    assert got.dtype == np.int16
    assert abs(lag(reference / 32768, got / 32768)) <= 1
    assert np.sqrt(np.mean((got[2000:30000] / 32768 - want[2000:30000]) ** 2)) < 0.03


def test_snippets(tmp_path):
    path = clip(tmp_path / "a.webm", sweep(5.0, 48000), 48000, "libopus")
    assert snippet(path, 2.0, 3.0, 0.5, tmp_path / "s.wav") == 2.0
    got, rate = soundfile.read(tmp_path / "s.wav")
    assert rate == 48000
    assert abs(lag(sweep(5.0, 48000)[72000:168000], got)) <= 48


def test_what_cannot_be_read_is_one_line(tmp_path):
    path = clip(tmp_path / "a.mp4", sweep(3.0, 48000), 48000, "aac")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])  # its index was at the end
    with pytest.raises(InputError, match=r"a\.mp4: cannot be read as audio: the file holds something else, or is dam"):
        decoded(path)
    path.write_bytes(b"nothing" * 100)
    with pytest.raises(InputError, match=r"a\.mp4: cannot be read as audio: the file holds something else, or is dam"):
        decoded(path)
    with pytest.raises(InputError, match="cannot be read as audio: it holds no sound"):
        decoded(clip(tmp_path / "b.mp4", np.zeros(0), 48000, "aac", picture=1.0))


def test_a_truncated_file_whose_head_states_more(tmp_path):
    path = clip(tmp_path / "a.webm", sweep(4.0, 48000), 48000, "libopus")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        InputError, match=r"a\.webm: cannot be read to its end: its head states 4\.0 s, and there are 2\.0"
    ):
        decoded(path)


def test_damage_never_ends_in_anything_but_an_error_of_input(tmp_path):
    path = clip(tmp_path / "a.mp4", sweep(2.0, 16000), 16000, "aac")
    whole, rng, read = path.read_bytes(), np.random.default_rng(0), 0
    for _ in range(60):
        damaged = bytearray(whole)
        for at in rng.integers(0, len(whole), 2):
            damaged[at] = int(rng.integers(256))
        path.write_bytes(damaged)
        try:
            read += len(decoded(path)) > 0
        except InputError as error:
            assert "\n" not in str(error)
    assert 0 < read < 60


def test_lists_of_other_files_are_not_followed(tmp_path):
    clip(tmp_path / "secret.m4a", sweep(1.0, 16000), 16000, "aac")
    lists = {"ffconcat version 1.0\nfile secret.m4a\n", "#EXTM3U\n#EXTINF:1,\nsecret.m4a\n#EXT-X-ENDLIST\n"}
    for text in lists:
        (tmp_path / "list.mp4").write_text(text)
        with pytest.raises(InputError, match=r"list\.mp4: cannot be read as audio"):
            decoded(tmp_path / "list.mp4")


FFMPEG = """\
    #!{python}
    import struct, sys
    arguments = sys.argv[1:]
    assert arguments[0] == "-nostdin" and "-protocol_whitelist" in arguments
    path = arguments[arguments.index("-i") + 1]
    assert path.startswith("file:/")
    start = float(arguments[arguments.index("-ss") + 1]) if "-ss" in arguments else 0.0
    if "-hide_banner" in arguments:
        print("  Duration: 00:00:02.00, start: 0.000000, bitrate: 1 kb/s", file=sys.stderr)
        sys.exit(1)
    if "bad" in path:
        print("moov atom not found", file=sys.stderr)
        sys.exit(1)
    if "mute" in path:
        print("Stream map '0:a:0' matches no streams.", file=sys.stderr)
        sys.exit(1)
    length = 16000 if "cut" in path else 32000
    head = b"RIFF\\xff\\xff\\xff\\xffWAVEfmt " + struct.pack("<IHHIIHH", 16, 3, 2, 16000, 128000, 8, 32)
    data = b"".join(struct.pack("<ff", i / 32000, 0.0) for i in range(int(16000 * start), length))
    sys.stdout.buffer.write(head + b"LIST\\x03\\x00\\x00\\x00abc\\x00" + b"data\\xff\\xff\\xff\\xff" + data)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program in ffmpeg's place, which answers as it does."""
    (tmp_path / "bin").mkdir()
    path = tmp_path / "bin" / "ffmpeg"
    path.write_text(textwrap.dedent(FFMPEG).format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")
    assert media.ffmpeg() == str(path)
    return tmp_path


def test_ffmpeg(program):
    (program / "a.mp4").write_bytes(b"x")
    with open_ffmpeg(program / "a.mp4") as sound:
        assert (sound.rate, sound.channels, sound.frames) == (16000, 2, 32000)
        samples = np.concatenate(list(sound.blocks()))
        np.testing.assert_allclose(samples[:, 0], np.arange(32000) / 32000, atol=1e-7)
        np.testing.assert_allclose(np.concatenate(list(sound.blocks(16000))), samples[16000:])
        next(sound.blocks())  # a reader that stops early leaves no process behind
    assert sound.running == []
    with open_audio(program / "a.mp4") as sound:  # it comes before PyAV
        assert sound.frames == 32000


def test_what_ffmpeg_cannot_read(program):
    for name in ("bad.mp4", "cut.mp4", "mute.mp4"):
        (program / name).touch()
    with pytest.raises(InputError, match="it holds no sound"), open_ffmpeg(program / "mute.mp4"):
        pass
    with (
        pytest.raises(InputError, match=r"bad\.mp4: cannot be read as audio: the file holds something else"),
        open_ffmpeg(program / "bad.mp4"),
    ):
        pass
    with open_ffmpeg(program / "cut.mp4") as sound, pytest.raises(InputError, match=r"to its end: 1\.0 s could be"):
        list(sound.blocks())
