"""Recordings of an archive that further recognisers hear, and those that they forget."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from ...system.paths import folder_inside
from ..index.changes import Changes
from ..recognise.journal import RecordingJournal
from ..recordings.recordings import (
    FOLDER,
    AddedRecordings,
    IndexedArchive,
    RecognitionOptions,
    StageProgress,
    changes_of_both,
    journal_of,
    lattices_of,
    recognise_recordings,
    recordings_table,
    remove_silent,
)


def held_samples(archive: Path, deleted: bool = False) -> set[str]:
    """Fingerprints of the recordings that an archive's own recogniser has heard, also if nobody speaks in them.

    ``deleted``: also of those in the bin.
    """
    lattices = folder_inside(archive, FOLDER)
    lines = RecordingJournal(lattices).lines.values() if lattices.is_dir() else ()
    return {
        line["samples"] for line in lines
        if line.get("segments") is not None or (deleted and ("gone" not in line or line.get("kept")))
    }  # fmt: skip


def add_hearing(
    archive: Path,
    hearing: IndexedArchive,
    name: str,
    sources: list[str | os.PathLike],
    options: RecognitionOptions,
    progress: StageProgress,
) -> AddedRecordings:
    """Recognise recordings that an archive holds once more, and index what was heard as a further hearing."""
    held = held_samples(archive)
    total = Changes(0, 0, 0, 0, [])

    def commit(journal: RecordingJournal) -> None:
        nonlocal total
        hearing.refresh()
        remove_silent(hearing, journal)
        table = recordings_table(journal, None)
        if table:
            changes = hearing.index(
                journal.folder, table, workers=options.workers, progress=partial(progress, f"indexing, {name}"),
                listed=True, prints=journal.prints(), files=list(lattices_of(journal)),
            )  # fmt: skip
            total = changes_of_both(total, changes)

    recognised, took = recognise_recordings(
        folder_inside(hearing.folder, FOLDER), sources, options, partial(progress, f"recognising, {name}"), commit, held
    )
    hearing.refresh()
    return AddedRecordings(recognised, took, total)


def forget_missing(archive: Path, hearing: IndexedArchive) -> list[str]:
    """Remove recordings from a hearing that its archive holds no more, not even in its bin; their names there."""
    held = held_samples(archive, deleted=True)
    with journal_of(folder_inside(hearing.folder, FOLDER)) as journal:
        if not isinstance(journal, RecordingJournal):
            return []
        names = [name for name, samples in journal.contents().items() if samples not in held]
        there = set(hearing.names)
        hearing.remove([name for name in names if name in there])
        journal.forget(names)
        journal.purge(days=0)
        journal.write_table()
    return names
