"""Databases in an archive's folder: a copy of one while others may write to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..errors import InputError


def back_up(source: Path, target: Path) -> None:
    """Copy a database as it is between two changes; ``target`` is written anew."""
    try:
        with closing(sqlite3.connect(source, timeout=30)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
    except sqlite3.Error as error:
        raise InputError(f"the database cannot be copied ({' '.join(str(error).split())})", str(source)) from None
