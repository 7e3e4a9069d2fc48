"""Hits: the place in the document, what matched, what was said around it, and where its recording is."""

import pytest

import rankine as rk
from rankine.spoken.archive.archive import Archive
from rankine.spoken.archive.hits import locate
from rankine.spoken.index.about import About

from ..cases import SMALL, sausages, talk


def test_a_hit_points_at_the_phrase(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    (tmp_path / "x.ctm").write_text(
        "u 1 0 1 roman 1\nu 1 1 1 x 1\nu 1 2 1 roman 0.6\nu 1 3 0.01 uh 0.01\nu 1 3.01 1 type 0.6\nu 1 4.1 1 y 1\n"
    )
    archive.add(tmp_path / "x.ctm")
    hit = archive.search("roman type")[0]
    assert (round(hit.start, 2), round(hit.end, 2)) == (2.0, 4.01)
    assert [m.unit for m in hit.matches] == ["roman", "type"]
    assert hit.snippet == "roman x [roman type] y"


def test_hits_have_place_and_reason(several):
    hits = several.search("w0 w1", k=20)
    assert len(hits) > 10
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.contributions.values()))
        assert hit.audio == "x.wav"
        offset = 10.0 * int(hit.utterance[1:])
        assert offset <= hit.start <= hit.end
        assert hit.matches
        assert 0 < hit.matches[0].posterior <= 1
        assert hit.document == f"d{int(hit.utterance[1:]) // 3:02d}"
        assert hit.title == f"t{int(hit.document[1:])}"
        assert hit.place == f"{hit.document}@{hit.start:.1f}-{hit.end:.1f}"


def test_without_times(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add(sausages(tmp_path / "s.sausage", "u [ a 1 ]"))
    hit = archive.search("a")[0]
    assert hit.to_dict()["start"] is None
    assert hit.place == "u"


def test_recordings_of_hits(several, tmp_path):
    (tmp_path / "archive" / "x.wav").touch()
    place = locate(several.index, "d01@35.5")
    assert place == ("d01", tmp_path / "archive" / "x.wav", 35.5, 38.5)
    assert locate(several.index, "d01")[2:] == (0.0, 30.0)
    (tmp_path / "archive" / "x.wav").rename(tmp_path / "x.wav")
    with pytest.raises(rk.InputError, match="--recordings"):
        locate(several.index, "d01@35.5")
    assert locate(several.index, "d01@35.5", str(tmp_path)).audio == tmp_path / "x.wav"
    for text, message in (
        ("d01@x", "expected times in seconds"),
        ("d01@5-4", "begins at 0 or later"),
        ("e", "no document"),
    ):
        with pytest.raises(rk.InputError, match=message):
            locate(several.index, text)
    bare = Archive.create(tmp_path / "bare", SMALL)
    bare.add(sausages(tmp_path / "s.sausage", "u [ a 1 ]"))
    with pytest.raises(rk.InputError, match="bare: the archive does not know a recording of 'u'"):
        locate(bare.index, "u@1")


def test_hits_in_stretches(tmp_path):
    """What is said around a hit goes on beyond the pause; every time of the recording is in it."""
    archive = Archive.create(tmp_path / "a", SMALL)
    words = {10: "a", 11: "b", 12: "c", 13: "d", 24: "e"}
    (tmp_path / "x.ctm").write_text(talk(36, words))
    (tmp_path / "y.ctm").write_text(talk(1).replace("rec 1", "first 1"))
    (tmp_path / "a" / "x.wav").touch()
    archive.add(tmp_path / "y.ctm", {"first": About("d", audio="y.wav")})
    archive.add(tmp_path / "x.ctm", {"rec": About("d2", audio="x.wav", offset=2.0)})
    assert archive.search("b")[0].snippet.startswith("… ")
    assert " a [b] c d " in archive.search("b")[0].snippet
    assert " a b [c] d " in archive.search("c")[0].snippet
    assert archive.search("e")[0].snippet.startswith("… ")
    assert archive.search("c")[0].start == pytest.approx(2 + 12 * 0.4 + 0.7)
    for at in ("0", "6.9", "7.2", "17.5"):
        assert locate(archive.index, f"d2@{at}").audio.name == "x.wav"


def test_neighbours_are_of_one_utterance(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "x.ctm").write_text("u 1 0 1 a 1\nu 1 2 1 b 1\nv 1 0 1 c 1\n")
    archive.add(tmp_path / "s", {"u": About("d"), "v": About("d")})
    assert archive.search("b")[0].snippet == "a [b]"
    assert archive.search("c")[0].snippet == "[c]"
