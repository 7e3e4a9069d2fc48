"""Named roots: folders of recordings, each with a name, so that a path below one holds on another machine too.

A path is stored as ``NAME/relative/path``, with ``/`` on every system. Where the folder of a name lies is no part of
what is stored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ...system.paths import is_inside


class NamedRoots:
    """Folders by name, as full paths.

    >>> roots = NamedRoots({"tapes": "/disk/tapes"})
    >>> roots.full("tapes/1999/a.wav"), roots.full("other/a.wav"), roots.full("tapes/../../b.wav")
    ('/disk/tapes/1999/a.wav', 'other/a.wav', 'tapes/../../b.wav')
    >>> roots.stored("/disk/tapes/1999/a.wav"), roots.stored("/elsewhere/a.wav")
    ('tapes/1999/a.wav', '/elsewhere/a.wav')
    """

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = dict(folders)
        self._deepest = sorted(folders.items(), key=lambda pair: (-len(pair[1]), pair))

    def full(self, stored: str) -> str:
        """The full path of a stored one; the same if it is one, or the folder of its root is not known."""
        name, below = split_root(stored)
        return str(Path(self.folders[name], below)) if name in self.folders else stored

    def stored(self, full: str) -> str:
        """A full path as it is stored, by the deepest root that it lies below; the same if it lies below none."""
        for name, folder in self._deepest:
            above = folder.rstrip(os.sep) + os.sep
            stored = f"{name}/{full[len(above) :].replace(os.sep, '/')}"
            if full.startswith(above) and is_inside(stored):
                return stored
        return full

    def has_above(self, folder: str) -> bool:
        """Whether a folder is a root, or lies below one."""
        return any(f"{folder}{os.sep}".startswith(root.rstrip(os.sep) + os.sep) for root in self.folders.values())


def split_root(stored: str) -> tuple[str, str]:
    """The name of a root and the path below it; the name is empty if this is no path below a root.

    >>> split_root("tapes/1999/a.wav"), split_root("/disk/tapes/a.wav")
    (('tapes', '1999/a.wav'), ('', '/disk/tapes/a.wav'))
    """
    name, _, below = stored.partition("/")
    return (name, below) if below and is_inside(stored) else ("", stored)


NO_ROOTS = NamedRoots({})
