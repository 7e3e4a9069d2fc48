"""Temporary files and folders: they are removed when their block ends, and when a signal ends the process."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MARK = ".new-"  # in the names of files that are being written
_present: set[str] = set()


@contextmanager
def temporary_folder(prefix: str, place: str | os.PathLike | None = None) -> Iterator[str]:
    """A new folder for the time of the block, in the folder ``place`` or where the system keeps such.

    If it is moved away within the block, it stays there.

    >>> with temporary_folder("rankine-") as folder:
    ...     os.path.isdir(folder)
    True
    >>> os.path.exists(folder)
    False
    """
    folder = tempfile.mkdtemp(prefix=prefix, dir=place)
    with _removed(folder):
        yield folder


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """A new file in the folder of ``target``; an error of the system in the block that names no other file names it."""
    name = ""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}{MARK}", suffix=target.suffix, dir=target.parent)
        with _removed(name):
            os.close(handle)
            yield Path(name)
    except OSError as error:
        if error.filename is not None and MARK not in os.fsdecode(error.filename):
            raise
        why = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, why, str(target)) from None


@contextmanager
def _removed(path: str) -> Iterator[None]:
    _present.add(path)
    try:
        yield
    finally:
        _remove(path)
        _present.discard(path)


def unlink_copies(path: str | os.PathLike) -> None:
    """Give a file that is changed in place a place of its own, if it is a hard link of another (a copied archive)."""
    target = Path(path)
    with suppress(FileNotFoundError):
        if target.stat().st_nlink > 1:
            with temporary_beside(target) as copy:
                shutil.copy2(target, copy)
                os.replace(copy, target)


def remove_all() -> None:
    """Remove what is still there; called before the process ends."""
    for path in list(_present):
        _remove(path)


def _remove(path: str) -> None:
    with suppress(OSError):  # it is gone, or the disk does not let it go
        if os.path.isdir(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
