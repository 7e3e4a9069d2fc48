"""The recordings to be recognised: the audio files below folders, and their names."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...console import counted
from ...errors import InputError, is_utf8
from .audio import ENDINGS

_OTHER_AUDIO = (".m4a", ".aac", ".mp4", ".wma", ".amr", ".3gp", ".webm", ".mkv", ".mov")
_LONGEST_NAME = 200  # bytes of a file name, so that temporary ones fit in too


class Recording(NamedTuple):
    """A recording and the name of its document: its path below the folder it was searched in, without the ending."""

    name: str
    path: Path


class Recordings(NamedTuple):
    """Recordings, and notes on files that are not read."""

    recordings: list[Recording]
    notes: list[str]


def find(sources: Sequence[str | os.PathLike]) -> Recordings:
    """The audio files among and below these, in order, without hidden ones. Two of the same name keep their endings."""
    paths: list[tuple[Path, Path]] = []  # below the folder, and in full
    notes: list[str] = []
    for source in map(Path, sources):
        if not source.exists():
            raise FileNotFoundError(2, "there is no such file or folder", str(source))
        if not source.is_dir():
            paths.append((Path(source.name), source))
            continue
        audio, other = _audio_below(source)
        if other:
            notes.append(f"{counted(len(other), 'file')} such as {other[0]} cannot be read: convert to wav or flac")
        if not audio:
            raise InputError(f"no audio files ({' '.join(ENDINGS)}) in this folder", str(source))
        paths += audio
    return Recordings(_named(paths), notes)


def _audio_below(folder: Path) -> tuple[list[tuple[Path, Path]], list[Path]]:
    """The audio files below a folder, by their paths below it and in full, and those of formats that are not read."""
    below = [(p.relative_to(folder), p) for p in sorted(folder.rglob("*"))]
    shown = [(r, p) for r, p in below if not any(part.startswith(".") for part in r.parts) and p.is_file()]
    audio = [(r, p) for r, p in shown if p.suffix.lower() in ENDINGS]
    return audio, [p for _, p in shown if p.suffix.lower() in _OTHER_AUDIO]


def _named(paths: Sequence[tuple[Path, Path]]) -> list[Recording]:
    """Recordings with their names; one that is listed twice is taken once."""
    short = Counter(relative.with_suffix("").as_posix() for relative, _ in set(paths))
    named: dict[str, Path] = {}
    for relative, path in paths:
        name = relative.with_suffix("").as_posix()
        own = name if short[name] == 1 else relative.as_posix()
        if own not in named:
            named[own] = path
        elif named[own].resolve() != path.resolve():
            raise InputError(f"two recordings are called {own!r}: {named[own]} and {path}; give the folder above them")
    return [Recording(name, path) for name, path in named.items()]


def name_problem(name: str) -> str | None:
    """Why a recording's name cannot be used as a file name and in a table; None if it can."""
    try:
        size = max(len(part.encode()) for part in name.split("/"))
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if any(not c.isprintable() for c in name):
        return "its name has a tab, a line break or another control character"
    if "\\" in name or re.match("[A-Za-z]:", name) or re.search("/[A-Za-z]:", name):
        return "its name has a backslash, or begins like that of a drive"
    if any(part != part.strip() for part in name.split("/")):
        return "its name begins or ends with a blank"
    if size > _LONGEST_NAME:
        return f"its name is too long, {size} bytes (at most {_LONGEST_NAME})"
    if re.search(r"@\d{5}$", name):
        return "names that end in @ and five digits are for segments"
    return None


def path_problem(path: Path) -> str | None:
    """Why the full path of a recording cannot stand in a table; None if it can."""
    full = str(path.resolve())
    if not is_utf8(full):
        return "the name of a folder above it is not UTF-8"
    if any(ord(c) < 32 for c in full):
        return "the name of a folder above it has a tab, a line break or another control character"
    return None
