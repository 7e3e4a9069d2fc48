"""The recordings that the store knows: they come, go and change their names, and what was said about them follows."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from .store import KINDS, Batch, Store, refresh


def identify_recordings(folder: str | os.PathLike, prints: Mapping[str, str]) -> None:
    """Give recordings the names that they have now, by the fingerprints of their content.

    What was said about a recording follows it when it is renamed, and when it returns after it was deleted. Other
    content under a name that no other recording has taken is the same recording, which was edited.
    """
    store = Store(folder)
    with store.reading() as db:
        rows = db.execute("SELECT id, name, print FROM recording WHERE print NOTNULL ORDER BY gone NOTNULL DESC, id")
        there = {mark: (number, name) for number, name, mark in rows.fetchall()}
    moved = {there[mark][0]: name for name, mark in prints.items() if mark in there and there[mark][1] != name}
    new = {name: mark for name, mark in prints.items() if mark not in there}
    if not moved and not new:
        return
    with store.writing("names of recordings") as batch:
        batch.db.executemany("UPDATE recording SET name = NULL WHERE id = ?", [(number,) for number in moved])
        for number, name in moved.items():
            _take_over(batch, number, name)
            batch.db.execute("UPDATE recording SET name = ?, was = ?, gone = NULL WHERE id = ?", (name, name, number))
        marks = [(mark, batch.recording(name)) for name, mark in new.items()]
        batch.db.executemany("UPDATE recording SET print = ? WHERE id = ?", marks)


def _take_over(batch: Batch, number: int, name: str) -> None:
    """What was said under a name belongs to the recording that takes it; another recording loses the name."""
    row = batch.db.execute("SELECT id, print FROM recording WHERE name = ?", (name,)).fetchone()
    if row is None:
        return
    other, mark = row
    if mark is not None:
        batch.db.execute("UPDATE recording SET name = NULL WHERE id = ?", (other,))
        return
    for kind, columns in KINDS.items():
        if any(column.name == "recording" for column in columns):
            batch.db.execute(f"UPDATE {kind} SET recording = ? WHERE recording = ?", (number, other))
    batch.db.execute("DELETE FROM recording WHERE id = ?", (other,))
    refresh(batch.db, [number])


def detach_recordings(folder: str | os.PathLike, names: Collection[str]) -> None:
    """Recordings leave the archive: what was said about them is kept apart until they return."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with Store(folder).writing("deleted") as batch:
        batch.db.executemany(
            "UPDATE recording SET name = NULL, gone = ? WHERE name = ?", [(now, name) for name in names]
        )


def attach_recordings(folder: str | os.PathLike, names: Collection[str]) -> None:
    """Recordings return under the names that they had; of several that had a name, the one that was deleted last."""
    with Store(folder).writing("undeleted") as batch:
        for name in names:
            batch.db.execute(
                "UPDATE recording SET name = was, gone = NULL WHERE id = (SELECT id FROM recording WHERE name ISNULL "
                "AND was = ? ORDER BY gone DESC, id DESC LIMIT 1) AND NOT EXISTS "
                "(SELECT 1 FROM recording WHERE name = ?)", (name, name),
            )  # fmt: skip
