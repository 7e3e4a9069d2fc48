"""Building the index of an archive anew from the lattices that it holds itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...system.paths import folder_inside, inside
from ..index.about import About
from ..index.changes import Changes, Progress
from ..index.reader import Index
from ..recognise.journal import JOURNAL, RecordingJournal
from .changes import add_source
from .recordings import FOLDER, lattices_of, recordings_table

Texts = Mapping[str, Mapping[str, str]]  # title, date and speaker, by document
_BATCH = 2000  # documents between two commits


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
    """Title, date and speaker that the index itself has of documents, from releases until 0.1."""
    return {name: texts for name in index.names if (texts := index.base_texts(name))}


def rebuild(folder: Path, texts: Texts, workers: int, progress: Progress) -> Changes:
    """Index the archive's own lattices that its index has not; documents have these texts, or those they have."""
    index, lattices = Index.open(folder), folder_inside(folder, FOLDER)
    if not recognised(folder):
        return Changes(0, 0, 0, 0, [])
    about = {name: About(name, dict(given)) for name, given in texts.items()}
    journal = RecordingJournal(lattices)
    table, files = recordings_table(journal, about), list(lattices_of(journal, missing=False))
    return add_source(index, lattices, table, None, None, workers, False, _BATCH, progress, True, files=files)
