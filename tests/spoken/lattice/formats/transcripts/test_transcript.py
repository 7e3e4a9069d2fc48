"""Transcripts: words and punctuation, shares of time, turns, and what is written of a network."""

import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.transcripts.transcript import TranscriptWord, cues, spread, weights

from ..cases import TRANSCRIPTS
from ..reading import pieces, segments, timed


def test_shares_of_time_are_those_of_letters():
    words = spread(["a", "bbb", "cc"], 1.0, 7.0)
    assert [(w.text, w.start, w.end) for w in words] == [("a", 1.0, 2.0), ("bbb", 2.0, 5.0), ("cc", 5.0, 7.0)]
    assert spread([], 0, 1) == ()


def test_weights_of_alternatives():
    assert weights([0.9]) == [1.0]
    assert sum(weights([0.9, 0.8, 0.1])) == pytest.approx(1)
    assert weights([0.0, 0.0]) == pytest.approx([2 / 3, 1 / 3])
    assert weights([-1000.0, -5000.0]) == pytest.approx([1, 0])
    with pytest.raises(ValueError, match="not a number"):
        weights([float("nan"), 1.0])


def test_turns_have_names_offsets_and_speakers(tmp_path):
    text = "u 1 A 0.5 1 one\nu 1 A 1 2 two\nu 1 B 2 3 three\nu 1 A 2 3 four\nu 2 C 7 8 five\n"
    turns = pieces(tmp_path, text, "x.stm")
    assert [(p.name, *p.turn[:3]) for p in turns] == [
        ("u@0.50", "u", 0.5, "A"), ("u@2.00", "u", 2.0, "B"), ("u@2.00+1", "u", 2.0, "A"), ("u-2", "u-2", 0.0, "C"),
    ]  # fmt: skip
    assert [f.load(p, f.Reading()).start[0] for p in turns] == [0.0, 0.0, 0.0, 7.0]
    with pytest.raises(rk.InputError, match="several utterances"):
        rk.spoken.read_lattice(tmp_path / "x.stm")


def test_a_file_in_a_folder_is_called_by_its_path(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "talk.vtt").write_text(
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>a\n\n00:03.000 --> 00:04.000\n<v B>b\n"
    )
    assert list(dict(rk.spoken.read_archive(tmp_path))) == ["s/talk@1.00", "s/talk@3.00"]


def test_of_transcripts_side_by_side_the_richest_is_read(tmp_path):
    (tmp_path / "a.json").write_text('{"segments": [{"start": 0, "end": 1, "text": "rich"}]}')
    (tmp_path / "a.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\npoor\n")
    (tmp_path / "a.tsv").write_text("start\tend\ttext\n0\t1000\tpoor\n")
    (tmp_path / "a.txt").write_text("poor\n")
    with pytest.warns(rk.InputNote) as notes:
        assert [lattice.units for _, lattice in rk.spoken.read_archive(tmp_path)] == [("rich",)]
    assert [str(n.message).split(": ", 1)[1] for n in notes] == [
        "left out, because no format fits: 1 file, e.g. a.txt",
        "left out, because a richer transcript has the same name: a.srt and 1 more file",
    ]


def test_display_is_kept_and_words_are_clean(tmp_path):
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nHello, World!\n"
    assert [w.text for w in segments(tmp_path, text, "x.vtt")[0].words] == ["Hello,", "World!"]
    assert [w for w, _, _ in timed(tmp_path, text, "x.vtt")] == ["hello", "world"]
    assert rk.spoken.read_lattice(tmp_path / "x.vtt", lower=False).units == ("Hello", "World")


def test_cues_break_at_pauses_and_when_they_are_long():
    words = [TranscriptWord("word", float(i), i + 1.0) for i in range(10)]
    assert [len(group) for group in cues(words)] == [6, 4]
    assert len(cues([words[0], words[2]])) == 2
    assert len(cues([w._replace(text="w" * 60, start=0.0, end=0.1) for w in words[:2]])) == 2


def test_what_is_no_text_names_the_place(tmp_path):
    (tmp_path / "x.vtt").write_bytes(b"WEBVTT\n\xff\n")
    with pytest.raises(rk.InputError, match=r"x\.vtt, line 2: .* is not UTF-8"):
        rk.spoken.read_lattice(tmp_path / "x.vtt")
    (tmp_path / "x.vtt").write_bytes("WEBVTT\n".encode("utf-16") + b"\x00")
    with pytest.raises(rk.InputError, match="is not UTF-16"):
        rk.spoken.read_lattice(tmp_path / "x.vtt")


SRT = "1\n00:00:01,000 --> 00:00:02,000\nCafé au lait\n"


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "utf-8"])
def test_an_encoding_is_named(tmp_path, encoding):
    (tmp_path / "x.srt").write_bytes(SRT.encode(encoding))
    lattice = rk.spoken.read_lattice(tmp_path / "x.srt", format="srt", encoding=encoding)
    assert lattice.units == ("café", "au", "lait")
    ((name, other),) = rk.spoken.read_archive(tmp_path / "x.srt", format="srt", encoding=encoding)
    assert (name, other.units) == ("x", lattice.units)


def test_an_encoding_is_never_guessed(tmp_path):
    (tmp_path / "x.srt").write_bytes(SRT.encode("cp1252"))
    with pytest.raises(
        rk.InputError, match=r"x\.srt, line 3: b'\\xe9 au' is not UTF-8; say which .*\(--encoding, such as"
    ):
        rk.spoken.read_lattice(tmp_path / "x.srt")
    with pytest.raises(rk.InputError, match=r"x\.srt, line 3: b'\\xe9 au' is not ascii"):
        rk.spoken.read_lattice(tmp_path / "x.srt", encoding="ascii")
    with pytest.raises(rk.InputError, match=r"encoding must be one such as cp1252, latin-1 or utf-16, got 'cp-1'"):
        rk.spoken.read_lattice(tmp_path / "x.srt", encoding="cp-1")


def test_an_encoding_goes_before_what_xml_states(tmp_path):
    text = TRANSCRIPTS["x.eaf"].replace("Hello", "Café")
    (tmp_path / "x.eaf").write_bytes(b'<?xml version="1.0" encoding="UTF-8"?>' + text.encode("cp1252"))
    assert "café" in dict(rk.spoken.read_archive(tmp_path / "x.eaf", encoding="cp1252"))["x@0.50"].units


def test_lattices_have_no_encoding(tmp_path):
    (tmp_path / "x.ctm").write_bytes(b"u 1 0 1 caf\xe9\n")
    with pytest.raises(rk.InputError, match=r"x\.ctm: an encoding can be given for transcripts only, and this is ctm"):
        rk.spoken.read_lattice(tmp_path / "x.ctm", encoding="cp1252")
