"""Checking an archive: every byte, every number that is used as a place, the judgments, the weights, the lattices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...errors import InputError
from ...system.console import counted
from ...system.paths import check_below, folder_inside, inside
from ..hearings.hearings import hearings_of, open_hearing
from ..index.about import read_about
from ..index.reader import Index
from ..index.storage import open_parts
from ..learn.judgments import JudgmentStore
from ..recognise.journal import TABLE, RecordingJournal
from ..recordings.bin import Bin
from ..recordings.rebuild import missing_lattices, recognised
from ..recordings.recordings import FOLDER
from ..teaching.weight_history import WeightHistory


def check_archive(folder: Path, report: Callable[[int], None]) -> None:
    """Raise InputError at the first place that is wrong; ``report`` is called with the number of bytes read."""
    _check_one(folder, report)
    index = Index.open(folder)
    for hearing in hearings_of(folder):
        _check_one(hearing.folder, lambda done: None)
        open_hearing(index, hearing)


def _check_one(folder: Path, report: Callable[[int], None]) -> None:
    manifest, parts = open_parts(folder)
    before = 0
    for part in parts:
        part.check(lambda done, before=before: report(before + done))  # type: ignore[misc]
        before += part.end
    manifest.check_files(folder)
    index = Index(folder, manifest, parts)
    for reader in index.parts:
        reader.check(index.settings)
    doubled = len(index.names) - len(index.numbers)
    if doubled:
        raise InputError(f"the archive is damaged: {doubled} recordings are in it twice", str(folder))
    JudgmentStore(folder).check()
    WeightHistory(folder).check()
    Bin(folder).check()
    lattices = folder_inside(folder, FOLDER)
    if lattices.is_dir():
        check_below(lattices)
        RecordingJournal(lattices)
        _check_lattices(folder, lattices)


def _check_lattices(folder: Path, lattices: Path) -> None:
    """Raise InputError if lattices are missing, or if the table of recordings cannot be read."""
    missing = missing_lattices(folder)
    if missing:
        n = counted(len(missing), "lattice")
        raise InputError(f"{n} missing, this one first: add the recordings again", str(inside(lattices, missing[0])))
    table = inside(lattices, TABLE)
    if table.exists() and recognised(folder):
        try:
            read_about(table)
        except InputError as error:
            raise InputError(f"{error.message}; `rankine spoken check --repair` makes the table again") from None
