"""``rankine spoken relocate``."""

from __future__ import annotations

from typing import Annotated

import typer

from ...system.console import counted, say
from .common import Folder, finish


def relocate(
    archive: Folder,
    recordings: Annotated[str, typer.Argument(help="Folder where the recordings are now.")],
) -> None:
    """Tell an archive where its recordings are, after they or the archive were moved.

    Files are looked for by the last parts of their paths, and renamed ones by their sound. Where several recordings
    have one name, or a file has another length than before, the sound decides too.

    `rankine spoken relocate archive/ /new/disk/recordings`
    """
    from ...spoken import Archive
    from ...system.progress import bar

    with bar("looking for recordings", None) as update:
        result = Archive(archive).relocate(recordings, lambda done, total: update(done, total))
    say(f"{archive}: {len(result.paths)} of {counted(result.total, 'recording')} found below {recordings}")
    finish(result.missing, len(result.paths), "recordings")
