"""Corrections as rows of the archive's store, and which of them count.

A correction counts until the change that made it is undone, or until another one that counts replaces it: one that was
adopted at another place, or a row without words, which dismisses it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from ...system.files import fingerprint
from ..index.reader import Index
from ..lattice.formats import Reading
from ..metadata.rights import OPEN, RIGHTS, access, not_open
from ..store.store import Store, cells, undone
from ..writing.tokens import BREAKS, clean, written_words

_COLUMNS = (
    "correction.id, coalesce(name, was), CAST(start AS REAL), CAST(stop AS REAL), CAST(heard AS TEXT), "
    "CAST(written AS TEXT), CAST(before AS TEXT), CAST(after AS TEXT), who, time, correction.batch, name IS NULL"
)
_AT_ONCE = 500  # names in one question


class Correction(NamedTuple):
    """What was said in a span of a recording, in place of what was heard there.

    Args:
        id: its number.
        recording: the name of the recording, or the one that it had.
        start: in seconds from the beginning of the recording.
        end: the same.
        heard: the words that stood there; none where nothing was heard.
        written: the words that were said; none where nothing was said.
        before: a few words before the span.
        after: a few words after it.
        who: wrote it.
        time: when.
        change: the number by which it is undone, with all that was written at once.
        gone: whether the recording is not in the archive now.
    """

    id: int
    recording: str
    start: float
    end: float
    heard: str
    written: str
    before: str
    after: str
    who: str
    time: str
    change: int
    gone: bool = False

    @property
    def words(self) -> list[str]:
        """The written words, as they are indexed."""
        return list(indexed_words(self.written))


@lru_cache(maxsize=4096)
def indexed_words(text: str) -> tuple[str, ...]:
    """The words of a text as they are indexed: without capital letters, and without the punctuation around them.

    >>> indexed_words("Mary Wollstonecraft, 1792.")
    ('mary', 'wollstonecraft', '1792')
    """
    reading = Reading(lower=True)
    tokens = (clean(token) for word in written_words(text) for token in BREAKS.split(word))
    return tuple(unit for token in tokens if token and (unit := reading.unit_of(token)) is not None)


def counting_corrections(db: sqlite3.Connection, names: Collection[str] | None = None) -> list[Correction]:
    """The corrections that count, in the order in which they were written; only of recordings of these names."""
    gone = undone(db)
    replaced = {
        number for number, batch in db.execute("SELECT replaces, batch FROM correction WHERE replaces NOTNULL")
        if batch not in gone
    }  # fmt: skip
    rows = (Correction(*row)._replace(gone=bool(row[11])) for row in _rows(db, names))
    counts = [c for c in rows if c.change not in gone and c.id not in replaced and c.written is not None]
    return sorted(counts, key=lambda c: c.id)


def _rows(db: sqlite3.Connection, names: Collection[str] | None) -> Iterable[Any]:
    select = (
        f"SELECT {_COLUMNS} FROM correction JOIN recording ON recording.id = recording JOIN batch ON batch.id = batch"
    )
    if names is None:
        yield from db.execute(select)
        return
    some = list(names)
    for at in range(0, len(some), _AT_ONCE):
        asked = some[at : at + _AT_ONCE]
        yield from db.execute(f"{select} WHERE name IN ({', '.join('?' * len(asked))})", asked)


def by_recording(corrections: Iterable[Correction]) -> dict[str, list[Correction]]:
    """Corrections of recordings that are in the archive, by name."""
    out: dict[str, list[Correction]] = {}
    for correction in corrections:
        if not correction.gone:
            out.setdefault(correction.recording, []).append(correction)
    return out


def corrections_print(corrections: Iterable[Correction]) -> str:
    """The fingerprint of corrections of one recording, in order; empty: there are none."""
    content = [repr(c[2:8]) for c in corrections]
    return fingerprint(*content, size=12) if content else ""


def hidden_recordings(store: Store, index: Index, db: sqlite3.Connection) -> set[str]:
    """The recordings that are not open, also among those that are not in the archive now."""
    gone = db.execute("SELECT was, about FROM recording WHERE name IS NULL").fetchall()
    closed = {was for was, about in gone if access(cells(about, store.damaged).get(RIGHTS, "")) != OPEN}
    return closed | set(not_open(index))
