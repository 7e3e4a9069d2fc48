"""Recording roots: the folders below which an archive's recordings may be opened, as the user has said on this machine.

Recordings are the one thing that lies outside an archive. An archive names their paths, and it may come from someone
else. So a path that it names is opened only below a folder that the user gave for this archive: by adding recordings
from there, or with ``--recordings``. These folders are kept in the user's own settings, never in the archive, with the
place and the id of the archive: another archive does not inherit them, nor does a copy of this one.

A folder from which recordings are added is a *named root*: the archive stores paths relative to it, with its name in
front (:mod:`..recognise.roots`). Where the folder of a name lies is kept in the settings too. On another machine,
or after a move, the name has no folder until one is given in which most recordings of that name are.

The settings are the file that the environment variable ``RANKINE_SETTINGS`` names, else ``rankine/settings.json`` in
the user's folder for settings, as platformdirs tells it.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

from ...errors import InputError, shorten
from ...system.files import locked, write_file
from ...system.paths import inside, is_inside
from ...system.records import checked, parsed
from ..index.storage import Manifest
from ..recognise.recordings import find
from ..recognise.roots import NamedRoots, split_root

_WHAT = "a file of Rankine's settings"
_MOST = 1000  # archives whose folders of recordings are kept, those that were changed last


class _Given(TypedDict):
    archive: str
    id: str
    folders: list[str]
    roots: NotRequired[dict[str, str]]


class StoredAudio(NamedTuple):
    """The path of a recording as an archive stores it, and the size of the file, where it is known."""

    path: str
    size: int | None


class _UserSettings(TypedDict):
    recordings: NotRequired[list[_Given]]


def settings_file() -> Path:
    """The file of the user's own settings; it may not exist."""
    own = os.environ.get("RANKINE_SETTINGS")
    if own:
        return Path(own)
    from platformdirs import user_config_path

    return user_config_path("rankine", appauthor=False, roaming=True) / "settings.json"


