"""WebVTT and SRT: as they are written by people, by YouTube, by recognisers and by this package."""

from itertools import pairwise

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.formats.transcripts.captions import write_srt, write_vtt
from rankine.spoken.lattice.formats.transcripts.transcript import Transcript, segment_of_text

from ..cases import TRANSCRIPTS
from ..reading import pieces, segments, speakers, timed

YOUTUBE = """WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.470 align:start position:0%
~
these<00:00:00.400><c> days</c><00:00:00.799><c> air</c>

00:00:02.470 --> 00:00:02.480 align:start position:0%
these days air
~

00:00:02.480 --> 00:00:04.000 align:start position:0%
these days air
we<00:00:02.600><c> can</c>

00:00:04.000 --> 00:00:04.010 align:start position:0%
we can
~

00:00:04.010 --> 00:00:05.000 align:start position:0%
we can
okay

00:00:05.000 --> 00:00:06.000 align:start position:0%
[Music]
""".replace("~", " ")


def test_captions_of_youtube_say_every_word_once(tmp_path):
    assert timed(tmp_path, YOUTUBE, "x.vtt") == [
        ("these", 0.16, 0.4), ("days", 0.4, 0.799), ("air", 0.799, 2.47), ("we", 2.48, 2.6), ("can", 2.6, 4.0),
        ("okay", 4.01, 5.0),
    ]  # fmt: skip


def test_rolling_lines_without_times_of_words(tmp_path):
    lines = ["one", "two", "three", "four", "five"]
    text = "".join(
        f"{i}\n00:00:0{i},000 --> 00:00:0{i + 1},000\n{a}\n{b}\n\n" for i, (a, b) in enumerate(pairwise(lines), 1)
    )
    assert [w for w, _, _ in timed(tmp_path, text, "x.srt")] == lines
    again = "1\n00:00:01,000 --> 00:00:02,000\nNo.\n\n2\n00:00:02,000 --> 00:00:03,000\nNo.\n\n"
    assert [w for w, _, _ in timed(tmp_path, again, "x.srt")] == ["no", "no"]


def test_exact_times_confidences_and_voices(tmp_path):
    text = TRANSCRIPTS["x.vtt"]
    assert timed(tmp_path, text, "x.vtt") == [("hello", 0.5, 1.0), ("world", 1.0, 1.5), ("yes", 2.0, 2.5)]
    assert speakers(tmp_path, text, "x.vtt") == [("Ann", "Hello, world."), ("Bob", "Yes!")]
    assert [w.confidence for w in segments(tmp_path, text, "x.vtt")[0].words] == [0.9, 0.8]
    assert [p.turn.estimated for p in pieces(tmp_path, text, "x.vtt")] == [False, True]


def test_two_voices_in_a_cue(tmp_path):
    text = "WEBVTT\n\n00:01.000 --> 00:03.000\n<v.loud Ann>Hello &amp; hi</v>\n<v Bob>Yes"
    assert speakers(tmp_path, text, "x.vtt") == [("Ann", "Hello & hi"), ("Bob", "Yes")]
    assert timed(tmp_path, text, "x.vtt")[-1][2] == 3.0


@pytest.mark.parametrize(
    ("line", "speaker", "words"),
    [
        ("[SPEAKER_00]: Hello there", "SPEAKER_00", "Hello there"),  # WhisperX
        ("SPEAKER 1: Hello there", "SPEAKER 1", "Hello there"),
        (">> ANN SMITH: Hello there", "ANN SMITH", "Hello there"),
        ("- Ann: Hello there", "Ann", "Hello there"),
        ("He said: hello there", "", "He said: hello there"),
        ("Note: <i>this</i> {\\an8}one", "", "Note: this one"),
        ("- Hello. - There.", "", "Hello. There."),
    ],
)
def test_speakers_of_srt(tmp_path, line, speaker, words):
    text = f"\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n{line}\r\n\r\n"
    assert speakers(tmp_path, text, "x.srt") == [(speaker, words)]


def test_cues_without_empty_lines_between(tmp_path):
    text = "1\n00:00:01,0 --> 00:00:02,0\none\n2\n00:00:02,0 --> 00:00:03,0 X1:1\n7\n"
    assert timed(tmp_path, text, "x.srt") == [("one", 1.0, 2.0), ("7", 2.0, 3.0)]


@pytest.mark.parametrize(("write", "name"), [(write_vtt, "y.vtt"), (write_srt, "y.srt")])
def test_what_is_written_is_read_again(tmp_path, write, name):
    before = segments(tmp_path, TRANSCRIPTS["x.vtt"], "x.vtt")
    text = write(Transcript("x", tuple(before)))
    after = segments(tmp_path, text, name)
    said = [(s.speaker, w.text) for s in before for w in s.words]
    assert [(s.speaker, w.text) for s in after for w in s.words] == said
    if write is write_vtt:
        assert after == before
    odd = [before[0]._replace(words=(before[0].words[0]._replace(text="<&>x", confidence=0.2),), speaker="A & B")]
    (one,) = segments(tmp_path, write_vtt(Transcript("x", tuple(odd))), "odd.vtt")
    assert (one.speaker, one.words[0].text) == ("A & B", "<&>x")


def test_long_segments_are_written_as_several_cues(tmp_path):
    (one,) = segments(tmp_path, "WEBVTT\n\n00:00.000 --> 00:01.000\n<00:00:00.000>word\n", "x.vtt")
    words = tuple(one.words[0]._replace(start=float(i), end=i + 1.0) for i in range(20))
    text = write_srt(Transcript("x", (one._replace(words=words, end=20.0),))).decode()
    assert text.count("-->") == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("WEBVTT\n\n00:00 --> x\na\n", "line 3: expected hours:minutes:seconds"),
        ("WEBVTT\n\n00:02.000 --> 00:01.000\na\n", "line 3: a cue begins at 2.0 and ends at 1.0"),
        ("WEBVTT\n\n", "no words"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\n♪ [Applause]\n", "no words"),
    ],
)
def test_bad_captions(tmp_path, text, message):
    (tmp_path / "x.vtt").write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        rk.spoken.read_lattice(tmp_path / "x.vtt")
    assert "x.vtt" in str(error.value)


def test_lattices_without_times_have_no_captions():
    segment = segment_of_text("a", np.nan, np.nan)
    with pytest.raises(rk.InputError, match="x: WebVTT needs times"):
        write_vtt(Transcript("x", (segment,)))
    assert write_vtt(Transcript("x", ())) == b"WEBVTT\n\n"
    assert write_srt(Transcript("x", ())) == b""
