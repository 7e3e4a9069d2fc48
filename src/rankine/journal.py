"""A journal: an append-only file of JSON lines that a killed process leaves readable.

Each entry is one line. What a killed process wrote of its last line is ignored when the journal is opened again, and
the next entry begins on a line of its own.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import InputError
from .files import check_folder_of
from .records import checked

_PIECE = re.compile(rb'(\{("[ -~]*)?)?')  # the beginning of an entry, as a killed process leaves it: ASCII


class Journal:
    """The entries of a journal, in the order in which they were added.

    Args:
        path: the file; it is made with the first entry.
        key: what the entries depend on. A journal that was begun with another key is emptied. None: no key is kept.
        schema: of the entries; an entry of another form, or a line that is no part of one, is an InputError.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Journal(Path(folder, "jobs.jsonl")).add({"job": 1})
    ...     Journal(Path(folder, "jobs.jsonl")).entries
    [{'job': 1}]
    """

    def __init__(self, path: str | os.PathLike, key: str | None = None, schema: Any = None) -> None:
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
        data = self.path.read_bytes()
        self._complete = data.endswith(b"\n") or not data
        for number, line in enumerate(data.split(b"\n"), 1):
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):  # an empty line, or the last one of a process that was killed
                if self.schema is not None and not _PIECE.fullmatch(line):
                    raise InputError("expected an entry of this journal", f"{self.path}, line {number}") from None
                continue
            if self.schema is not None:
                entry = checked(entry, self.schema, "an entry of this journal", f"{self.path}, line {number}")
            if isinstance(entry, dict):
                yield entry

    def add(self, entry: dict[str, Any]) -> None:
        """Append an entry."""
        line = json.dumps(entry)
        with open(self.path, "a", encoding="utf-8", newline="\n") as file:
            file.write(("" if self._complete else "\n") + line + "\n")
        self._complete = True
        self.entries.append(entry)

    def remove(self) -> None:
        """Delete the file: the work is done."""
        self.path.unlink(missing_ok=True)
