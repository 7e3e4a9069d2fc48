"""The tables of the store: one of an earlier version is read as it is, and gets what it lacks when it is written to."""

import sqlite3

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.learn.judgments import JudgmentStore
from rankine.spoken.maintenance.salvage import salvage
from rankine.spoken.store.store import FILE, Store
from rankine.spoken.store.tables import KINDS, VERSION, definitions

from ..corrections.cases import archive_of

LATER = ("correction", "note", "member")
# as the first version made them
JUDGMENT = (
    "CREATE TABLE judgment (id INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batch(id), query TEXT NOT NULL "
    "REFERENCES query(name), recording INTEGER NOT NULL REFERENCES recording(id), place TEXT NOT NULL, grade REAL NOT "
    "NULL)"
)


def execute(folder, *statements):
    db = sqlite3.connect(folder / FILE)
    with db:
        for statement in statements:
            db.execute(statement)
    db.close()


def make_earlier(folder, version):
    """Make the store of an archive one of an earlier version."""
    execute(folder, *(f"DROP TABLE {kind}" for kind in LATER), f"PRAGMA user_version = {version}")
    if version == 1:
        execute(
            folder,
            "ALTER TABLE judgment RENAME TO later",
            JUDGMENT,
            "INSERT INTO judgment SELECT id, batch, query, recording, place, grade FROM later",
            "DROP TABLE later",
            definitions()["judgment_batch"],
        )


@pytest.fixture(params=range(1, VERSION))
def version(request):
    return request.param


@pytest.fixture
def archive(tmp_path, version):
    """An archive with a title and a judgment, in a store of an earlier version."""
    archive = archive_of(tmp_path / "a", tape="one two three", other="four")
    archive.metadata.set("tape", {"title": "a title", "rights": "closed"})
    JudgmentStore(archive.folder, {"other"}).judge("words", "other", 1.0, "ann")
    make_earlier(archive.folder, version)
    return Archive(tmp_path / "a")


def tables(folder):
    db = sqlite3.connect(folder / FILE)
    out = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    (version,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    return out, version


def test_a_store_of_an_earlier_version_is_only_read(archive, version):
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
    assert tables(archive.folder) == (definitions(version), version)


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


def test_a_change_that_fails_leaves_it_as_it_was(archive, version):
    with pytest.raises(RuntimeError), Store(archive.folder).writing("x"):
        raise RuntimeError
    assert tables(archive.folder) == (definitions(version), version)


def test_it_is_packed_also_without_what_is_closed(archive, tmp_path):
    archive.pack(tmp_path / "p.zip", open_only=True)
    other = Archive.unpack(tmp_path / "p.zip", tmp_path / "other")
    assert other.recordings.names == ["other"]
    archive.pack(tmp_path / "q.zip", closed=True)
    assert Archive.unpack(tmp_path / "q.zip", tmp_path / "more").metadata.get("tape")["title"] == "a title"


def test_it_is_salvaged(archive, tmp_path):
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / FILE).write_bytes((archive.folder / FILE).read_bytes())
    done = salvage(tmp_path / "copy" / FILE, archive.folder / FILE)
    assert done.saved > 0
    assert done.refused == 0
    assert Archive(archive.folder).metadata.get("tape")["title"] == "a title"
    assert JudgmentStore(archive.folder, {"other"}).all().qrels == {"1": {"other": 1.0}}
    assert tables(archive.folder)[1] == VERSION


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


def test_corrections_beside_judgments_of_the_first_version_are_damage(tmp_path):
    """No version had both, whatever number the store states."""
    archive = archive_of(tmp_path / "a", tape="one two three")
    archive.metadata.set("tape", {"title": "a title"})
    made = [statement for name, statement in definitions().items() if name.startswith(LATER)]
    make_earlier(archive.folder, 1)
    execute(archive.folder, *made)
    for number in range(1, VERSION + 1):
        execute(archive.folder, f"PRAGMA user_version = {number}")
        with pytest.raises(rk.InputError, match="it has other tables"):
            Archive(tmp_path / "a").metadata.get("tape")


def test_every_kind_speaks_of_recordings():
    assert all(any(column.name == "recording" for column in columns) for columns in KINDS.values())
