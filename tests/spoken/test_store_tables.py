"""Stores of earlier releases: they are read as they are, and completed when they are written to."""

import shutil
import sqlite3

import pytest

import rankine as rk
from rankine.spoken.learn.judgments import Judgments
from rankine.spoken.salvage import salvage
from rankine.spoken.store import FILE, Store
from rankine.spoken.store_tables import VERSION, definitions, is_earlier_store

# as version 1 made them
JUDGMENT = (
    "CREATE TABLE judgment (id INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batch(id), query TEXT NOT NULL "
    "REFERENCES query(name), recording INTEGER NOT NULL REFERENCES recording(id), place TEXT NOT NULL, grade REAL NOT "
    "NULL)"
)


@pytest.fixture
def first(tmp_path):
    """A store of version 1 with a judgment."""
    folder = tmp_path / "first"
    folder.mkdir()
    db = sqlite3.connect(folder / FILE)
    for statement in (definitions() | {"judgment": JUDGMENT}).values():
        db.execute(statement)
    db.execute("PRAGMA user_version = 1")
    db.execute("INSERT INTO query VALUES ('1', 'words')")
    db.execute("INSERT INTO batch VALUES (1, '2026-01-01', 'ann', 'judgment', NULL)")
    db.execute("INSERT INTO recording VALUES (1, 'd', 'd', NULL, NULL, '{}')")
    db.execute("INSERT INTO judgment VALUES (1, 1, '1', 1, '', 1.0)")
    db.commit()
    db.close()
    return folder


def version(folder):
    db = sqlite3.connect(folder / FILE)
    (out,) = db.execute("PRAGMA user_version").fetchone()
    earlier = is_earlier_store(db)
    db.close()
    return out, earlier


def test_an_earlier_store_is_read_as_it_is(first):
    content = (first / FILE).read_bytes()
    book = Judgments(first, {"d"})
    assert book.all().qrels == {"1": {"d": 1.0}}
    (row,) = book.rows()
    assert (row.judge, row.time, row.rank, row.weights) == ("ann", "2026-01-01", None, "")
    book.check()
    assert (first / FILE).read_bytes() == content
    assert version(first) == (1, True)


def test_it_is_completed_when_written_to(first):
    book = Judgments(first, {"d"})
    book.judge("words", "d", 2.0, "bob", rank=4)
    assert version(first) == (VERSION, False)
    assert [(r.judge, r.grade, r.rank) for r in book.rows()] == [("ann", 1.0, None), ("bob", 2.0, 4)]
    book.check()
    fresh = first.parent / "fresh"
    fresh.mkdir()
    Store(fresh).make()
    tables = []
    for folder in (first, fresh):
        with Store(folder).reading() as db:
            tables.append(dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOTNULL")))
    assert tables[0] == tables[1] == definitions()


def test_a_whole_table_that_is_missing(first):
    db = sqlite3.connect(first / FILE)
    db.execute("DROP INDEX speaker_recording")
    db.execute("DROP TABLE speaker")
    db.commit()
    db.close()
    with Store(first).reading() as db:
        assert db.execute("SELECT * FROM speaker").fetchall() == []
    Judgments(first, {"d"}).query("more")
    assert version(first) == (VERSION, False)


@pytest.mark.parametrize(
    "statement",
    ["ALTER TABLE judgment ADD COLUMN start REAL NOT NULL DEFAULT 0", "ALTER TABLE judgment ADD COLUMN other",
     "CREATE TABLE other (x)", "ALTER TABLE about ADD COLUMN start REAL"],
)  # fmt: skip
def test_what_no_release_made_is_damage(first, statement):
    db = sqlite3.connect(first / FILE)
    db.execute(statement)
    db.commit()
    db.close()
    with pytest.raises(rk.InputError, match="it has other tables"):
        Judgments(first).all()


def test_rows_of_an_earlier_store_can_be_saved(first, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(first / FILE, copy / FILE)
    assert salvage(copy / FILE, first / FILE).refused == 0
    assert Judgments(first, {"d"}).all().qrels == {"1": {"d": 1.0}}
    assert version(first) == (VERSION, False)
