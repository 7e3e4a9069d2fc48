"""Upgrading a whole archive: its format, and expected counts of n-grams for the parts of its index that lack them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..index.grams import merged_grams, part_grams
from ..index.schema import Arrays, GramPostings
from ..index.settings import Settings
from ..index.storage import Manifest, Part, PartFile, writing
from ..store.upgrading import FORMAT


class Upgrade(NamedTuple):
    """What an upgrade did: the formats before and after it, and how many parts of the index were written anew."""

    before: int
    after: int
    parts: int


def upgrade_archive(folder: Path, report: Callable[[int, int], None]) -> Upgrade:
    """Bring an archive to the present format; ``report`` is called with the bytes of the index done and their total.

    A part without expected counts of n-grams derives them at every search. Here they are computed once and stored. All
    new parts are committed together.
    """
    before = Manifest.read(folder).format
    with writing(folder) as writer:
        manifest = writer.manifest
        settings, done, new = Settings.of(manifest.settings), 0, 0
        entries: list[PartFile] = []
        for entry in manifest.parts:
            part = entry.open(folder)
            if not all(GramPostings(kind, orders[0]).stored(part) for kind, orders in settings.grams.items()):
                written = writer.part(_with_counts(part, settings), dict(part.meta))
                entry, new = written._replace(hidden=entry.hidden), new + 1
            entries.append(entry)
            done += part.size
            report(done, manifest.size)
        if new:
            writer.commit(entries)
    return Upgrade(before, FORMAT, new)


def _with_counts(part: Part, settings: Settings) -> Arrays:
    """The arrays of a part as they are, and then those of its n-grams."""
    grams, n = settings.grams, part.meta["utterances"]
    old = {name for kind in grams for name in part.places if name.startswith(f"{kind}.gram")}
    yield from ((name, part.get(name)) for name in part.places if name not in old)
    for kind, orders in grams.items():
        everything = part_grams(part, kind, orders, settings.decoded())
        numbers = np.arange(n, dtype=np.uint32)
        yield from merged_grams(kind, orders, [everything], [np.ones(n, np.bool_)], [numbers])
