"""The history of what people typed in: changes of some kinds of rows, and which of them count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...errors import InputError
from .store import Store, undone


class StoredChange(NamedTuple):
    """A change in the history of a store; ``undone`` where it does not count, ``rows`` how many it wrote."""

    id: int
    time: str
    who: str
    what: str
    undoes: int | None
    rows: int
    undone: bool


def history_of(store: Store, kinds: Sequence[str]) -> list[StoredChange]:
    """All changes that wrote rows of these kinds, and all that took such changes back; the oldest first."""
    with store.reading() as db:
        counts: dict[int, int] = {}
        for kind in kinds:
            for number, n in db.execute(f"SELECT batch, count(*) FROM {kind} GROUP BY batch"):
                counts[number] = counts.get(number, 0) + n
        gone, out = undone(db), list[StoredChange]()
        rows = db.execute("SELECT id, time, who, what, undoes FROM batch ORDER BY id")
        for number, time, who, what, undoes in rows:
            if undoes in counts:  # an undo of one of these
                counts[number] = counts[undoes]
            if number in counts:
                out.append(StoredChange(number, time, who, what, undoes, counts[number], number in gone))
        return out


def undo_change(store: Store, kinds: Sequence[str], number: int | None, who: str, noun: str) -> StoredChange:
    """Take a change of these kinds back, by default the last one that counts and is no undo; returns that change.

    ``noun`` is what they are changes of. To take back an undo, give its number.
    """
    history = history_of(store, kinds)
    if number is None:
        change = next((c for c in reversed(history) if not c.undone and c.undoes is None), None)
    else:
        change = next((c for c in history if c.id == number), None)
    if change is None:
        numbers = ", ".join(str(c.id) for c in history[-10:]) or "none"
        missing = f"there is no change of {noun} to undo" if number is None else f"no change has number {number}"
        raise InputError(missing if number is None else f"{missing}; the last ones are {numbers}", str(store.path))
    store.undo(change.id, who)
    return change
