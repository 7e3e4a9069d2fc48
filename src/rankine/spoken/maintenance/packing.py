"""Packing an archive: everything that it holds as one file, as it was at one moment.

Other processes may go on with their work. Parts of the index are those of one manifest, and are open before the first
is copied. The store is copied by SQLite, between two changes. Lattices are those of the recordings that the journal
calls done; if one of these is recognised anew or deleted meanwhile, packing begins again.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...system.console import counted
from ...system.files import replacing
from ...system.paths import folder_inside, inside, is_inside, plain_files
from ...system.signals import check
from ...system.temporary import temporary_folder
from ...version import __version__
from ..hearings.hearings import FOLDER as HEARINGS
from ..hearings.hearings import RECORD, FurtherHearing, hearings_of
from ..index.build import part_of_parts
from ..index.reader import Index, PartReader
from ..index.settings import Settings
from ..index.storage import MANIFEST, Manifest, Part, PartFile, write_part
from ..metadata.rights import OPEN, RIGHTS, access
from ..recognise.journal import JOURNAL, TABLE, RecordingJournal
from ..recordings.rebuild import texts_of
from ..recordings.recordings import FOLDER
from ..recordings.recordings import FOLDER as LATTICES
from ..store.databases import back_up, check_database_files
from ..store.manifest import FORMAT
from ..store.store import FILE, Store, cells
from ..store.tables import KINDS
from ..teaching.weight_history import WeightHistory
from .bagit import BagWriter


class LeftOut(NamedTuple):
    """Names of recordings that are left out, and those of deleted ones."""

    names: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()

    def holds(self, name: str, line: Mapping[str, Any]) -> bool:
        """Whether a line of the journal is of one of them."""
        if "gone" in line:
            return line.get("was", name) in self.deleted | self.names
        return name in self.names


def forget_closed(folder: Path) -> LeftOut:
    """Remove every recording that is not open from the store in a folder, which is a copy; what was removed."""
    store = Store(folder)
    if not store.exists:
        return LeftOut()
    with store.reading() as db:
        rows = db.execute("SELECT id, name, was, about FROM recording").fetchall()
    closed = [row[:3] for row in rows if access(cells(row[3], store.damaged).get(RIGHTS, "")) != OPEN]
    if closed:
        with store.writing("all tables"):
            pass  # a batch without rows is not kept
        with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as db:
            _remove_rows(db, [number for number, _, _ in closed])
            db.execute("VACUUM")  # or the rows would still be in the file
    return LeftOut(
        frozenset(some for _, name, was in closed if name is not None for some in (name, was)),
        frozenset(was for _, name, was in closed if name is None),
    )


def _remove_rows(db: sqlite3.Connection, recordings: list[int]) -> None:
    """Remove recordings, all rows about them, and batches that hold nothing then."""
    db.execute("CREATE TEMP TABLE closed (id INTEGER PRIMARY KEY)")
    db.executemany("INSERT INTO closed VALUES (?)", [(number,) for number in recordings])
    db.execute("BEGIN")
    judged = "SELECT query FROM judgment WHERE recording IN closed"
    db.execute(f"CREATE TEMP TABLE judged AS {judged}")
    db.execute("DELETE FROM judgment WHERE query IN judged")
    db.execute("DELETE FROM query WHERE name IN judged")
    for kind in KINDS:
        db.execute(f"DELETE FROM {kind} WHERE recording IN closed")
    db.execute("DELETE FROM recording WHERE id IN closed")
    used = {number for kind in KINDS for (number,) in db.execute(f"SELECT DISTINCT batch FROM {kind}")}
    for number, undoes in db.execute("SELECT id, undoes FROM batch ORDER BY id").fetchall():
        if number in used or undoes in used:  # an undo comes behind what it takes back
            used.add(number)
        else:
            db.execute("DELETE FROM batch WHERE id = ?", (number,))
    db.execute("COMMIT")


def part_without(reader: PartReader, names: frozenset[str], settings: Settings, stage: Path) -> Part | None:
    """A part without some recordings: itself if it has none of them, a new one in ``stage``, None if nothing stays."""
    mask = reader.keeps(names)
    if mask.all():
        return reader.part
    if not mask.any():
        return None
    return write_part(stage / reader.part.path.name, *part_of_parts([reader.part], [mask], settings)).open(stage)


# -- The further hearings of an archive that is packed: lattices of the recordings that are packed, and no index


class PackedHearing:
    """A hearing as it is packed: only recordings with these fingerprints of their samples."""

    def __init__(self, hearing: FurtherHearing, samples: Container[str]) -> None:
        self.folder, self.samples = hearing.folder, samples
        self.prefix = f"{HEARINGS}/{hearing.name}"
        self.lattices = folder_inside(hearing.folder, LATTICES)
        self.lines = self._lines()

    def _lines(self) -> dict[str, dict[str, Any]]:
        """The lines of the journal that are packed."""
        if not inside(self.lattices, JOURNAL).exists():
            return {}
        lines = RecordingJournal(self.lattices).lines
        return {n: line for n, line in lines.items() if line.get("segments") and line["samples"] in self.samples}

    @property
    def changed(self) -> bool:
        """Whether a recording was recognised anew or forgotten since."""
        lines = self._lines()
        return any(lines.get(name) != line for name, line in self.lines.items())

    def staged(self, stage: Path) -> dict[str, Path]:
        """The files that are made in a folder, by their names in the pack."""
        manifest = Manifest.read(self.folder)
        content = {MANIFEST: replace(manifest, parts=()).to_bytes()}
        content |= {name: inside(self.folder, name).read_bytes() for name in manifest.files}
        if (record := inside(self.folder, RECORD)).exists():
            content[RECORD] = record.read_bytes()
        if self.lines:
            text = "".join(json.dumps(line) + "\n" for line in self.lines.values())
            content[f"{LATTICES}/{JOURNAL}"] = text.encode()
        files = {f"{self.prefix}/{name}": stage / self.prefix / name for name in content}
        for path, data in zip(files.values(), content.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if self.lines:
            RecordingJournal(stage / self.prefix / LATTICES).write_table()
            files[f"{self.prefix}/{LATTICES}/{TABLE}"] = stage / self.prefix / LATTICES / TABLE
        return files

    def files(self) -> list[tuple[str, Path]]:
        """The lattices: names in the pack, and where they are."""
        names = sorted(segment["file"] for line in self.lines.values() for segment in line["segments"])
        return [(f"{self.prefix}/{LATTICES}/{name}", inside(self.lattices, name)) for name in names]


# -- Packing an archive: everything that it holds as one file, as it was at one moment


TEXTS = "texts.json"
FORMAT_TAG, INDEX_TAG = "Rankine-Format", "Rankine-Index"
_WEIGHTS = re.compile(r"[0-9a-f]{4,64}\.json")
_ATTEMPTS = 5
_BLOCK = 1 << 20


class PackedArchive(NamedTuple):
    """What was packed: recordings of the index (0 without it), files, their bytes, and the bytes of the zip."""

    recordings: int
    files: int
    size: int
    packed: int


class _Changed(Exception):
    """What is being packed has changed."""


def pack(
    folder: Path,
    target: str | os.PathLike,
    index: bool = True,
    open_only: bool = False,
    report: Callable[[int, int], None] = lambda d, t: None,
) -> PackedArchive:
    """Write an archive into a zip, whole or not at all; see :meth:`Archive.pack`."""
    out = Path(target)
    if out.suffix.lower() != ".zip" or not is_inside(out.stem):
        raise InputError("a packed archive is written as a .zip file", str(out))
    if out.resolve().is_relative_to(folder.resolve()):
        raise InputError("this is in the folder of the archive itself: name a file elsewhere", str(out))
    for _ in range(_ATTEMPTS):
        try:
            with replacing(out, durable=True) as temporary, temporary_folder("rankine-pack-") as stage:
                packing = _Packing(folder, Path(stage), index, open_only, report)
                with BagWriter(temporary, out.stem) as bag:
                    packed = packing.write(bag)
                return packed._replace(packed=temporary.stat().st_size)
        except _Changed:
            continue
    raise InputError("its recordings change faster than they are packed: try again when this is done", str(folder))


class _Packing:
    """One attempt; what must not change is copied into the folder ``stage`` first."""

    def __init__(
        self, folder: Path, stage: Path, index: bool, open_only: bool, report: Callable[[int, int], None]
    ) -> None:
        self.folder, self.stage, self.report = folder, stage, report
        self.index, self.with_index = Index.open(folder), index
        self._copy_store()
        self.left_out = forget_closed(stage) if open_only else LeftOut()
        self.lattices = folder_inside(folder, FOLDER)
        self.lines = self._lines()
        samples = {line["samples"] for line in self.lines.values() if "gone" not in line}
        self.hearings = [PackedHearing(hearing, samples) for hearing in hearings_of(folder)]
        self.parts: list[Part] = self._parts() if index else []
        self.total = self.done = 0

    def _parts(self) -> list[Part]:
        parts = (
            part_without(reader, self.left_out.names, self.index.settings, self.stage) for reader in self.index.parts
        )
        return [part for part in parts if part is not None]

    def _lines(self) -> dict[str, dict[str, Any]]:
        """The lines of the journal that count: of recordings that are done, and of those that were deleted."""
        if not inside(self.lattices, JOURNAL).exists():
            return {}
        lines = RecordingJournal(self.lattices).lines
        return {
            name: line for name, line in lines.items()
            if (line.get("segments") is not None or "gone" in line) and not self.left_out.holds(name, line)
        }  # fmt: skip

    def write(self, bag: BagWriter) -> PackedArchive:
        """Copy everything."""
        self._check_recordings()
        staged = sorted(self._staged().items())
        own = [(name, inside(self.folder, name)) for name in sorted(self.index.manifest.files)]
        lattices = sorted(s["file"] for line in self.lines.values() for s in line.get("segments") or ())
        self.total = sum(part.size for part in self.parts) + sum(path.stat().st_size for _, path in (*staged, *own))
        for name, path in (*own, *staged):
            bag.add(name, self._blocks(path), path.stat().st_size)
        for part in self.parts:
            bag.add(part.path.name, self._checked(part), part.size)
        for file in lattices:
            self._add_lattice(bag, f"{FOLDER}/{file}", inside(self.lattices, file))
        for hearing in self.hearings:
            for name, path in hearing.files():
                self._add_lattice(bag, name, path)
        self.index.manifest.check_files(self.folder)
        if self._changed():
            raise _Changed
        info = {
            "Bag-Software-Agent": f"Rankine {__version__}", "External-Description": "A spoken archive of Rankine",
            FORMAT_TAG: str(FORMAT), INDEX_TAG: "yes" if self.with_index else "no",
        }  # fmt: skip
        bag.close(info)
        return PackedArchive(sum(part.meta["documents"] for part in self.parts), len(bag.sums), bag.size, 0)

    def _check_recordings(self) -> None:
        """Raise InputError if recordings could not be indexed again from the lattices."""
        own = {name for name, line in self.lines.items() if line.get("segments")}
        lost = [] if self.with_index else [name for name in self.index.names if name not in own | self.left_out.names]
        if lost:
            raise InputError(
                f"{counted(len(lost), 'recording')} such as {lost[0]!r} would be lost without the index: their "
                "lattices are not in the archive. Pack it with the index", str(self.folder),
            )  # fmt: skip

    def _staged(self) -> dict[str, Path]:
        """The files that are made or copied at once: the manifest, the store, weights, the journal and its table."""
        files = {MANIFEST: self._text(MANIFEST, self._manifest().to_bytes())}
        if (self.stage / FILE).exists():
            files[FILE] = self.stage / FILE
        weights = WeightHistory(self.folder).folder
        if (current := inside(weights, "current.json")).exists():
            files["weights/current.json"] = self._text("weights/current.json", current.read_bytes())
            files |= {f"weights/{p.name}": p for p in plain_files(weights) if _WEIGHTS.fullmatch(p.name)}
        if self.lines:
            text = "".join(json.dumps(line) + "\n" for line in self.lines.values())
            files[f"{FOLDER}/{JOURNAL}"] = self._text(f"{FOLDER}/{JOURNAL}", text.encode())
            RecordingJournal(self.stage / FOLDER).write_table()
            files[f"{FOLDER}/{TABLE}"] = self.stage / FOLDER / TABLE
        for hearing in self.hearings:
            files |= hearing.staged(self.stage)
        if not self.with_index:
            texts = {n: some for n, some in texts_of(self.index).items() if n not in self.left_out.names}
            files[TEXTS] = self._text(TEXTS, json.dumps(texts, ensure_ascii=False).encode())
        return files

    def _copy_store(self) -> None:
        """Copy the store."""
        check_database_files(self.folder, FILE)
        path = inside(self.folder, FILE)
        if path.exists() and path.stat().st_size:
            back_up(path, self.stage / FILE)
        Store(self.stage).check()

    def _manifest(self) -> Manifest:
        manifest = self.index.manifest
        parts = tuple(PartFile(part.path.name, part.size, part.crc) for part in self.parts)
        return replace(manifest, parts=parts)

    def _text(self, name: str, data: bytes) -> Path:
        path = self.stage / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return path

    def _changed(self) -> bool:
        """Whether a recording that is packed was recognised anew or deleted."""
        lines = self._lines()
        own = any(lines.get(name) != line for name, line in self.lines.items())
        return own or any(hearing.changed for hearing in self.hearings)

    def _add_lattice(self, bag: BagWriter, name: str, path: Path) -> None:
        try:
            with open(path, "rb") as opened:
                size = os.fstat(opened.fileno()).st_size
                self.total += size
                bag.add(name, iter(lambda: self._counted(opened.read(_BLOCK)), b""), size)
        except FileNotFoundError:
            if self._changed():
                raise _Changed from None
            raise InputError(
                "this lattice is missing: add the recordings again, or see `rankine spoken check --repair`", str(path)
            ) from None

    def _blocks(self, path: Path) -> Iterator[bytes]:
        with open(path, "rb") as file:
            yield from iter(lambda: self._counted(file.read(_BLOCK)), b"")

    def _counted(self, block: bytes) -> bytes:
        check()
        self.done += len(block)
        self.report(self.done, self.total)
        return block

    def _checked(self, part: Part) -> Iterator[Any]:
        """The bytes of a part, each compared with its checksum before it is copied."""
        part.check(lambda done: self.report(self.done + done // 2, self.total))
        for begin in range(0, part.size, _BLOCK):
            yield part.bytes[begin : min(begin + _BLOCK, part.size)].data
            self.report(self.done + (part.end + begin) // 2, self.total)
        self.done += part.size
