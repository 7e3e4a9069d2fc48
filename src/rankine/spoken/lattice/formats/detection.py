"""Telling the format of a file: by its content, and by its name where the content fits several formats."""

from __future__ import annotations

import os
from pathlib import Path

from ....errors import InputError, shorten
from ...text import ending, read_head
from .reading import HEAD
from .table import TABLE
from .transcripts.transcript import head_text

_LIKELY = 3  # formats that an error names
COMMON = frozenset([".txt", ".xml", ".tsv", ".json", ".jsonl"])  # endings that files of other kinds have too


def names_by_content(head: bytes) -> list[str]:
    """The formats that the first bytes of a file fit.

    >>> names_by_content(b"VERSION=1.0\\nN=2 L=1\\n")
    ['slf']
    """
    return [name for name, row in TABLE.items() if row.sniff(head)]


def candidates(path: str | os.PathLike) -> list[str]:
    """The formats that a file can have: those that fit its content, of these only those that fit its name, if any do.

    Where no format fits the content the name decides, for errors to say what is wrong; but not an ending that files of
    other kinds have too.
    """
    try:
        by_content = names_by_content(read_head(path, HEAD))
    except InputError:  # damaged: reading all of it says where
        by_content = []
    by_name = [name for name, row in TABLE.items() if row.fits(Path(path))]
    names = [name for name in by_content if name in by_name] or by_content
    if not names and ending(path) not in COMMON:
        names = by_name
    readers = {TABLE[name].reads: name for name in reversed(names)}  # those of Kaldi read both of its formats
    return [name for name in names if name in readers.values()]


def how_told(path: str | os.PathLike, name: str) -> str:
    """What tells the format of a file: its content, its name, or both.

    >>> how_told("missing.slf", "slf")
    'by its name'
    """
    try:
        by_content = names_by_content(read_head(path, HEAD))
    except (InputError, OSError):
        by_content = []
    if name not in by_content:
        return "by its name"
    readers = {TABLE[other].reads for other in by_content}
    return "by its content" if len(readers) == 1 else "by its content and its name"


def _untold(path: str | os.PathLike) -> str:
    """Why the format of a file is not told: what it begins with, and which formats are likely."""
    try:
        head = read_head(path, 200)
    except InputError as error:
        return f"cannot tell the format: {error}"
    line = next((line for line in head_text(head).splitlines() if line.strip()), "")
    seen = f"it begins with {shorten(line.strip())}" if line else "it is empty"
    like = [name for name, row in TABLE.items() if row.fits(Path(path))]
    likely = f" Likely: {', '.join(like[:_LIKELY])}{', …' if len(like) > _LIKELY else ''}." if like else ""
    return f"cannot tell the format: {seen}.{likely} Say which with --format; `rankine spoken formats` lists all"


def format_of(path: str | os.PathLike, names: list[str] | None = None) -> str:
    """The name of a file's format, which is the only one of its candidates ``names``; else an InputError."""
    names = candidates(path) if names is None else names
    if not names:
        raise InputError(_untold(path), str(path))
    if len(names) > 1:
        raise InputError(f"this file can be {' or '.join(names)}; say which (--format)", str(path))
    return names[0]