class RecordingRoots:
    """The folders (or files) of recordings that the user has given for an archive."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.archive = str(folder.resolve())
        self.id = manifest.id

    def _read(self) -> dict[str, Any]:
        path = settings_file()
        if not path.exists():
            return {}
        content = parsed(path.read_bytes(), _WHAT, str(path))
        checked(content, _UserSettings, _WHAT, str(path))
        return content

    def _is_mine(self, given: _Given) -> bool:
        return given["archive"] == self.archive and given["id"] == self.id

    def _mine(self, content: dict[str, Any]) -> _Given:
        """What settings say about this archive."""
        mine = [given for given in content.get("recordings", []) if self._is_mine(given)]
        folders = [folder for given in mine for folder in given["folders"]]
        roots = {name: folder for given in mine for name, folder in given.get("roots", {}).items()}
        return {"archive": self.archive, "id": self.id, "folders": folders, "roots": roots}

    @property
    def given(self) -> list[Path]:
        """What the user has given so far."""
        return [Path(folder) for folder in self._mine(self._read())["folders"]]

    @cached_property
    def named(self) -> NamedRoots:
        """The folders of names on this machine."""
        return NamedRoots(self._mine(self._read())["roots"])

    def add(self, places: Iterable[str | os.PathLike], roots: Mapping[str, str] | None = None) -> None:
        """Keep folders of recordings, or recordings, for this archive; and the folders of names."""
        self._change([str(Path(place).resolve()) for place in places], lambda named: roots or {})

    def add_named(
        self, places: Iterable[str | os.PathLike], stored: Callable[[], list[StoredAudio]], new: bool = True
    ) -> None:
        """Keep folders of recordings, or recordings, and what they are called in the archive.

        A folder in which most recordings of a name are has that name. Another one gets a name that the archive does
        not have, if ``new``, and unless it lies below a named one. A file has the name of its folder.
        """
        folders = [str(Path(place).resolve()) for place in places]

        def names(named: NamedRoots) -> dict[str, str]:
            out: dict[str, str] = {}
            for folder in dict.fromkeys(f if os.path.isdir(f) else os.path.dirname(f) for f in folders):
                both = NamedRoots({**named.folders, **out})
                if not both.has_above(folder):
                    out |= _names_of(folder, both, stored(), new)
            return out

        self._change(folders, names)

    def _change(self, places: list[str], roots: Callable[[NamedRoots], Mapping[str, str]]) -> None:
        """Write settings with further places, and the folders of names that a function of those so far gives."""

        def changed(content: dict[str, Any]) -> _Given | None:
            mine = self._mine(content)
            named = {**mine["roots"], **roots(NamedRoots(mine["roots"]))}
            folders = sorted({*mine["folders"], *places})
            same = (folders, named) == (sorted(mine["folders"]), mine["roots"])
            return None if same else {**mine, "folders": folders, "roots": named}

        if changed(self._read()) is None:
            return
        path = settings_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path, "another process is changing these settings", wait=60.0):
            content = self._read()
            others = [given for given in content.get("recordings", []) if given["archive"] != self.archive]
            content["recordings"] = [*others[-_MOST:], changed(content) or self._mine(content)]
            write_file(path, json.dumps(content, indent=1).encode() + b"\n")
        self.__dict__.pop("named", None)

    def find(self, audio: str, roots: Sequence[str | os.PathLike] | None = None) -> Path:
        """The recording that an archive calls ``audio``: in the archive itself, or below a root.

        Below a root it is looked for as it was indexed, then in the folder of its name, then by the last parts of its
        path, if recordings have moved.
        """
        own = Path(audio)
        if not 0 < len(audio) < 4096 or any(ord(c) < 32 for c in audio):
            raise InputError(f"expected the path of a recording, got {shorten(audio)}", str(self.folder))
        if roots is None and not own.is_absolute() and ".." not in own.parts:
            path = inside(self.folder, own.as_posix())
            if path.exists():
                return path
        places = self.given if roots is None else [Path(root) for root in roots]
        if (file := self.search(audio, places)) is not None:
            return file
        what = f"the recording {shorten(audio, 200)}"
        if places:
            message = f"{what} is not there, nor below {', '.join(map(str, places))}: say in which folder it is"
        else:
            message = f"no folder of recordings was given for this archive on this machine: say where {what} is"
        raise InputError(f"{message} with --recordings, or see `rankine spoken relocate`", str(self.folder))

    def search(self, audio: str, places: Sequence[str | os.PathLike]) -> Path | None:
        """The recording that an archive calls ``audio`` below these places; None if it is not there."""
        own, roots = Path(audio), [Path(place) for place in places]
        full = Path(self.named.full(audio))
        parts = own.parts[own.is_absolute() :]
        stated = ((path, root) for path in (full, own) for root in roots)
        moved = ((Path(root, *parts[i:]), root) for root in roots for i in range(len(parts)))
        return next((path for path, root in chain(stated, moved) if _is_plain(path) and _is_below(path, root)), None)


def _names_of(folder: str, named: NamedRoots, stored: Sequence[StoredAudio], new: bool) -> dict[str, str]:
    """The names of a folder: those of which it has most recordings, else one that is free, if ``new``."""
    used, there = Counter[str](), Counter[str]()
    for audio in stored:
        name, below = split_root(audio.path)
        if name and name not in named.folders and audio.size is not None:
            used[name] += 1
            there[name] += _size(Path(folder, below)) == audio.size
    names = [name for name in used if 2 * there[name] > used[name]]
    if not names and new:
        names = [free_name(folder, named, stored)]
    return dict.fromkeys(names, folder)


def free_name(folder: str, named: NamedRoots, stored: Sequence[StoredAudio]) -> str:
    """A name for a folder that no root of an archive has: its own, with a number if need be."""
    own = Path(folder).resolve().name
    own = own if is_inside(f"{own}/x") else "recordings"
    taken = {*named.folders, *(split_root(audio.path)[0] for audio in stored)}
    return next(name for name in (own, *(f"{own}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return -1


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def roots_of(sources: Sequence[str | os.PathLike]) -> list[Path]:
    """The roots of recordings that are given as files and folders; a link leads to the folder of what it names."""
    roots = [Path(source).resolve() for source in sources]
    above = tuple(f"{root}{os.sep}" for root in roots)
    paths = {recording.real for recording in find(sources).recordings} - set(map(str, roots))
    return [*roots, *sorted({Path(path).parent for path in paths if not path.startswith(above)})]


def _is_below(path: Path, root: Path) -> bool:
    """Whether a file lies below a folder, or is the file that was given; links are followed first."""
    real, above = path.resolve(), root.resolve()
    return real == above or above in real.parents
