"""Places: the paths of names that a folder of ours stores, such as a spoken archive.

A stored name may come from someone else. It becomes a path only here, and only if it stays in its folder: no ``..``, no
absolute path, no drive letter, no backslash, and on the way no link, device or pipe. What a folder of ours holds, it
holds itself.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError, is_utf8, shorten

_DRIVE = re.compile(r"[A-Za-z]:")
LONGEST = 4096  # characters of a stored name


def check_name(name: str, where: str) -> str:
    """The same name; raise InputError if it could lead out of its folder, or is no name at all.

    >>> check_name("deep/tape-1.slf.gz", "journal")
    'deep/tape-1.slf.gz'
    >>> check_name("../tape", "journal, line 3")
    Traceback (most recent call last):
    rankine.errors.InputError: journal, line 3: a stored name must stay in its folder, got '../tape'
    """
    if not is_inside(name):
        raise InputError(f"a stored name must stay in its folder, got {shorten(name)}", where)
    return name


def is_inside(name: str) -> bool:
    """Whether a stored name is one, and cannot lead out of its folder.

    >>> is_inside("deep/tape-1"), is_inside("/etc/passwd")
    (True, False)
    """
    return (
        0 < len(name) <= LONGEST
        and is_utf8(name)
        and not any(c == "\\" or ord(c) < 32 or ord(c) == 127 for c in name)
        and not any(part in ("", ".", "..") or _DRIVE.match(part) for part in name.split("/"))
        and all(len(part.encode()) <= 255 for part in name.split("/"))
    )


def inside(folder: str | os.PathLike, name: str) -> Path:
    """The path of a stored file; raise InputError if it is not in the folder, or if it is there and is no plain file.

    The folder itself was named by the user and may be a link.
    """
    path = _walked(folder, name)
    kind = _kind(path)
    if kind and not stat.S_ISREG(kind):
        raise InputError(f"expected a file, and this is {_called(kind)}: it is not used", str(path))
    return path


def folder_inside(folder: str | os.PathLike, name: str) -> Path:
    """The path of a stored folder; raise InputError if it is not in the folder, or if it is there and is no folder."""
    return _walked(folder, f"{name}/x").parent


def check_below(folder: str | os.PathLike[str]) -> None:
    """Raise InputError if there is a link, a device or a pipe below a folder."""
    for entry in entries(folder):
        kind = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISDIR(kind):
            check_below(entry.path)
        elif not stat.S_ISREG(kind):
            raise InputError(f"expected a file, and this is {_called(kind)}: it is not used", entry.path)


def plain_files(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """The plain files of a folder, without links and without what lies in folders below; none if it is not there."""
    if not _kind(Path(folder)):
        return
    for entry in entries(folder):
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def entries(folder: str | os.PathLike[str]) -> list[os.DirEntry[str]]:
    """What a folder holds, by name."""
    with os.scandir(os.fspath(folder)) as listing:
        return sorted(listing, key=lambda entry: entry.name)


def _walked(folder: str | os.PathLike, name: str) -> Path:
    """The path of a stored name; every folder on the way is a folder, and no link."""
    path = Path(folder)
    *above, last = check_name(name, str(folder)).split("/")
    for part in above:
        path = path / part
        kind = _kind(path)
        if kind and not stat.S_ISDIR(kind):
            raise InputError(f"expected a folder, and this is {_called(kind)}: it is not used", str(path))
    return path / last


def _kind(path: Path) -> int:
    """The mode of what is there, a link's own; 0 if there is nothing."""
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _called(mode: int) -> str:
    """What something in a folder is, in words."""
    for test, words in (
        (stat.S_ISLNK, "a link"), (stat.S_ISDIR, "a folder"), (stat.S_ISREG, "a file"), (stat.S_ISFIFO, "a pipe"),
    ):  # fmt: skip
        if test(mode):
            return words
    return "a device"
