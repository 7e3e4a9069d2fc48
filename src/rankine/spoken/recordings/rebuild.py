"""Building the index of an archive anew from the lattices that it holds itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from ...system.paths import folder_inside, inside
from ..index.about import About
from ..index.changes import Changes, Corpus, Progress, WorkingIndex, update
from ..index.reader import Index
from ..index.storage import writing
from ..recognise.journal import JOURNAL, RecordingJournal
from .changes import SCORING
from .recordings import FOLDER, lattices_of, recordings_table

Texts = Mapping[str, Mapping[str, str]]  # title, date and speaker, by recording
BATCH = 2000  # recordings between two commits


def recognised(folder: Path) -> dict[str, list[str]]:
    """The lattices that an archive holds itself, as paths below the folder ``recognised``, by recording."""
    lattices = folder_inside(folder, FOLDER)
    if not inside(lattices, JOURNAL).exists():
        return {}
    lines = RecordingJournal(lattices).lines
    return {name: [s["file"] for s in line["segments"]] for name, line in lines.items() if line.get("segments")}


def missing_lattices(folder: Path) -> list[str]:
    """The lattices that the journal names and that are not there, also when it is read again."""
    lattices = folder_inside(folder, FOLDER)
    missing = _not_there(folder, lattices)
    return [file for file in _not_there(folder, lattices) if file in missing] if missing else []


def _not_there(folder: Path, lattices: Path) -> list[str]:
    return [file for files in recognised(folder).values() for file in files if not inside(lattices, file).exists()]


def texts_of(index: Index) -> dict[str, dict[str, str]]:
    """Return the title, date and speaker that the index itself has of recordings, as their transcripts gave them."""
    return {name: texts for name in index.names if (texts := index.base_texts(name))}


def own_corpus(folder: Path, recordings: Collection[str] | None, texts: Texts | None = None) -> Corpus | None:
    """Return what the archive's own lattices hold, of these recordings or all (None); None where there is nothing.

    ``texts`` are titles, dates and speakers that recordings get besides those that they have.
    """
    if not recognised(folder):
        return None
    journal = RecordingJournal(folder_inside(folder, FOLDER))
    about = {name: About(name, dict(given)) for name, given in (texts or {}).items()}
    table = recordings_table(journal, about)
    table = {u: row for u, row in table.items() if recordings is None or row.recording in recordings}
    files = [file for file in lattices_of(journal, missing=False) if file.name in table]
    return Corpus(journal.folder, None, SCORING, table, listed=True, files=files) if files else None


def rebuild(folder: Path, texts: Texts, workers: int, progress: Progress) -> Changes:
    """Index the archive's own lattices that its index has not; recordings have these texts, or those they have."""
    corpus = own_corpus(folder, None, texts)
    if corpus is None:
        return Changes(0, 0, 0, 0, [])
    with writing(folder) as writer:
        return update(WorkingIndex(writer), corpus, workers, False, BATCH, progress)
