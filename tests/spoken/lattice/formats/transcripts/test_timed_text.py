"""Whisper's TSV, STM, and text with time codes."""

import pytest

import rankine as rk
from rankine.spoken.lattice.formats.detection import candidates
from rankine.spoken.lattice.formats.transcripts.timed_text import write_stm, write_text, write_tsv
from rankine.spoken.lattice.formats.transcripts.transcript import Transcript

from ..cases import TRANSCRIPTS
from ..reading import pieces, segments, speakers, timed


def test_tsv(tmp_path):
    text = TRANSCRIPTS["x.tsv"]
    assert timed(tmp_path, text, "x.tsv") == [("hello", 0.5, 1.0), ("world", 1.0, 1.5), ("yes", 2.0, 2.5)]
    seconds = "start\tend\tspeaker\ttext\n0.5\t1.5\tAnn\tHi\n"
    assert segments(tmp_path, seconds, "x.tsv")[0][:2] == (0.5, 1.5)
    assert speakers(tmp_path, seconds, "x.tsv") == [("Ann", "Hi")]


@pytest.mark.parametrize(
    "text",
    [
        "utterance\trecording\tspeaker\nu1\td1\tAnn\n",
        "recording\ttranscript\na.wav\thello there\n",
        "recording\tstart\tend\ttext\na\t0\t1\thello\n",
        "start\tend\n0\t1\n",
        "a\tb\n",
    ],
)
def test_other_tables_are_no_transcripts(tmp_path, text):
    (tmp_path / "transcripts.tsv").write_text(text)
    assert candidates(tmp_path / "transcripts.tsv") == []


def test_stm(tmp_path):
    turns = pieces(tmp_path, TRANSCRIPTS["x.stm"], "x.stm")
    assert [(p.name, p.turn.recording, p.turn.speaker) for p in turns] == [
        ("u@0.50", "u", "Ann"), ("u@2.00", "u", "Bob"), ("v", "v", "Cy"),
    ]  # fmt: skip
    assert speakers(tmp_path, TRANSCRIPTS["x.stm"], "x.stm")[2] == ("Cy", "no (uh)")
    text = (
        "u B s 0 1 ignore_time_segment_in_scoring\nu B inter_segment_gap 1 2 <o,f0,male>\n"
        "u B unknown 2 3 a { b / c } d { e / @ }\n"
    )
    assert speakers(tmp_path, text, "x.stm") == [("", "a b d e")]
    assert pieces(tmp_path, text, "x.stm")[0].name == "u-B"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("[00:01:02] Hello there\n[00:01:04] Yes\n", [("", 62.0, 64.0, "Hello there"), ("", 64.0, None, "Yes")]),
        ("00:01:02 Ann: Hello\nthere\n\n01:04 Bob Lee: Yes\n",
         [("Ann", 62.0, 64.0, "Hello there"), ("Bob Lee", 64.0, None, "Yes")]),
        ("(1:02) Hello\n(1:04) He said: yes\n", [("", 62.0, 64.0, "Hello"), ("", 64.0, None, "He said: yes")]),
        ("[00:00:01.000 --> 00:00:02.500]   Hello\n", [("", 1.0, 2.5, "Hello")]),  # whisper.cpp
        ("Talk\n\nSpeaker 1  0:03\nHello there.\n\nSpeaker 2  0:05\nYes.\n",  # Otter
         [("Speaker 1", 3.0, 5.0, "Hello there."), ("Speaker 2", 5.0, None, "Yes.")]),
        ("[00:00:01.00]Hello\n[00:00:02.00]\n[00:00:03]Yes\n", [("", 1.0, 2.0, "Hello"), ("", 3.0, None, "Yes")]),
        ("0:01 - 0:02\nQ: Hello\n", [("Q", 1.0, 2.0, "Hello")]),
    ],
)  # fmt: skip
def test_time_codes(tmp_path, text, want):
    got = segments(tmp_path, text, "x.txt")
    assert [(s.speaker, s.start, " ".join(w.text for w in s.words)) for s in got] == [(k, t, w) for k, t, _, w in want]
    assert [s.end for s, (_, _, end, _) in zip(got, want, strict=True) if end is not None] == [
        end for _, _, end, _ in want if end is not None
    ]
    assert all(s.estimated for s in got)


@pytest.mark.parametrize(
    "text",
    ["hello there\nhow are you\n", "", "at 10:30 we met\n" * 20 + "10:30 we met\n", "a 1\nb 2\n", "\0\0[00:01] a\n"],
)
def test_other_texts_are_no_transcripts(tmp_path, text):
    (tmp_path / "x.txt").write_text(text)
    assert candidates(tmp_path / "x.txt") == []


@pytest.mark.parametrize(("write", "name"), [(write_tsv, "y.tsv"), (write_stm, "y.stm"), (write_text, "y.txt")])
def test_what_is_written_is_read_again(tmp_path, write, name):
    before = segments(tmp_path, TRANSCRIPTS["codes.txt"], "x.txt")
    after = segments(tmp_path, write(Transcript("y", tuple(before))), name)
    assert [(s.start, s.end, s.words) for s in after] == [
        (s.start, pytest.approx(s.end, abs=1e-3), tuple(map(near, s.words))) for s in before
    ]
    if write is not write_tsv:
        assert [s.speaker for s in after] == ["Ann", "Bob"]


def near(word):
    return (word.text, pytest.approx(word.start, abs=1e-3), pytest.approx(word.end, abs=1e-3), word.confidence)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.tsv", "start\tend\ttext\n0\t1\n", "line 2: expected 3 columns, got 2"),
        ("x.tsv", "start\tend\ttext\n0\tone\ta\n", "line 2: expected a number"),
        ("x.tsv", "start\tend\ttext\n9\t1\ta\n", "'a' begins at 0.009"),
        ("x.stm", "u 1 s 0 1 a\nu 1 s\n", "line 2: expected file, channel"),
        ("x.stm", "u 1 s 0 1 a\nu 1 s one 2 b\n", "line 2: expected a number"),
        ("x.txt", "[00:02] a\n[00:01] b\n", "line 2: a time code of 1 s follows one of 2 s"),
        ("x.txt", "[00:02 - 00:01] a\n", "line 1: a segment begins at 2 s and ends at 1 s"),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        rk.spoken.read_lattice(tmp_path / name, format=name[2:].replace("txt", "text"))
    assert name in str(error.value)


def test_times_of_stm_are_in_milliseconds(tmp_path):
    (one, *_) = segments(tmp_path, TRANSCRIPTS["codes.txt"], "x.txt")
    long = one._replace(start=0.1 + 0.2, end=1 / 3 + 1)
    assert write_stm(Transcript("a", (long,))).startswith(b"a 1 Ann 0.3 1.333 <o> ")


def test_names_that_stm_cannot_hold(tmp_path):
    before = segments(tmp_path, TRANSCRIPTS["codes.txt"], "x.txt")
    assert write_stm(Transcript("a b", tuple(before))).startswith(b"a_b 1 Ann 0.5 1.5 <o> Hello, world.\n")
    with pytest.raises(rk.InputError, match="STM cannot hold the name ';;x'"):
        write_stm(Transcript(";;x", tuple(before)))
