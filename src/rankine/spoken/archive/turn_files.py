"""Turns of speakers as tables: recording, start, end, speaker; times are seconds, or as in 1:02:03.5."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, shorten
from ...system.files import write_file
from .fields import KEYS, field_name
from .metadata_files import RecordingFinder, table_rows
from .turns import SpeakerTurn, checked_turn

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
