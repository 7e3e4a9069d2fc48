"""The recordings that the store knows: they come, go and change their names, and what was said about them follows."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from .store import Batch, Store, cells, refresh
from .tables import KINDS


def identify_recordings(folder: str | os.PathLike, prints: Mapping[str, str]) -> None:
    """Give recordings the names that they have now, by the fingerprints of their content.

    What was said about a recording follows it when it is renamed, and when it returns after it was deleted. Other
    content under a name that no other recording has taken is the same recording, which was edited. The index may have
    the name before (``was``) until :func:`settle_names`: till then rights count for both names.
    """
    store = Store(folder)
    with store.reading() as db:
        rows = db.execute(
            "SELECT id, name, print FROM recording WHERE print NOTNULL ORDER BY gone NOTNULL, id"
        ).fetchall()
    moved, new = _matched(prints, rows)
    if not moved and not new:
        return
    with store.writing("names of recordings") as batch:
        batch.db.executemany("UPDATE recording SET name = NULL WHERE id = ?", [(number,) for number in moved])
        for number, name in moved.items():
            _take_over(batch, number, name)
            batch.db.execute("UPDATE recording SET name = ?, gone = NULL WHERE id = ?", (name, number))
        originals = {mark: number for number, name, mark in rows if name is not None}
        for name, mark in new.items():
            number = batch.recording(name)
            batch.db.execute("UPDATE recording SET print = ? WHERE id = ?", (mark, number))
            if mark in originals and originals[mark] != number:
                _copy_rights(batch, originals[mark], number)


def settle_names(folder: str | os.PathLike) -> None:
    """Forget the names before of recordings that were renamed: the index has their new names."""
    store = Store(folder)
    with store.reading(whole=False) as db:
        renamed = db.execute("SELECT 1 FROM recording WHERE name <> was LIMIT 1").fetchone()
    if renamed:
        with store.writing("names of recordings") as batch:
            batch.db.execute("UPDATE recording SET was = name WHERE name <> was")


def _matched(
    prints: Mapping[str, str], rows: Sequence[tuple[int, str | None, str]]
) -> tuple[dict[int, str], dict[str, str]]:
    """Recordings of the store that have another name now, by number, and names of new ones with their prints.

    Of several recordings with one content each keeps its name; what is left of names and recordings is matched.
    """
    names: dict[str, list[str]] = {}
    for name, mark in prints.items():
        names.setdefault(mark, []).append(name)
    left: dict[str, list[int]] = {}
    for number, before, mark in rows:
        if before is not None and before in names.get(mark, ()):
            names[mark].remove(before)
        elif mark in names:
            left.setdefault(mark, []).append(number)
    moved = {number: names[mark].pop(0) for mark, some in left.items() for number in some if names[mark]}
    return moved, {name: mark for mark, some in names.items() for name in some}


def _copy_rights(batch: Batch, original: int, copy: int) -> None:
    """A copy of a recording has its rights."""
    (about,) = batch.db.execute("SELECT about FROM recording WHERE id = ?", (original,)).fetchone()
    rights = cells(about, lambda what: ValueError(what)).get("rights")
    if rights:
        batch.add("about", [{"recording": copy, "field": "rights", "value": rights}])
        refresh(batch.db, [copy])


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
            "UPDATE recording SET name = NULL, was = name, gone = ? WHERE name = ?", [(now, name) for name in names]
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
