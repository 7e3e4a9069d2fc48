"""What the store says about recordings."""

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.search.recordings_list import RecordingsList
from rankine.spoken.store.store import FILE

from ..cases import filled, without_store


@pytest.fixture
def archive(tmp_path):
    return filled(tmp_path / "a", [f"d{i}" for i in range(5)])


def test_no_store(archive):
    without_store(archive.folder)
    cells = archive.index.cells
    assert (cells.stamp(), cells.some(["d1"]), cells.all(), cells.having("title")) == (None, {}, {}, {})
    assert not (archive.folder / FILE).exists()
    assert set(archive.index.recording_texts) == {"title", "date", "speakers"}
    assert archive.index.texts_of([0, 3]) == [{}, {}]


def test_a_store_that_was_removed_is_missed(archive):
    archive.metadata.set("d1", {"rights": "closed"})
    cells = archive.index.cells
    for change in ((archive.folder / FILE).unlink, (archive.folder / FILE).touch):
        change()
        ways = (
            lambda: Archive(archive.folder), archive.check, cells.all, lambda: archive.search("w1"),
            lambda: archive.metadata.set("d2", {"title": "x"}), archive.judgments.all,
            lambda: archive.pack(archive.folder.parent / "a.zip"),
            lambda: RecordingsList(archive.index, closed=True).table(),
        )  # fmt: skip
        for way in ways:
            with pytest.raises(rk.InputError, match=r"store\.sqlite: the archive is damaged.*check --repair"):
                way()


def test_cells(archive):
    archive.metadata.merge({"d1": {"title": "a", "place": "x"}, "d3": {"rights": "closed"}})
    cells = archive.index.cells
    assert cells.some(["d1", "d2", "zz"]) == {"d1": {"title": "a", "place": "x"}}
    assert cells.all() == {"d1": {"title": "a", "place": "x"}, "d3": {"rights": "closed"}}
    assert cells.having("rights") == {"d3": "closed"}
    assert archive.index.texts_of([3, 1]) == [{"rights": "closed"}, {"title": "a", "place": "x"}]
    texts = archive.index.recording_texts
    assert texts is archive.index.recording_texts
    assert texts["place"].tolist() == ["", "x", "", "", ""]
    archive.metadata.clear("d1", ["title"])
    assert cells.having("title") == {}
    assert cells.some(["d1"]) == {"d1": {"title": "", "place": "x"}}
    assert archive.index.recording_texts["title"].tolist() == [""] * 5


def test_a_value_that_looks_like_a_field(archive):
    archive.metadata.set(["d1", "d2"], {"title": '"rights":"open"'})
    archive.metadata.set("d2", {"rights": "closed"})
    archive.metadata.set("d3", {"rights": "open"})
    assert archive.index.cells.having("rights") == {"d2": "closed", "d3": "open"}
    assert archive.index.cells.having("rights", "open") == {"d2": "closed"}


def test_many_names(archive):
    archive.metadata.set("d1", {"title": "a"})
    assert archive.index.cells.some([*(f"x{i}" for i in range(3000)), "d1"]) == {"d1": {"title": "a"}}


def test_damage(archive):
    archive.metadata.set("d1", {"title": "a"})
    import sqlite3

    for about in ("[]", "{", '{"a": 1}'):
        with sqlite3.connect(archive.folder / FILE) as db:
            db.execute("UPDATE recording SET about = ?", (about,))
        db.close()
        for read in (lambda: archive.index.cells.some(["d1"]), archive.index.cells.all, archive.check):
            with pytest.raises(rk.InputError, match="not a store written by Rankine, or damaged"):
                read()
