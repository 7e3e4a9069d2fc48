"""Subtitles of a recording."""

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.transcripts.subtitles import best_words, subtitles

from ..cases import SMALL, filled, sausages, talk


def test_subtitles(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    words = [("one", 0.0, 0.5, 0.9), ("two", 0.5, 1.0, 0.51), ("three", 3.0, 3.5, 1.0)]
    archive.lattices.add([("d", one_best(words))])
    assert subtitles(archive.index, "d").splitlines()[2:5] == [
        "00:00:00.000 --> 00:00:01.000",
        "<00:00:00.000><c.c9>one</c> <00:00:00.500><c.c5>two</c>",
        "",
    ]
    assert subtitles(archive.index, "d", "srt").splitlines()[:3] == ["1", "00:00:00,000 --> 00:00:01,000", "one two"]


def test_what_has_no_subtitles(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    with pytest.raises(rk.InputError, match="no recording is called 'e'"):
        subtitles(archive.index, "e")
    with pytest.raises(rk.InputError, match="subtitles are vtt or srt, got 'ass'"):
        subtitles(archive.index, "d", "ass")
    source = sausages(tmp_path / "s.sausage", "u [ a 1 ]", "v [ a 1 ]", "w [ b 1 ]")
    archive.lattices.index(
        source, {"u": About("two", audio="1.wav"), "v": About("two", audio="2.wav"), "w": About("w")}
    )
    with pytest.raises(rk.InputError, match="stands in 2 audio files"):
        subtitles(archive.index, "two")
    with pytest.raises(rk.InputError, match="subtitles need times"):
        subtitles(archive.index, "w")


def test_subtitles_of_a_long_utterance(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    (tmp_path / "x.ctm").write_text(text := talk(200))
    archive.lattices.index(tmp_path / "x.ctm", {"rec": About("d", audio="x.wav", offset=3.0)})
    assert archive.index.n_stretches > 10
    want = [(line.split()[4], float(line.split()[2]) + 3.0) for line in text.splitlines()]
    got = [(word.text, word.start) for word in best_words(archive.index, "d")]
    assert [w for w, _ in got] == [w for w, _ in want]
    assert [t for _, t in got] == pytest.approx([t for _, t in want])
