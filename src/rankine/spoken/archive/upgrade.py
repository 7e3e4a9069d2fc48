"""Upgrading a whole archive: its format, and expected counts of n-grams for the parts of its index that lack them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..index.build import part_of_parts
from ..index.reader import PartReader
from ..index.schema import GramPostings
from ..index.settings import Settings
from ..index.storage import Manifest, PartFile, writing
from ..upgrading import FORMAT


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
                n = PartReader(part, settings.decoded()).n_documents
                entry, new = writer.part(*part_of_parts([part], [np.ones(n, np.bool_)], settings)), new + 1
            entries.append(entry)
            done += part.size
            report(done, manifest.size)
        if new:
            writer.commit(entries)
    return Upgrade(before, FORMAT, new)
