"""Closing recordings whose rights are not known any more, because the store is missing or was damaged."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from ...errors import InputError
from ...system.paths import folder_inside, inside
from ...system.temporary import temporary_folder
from ..index import schema
from ..index.storage import Manifest
from ..recognise.journal import JOURNAL, RecordingJournal
from ..store import FILE, Batch, Store, refresh
from .bin import Bin
from .recordings import FOLDER
from .rights import CLOSED, RIGHTS


def replace_store(folder: Path) -> int:
    """Make a store that closes every recording which the archive has or may get back; how many these are."""
    names = _names(folder)
    with temporary_folder(".store-", folder) as temporary:
        with Store(temporary).writing("closed, because the store was lost") as batch:
            _close(batch, names)
        os.replace(Path(temporary, FILE), inside(folder, FILE))
    return len(names)


def close_unknown(store: Store, folder: Path, unsure: Collection[str], lost: bool) -> tuple[int, int]:
    """Close recordings in a store that was saved from a damaged one; how many, and the number of the change.

    They are those of which it is not known what they are (``unsure``), and where rows of recordings may be ``lost``
    all of the archive in ``folder`` that the store does not know.
    """
    with store.reading() as db:
        there = {name for row in db.execute("SELECT name, was FROM recording") for name in row}
    names = [*unsure, *(name for name in _names(folder) if lost and name not in there)]
    if not names:
        return 0, 0
    with store.writing("closed, because the store was damaged") as batch:
        _close(batch, names)
    return len(names), batch.id


def _close(batch: Batch, names: Collection[str]) -> None:
    numbers = [batch.recording(name) for name in names]
    batch.add("about", ({"recording": number, "field": RIGHTS, "value": CLOSED} for number in numbers))
    refresh(batch.db, numbers)


def _names(folder: Path) -> list[str]:
    """The names of recordings in the index, in the journal and in the bin, as far as they can be read."""
    names: dict[str, None] = {}
    for entry in Manifest.read(folder).parts:
        with suppress(InputError, OSError):
            part = entry.open(folder)
            names |= dict.fromkeys(schema.DOCUMENT_NAME.read(part).all())
    with suppress(InputError, OSError):
        names |= dict.fromkeys(deleted.name for deleted in Bin(folder).documents(()))
    lattices = folder_inside(folder, FOLDER)
    with suppress(InputError, OSError):
        if inside(lattices, JOURNAL).exists():
            lines = RecordingJournal(lattices).lines
            names |= dict.fromkeys(line.get("was", n) for n, line in lines.items() if "same_as" not in line)
    return list(names)
