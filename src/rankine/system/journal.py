"""A journal: an append-only file of JSON lines that a killed process leaves readable.

Each entry is one line. What a killed process wrote of its last line is ignored when the journal is opened again, and
the next entry begins on a line of its own: so the beginning of an entry may stand on any line. Everything else that is
not an entry is an error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import writing_to
from .files import check_folder_of
from .records import checked, parsed
from .sources import read_whole
from .temporary import unlink_copies


class Journal:
    """The entries of a journal, in the order in which they were added.

    Args:
        path: the file; it is made with the first entry.
        key: what the entries depend on. A journal that was begun with another key is emptied. None: no key is kept.
        schema: of the entries, see :mod:`rankine.system.records`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Journal(Path(folder, "jobs.jsonl")).add({"job": 1})
    ...     Journal(Path(folder, "jobs.jsonl")).entries
    [{'job': 1}]
    """

    def __init__(self, path: str | os.PathLike, key: str | None = None, schema: type = dict[str, Any]) -> None:
        self.path, self.key, self.schema = Path(path), key, schema
        check_folder_of(self.path)
        self.entries: list[dict[str, Any]] = []
        self._complete = True  # the last line ends with a line break
        if self.path.exists():
            self.entries = list(self._read())
        if key is not None and self.entries[:1] != [{"key": key}]:
            self.path.unlink(missing_ok=True)
            self.entries, self._complete = [], True
            self.add({"key": key})
        if key is not None:
            del self.entries[0]

    def _read(self) -> Iterator[dict[str, Any]]:
        data = read_whole(self.path)
        self._complete = data.endswith(b"\n") or not data
        lines = data.split(b"\n")
        for number, line in enumerate(lines, 1):
            text = line.strip(b"\0 \r")  # a machine that stopped may leave zeros
            if text and not (number == len(lines) and _is_cut(text)) and not _is_cut(text, begun=True):
                where, what = f"{self.path}, line {number}", "an entry of a journal"
                yield checked(parsed(text, what, where, infinite=True), self.schema, what, where)

    def add(self, entry: dict[str, Any]) -> None:
        """Append an entry."""
        self.add_all([entry])

    def add_all(self, entries: list[dict[str, Any]]) -> None:
        """Append several entries at once."""
        if not entries:
            return
        lines = "".join(json.dumps(entry) + "\n" for entry in entries)
        unlink_copies(self.path)
        with writing_to(self.path), open(self.path, "a", encoding="utf-8", newline="\n") as file:
            file.write(("" if self._complete else "\n") + lines)
        self._complete = True
        self.entries += entries

    def remove(self) -> None:
        """Delete the file: the work is done."""
        self.path.unlink(missing_ok=True)


def _is_cut(text: bytes, begun: bool = False) -> bool:
    """Whether this is the beginning of an entry, or (unless ``begun``) what can stand at the end of a file instead."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        missing = error.pos >= len(error.doc) - 10 or error.msg.startswith("Unterminated string")
        return not begun or (text.startswith(b"{") and missing)
    except (ValueError, RecursionError):
        return not begun
    return False
