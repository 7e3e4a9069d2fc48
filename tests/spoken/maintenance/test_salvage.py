"""What can be read of damaged databases is saved."""

import os
import shutil
import sqlite3

import pytest

import rankine as rk
from rankine.spoken.learn.judgments import JudgmentStore
from rankine.spoken.maintenance.salvage import salvage
from rankine.spoken.store.earlier import earlier_rows
from rankine.spoken.store.store import Store, refresh

from ... import folders

SAVED = folders.SAVED / "spoken"


@pytest.fixture
def book(tmp_path):
    """A store with many judgments."""
    (tmp_path / "a").mkdir()
    book = JudgmentStore(tmp_path / "a")
    query = book.query("spoken words")
    for i in range(40):
        book.add_all([(query, f"document number {i} {j}", 1.0) for j in range(10)], "ann")
    book.undo(3, "ann")
    return book


def test_a_sound_store_is_copied_whole(book, tmp_path):
    rows = salvage(tmp_path / "a" / "store.sqlite", tmp_path / "store.sqlite")
    assert (rows.refused, rows.unsure, rows.lost) == (0, [], False)
    assert JudgmentStore(tmp_path).all() == book.all()
    assert Store(tmp_path).batches() == book.store.batches()
    assert [p.name for p in tmp_path.iterdir() if "salvage" in p.name] == []


def test_pages_that_are_overwritten_cost_what_they_held(book, tmp_path):
    want = book.all().qrels["1"]
    whole = (tmp_path / "a" / "store.sqlite").read_bytes()
    counts = []
    for page in range(2, len(whole) // 4096):
        (tmp_path / "store.sqlite").unlink(missing_ok=True)
        damaged = whole[: page * 4096] + b"\xaa" * 4096 + whole[(page + 1) * 4096 :]
        (tmp_path / "a" / "store.sqlite").write_bytes(damaged)
        salvage(tmp_path / "a" / "store.sqlite", tmp_path / "store.sqlite")
        Store(tmp_path).check()
        got = JudgmentStore(tmp_path).all().qrels.get("1", {})
        assert got.items() <= want.items() or len(got) <= len(want) + 10  # an undo that is lost does not count
        counts.append(len(got))
    assert max(counts) == len(want)
    assert sum(n > len(want) / 2 for n in counts) > len(counts) / 3


def test_rows_that_do_not_fit_are_left_out(book, tmp_path):
    db = sqlite3.connect(tmp_path / "a" / "store.sqlite", isolation_level=None)
    db.execute("UPDATE judgment SET grade = 'high' WHERE id = 5")
    db.execute("UPDATE judgment SET recording = 99999 WHERE id = 6")
    db.execute("UPDATE query SET text = CAST(x'ff' AS TEXT) WHERE name = '2'")
    db.close()
    assert salvage(tmp_path / "a" / "store.sqlite", tmp_path / "store.sqlite").refused == 2
    assert JudgmentStore(tmp_path).all().n_judgments == 390 - 2


def test_what_is_no_database_gives_an_empty_store(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "store.sqlite").write_bytes(b"nothing" * 1000)
    assert salvage(tmp_path / "a" / "store.sqlite", tmp_path / "store.sqlite") == (0, 0, [], True)
    assert JudgmentStore(tmp_path).all().queries == {}


def test_judgments_of_an_older_release(tmp_path):
    (tmp_path / "a").mkdir()
    old = tmp_path / "a" / "judgments.sqlite"
    shutil.copy(SAVED / "archive" / "judgments.sqlite", old)
    db = sqlite3.connect(old, isolation_level=None)
    db.execute("UPDATE judgment SET grade = 'high' WHERE id = 2")
    db.close()
    want = earlier_rows(SAVED / "archive" / "judgments.sqlite")
    assert salvage(old, tmp_path / "judgments.sqlite").refused == 1
    queries, rows = earlier_rows(tmp_path / "judgments.sqlite")
    assert queries == want[0]
    assert rows == [row for row in want[1] if row[0] != 2]


def test_what_recordings_are_is_saved_though_its_rows_are_lost(tmp_path):
    store = Store(tmp_path)
    with store.writing("about", "ann") as batch:
        number = batch.recording("tape")
        batch.add("about", [{"recording": number, "field": "rights", "value": "closed"}])
        refresh(batch.db, [number])
    with sqlite3.connect(store.path) as db:
        db.execute("DELETE FROM about")
    db.close()
    salvage(store.path, tmp_path / "new.sqlite")
    (tmp_path / "again").mkdir()
    saved = Store(tmp_path / "again")
    os.replace(tmp_path / "new.sqlite", saved.path)
    saved.check()
    with saved.reading() as db:
        assert db.execute("SELECT about FROM recording").fetchall() == [('{"rights":"closed"}',)]
    assert saved.batches()[-1].what == "saved from a damaged store"


def test_a_store_of_a_newer_release_is_not_damaged(tmp_path):
    store = Store(tmp_path)
    with store.writing("about", "ann") as batch:
        batch.recording("tape")
    with sqlite3.connect(store.path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(rk.InputError, match="of a newer release"):
        salvage(store.path, tmp_path / "new.sqlite")
