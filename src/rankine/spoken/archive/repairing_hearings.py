"""Repairing the further hearings of an archive: each is an archive of its own, and its weight can be learned again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from ...errors import InputError, in_one_line
from ...system.paths import inside
from .hearings import FOLDER as HEARINGS
from .hearings import RECORD, hearing_folders, read_weight


class RepairReport(Protocol):
    """What a repair of one archive did, in sentences; what is lost; what is still wrong."""

    @property
    def done(self) -> list[str]:
        """What was repaired."""

    @property
    def lost(self) -> list[str]:
        """Documents that are lost."""

    @property
    def left(self) -> list[str]:
        """What is still wrong."""


Report = TypeVar("Report", bound=RepairReport)


def repair_hearings(archive: Path, repair: Callable[[Path], Report], report: Report) -> Report:
    """Repair all hearings, and add what was done to the report; a recording that a hearing has lost is left to say."""
    try:
        folders = hearing_folders(archive)
    except InputError as error:
        report.left.append(in_one_line(error))
        return report
    for name, folder in folders.items():
        again = f"add it again with `rankine spoken add {archive} RECORDINGS --hearing {name}`"
        try:
            try:
                read_weight(folder)
            except InputError as error:
                inside(folder, RECORD).unlink()
                report.done.append(f"{in_one_line(error)}; removed: `rankine spoken hearings {archive} --learn`")
            one = repair(folder)
            report.done.extend(f"{HEARINGS}/{name}: {line}" for line in one.done)
            report.left.extend(f"{HEARINGS}/{name}: {line}" for line in one.left)
            if one.lost:
                report.left.append(f"{HEARINGS}/{name}: {len(one.lost)} recordings lost: {again}")
        except (InputError, OSError) as error:
            report.left.append(f"{in_one_line(error)}; remove the folder of this hearing and {again}")
    return report
