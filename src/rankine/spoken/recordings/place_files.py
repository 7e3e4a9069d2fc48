"""Tables of places as files: CSV, TSV, JSON and JSON lines, with the columns recording, start and end, and others."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, shorten
from ...system.files import write_file
from ..metadata.fields import KEYS, field_name
from ..metadata.tables import JSON_LINES, RecordingFinder, table_rows

_CLOCK = re.compile(r"(?:(?:(\d{1,4}):)?(\d{1,3}):)?(\d{1,9}(?:[.,]\d{1,20})?(?:e-\d{1,3})?)", re.ASCII)
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


class PlaceRow(NamedTuple):
    """A row of a table: where it stands, its recording, its times (None: the whole recording), and other cells."""

    where: str
    recording: str
    start: float | None
    end: float | None
    cells: dict[str, str]


class PlaceRows(NamedTuple):
    """The rows of a table, why others are not used, and notes about the file."""

    rows: list[PlaceRow]
    errors: list[str]
    notes: list[str]


def read_place_rows(
    path: str | os.PathLike, names: Mapping[str, int], needed: Sequence[str], encoding: str | None = None
) -> PlaceRows:
    """The rows of a file about recordings that have these names; ``needed`` are columns that it must have."""
    rows, notes = table_rows(path, encoding)
    finder, places, errors = RecordingFinder(names), list[PlaceRow](), list[str]()
    for where, cells in rows:
        try:
            if isinstance(cells, InputError):
                raise cells
            places.append(_place_row(where, cells, finder, needed))
        except InputError as error:
            errors.append(f"{where}: {error.message}")
    return PlaceRows(places, errors, notes)


def _place_row(
    where: str, cells: Sequence[tuple[str, str]], finder: RecordingFinder, needed: Sequence[str]
) -> PlaceRow:
    row: dict[str, str] = {}
    for name, cell in cells:
        plain = name.strip().casefold()
        row["recording" if field_name(name) in KEYS else "end" if plain == "stop" else plain] = cell
    missing = next((column for column in ("recording", *needed) if column not in row), None)
    if missing is not None:
        columns = ", ".join(("recording", "start", "end", *needed))
        raise InputError(f"expected the columns {columns}; there is none called {missing!r}")
    recording = finder.find(row.pop("recording"), "recording")
    times = [seconds_of(text) if (text := row.pop(name, "").strip()) else None for name in ("start", "end")]
    if (times[0] is None) != (times[1] is None):
        raise InputError("expected both the start and the end of a place, or neither of them")
    return PlaceRow(where, recording, times[0], times[1], row)


def seconds_of(text: str) -> float:
    """A time in seconds, or as a clock shows it.

    >>> seconds_of("83.5"), seconds_of("1:23.5"), seconds_of("01:00:00,25")
    (83.5, 83.5, 3600.25)
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise InputError(f"expected a time in seconds, or as in 1:02:03.5; got {shorten(text)}")
    hours, minutes, seconds = match.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds.replace(",", "."))


def write_place_rows(path: str | os.PathLike, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write a table of places to a file; its ending says how. Times are seconds."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise InputError(f"expected a file that ends in {', '.join(_WRITERS)}; got {shorten(Path(path).name)}")
    write_file(path, _WRITERS[suffix](columns, rows).encode())


def _delimited(delimiter: str) -> Callable[[Sequence[str], Sequence[Sequence[Any]]], str]:
    def text_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
        return text.getvalue()

    return text_of


def _objects(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    return [{name: cell for name, cell in zip(columns, row, strict=True) if cell is not None} for row in rows]


def _as_json(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return json.dumps(_objects(columns, rows), ensure_ascii=False, indent=1) + "\n"


def _as_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _objects(columns, rows))


_WRITERS: dict[str, Callable[[Sequence[str], Sequence[Sequence[Any]]], str]] = {
    **{suffix: _delimited(delimiter) for suffix, delimiter in _DELIMITERS.items()},
    ".json": _as_json, **dict.fromkeys(JSON_LINES[:1], _as_lines),
}  # fmt: skip
