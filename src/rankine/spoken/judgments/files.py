"""Judgments as tables: CSV, TSV, JSON and JSON lines, with all that is known of each; and as TREC's qrels.

The columns are those of ``COLUMNS``; ``query`` is the text of the query. A grade is a number, or ``unsure``. A judgment
that is orphaned says why in ``orphaned``; only such may be of places that are not in the archive.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, nearest, shorten
from ...system.files import write_file
from ..index.reader import Index
from ..learn.judgment_rows import Judgment
from ..learn.judgments import Judged, JudgmentStore, check_name
from ..metadata.tables import JSON_LINES, table_rows
from ..store.store import split_place
from .placement import PlacedJudgments, check_judged

COLUMNS = ("query", "recording", "place", "grade", "judge", "time", "start", "end", "rank", "weights", "orphaned")
UNSURE = "unsure"
_NEEDED = ("query", "recording", "grade")
_LARGEST = 1e6  # grade, seconds or rank


class ImportedJudgments(NamedTuple):
    """How many judgments were stored and how many were there already, and the number by which they can be undone."""

    stored: int
    there: int
    number: int


def write_judgments(path: str | os.PathLike, placed: PlacedJudgments) -> int:
    """Write all judgments that count, of all judges, to a file; its ending says how. Returns their number."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise InputError(f"expected a file that ends in {', '.join(_WRITERS)}; got {shorten(Path(path).name)}")
    reasons = {orphan.judgment.row: orphan.reason for orphan in placed.orphans}
    every = sorted([*placed.rows, *(orphan.judgment for orphan in placed.orphans)], key=lambda row: row.row)
    rows = [_cells(row, placed.queries[row.query], reasons.get(row.row, "")) for row in every]
    write_file(path, _WRITERS[suffix](rows).encode())
    return len(rows)


def _cells(row: Judgment, text: str, orphaned: str) -> dict[str, Any]:
    values = (text, row.recording, row.place, UNSURE if row.grade is None else row.grade, row.judge, row.time,
              row.start, row.end, row.rank, row.weights, orphaned)  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def _as_delimited(delimiter: str) -> Callable[[Sequence[Mapping[str, Any]]], str]:
    def written(rows: Sequence[Mapping[str, Any]]) -> str:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()

    return written


def _as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _as_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


_WRITERS = {
    ".csv": _as_delimited(","), ".tsv": _as_delimited("\t"), ".json": _as_json, **dict.fromkeys(JSON_LINES, _as_lines),
}  # fmt: skip


def is_table_of_judgments(path: str | os.PathLike) -> bool:
    """Whether a file's ending says that it is a table."""
    return Path(path).suffix.lower() in _WRITERS


def import_judgments(
    index: Index, book: JudgmentStore, path: str | os.PathLike, judge: str = "", encoding: str | None = None
) -> ImportedJudgments:
    """Store the judgments of a table, all or none; those that are there already are not stored again.

    ``judge`` is who gave those whose cell is empty. A row that cannot be used is an InputError that names its line.
    """
    rows, texts = list[Judgment](), dict[str, str]()
    for where, cells in table_rows(path, encoding)[0]:
        if isinstance(cells, InputError):
            raise InputError(cells.message, where)
        try:
            row = _row(index, {name.strip().lower(): cell.strip() for name, cell in cells}, judge)
        except InputError as error:
            raise InputError(error.message, where) from None
        texts[row.query] = row.query
        rows.append(row)
    number = book.add_rows(rows, texts, f"import of {Path(path).name}", judge)
    stored = sum(row.number == number for row in book.rows()) if number else 0
    return ImportedJudgments(stored, len(rows) - stored, number)


def _row(index: Index, cells: Mapping[str, str], judge: str) -> Judgment:
    """The judgment of a row; ``query`` is the text of its query."""
    missing = next((name for name in _NEEDED if not cells.get(name)), None)
    if missing is not None:
        raise InputError(f"expected {', '.join(_NEEDED)} in each row, and perhaps other columns of "
                         f"{', '.join(COLUMNS)}; {missing!r} is missing or empty")  # fmt: skip
    name = cells["recording"] + (f"@{cells['place']}" if cells.get("place") else "")
    recording, place = split_place(name, index.numbers)
    if not cells.get("orphaned") and (reason := check_judged(index, name)):
        raise InputError(f"a judgment of {shorten(name, 80)}: {reason}.{nearest(recording, index.numbers)}")
    by = cells.get("judge") or judge
    check_name(by)
    grade = None if cells["grade"].casefold() == UNSURE else _number(cells, "grade")
    rank = _number(cells, "rank")
    return Judgment(
        0, 0, _time(cells.get("time", "")), by, " ".join(cells["query"].split()), recording, place, grade,
        _number(cells, "start"), _number(cells, "end"), None if rank is None else int(rank), cells.get("weights", ""),
    )  # fmt: skip


def _number(cells: Mapping[str, str], name: str) -> float | None:
    text = cells.get(name, "")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _LARGEST or (name == "rank" and value != int(value)):
        also = f", or {UNSURE}" if name == "grade" else ""
        raise InputError(f"expected a number of at least 0 in the column {name!r}{also}; got {shorten(text)}")
    return value


def _time(text: str) -> str:
    """The time of a judgment, or now."""
    from datetime import UTC

    if not text:
        return datetime.now(UTC).isoformat(timespec="seconds")
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"expected a time such as 2026-11-16T12:30:00+00:00, got {shorten(text)}") from None
    return text


def write_qrels(name: str, judged: Judged) -> None:
    """Write queries as ``name.tsv`` and the grades that count as ``name.qrels``."""
    blank = next((d for r in judged.qrels.values() for d in r if any(c.isspace() for c in d)), None)
    if blank is not None:
        raise InputError(f"TREC qrels cannot hold the name {blank!r}: it has blanks")
    write_file(f"{name}.tsv", "".join(f"{q}\t{t}\n" for q, t in judged.queries.items()).encode())
    lines = [f"{q} 0 {d} {g:g}\n" for q, grades in judged.qrels.items() for d, g in grades.items()]
    write_file(f"{name}.qrels", "".join(lines).encode())
