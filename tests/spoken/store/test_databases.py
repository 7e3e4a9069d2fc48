"""Copies of databases that are being written to."""

import sqlite3

import pytest

import rankine as rk
from rankine.spoken.store.databases import back_up


def test_a_copy_holds_what_was_committed(tmp_path):
    db = sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)
    db.execute("CREATE TABLE t (x)")
    db.execute("INSERT INTO t VALUES (1)")
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO t VALUES (2)")
    back_up(tmp_path / "a.sqlite", tmp_path / "b.sqlite")
    db.execute("COMMIT")
    db.close()
    copy = sqlite3.connect(tmp_path / "b.sqlite")
    assert copy.execute("SELECT x FROM t").fetchall() == [(1,)]
    copy.close()


def test_what_is_no_database(tmp_path):
    (tmp_path / "a.sqlite").write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(rk.InputError, match=r"a\.sqlite: the database cannot be copied \(file is not a database"):
        back_up(tmp_path / "a.sqlite", tmp_path / "b.sqlite")


def test_a_journal_that_another_process_removes_meanwhile(tmp_path, monkeypatch):
    """It is there when it is looked at, and gone when it is opened."""
    from rankine.spoken.store import databases

    (tmp_path / "a.sqlite").write_bytes(b"")
    (tmp_path / "a.sqlite-journal").write_bytes(b"x")
    real = databases.inside

    def removed(folder, name):
        path = real(folder, name)
        if name.endswith("-journal"):
            path.unlink()
        return path

    monkeypatch.setattr(databases, "inside", removed)
    databases.check_database_files(tmp_path, "a.sqlite")
