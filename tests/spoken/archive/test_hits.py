"""Hits: the place in the document, what matched, what was said around it, and where its recording is."""

import pytest

import rankine as rk
from rankine.spoken.archive.archive import Archive
from rankine.spoken.archive.hits import locate

from ..cases import SMALL, sausages


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
