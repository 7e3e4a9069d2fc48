"""The tables of the store: one of an earlier version is read as it is, and gets what it lacks when it is written to."""

import sqlite3

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.learn.judgments import JudgmentStore
from rankine.spoken.store.store import FILE, Store
from rankine.spoken.store.tables import KINDS, OLDEST, VERSION, definitions

from ..corrections.cases import archive_of

LATER = ("correction", "note", "member")


def execute(folder, *statements):
    db = sqlite3.connect(folder / FILE)
    with db:
        for statement in statements:
            db.execute(statement)
    db.close()


def make_earlier(folder):
    """Make the store of an archive one of version 2."""
    execute(folder, *(f"DROP TABLE {kind}" for kind in LATER), f"PRAGMA user_version = {OLDEST}")


@pytest.fixture
def archive(tmp_path):
    """An archive with a title and a judgment, in a store of an earlier version."""
    archive = archive_of(tmp_path / "a", tape="one two three", other="four")
    archive.metadata.set("tape", {"title": "a title", "rights": "closed"})
    JudgmentStore(archive.folder, {"other"}).judge("words", "other", 1.0, "ann")
    make_earlier(archive.folder)
    return Archive(tmp_path / "a")


def tables(folder):
    db = sqlite3.connect(folder / FILE)
    out = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    (version,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    return out, version


def test_a_store_of_an_earlier_version_is_only_read(archive):
    before = (archive.folder / FILE).read_bytes()
    archive.check()
    assert archive.metadata.get("tape")["title"] == "a title"
    assert archive.corrections.all(closed=True) == archive.notes.all(closed=True) == []
    assert archive.search("four")
    book = JudgmentStore(archive.folder, {"other"})
    assert book.all().qrels == {"1": {"other": 1.0}}
    (row,) = book.rows()
    assert (row.judge, row.rank, row.weights) == ("ann", None, "")
    book.check()
    assert (archive.folder / FILE).read_bytes() == before
    assert tables(archive.folder) == (definitions(OLDEST), OLDEST)


def test_it_gets_what_it_lacks_when_it_is_written_to(archive):
    archive.notes.add("other", "a note")
    assert tables(archive.folder) == (definitions(), VERSION)
    assert [n.text for n in archive.notes.all()] == ["a note"]
    assert archive.metadata.get("tape")["title"] == "a title"
    book = JudgmentStore(archive.folder, {"other"})
    book.judge("words", "other", 2.0, "bob", rank=4)
    assert [(r.judge, r.grade, r.rank) for r in book.rows()] == [("ann", 1.0, None), ("bob", 2.0, 4)]


def test_a_new_store_has_the_same_tables(tmp_path):
    Store(tmp_path).make()
    assert tables(tmp_path) == (definitions(), VERSION)


def test_a_change_that_fails_leaves_it_as_it_was(archive):
    with pytest.raises(RuntimeError), Store(archive.folder).writing("x"):
        raise RuntimeError
    assert tables(archive.folder) == (definitions(OLDEST), OLDEST)


def test_it_is_packed_also_without_what_is_closed(archive, tmp_path):
    archive.pack(tmp_path / "p.zip", open_only=True)
    other = Archive.unpack(tmp_path / "p.zip", tmp_path / "other")
    assert other.recordings.names == ["other"]
    archive.pack(tmp_path / "q.zip", closed=True)
    assert Archive.unpack(tmp_path / "q.zip", tmp_path / "more").metadata.get("tape")["title"] == "a title"


@pytest.mark.parametrize(
    "statement",
    ["ALTER TABLE judgment ADD COLUMN begin REAL NOT NULL DEFAULT 0", "ALTER TABLE judgment ADD COLUMN other",
     "CREATE TABLE other (x)", "ALTER TABLE about ADD COLUMN start REAL", "CREATE TABLE note (id INTEGER PRIMARY KEY)",
     "DROP TABLE speaker"],
)  # fmt: skip
def test_what_no_version_made_is_damage(archive, statement):
    execute(archive.folder, statement)
    with pytest.raises(rk.InputError, match="it has other tables"):
        archive.notes.all()


@pytest.mark.parametrize(("made", "stated"), [(OLDEST, VERSION), (VERSION, OLDEST), (VERSION, 0), (OLDEST, -1)])
def test_tables_of_another_version_than_the_store_states_are_damage(tmp_path, made, stated):
    archive = archive_of(tmp_path / "a", tape="one two three")
    archive.metadata.set("tape", {"title": "a title"})
    if made == OLDEST:
        make_earlier(archive.folder)
    execute(archive.folder, f"PRAGMA user_version = {stated}")
    with pytest.raises(rk.InputError, match="it has other tables"):
        Archive(tmp_path / "a").metadata.get("tape")


def test_every_kind_speaks_of_recordings():
    assert all(any(column.name == "recording" for column in columns) for columns in KINDS.values())
