"""The bin of an archive: recordings that were deleted, until they are purged.

Deleted recordings go into a part of their own, in the folder ``bin``, which a list there names. So a recording comes
back as it was, wherever its lattices are. Lattices that the archive has made are kept as long
(:mod:`..recognise.journal`). The list is written before a recording leaves the index, and after it has come back: one
that is in both is not deleted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, NamedTuple, NotRequired, TypedDict

import numpy as np
from msgspec import Meta

from ...errors import InputError, nearest
from ...system.console import counted
from ...system.files import sealed, unsealed, write_file
from ...system.paths import folder_inside, inside, plain_files
from ...system.records import Count, checked
from ..index import schema
from ..index.build import part_of_parts
from ..index.changes import WorkingIndex
from ..index.reader import Index, PartReader
from ..index.storage import MANIFEST, PartFile, write_part
from ..metadata.rights import not_open

_FOLDER, _LIST, _WHAT = "bin", "bin.json", "the list of deleted recordings"


class _Entry(TypedDict):
    file: Annotated[str, Meta(pattern=r"^\d{9,30}\.part$")]
    size: Count
    crc: Count
    when: str
    names: list[str]
    transcripts: NotRequired[list[str]]  # of the names, those that the archive has not recognised itself


class _DeletedParts(TypedDict):
    parts: list[_Entry]


class Deleted(NamedTuple):
    """A recording in the bin, and when it was deleted."""

    name: str
    when: str


class Bin:
    """The bin in an archive's folder. Whoever changes it holds the archive's lock."""

    def __init__(self, archive: Path) -> None:
        self.folder = folder_inside(archive, _FOLDER)

    def _entries(self) -> list[_Entry]:
        path = inside(self.folder, _LIST)
        if not path.exists():
            return []
        return checked(unsealed(path, _WHAT), _DeletedParts, _WHAT, str(path))["parts"]

    def _write(self, entries: Iterable[_Entry]) -> None:
        entries = list(entries)
        write_file(inside(self.folder, _LIST), sealed(json.dumps({"parts": entries}, ensure_ascii=False)), durable=True)
        named = {entry["file"] for entry in entries}
        for path in plain_files(self.folder):
            if path.suffix == ".part" and path.name not in named:
                path.unlink()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was deleted, or all of it has been purged."""
        return not self._entries()

    def recordings(self, there: Collection[str]) -> list[Deleted]:
        """The recordings in the bin that are not in the archive, those that were deleted last first."""
        last = {name: entry["when"] for entry in self._entries() for name in entry["names"] if name not in there}
        return sorted((Deleted(n, w) for n, w in last.items()), key=lambda d: (d.when, d.name), reverse=True)

    def put(self, index: WorkingIndex, names: Collection[str], recorded: Collection[str]) -> None:
        """Copy recordings into the bin; ``recorded`` are those that the archive has recognised."""
        entries, now = self._entries(), datetime.now(UTC).isoformat(timespec="seconds")
        self.folder.mkdir(exist_ok=True)
        number = max([index.manifest.serial * 1000, *(int(Path(e["file"]).stem) for e in entries)])
        for reader in index.parts:
            mask = np.array([name in names for name in reader.names], np.bool_) & reader.recordings_count
            if not mask.any():
                continue
            number += 1
            part = write_part(self.folder / f"{number:09d}.part", *part_of_parts([reader.part], [mask], index.settings))
            mine = [name for name, stays in zip(reader.names, mask.tolist(), strict=True) if stays]
            others = [name for name in mine if name not in recorded]
            entries.append({**part._asdict(), "when": now, "names": mine, "transcripts": others})  # type: ignore[typeddict-item]
        self._write(entries)

    def require(self, index: WorkingIndex, names: Collection[str]) -> None:
        """Raise InputError unless all of these are in the bin, and none is in the archive."""
        there = {name for entry in self._entries() for name in entry["names"]}
        for name in names:
            if name in index.numbers:
                raise InputError(f"{name!r} is in the archive: nothing is to be undeleted", str(self.folder.parent))
            if name not in there:
                raise InputError(f"no recording in the bin is called {name!r}.{nearest(name, there)}", str(self.folder))

    def recorded(self, names: Collection[str]) -> list[str]:
        """Return the recordings in the bin that the archive has recognised, of each name the last deleted one."""
        last = {name: name not in entry.get("transcripts", ()) for entry in self._entries() for name in entry["names"]}
        return [name for name in names if last[name]]

    def take(self, index: WorkingIndex, names: Collection[str]) -> None:
        """Bring recordings back into the index: of several of one name the one that was deleted last."""
        entries, left, parts = self._entries(), set(names), []
        after: list[_Entry] = []
        for entry in reversed(entries):
            mine = left & set(entry["names"])
            if mine:
                left -= mine
                part = PartFile(entry["file"], entry["size"], entry["crc"]).open(self.folder)
                reader = PartReader(part, index.settings.decoded())
                mask = np.array([name in mine for name in reader.names], np.bool_)
                parts.append(index.writer.part(*part_of_parts([part], [mask], index.settings)))
            after.append({**entry, "names": [name for name in entry["names"] if name not in mine]})
        index.extend(parts)
        self._write(entry for entry in reversed(after) if entry["names"])

    def release(self, index: WorkingIndex) -> None:
        """Take recordings out of the bin whose utterances are in the archive again, under whatever name."""
        entries = self._entries()
        after: list[_Entry] = []
        there = set(index.holders()) if entries else set()
        for entry in entries:
            part = PartFile(entry["file"], entry["size"], entry["crc"]).open(self.folder)
            reader = PartReader(part, index.settings.decoded())
            utterances = reader.texts(schema.UTTERANCE_NAME)
            back = {n for d, n in enumerate(reader.names) if all(utterances[u] in there for u in reader.utterances(d))}
            after.append({**entry, "names": [name for name in entry["names"] if name not in back]})
        if after != entries:
            self._write(entry for entry in after if entry["names"])

    def purge(self, days: float, there: Collection[str]) -> list[str]:
        """Remove recordings that were deleted so many days ago; their names."""
        if not self.folder.is_dir():
            return []
        latest = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
        entries = self._entries()
        old = [entry for entry in entries if entry["when"] <= latest]
        if old:
            self._write(entry for entry in entries if entry["when"] > latest)
        return [name for entry in old for name in entry["names"] if name not in there]

    def check(self) -> None:
        """Read all that is in the bin; raise InputError if something is damaged."""
        for entry in self._entries():
            PartFile(entry["file"], entry["size"], entry["crc"]).open(self.folder).check()


