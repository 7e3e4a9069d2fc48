"""The tables of the store: one of an earlier version is read as it is, and gets what it lacks when it is written to."""

import sqlite3

import pytest

import rankine as rk
from rankine.spoken.archive.archive import Archive
from rankine.spoken.salvage import salvage
from rankine.spoken.store import FILE, Store
from rankine.spoken.store_tables import KINDS, VERSION, definitions, missing_tables

from .archive.correction_cases import archive_of

LATER = ("correction", "note", "member")


def earlier(folder):
    """Make the store of an archive one of version 1."""
    with sqlite3.connect(folder / FILE) as db:
        for kind in LATER:
            db.execute(f"DROP TABLE {kind}")
        db.execute("PRAGMA user_version = 1")
    db.close()


@pytest.fixture
def archive(tmp_path):
    archive = archive_of(tmp_path / "a", tape="one two three", other="four")
    archive.about.set("tape", {"title": "a title", "rights": "closed"})
    earlier(archive.folder)
    return Archive(tmp_path / "a")


def tables(folder):
    with sqlite3.connect(folder / FILE) as db:
        out = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        (version,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    return out, version


def test_a_store_of_an_earlier_version_is_only_read(archive):
    before = (archive.folder / FILE).read_bytes()
    archive.check()
    assert archive.about.get("tape")["title"] == "a title"
    assert archive.corrections.all(closed=True) == archive.notes.all(closed=True) == []
    assert archive.search("four")
    assert (archive.folder / FILE).read_bytes() == before
    assert tables(archive.folder) == (definitions(1), 1)


def test_it_gets_what_it_lacks_when_it_is_written_to(archive):
    archive.notes.add("other", "a note")
    assert tables(archive.folder) == (definitions(), VERSION)
    assert [n.text for n in archive.notes.all()] == ["a note"]
    assert archive.about.get("tape")["title"] == "a title"


def test_a_change_that_fails_leaves_it_as_it_was(archive):
    with pytest.raises(RuntimeError), Store(archive.folder).writing("x"):
        raise RuntimeError
    assert tables(archive.folder)[1] == 1


def test_it_is_packed_also_without_what_is_closed(archive, tmp_path):
    archive.pack(tmp_path / "p.zip", open_only=True)
    other = Archive.unpack(tmp_path / "p.zip", tmp_path / "other")
    assert other.documents == ["other"]
    archive.pack(tmp_path / "q.zip", closed=True)
    assert Archive.unpack(tmp_path / "q.zip", tmp_path / "more").about.get("tape")["title"] == "a title"


def test_it_is_salvaged(archive, tmp_path):
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / FILE).write_bytes((archive.folder / FILE).read_bytes())
    done = salvage(tmp_path / "copy" / FILE, archive.folder / FILE)
    assert done.saved > 0
    assert Archive(archive.folder).about.get("tape")["title"] == "a title"
    assert tables(archive.folder)[1] == VERSION


def test_other_tables_are_refused(archive):
    with sqlite3.connect(archive.folder / FILE) as db:
        db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY)")
    db.close()
    with pytest.raises(rk.InputError, match="it has other tables"):
        archive.notes.all()


def test_every_kind_speaks_of_recordings():
    assert all(any(column.name == "recording" for column in columns) for columns in KINDS.values())
    assert missing_tables(VERSION) == []
    assert {statement.split()[2] for statement in missing_tables(1) if "TABLE" in statement} == set(LATER)
