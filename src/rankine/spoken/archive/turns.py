"""Turns of speakers: who speaks in a recording from when to when, in the archive's store.

What is recorded last about a recording replaces its turns from before; when that is undone, those count again.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ..index.reader import Index
from ..store import Store, login_name, undone
from .fields import read_value


class SpeakerTurn(NamedTuple):
    """A speaker from one time to another, in seconds from the beginning of the recording."""

    start: float
    stop: float
    speaker: str


def record_turns(
    folder: str | os.PathLike,
    turns: Mapping[str, Sequence[SpeakerTurn]],
    what: str = "turns of speakers",
    by: str | None = None,
) -> None:
    """Keep the turns of recordings as one change; an archive does not have a recording of another name."""
    index = Index.open(Path(folder))
    rows = [(name, checked_turn(name, turn)) for name, some in turns.items() for turn in some]
    for name in turns:
        index.number_of(name)
    with Store(folder).writing(what, login_name() if by is None else by) as batch:
        numbers = {name: batch.recording(name) for name in turns}
        batch.add(
            "speaker",
            ({"recording": numbers[n], "start": t.start, "stop": t.stop, "speaker": t.speaker} for n, t in rows),
        )


def checked_turn(name: str, turn: SpeakerTurn) -> SpeakerTurn:
    """A turn of a recording with plain text; an InputError where it has no length or no speaker."""
    start, stop = float(turn.start), float(turn.stop)
    if not (math.isfinite(start) and math.isfinite(stop) and 0 <= start < stop):
        raise InputError(f"expected a turn from a time to a later one in seconds, got {start:g} to {stop:g}", name)
    speaker = " ".join(read_value("title", turn.speaker).split())
    if not speaker:
        raise InputError(f"expected the name of a speaker from {start:g} to {stop:g}, got none", name)
    return SpeakerTurn(start, stop, speaker)


def all_turns(index: Index) -> dict[str, list[SpeakerTurn]]:
    """The turns of all recordings that have some, by time."""
    names = [index.names[number] for number in sorted(speakers_by_document(index))]
    with index.cells.store.reading(whole=False) as db:
        gone = undone(db)
        return {name: _turns(db, name, gone) for name in names}


def turns_of(index: Index, recording: str) -> list[SpeakerTurn]:
    """The turns of a recording, by time."""
    if not _has_turns(index):
        return []
    with index.cells.store.reading(whole=False) as db:
        return _turns(db, recording, undone(db))


def _turns(db: sqlite3.Connection, recording: str, gone: set[int]) -> list[SpeakerTurn]:
    rows = db.execute(
        "SELECT batch, CAST(start AS REAL), CAST(stop AS REAL), CAST(speaker AS TEXT) FROM speaker "
        "WHERE recording = (SELECT id FROM recording WHERE name = ?)",
        (recording,),
    ).fetchall()
    last = max((row[0] for row in rows if row[0] not in gone), default=None)
    return sorted(SpeakerTurn(*row[1:]) for row in rows if row[0] == last)


def speakers_at(turns: Sequence[SpeakerTurn], start: float, end: float) -> list[str]:
    """Who speaks between two times, who speaks most first.

    >>> speakers_at([SpeakerTurn(0, 4, "Ann"), SpeakerTurn(4, 9, "Bob")], 3, 8)
    ['Bob', 'Ann']
    """
    seconds: dict[str, float] = {}
    for turn in turns:
        overlap = min(turn.stop, end) - max(turn.start, start)
        if overlap > 0 or (start == end and turn.start <= start < turn.stop):
            seconds[turn.speaker] = seconds.get(turn.speaker, 0.0) + overlap
    return sorted(seconds, key=lambda speaker: -seconds[speaker])


def speakers_of_places(index: Index, places: Sequence[tuple[str, float, float]]) -> list[list[str]]:
    """Who speaks at several places (recording, start, end), who speaks most first; nobody where there are no turns."""
    if not _has_turns(index):
        return [[] for _ in places]
    with index.cells.store.reading(whole=False) as db:
        gone = undone(db)
        turns = {name: _turns(db, name, gone) for name in {name for name, _, _ in places}}
    return [speakers_at(turns[name], start, end) for name, start, end in places]


def _has_turns(index: Index) -> bool:
    return index.cells.kept("turns", lambda db: bool(db.execute("SELECT 1 FROM speaker LIMIT 1").fetchone()), False)


def speakers_by_document(index: Index) -> dict[int, list[str]]:
    """The speakers of all turns, by the number of the document."""
    by_name: dict[str, list[str]] = {}
    if _has_turns(index):
        by_name = index.cells.kept("speakers", _speakers, by_name)
    return {index.numbers[name]: speakers for name, speakers in by_name.items() if name in index.numbers}


def _speakers(db: sqlite3.Connection) -> dict[str, list[str]]:
    gone, last, out = undone(db), dict[str, int](), dict[str, list[str]]()
    rows = db.execute(
        "SELECT DISTINCT batch, name, CAST(speaker AS TEXT) FROM speaker JOIN recording ON recording.id = recording "
        "WHERE name IS NOT NULL ORDER BY batch"
    )
    for batch, name, speaker in rows:
        if batch not in gone:
            if last.get(name) != batch:
                last[name], out[name] = batch, []
            out[name].append(speaker)
    return out
