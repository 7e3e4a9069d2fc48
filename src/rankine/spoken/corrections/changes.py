"""Applying corrections to the index: recordings whose index and corrections disagree are written anew.

Corrections are rows of the store, and the index follows. Every recording holds the fingerprint of the corrections that
were applied to it. Whoever changes corrections or recordings calls :func:`settle`; a process that is killed before that
loses nothing, because the next change settles it.

Of a corrected recording only the utterances are analysed again that a correction touches: from the lattice, if the
archive holds it, else from the confusion network in the index. What was there before is kept with them
(:mod:`..index.heard_rows`), so undoing a correction brings it back exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...system.files import fingerprint, stamp
from ...system.paths import folder_inside, inside
from ..index import schema
from ..index.build import IndexedRecording, Utterance, analyse_lattice
from ..index.changes import WorkingIndex
from ..index.heard_rows import CONTINUED, as_heard, reading_of, rows_as_text, utterances_of
from ..index.reader import Index
from ..index.storage import writing
from ..lattice.corrected import corrected
from ..lattice.formats import File, Reading, pieces
from ..lattice.lattice import Lattice
from ..lattice.scoring import Scoring
from ..recognise.journal import JOURNAL, RecordingJournal
from ..recordings.changes import FOLDER
from ..recordings.recordings import lattices_of
from ..store.store import Store
from .placement import PlacedCorrections, Placement, placed
from .rows import Correction, by_recording, corrections_print, counting_corrections
from .splicing import StoredRecording, can_splice

WAIT = 60.0  # seconds for another process that changes the archive
_BATCH = 200  # recordings that are committed at once
_MOST_SPLICED = 8  # groups of rows that are written anew between others; for each the part is read once more


def settle(folder: Path, names: Collection[str] | None = None, wait: float = WAIT) -> list[str]:
    """Apply corrections where the index does not have them, or has others: to all recordings, or to these; their names.

    An archive without a store, such as a further hearing, is left as it is.
    """
    store = Store(folder)
    if not store.exists or not _stale(Index.open(folder), stored_corrections(store, names), names):
        return []
    done: list[str] = []
    with writing(folder, wait) as writer:
        index, corrections = WorkingIndex(writer), stored_corrections(store, names)
        todo = sorted(_stale(index, corrections, names))
        for at in range(0, len(todo), _BATCH):
            some = todo[at : at + _BATCH]
            index.replace([corrected_recording(index, name, corrections.get(name, [])) for name in some], [])
            done += some
    return done


def stored_corrections(store: Store, names: Collection[str] | None = None) -> dict[str, list[Correction]]:
    """The corrections that count of all recordings in the archive, or of these, by name."""
    with store.reading(whole=False) as db:
        return by_recording(counting_corrections(db, names))


def _stale(index: Index, corrections: dict[str, list[Correction]], names: Collection[str] | None) -> set[str]:
    """The recordings whose index was not made with these corrections."""
    marks = index.corrected
    asked = {*corrections, *marks} if names is None else set(names)
    return {
        name for name in asked
        if name in index.numbers and marks.get(name, "") != corrections_print(corrections.get(name, ()))
    }  # fmt: skip


def rows_as_heard(index: Index, name: str) -> list[Utterance]:
    """The rows of a recording as they were before all corrections."""
    reader, number = index.place_of(name)
    return as_heard(utterances_of(reader, number, index.settings), index.settings, str(reader.part.path))


def reading_as_heard(index: Index, name: str) -> list[Utterance]:
    """The same rows with the words of their likeliest readings only."""
    reader, number = index.place_of(name)
    return as_heard(reading_of(reader, number), index.settings, str(reader.part.path))


def placed_recording(index: Index, name: str) -> PlacedCorrections:
    """The words of a recording with its corrections, and where these are."""
    nothing: dict[str, list[Correction]] = {}
    every = index.cells.kept("corrections", lambda db: by_recording(counting_corrections(db)), nothing)
    return placed(reading_as_heard(index, name), every.get(name, ()))


def corrected_recording(index: Index, name: str, corrections: Sequence[Correction]) -> IndexedRecording:
    """A recording with these corrections, and with no others."""
    reader, number = index.place_of(name)
    out = IndexedRecording(
        name, index.base_texts(name), fingerprint=reader.texts(schema.FINGERPRINT)[number],
        corrections=corrections_print(corrections),
    )  # fmt: skip
    stored = StoredRecording(index, name) if can_splice(reader, number) else None
    rows = rows_as_heard(index, name) if stored is None else stored.heard
    where = placed(rows, corrections).placements if corrections else []
    own = own_lattices(index.folder, name) if where else {}
    if stored is None:
        out.utterances = corrected_rows(index, rows, where, own)
    else:
        groups = _groups(rows, where, own)
        changed = [g for g in groups if not stored.has(g, _mark([rows[i] for i in g], g, where, own))]
        if len(changed) > _MOST_SPLICED:
            out.utterances = corrected_rows(index, rows_as_heard(index, name), where, own)
        else:
            new = {g[0]: _corrected_group(index, stored.whole(g), g, where, own) for g in changed}
            out.pieces = stored.pieces(groups, new)
    return out


def corrected_rows(
    index: Index, rows: Sequence[Utterance], placements: Sequence[Placement], own: dict[str, File]
) -> list[Utterance]:
    """The rows of a recording with corrections; those that none of them touches stay as they are."""
    out: list[Utterance] = []
    at = 0
    for group in _groups(rows, placements, own):
        out += rows[at : group[0]]
        out += _corrected_group(index, [rows[i] for i in group], group, placements, own)
        at = group[-1] + 1
    return out + list(rows[at:])


def _groups(rows: Sequence[Utterance], placements: Sequence[Placement], own: dict[str, File]) -> list[list[int]]:
    """Numbers of rows that are analysed together: neighbours of one utterance; all of it where its lattice is there."""
    touched = {i for placement in placements for i in placement.rows}
    whole = {rows[i].name for i in touched if rows[i].name in own}
    groups: list[list[int]] = []
    for i, row in enumerate(rows):
        if i not in touched and row.name not in whole:
            continue
        if groups and groups[-1][-1] == i - 1 and rows[i - 1].name == row.name:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _mark(rows: Sequence[Utterance], group: list[int], placements: Sequence[Placement], own: dict[str, File]) -> str:
    """The fingerprint of the corrections that touch a group of rows, and of what they are applied to."""
    some = [
        (p.start, p.end, p.correction.words if p.main in group else [])
        for p in placements if set(p.rows) & set(group)
    ]  # fmt: skip
    return fingerprint(repr([some, [(row.name, row.offset) for row in rows], _state_of(own.get(rows[0].name))]), size=8)


def _state_of(file: File | None) -> tuple[str, int, int] | None:
    """Return what tells whether the lattice of an utterance has changed; None where there is none to be read."""
    try:
        return None if file is None else stamp(Path(file.path))
    except OSError:
        return None


def _corrected_group(
    index: Index, rows: list[Utterance], group: list[int], placements: Sequence[Placement], own: dict[str, File]
) -> list[Utterance]:
    """Rows of one utterance, analysed again with the corrections that touch them."""
    first, last = rows[0], rows[-1]
    lattice = _read(own[first.name]) if first.name in own else None
    if lattice is None:
        lattice = network_of(rows, index.kinds[0])
    for placement in placements:
        if set(placement.rows) & set(group):
            words = placement.correction.words if placement.main in group else []
            lattice = corrected(lattice, placement.start - first.offset, placement.end - first.offset, words)
    new = analyse_lattice(index.working_settings, lattice, index.dictionary, first.name)
    new = [u._replace(audio=first.audio, offset=first.offset + u.offset, heard=CONTINUED) for u in new]
    end = max(new[-1].offset + new[-1].length, last.offset + last.length)
    new[-1] = new[-1]._replace(length=end - new[-1].offset)
    new[0] = new[0]._replace(heard=rows_as_text(rows, _mark(rows, group, placements, own)))
    return new


def network_of(rows: Sequence[Utterance], kind: str) -> Lattice:
    """The confusion networks of rows one after the other, as a lattice; times count from the first row."""
    node, columns, units = 0, list[tuple[np.ndarray, ...]](), dict[str, int]()
    for row in rows:
        entries, shift = row.entries[kind, "cn"], row.offset - rows[0].offset
        n = len(entries.slots)
        total = np.bincount(entries.position, entries.posterior, n)
        p = entries.posterior / np.maximum(total, 1.0)[entries.position]
        times = entries.slots.astype(np.float64) + shift
        number = np.array([units.setdefault(name, len(units)) for name in entries.names], np.int64)
        columns.append((node + entries.position, number[entries.unit], p, *times[entries.position].T))
        rest = np.flatnonzero(total < 1 - 1e-6)
        columns.append((node + rest, np.full(len(rest), -1), 1 - total[rest], *times[rest].T))
        node += n
    if node == 0:
        seconds = rows[-1].offset + rows[-1].length - rows[0].offset
        return Lattice.from_arcs([(0, 1, None, 0.0, 0.0, seconds)], 0, 1, rows[0].name)
    source, unit, p, start, end = (np.concatenate(column) for column in zip(*columns, strict=True))
    return Lattice.build(
        source=source, target=source + 1, unit=unit, units=list(units), acoustic=np.zeros(len(p)), language=np.log(p),
        posterior=np.full(len(p), np.nan), times=np.column_stack([start, end]), start=0, end=node, name=rows[0].name,
    )  # fmt: skip


# -- lattices that the archive holds


def own_lattices(folder: Path, name: str) -> dict[str, File]:
    """The lattices of a recording that the archive holds, by utterance; none where it was indexed from elsewhere."""
    lattices = folder_inside(folder, FOLDER)
    path = inside(lattices, JOURNAL)
    if not path.exists():
        return {}
    return _own_lattices(lattices, stamp(path)).get(name, {})


@lru_cache(maxsize=4)
def _own_lattices(lattices: Path, changed: tuple[str, int, int]) -> dict[str, dict[str, File]]:
    """The lattices of all recordings of a journal, while it is the same."""
    journal = RecordingJournal(lattices)
    files = {file.name: file for file in lattices_of(journal, missing=False)}
    out: dict[str, dict[str, File]] = {}
    for utterance, name, _, _ in journal.utterances():
        if utterance in files:
            out.setdefault(name, {})[utterance] = files[utterance]
    return out


def _read(file: File) -> Lattice | None:
    """The lattice of an utterance as it is indexed; None where it cannot be read, or has no times."""
    try:
        scoring = Scoring(Reading(lower=True))
        lattice = next((scoring.open(piece) for piece in pieces(file)), None)
    except (InputError, OSError):
        return None
    return None if lattice is None or np.isnan(lattice.end).all() else lattice
