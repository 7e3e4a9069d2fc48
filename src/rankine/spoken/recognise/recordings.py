"""The recordings to be recognised: the audio files below folders, and their names."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, is_utf8
from ...system.console import counted
from .audio.readers import INSTALL, MEDIA, endings

_LONGEST_NAME = 200  # bytes of a file name, so that temporary ones fit in too


class Recording(NamedTuple):
    """A recording and the name of its recording: its path below the folder it was searched in, without the ending.

    ``real`` is the full path without links.
    """

    name: str
    path: Path
    real: str


class RecordingFiles(NamedTuple):
    """Recordings, and notes on files that are not read."""

    recordings: list[Recording]
    notes: list[str]


def find(sources: Sequence[str | os.PathLike]) -> RecordingFiles:
    """The audio files among and below these, in order, without hidden ones. Two of the same name keep their endings."""
    files: list[AudioFile] = []
    notes: list[str] = []
    for source in map(Path, sources):
        if not source.exists():
            raise FileNotFoundError(2, "there is no such file or folder", str(source))
        if not source.is_dir():
            files.append(AudioFile(source.name, str(source), os.path.realpath(source)))
            continue
        audio, media, other = audio_below(source)
        unread = f"{counted(len(media), 'file')} such as {media[0]} cannot be read: {INSTALL}" if media else ""
        if not audio:
            raise InputError(unread or f"no audio files ({' '.join(endings())}) in this folder", str(source))
        notes += [unread] if media else []
        if other:
            number = counted(len(other), "file")
            notes.append(f"{source}: left out, because no audio ends so: {number}, e.g. {other[0]}")
        files += audio
    return RecordingFiles(_named(files), notes)


class AudioFile(NamedTuple):
    """A file: its path below the folder that was given, the same with the folder, and without links."""

    below: str
    path: str
    real: str


def audio_below(folder: Path) -> tuple[list[AudioFile], list[str], list[str]]:
    """The audio files below a folder in order, without hidden ones, those that are not read here, and other files."""
    audio, read = list[AudioFile](), set(endings())
    media, other = list[str](), list[str]()
    top = str(folder)
    for place, folders, names in os.walk(top, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        real, below = os.path.realpath(place), os.path.relpath(place, top).replace(os.sep, "/")
        for name in names:
            ending = os.path.splitext(name)[1].lower()
            path = os.path.join(place, name)
            if name.startswith(".") or not os.path.isfile(path):
                continue
            if ending not in read:
                (media if ending in MEDIA else other).append(path)
                continue
            full = os.path.realpath(path) if os.path.islink(path) else os.path.join(real, name)
            audio.append(AudioFile(name if below == "." else f"{below}/{name}", path, full))
    return sorted(audio, key=lambda file: file.below.split("/")), sorted(media), sorted(other)


def _named(files: Sequence[AudioFile]) -> list[Recording]:
    """Recordings with their names; one that is listed twice, or has a link too, is taken once."""
    once: dict[str, AudioFile] = {}
    for file in files:
        other = once.setdefault(file.real, file)
        once[file.real] = max(other, file, key=_rank)
    short = Counter(os.path.splitext(file.below)[0] for file in once.values())
    named: dict[str, AudioFile] = {}
    for file in once.values():
        name = os.path.splitext(file.below)[0]
        own = name if short[name] == 1 else file.below
        if own in named:
            paths = f"{named[own].path} and {file.path}"
            raise InputError(f"two recordings are called {own!r}: {paths}; give the folder above them")
        named[own] = file
    return [Recording(name, Path(file.path), file.real) for name, file in named.items()]


def _rank(file: AudioFile) -> tuple[bool, int]:
    """Of the ways in which one file is listed, the one with the most names it: no link, below the uppermost folder."""
    return not os.path.islink(file.path), file.below.count("/")


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


def path_problem(full: str) -> str | None:
    """Why the full path of a recording cannot stand in a table; None if it can."""
    if not is_utf8(full):
        return "the name of a folder above it is not UTF-8"
    if any(ord(c) < 32 for c in full):
        return "the name of a folder above it has a tab, a line break or another control character"
    return None
