"""Corrections in further hearings: what was said is certain, whoever heard something else.

A further hearing has words of its own. So corrections are applied to it by time, at the spans where they are in the
archive's own hearing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from ...system.files import fingerprint
from ...system.paths import folder_inside, inside
from ..hearings.hearings import hearing_folders
from ..index import schema
from ..index.build import IndexedRecording, Utterance
from ..index.changes import WorkingIndex
from ..index.reader import Index
from ..index.storage import writing
from ..recognise.journal import JOURNAL, RecordingJournal
from ..recordings.changes import FOLDER
from ..store.store import Store
from .changes import WAIT, corrected_rows, own_lattices, reading_as_heard, rows_as_heard, stored_corrections
from .placement import Placement, placed, row_at


def settle_hearings(folder: Path, names: Collection[str] | None = None, wait: float = WAIT) -> list[str]:
    """Apply the corrections of an archive to its further hearings, where these have not got them; the names there."""
    store, hearings = Store(folder), hearing_folders(folder)
    if not store.exists or not hearings:
        return []
    index, corrections = Index.open(folder), stored_corrections(store, names)
    wanted = {*corrections, *(names or ())} & index.numbers.keys()
    if not wanted and not any(Index.open(place).corrected for place in hearings.values()):
        return []
    own = _sounds(folder)
    placements = {
        own[name]: placed(reading_as_heard(index, name), corrections.get(name, [])).placements
        for name in wanted
        if name in own
    }
    return [name for place in hearings.values() for name in _settle_one(place, placements, names is None, wait)]


def _sounds(folder: Path) -> dict[str, str]:
    """The fingerprint of each recording's samples, by name."""
    lattices = folder_inside(folder, FOLDER)
    return RecordingJournal(lattices).contents() if inside(lattices, JOURNAL).exists() else {}


def _settle_one(folder: Path, placements: dict[str, list[Placement]], every: bool, wait: float) -> list[str]:
    """Apply corrections, by the samples of recordings, to one hearing; ``every``: others have none."""
    sounds = _sounds(folder)

    def stale(index: Index) -> list[str]:
        marks = index.corrected
        return sorted(
            name
            for name, sound in sounds.items()
            if name in index.numbers
            and (sound in placements or every)
            and marks.get(name, "") != _mark(placements.get(sound, ()))
        )

    if not stale(Index.open(folder)):
        return []
    with writing(folder, wait) as writer:
        index = WorkingIndex(writer)
        todo = stale(index)
        index.replace([_recording(index, name, placements.get(sounds[name], ())) for name in todo], [])
    return todo


def _mark(placements: Sequence[Placement]) -> str:
    content = [repr((p.start, p.end, p.correction.words)) for p in placements]
    return fingerprint(*content, size=12) if content else ""


def _recording(index: Index, name: str, placements: Sequence[Placement]) -> IndexedRecording:
    reader, number = index.place_of(name)
    rows = rows_as_heard(index, name)
    mine = [placement for some in placements if (placement := _moved(some, rows)) is not None]
    return IndexedRecording(
        name, index.base_texts(name), corrected_rows(index, rows, mine, own_lattices(index.folder, name)),
        reader.texts(schema.FINGERPRINT)[number], corrections=_mark(placements),
    )  # fmt: skip


def _moved(placement: Placement, rows: Sequence[Utterance]) -> Placement | None:
    """A placement in the rows of another hearing; None where it has none at this time."""
    main = row_at(rows, placement.start, placement.end)
    if main is None:
        return None
    touched = {
        i for i, row in enumerate(rows) for word in row.best
        if placement.start <= row.offset + (word.start + word.end) / 2 <= placement.end
    }  # fmt: skip
    return placement._replace(rows=tuple(sorted({main, *touched})), main=main)
