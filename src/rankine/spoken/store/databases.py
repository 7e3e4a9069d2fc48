"""Databases in an archive's folder: which files may be opened, and a copy of one while others may write to it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from ...errors import InputError
from ...system.paths import inside

_MAGIC = bytes.fromhex("d9d505f920a163d7")  # ends a journal of SQLite that names another file


def back_up(source: Path, target: Path) -> None:
    """Copy a database as it is between two changes; ``target`` is written anew."""
    try:
        with closing(sqlite3.connect(source, timeout=30)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
    except sqlite3.Error as error:
        raise InputError(f"the database cannot be copied ({' '.join(str(error).split())})", str(source)) from None


def check_database_files(folder: Path, name: str) -> None:
    """Raise InputError if a file that SQLite would open is a link, or has a journal that is none of it."""
    path = folder / name
    for end in ("", "-journal", "-wal", "-shm"):
        own = inside(folder, f"{name}{end}")
        if end == "-journal":
            head, tail = _ends_of(own)
            pages, page = (int.from_bytes(head[at : at + 4], "big") for at in (16, 24))
            there = path.stat().st_size if path.exists() else 0
            if tail == _MAGIC or (head.startswith(_MAGIC) and pages * page > max(there, 1 << 20)):
                raise InputError("this journal is not one of this file: remove it", str(own))


def _ends_of(journal: Path) -> tuple[bytes, bytes]:
    """How a journal begins and ends; empty where there is none, or where another process has just removed it."""
    try:
        with open(journal, "rb") as file:
            head = file.read(28)
            file.seek(max(os.fstat(file.fileno()).st_size - len(_MAGIC), 0))
            return head, file.read()
    except FileNotFoundError:
        return b"", b""
