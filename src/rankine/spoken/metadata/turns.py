"""Turns of speakers: who speaks in a recording from when to when, in the archive's store.

What is recorded last about a recording replaces its turns from before; when that is undone, those count again.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, shorten
from ...system.files import write_file
from ..index.reader import Index
from ..store.store import Store, login_name, undone
from .fields import KEYS, field_name, read_value
from .tables import RecordingFinder, table_rows


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
    names = [index.names[number] for number in sorted(speakers_by_recording(index))]
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


def speakers_by_recording(index: Index) -> dict[int, list[str]]:
    """The speakers of all turns, by the number of the recording."""
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


# -- Turns of speakers as tables: recording, start, end, speaker; times are seconds, or as in 1:02:03.5


COLUMNS = ("recording", "start", "end", "speaker")
_NAMES = {**dict.fromkeys(KEYS, "recording"), "start": "start", "end": "end", "stop": "end", "speakers": "speaker"}
_CLOCK = re.compile(r"(?:(?:(\d{1,4}):)?(\d{1,3}):)?(\d{1,9}(?:\.\d{1,20})?(?:e-\d{1,3})?)", re.ASCII)
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


class TurnRows(NamedTuple):
    """The turns of a table by recording, why rows are not used, and notes."""

    turns: dict[str, list[SpeakerTurn]]
    errors: list[str]
    notes: list[str]


def read_turns(path: str | os.PathLike, names: Mapping[str, int], encoding: str | None = None) -> TurnRows:
    """The turns in a CSV, TSV, JSON or JSON lines file, of recordings that have these names."""
    rows, notes = table_rows(path, encoding)
    finder, turns, errors = RecordingFinder(names), dict[str, list[SpeakerTurn]](), list[str]()
    for where, cells in rows:
        try:
            if isinstance(cells, InputError):
                raise cells
            name, turn = _turn(cells, finder)
            turns.setdefault(name, []).append(turn)
        except InputError as error:
            errors.append(f"{where}: {error.message}")
    return TurnRows(turns, errors, notes)


def _turn(cells: Sequence[tuple[str, str]], finder: RecordingFinder) -> tuple[str, SpeakerTurn]:
    row = {_NAMES.get(field_name(name), ""): cell for name, cell in cells}
    missing = next((column for column in COLUMNS if column not in row), None)
    if missing is not None:
        raise InputError(f"expected the columns {', '.join(COLUMNS)}; there is none called {missing!r}")
    name = finder.find(row["recording"], "recording")
    return name, checked_turn(name, SpeakerTurn(_seconds(row["start"]), _seconds(row["end"]), row["speaker"]))


def _seconds(text: str) -> float:
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise InputError(f"expected a time in seconds, or as in 1:02:03.5; got {shorten(text)}")
    hours, minutes, seconds = match.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)


def write_turns(path: str | os.PathLike, turns: Mapping[str, Sequence[SpeakerTurn]]) -> None:
    """Write turns to a CSV or TSV file, by its ending; times are seconds."""
    delimiter = _DELIMITERS.get(Path(path).suffix.lower())
    if delimiter is None:
        raise InputError(f"expected a file that ends in {' or '.join(_DELIMITERS)}; got {shorten(Path(path).name)}")
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((name, t.start, t.stop, t.speaker) for name, some in turns.items() for t in some)
    write_file(path, text.getvalue().encode())
