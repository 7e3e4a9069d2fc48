"""The progress of recognition, for other processes: how much is done while recordings are added to an archive.

Whoever recognises writes it into a file beside the lattices, every second at most, and removes the file at the end. A
file that a killed process left does not count, since that process is no more.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypedDict

from ...errors import InputError
from ...system.files import write_file
from ...system.paths import folder_inside, inside
from ...system.records import Count, Finite, record
from ..metadata.rights import OPEN, RIGHTS, access
from ..recognise.journal import RecordingJournal, is_other
from ..store.cells import StoredCells
from .changes import FOLDER

FILE = "progress.json"
_EVERY = 1.0  # seconds
_STALE = 3600.0  # seconds without a change
Report = Callable[[float, float], None]


class _ProgressRecord(TypedDict):
    machine: str
    process: Count
    time: Finite
    done: Finite
    total: Finite


class RecognitionProgress(NamedTuple):
    """Seconds of audio that are done, their total, and the recordings that are begun and may be named to everybody."""

    done: float
    total: float
    recordings: list[str]


@contextmanager
def telling_progress(lattices: Path, report: Report) -> Iterator[Report]:
    """A function of the seconds done and their total that calls ``report``, and tells other processes."""
    last = 0.0

    def told(done: float, total: float) -> None:
        nonlocal last
        report(done, total)
        now = time.time()
        if now - last >= _EVERY and lattices.is_dir():
            last = now
            said = {"machine": platform.node(), "process": os.getpid(), "time": now, "done": done, "total": total}
            with suppress(OSError):  # a full disk is told where lattices are written
                write_file(inside(lattices, FILE), json.dumps(said).encode())

    try:
        yield told
    finally:
        if last:
            inside(lattices, FILE).unlink(missing_ok=True)


def recognition_progress(archive: Path) -> RecognitionProgress | None:
    """How far the process is that adds recordings to an archive now; None where there is none."""
    lattices = folder_inside(archive, FOLDER)
    try:
        path = inside(lattices, FILE)
        said = record(path.read_bytes(), _ProgressRecord, "the progress of recognition", str(path))
        if not _is_alive(said):
            return None
        lines = RecordingJournal(lattices).lines
    except (OSError, InputError):  # it has ended meanwhile
        return None
    begun = [name for name, line in lines.items() if line.get("segments") is None and not is_other(line)]
    rights = StoredCells(archive).some(begun)
    told = [name for name in begun if access(rights.get(name, {}).get(RIGHTS, "")) == OPEN]
    return RecognitionProgress(said["done"], said["total"], told)


def _is_alive(said: _ProgressRecord) -> bool:
    """Whether the process that wrote this is still there, as far as this machine can tell."""
    if not 0 <= time.time() - said["time"] < _STALE:
        return False
    if said["machine"] != platform.node() or os.name == "nt":
        return True
    try:
        os.kill(said["process"], 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
