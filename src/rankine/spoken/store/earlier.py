"""Judgments as releases before the store kept them: ``judgments.sqlite`` in an archive's folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import InputError

TABLES = {
    "query": "CREATE TABLE query (name TEXT PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    "judgment": "CREATE TABLE judgment ( id INTEGER PRIMARY KEY, query TEXT NOT NULL REFERENCES query(name), "
    "document TEXT NOT NULL, grade REAL, judge TEXT NOT NULL, time TEXT NOT NULL, undoes INTEGER)",
}


def earlier_rows(path: Path) -> tuple[list[Any], list[Any]]:
    """(name, text) of the queries, and (id, query, document, grade, judge, time, undoes) of the judgments."""
    if path.stat().st_size == 0:
        return [], []

    def damaged(what: str) -> InputError:
        said = " ".join(what.split())
        return InputError(f"not a judgments file written by Rankine, or damaged ({said})", str(path))

    try:
        db = sqlite3.connect(path, timeout=30)
        try:
            return _rows(db, damaged)
        finally:
            db.close()
    except sqlite3.OperationalError as error:
        raise InputError(f"the judgments cannot be used now ({' '.join(str(error).split())})", str(path)) from None
    except (sqlite3.Error, UnicodeError) as error:
        raise damaged(str(error)) from None


def _rows(db: sqlite3.Connection, damaged: Callable[[str], InputError]) -> tuple[list[Any], list[Any]]:
    """The queries and judgments, checked."""
    db.execute("PRAGMA trusted_schema=OFF")
    tables = {name: " ".join(sql.split()) for name, sql in db.execute("SELECT name, sql FROM sqlite_master") if sql}
    if tables != TABLES:
        raise damaged("it has other tables")
    (answer,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise damaged(answer)
    if db.execute("PRAGMA foreign_key_check").fetchone():
        raise damaged("a judgment is of a query that is not there")
    wrong = db.execute(
        "SELECT 'query ' || rowid FROM query WHERE typeof(name) != 'text' OR typeof(text) != 'text' UNION ALL "
        "SELECT 'judgment ' || id FROM judgment WHERE typeof(query) != 'text' OR typeof(document) != 'text' OR "
        "(undoes IS NULL AND (typeof(grade) != 'real' OR abs(grade) > 1e300)) OR typeof(judge) != 'text' OR "
        "typeof(time) != 'text' OR typeof(undoes) NOT IN ('null', 'integer') LIMIT 1"
    ).fetchone()
    if wrong:
        raise damaged(f"{wrong[0]} is not as it was written")
    queries = db.execute("SELECT name, text FROM query ORDER BY rowid").fetchall()
    rows = db.execute("SELECT id, query, document, grade, judge, time, undoes FROM judgment ORDER BY id").fetchall()
    return queries, rows