def check_source(place: str | os.PathLike, way: str = "--closed") -> None:
    """Raise InputError if files lie in the folder of an archive that has recordings which are not open.

    The place is a file or a folder, which may hold archives at any depth, and links to their files. Lattices of
    recordings that were deleted stay in an archive for a while: those count too. ``way`` is how the keeper asks for
    them.
    """
    for folder in _folders_with_parents(Path(place)):
        if (folder / MANIFEST).exists():
            index = Index.open(folder)
            if names := not_open(index) or _deleted_not_open(index):
                raise InputError(
                    f"the archive {folder.name} has {counted(len(names), 'recording')} such as {names[0]!r} that may "
                    f"not be read by everybody: {way} reads all of it, for the keeper", str(place),
                )  # fmt: skip


def _folders_with_parents(place: Path) -> list[Path]:
    """Return all folders at or below a place, those that links in it lead to, and all folders that these lie in."""
    folders = {place.resolve()}
    for folder, below, names in os.walk(place):
        folders.add(Path(folder).resolve())
        folders |= {path.resolve() for name in (*below, *names) if (path := Path(folder, name)).is_symlink()}
    return sorted(folders | {parent for folder in folders for parent in folder.parents})


def _deleted_not_open(index: Index) -> list[str]:
    """Return the names of recordings in the bin that were not open."""

    kept = {deleted.name for deleted in Bin(index.folder).recordings(index.numbers)}
    return [name for name in index.cells.deleted() if name in kept]
