"""Notes and tags on places and recordings: what people remark, each with who and when."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ..recordings.place_files import read_place_rows, write_place_rows
from .marks import Marks, PlaceMark

NOTE, TAG = LABELS = ("note", "tag")
COLUMNS = ("recording", "start", "end", "label", "text", "by", "time", "id", "change")
_LONGEST_TAG = 100  # characters


class ImportedMarks(NamedTuple):
    """Marks that a file added, how many were there already, why rows were not used, and notes about the file."""

    added: list[PlaceMark]
    before: int
    errors: list[str]
    notes: list[str]


class Notes(Marks):
    """Notes and tags on places and recordings: ``archive.notes``.

    A place is ``RECORDING@START-END`` in seconds, or ``RECORDING``. ``by`` is who writes; by default the name that the
    user is logged in with. Recordings that are not open are left out, unless their keeper asks (``closed``).
    """

    kind, key, noun = "note", "label", "note"

    def add(self, place: str, text: str, by: str | None = None, closed: bool = False) -> PlaceMark:
        """Put a note on a place."""
        return self._add(place, NOTE, text, by, closed)

    def tag(self, place: str, text: str, by: str | None = None, closed: bool = False) -> PlaceMark:
        """Put a tag on a place: a word or a few, by which places are found again."""
        return self._add(place, TAG, text, by, closed)

    def _add(self, place: str, label: str, text: str, by: str | None, closed: bool) -> PlaceMark:
        return self.write([_checked(self.row(place, label, text, closed))], label, by)[0]

    def all(
        self, recording: str | None = None, label: str | None = None, text: str | None = None, closed: bool = False
    ) -> list[PlaceMark]:
        """The notes and tags that count: of a recording, with a label (``note`` or ``tag``), with just this text."""
        every = self.every(recording, closed)
        return [n for n in every if label in (None, n.key) and (text is None or n.text.casefold() == text.casefold())]

    def change(self, number: int, text: str, by: str | None = None, closed: bool = False) -> None:
        """Give a note or tag another text; undoing this brings the one before back."""
        old = self.get(number, closed)
        row = _checked({self.key: old.key, "text": " ".join(text.split()) if old.key == TAG else text.strip()})
        self.replace(number, row["text"], by, closed)

    def remove(self, number: int, by: str | None = None, closed: bool = False) -> None:
        """Remove a note or tag; undoing this brings it back."""
        self.replace(number, None, by, closed)

    def export(self, path: str | os.PathLike, closed: bool = False) -> int:
        """Write all that count to a CSV, TSV, JSON or JSON lines file, by its ending; how many."""
        every = self.all(closed=closed)
        write_place_rows(path, COLUMNS, [note_row(note) for note in every])
        return len(every)

    def import_file(
        self, path: str | os.PathLike, by: str | None = None, closed: bool = False, encoding: str | None = None
    ) -> ImportedMarks:
        """Put the notes and tags of a file on their places, as one change; what is there already is left out.

        Its columns are recording, start, end, text, and perhaps label.
        """
        read = read_place_rows(path, self.archive.index.numbers, ("text",), encoding)
        there = {note[1:6] for note in self.every(closed=True)}
        rows, errors = list[dict[str, Any]](), list(read.errors)
        for place in read.rows:
            label = place.cells.get("label", "").strip() or NOTE
            try:
                row = self.place_row(
                    place.recording, place.start, place.end, label, place.cells["text"], closed
                )  # fmt: skip
                rows.append(_checked(row))
            except InputError as error:
                errors.append(f"{place.where}: {error.message}")
        return imported(self, rows, there, f"import of {Path(path).name}", by, errors, read.notes)


def imported(
    marks: Marks, rows: Sequence[dict[str, Any]], there: set[tuple[Any, ...]], what: str, by: str | None,
    errors: list[str], notes: list[str],
) -> ImportedMarks:  # fmt: skip
    """Store the rows of a file that are not ``there`` (key, recording, start, end, text) already."""
    new = [r for r in rows if (r[marks.key], r["recording"], r["start"], r["stop"], r["text"]) not in there]
    return ImportedMarks(marks.write(new, what, by) if new else [], len(rows) - len(new), errors, notes)


def note_row(note: PlaceMark) -> tuple[Any, ...]:
    """A note as a row of a table."""
    return (note.recording, note.start, note.end, note.key, note.text, note.who, note.time, note.id, note.change)


def _checked(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a note; an InputError where it says nothing, or is no tag."""
    if row["label"] not in LABELS:
        raise InputError(f"expected the label {' or '.join(LABELS)}, got {row['label']!r}")
    if not row["text"]:
        raise InputError(f"expected the text of a {row['label']}, got none")
    if row["label"] == TAG and (len(row["text"]) > _LONGEST_TAG or "\n" in row["text"]):
        raise InputError(f"a tag has one line of at most {_LONGEST_TAG} characters, got {len(row['text']):,}")
    return row
