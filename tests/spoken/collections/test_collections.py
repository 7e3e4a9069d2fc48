"""Named collections of places."""

import csv
import json

import pytest

import rankine as rk
from rankine.spoken.lattice.formats import read_lattice

from ..corrections.cases import archive_of, recognised_archive


@pytest.fixture
def archive(tmp_path):
    return archive_of(tmp_path / "a", tape="one two three four", other="five six")


def members(archive, name):
    return [(m.place, m.text) for m in archive.collections.get_all(name)]


def test_collections(archive):
    book = archive.collections
    first = book.add("For the  talk", ["tape@0-1", "other"], "on printing", "ann")
    assert [m.who for m in first] == ["ann", "ann"]
    assert book.add("For the talk", "tape@0-1") == []
    book.add("For the talk", "tape@1-2")
    book.add("rest", "tape")
    assert book.names == {"For the talk": 3, "rest": 1}
    book.remove(first[1].id)
    assert members(archive, "For the talk") == [("tape@0.00-1.00", "on printing"), ("tape@1.00-2.00", "")]
    book.undo()
    assert len(members(archive, "For the talk")) == 3
    archive.metadata.set("tape", {"rights": "closed"})
    assert members(archive, "For the talk") == [("other", "on printing")]
    assert len(book.get_all("For the talk", closed=True)) == 3
    for call, said in (
        (lambda: book.get_all("tlak"), "no collection is called 'tlak'. There are: For the talk, rest"),
        (lambda: book.add(" ", "other"), "expected the name of a collection"),
        (lambda: book.add("x" * 101, "other"), "at most 100 characters"),
        (lambda: book.add("x", "nothing@1-2"), "no recording is called 'nothing'"),
        (lambda: book.remove(99), "no place that counts has the number 99"),
    ):
        with pytest.raises(rk.InputError, match=said):
            call()


def test_export_with_time_codes(tmp_path):
    archive = recognised_archive(tmp_path, "one two three four", "five six")
    archive.metadata.set("r00", {"title": "On\nnumbers"})
    archive.corrections.add("r00@0.5-1", "Zwei")
    archive.collections.add("talk", ["r00@0-1.5", "r01@0.5-1", "r01"], "a <b> & c")
    assert archive.collections.export("talk", tmp_path / "t.csv") == 3
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert [(r["recording"], r["from"], r["to"], r["said"]) for r in rows] == [
        ("r00", "00:00:00.000", "00:00:01.500", "one Zwei three"), ("r01", "00:00:00.500", "00:00:01.000", "six"),
        ("r01", "", "", ""),
    ]  # fmt: skip
    assert rows[0]["audio"] == str(tmp_path / "audio" / "r00.wav")
    archive.collections.export("talk", tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text())[0]["start"] == 0.0
    archive.collections.export("talk", tmp_path / "t.m3u")
    assert (tmp_path / "t.m3u").read_text().splitlines()[:5] == [
        "#EXTM3U", "#EXTINF:2,On numbers: a <b> & c", "#EXTVLCOPT:start-time=0.000", "#EXTVLCOPT:stop-time=1.500",
        str(tmp_path / "audio" / "r00.wav"),
    ]  # fmt: skip
    with pytest.raises(rk.InputError, match="WebVTT belongs to one recording"):
        archive.collections.export("talk", tmp_path / "t.vtt")
    archive.collections.add("one", "r00@0-1.5", "say <i>")
    archive.collections.export("one", tmp_path / "t.vtt")
    assert "00:00:00.000 --> 00:00:01.500\nsay &lt;i&gt;: one Zwei three\n" in (tmp_path / "t.vtt").read_text()
    assert "three" in read_lattice(tmp_path / "t.vtt").units
    other = recognised_archive(tmp_path / "other", "one two three four", "five six")
    assert len(other.collections.import_file(tmp_path / "t.csv").added) == 3
    assert [m.place for m in other.collections.get_all("talk")] == ["r00@0.00-1.50", "r01@0.50-1.00", "r01"]
    assert len(other.collections.import_file(tmp_path / "t.json", "another").added) == 3


def test_without_a_known_recording_there_is_no_list_for_players(archive, tmp_path):
    archive.collections.add("talk", "tape@0-1")
    with pytest.raises(rk.InputError, match="does not know a recording of 'tape'"):
        archive.collections.export("talk", tmp_path / "t.m3u8")
