"""An archive on disk: immutable parts of flat arrays, and a manifest that is replaced atomically.

A part is one file: arrays on 64-byte borders, then a footer (JSON: what stands where, and a checksum for every 64 KiB
before it). The manifest names the parts, their sizes and their footers' checksums, and holds one of its own. A writer
writes new parts, waits until they are on disk, and only then replaces the manifest: whatever happens in between, the
last manifest and all parts that it names are complete. The next writer removes files that the manifest does not name.

A reader maps the parts that one manifest names and keeps them: on POSIX a file that was removed lives as long as it is
mapped. What it reads it checks first, once per 64 KiB.

Checksums find damage. They do not show who wrote an archive, so what a manifest and a footer say is checked as well:
they have the form that is written here, names stay in the folder, and arrays lie in their file, one behind the other.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from weakref import WeakValueDictionary, finalize

import numpy as np
from msgspec import Meta

from ...errors import InputError, is_utf8, shorten
from ...system.files import is_temporary, locked, replacing, sealed, unsealed, write_file
from ...system.paths import check_name, inside, plain_files
from ...system.records import Count, checked, large_record
from ...version import __version__
from ..store.manifest import FORMAT, MANIFEST, STORED, WHAT
from ..store.store import FILE, Store
from .settings import SettingsRecord, check_members

MAGIC = b"RNKPART1"
BUSY = "another process is changing this archive; try again when it is done"
CHUNK = 1 << 16
ALIGNED = 64  # arrays begin at multiples of this
_BINARY = getattr(os, "O_BINARY", 0)

Checksum = Annotated[int, Meta(ge=0, lt=2**32)]
_Type = Literal["|u1", "<u2", "<u4", "<i8", "<f4", "<f8"]


class PartCounts(TypedDict):
    """What the footer of a part counts: its rows, and the largest number of positions of an utterance, by postings."""

    documents: Count  # of recordings
    utterances: Count
    positions: dict[str, Annotated[int, Meta(ge=0, lt=2**32)]]


class _Footer(TypedDict):
    meta: PartCounts
    arrays: dict[str, tuple[_Type, Count, Count]]
    crcs: list[Checksum]


class Part:
    """The arrays of one file, mapped; what is read through :meth:`get` has been checked."""

    def __init__(self, path: Path, size: int, crc: int) -> None:
        self.path, self.size, self.crc = path, size, crc
        self._file = _opened(path)
        finalize(self, os.close, self._file)
        there = os.fstat(self._file).st_size
        if there != size or size < len(MAGIC) + 16:
            raise damaged(path, f"{there} bytes instead of {size}")
        self.bytes = np.frombuffer(mmap.mmap(self._file, size, access=mmap.ACCESS_READ), np.uint8)
        at, length = (int(x) for x in self.bytes[-16:].view("<u8"))
        if at + length + 16 != size:
            raise damaged(path, "no footer")
        footer = self.bytes[at:]
        if zlib.crc32(footer.data) != crc:
            raise damaged(path, "the footer's checksum")
        header = large_record(self.bytes[at : at + length].tobytes(), _Footer, "the footer of a part", str(path))
        self.meta, self.places, self.end = header["meta"], header["arrays"], at
        self.crcs = np.array(header["crcs"], np.uint32)
        self.sound = np.zeros(len(self.crcs), np.bool_)
        self.valid: set[Any] = set()  # what columns have found to be in order, by names of their own
        self.kept: dict[str, Any] = {}  # what readers have made of it, for the next one
        self._check_places()

    def _check_places(self) -> None:
        """Raise InputError unless arrays lie behind each other, before the footer, and every chunk has a checksum."""
        behind = len(MAGIC)
        for name, (kind, at, n) in sorted(self.places.items(), key=lambda place: place[1][1:]):
            if at < behind or at % ALIGNED:
                raise self.wrong(f"the place of the array {shorten(name)}")
            behind = at + n * np.dtype(kind).itemsize
        if behind > self.end or len(self.crcs) != -(-self.end // CHUNK):
            raise self.wrong("the size")

    def wrong(self, what: str) -> InputError:
        """The error for something in this part that is wrong."""
        return damaged(self.path, what)

    def check_size(self) -> None:
        """Raise InputError if the file is no longer as long as it was; reading behind its end would end the process."""
        if os.fstat(self._file).st_size < self.size:
            raise self.wrong("the size, which has changed since the archive was opened,")

    def length(self, name: str) -> int:
        """The number of entries of an array; an array that is missing is an InputError."""
        if name not in self.places:
            raise self.wrong(f"the array {shorten(name)}, which is missing,")
        return self.places[name][2]

    def typed(self, name: str, *types: Any) -> str:
        """The name of an array; raise InputError if it is missing or not of one of these types."""
        if self.length(name) >= 0 and np.dtype(self.places[name][0]) not in [np.dtype(t) for t in types]:
            raise self.wrong(f"the type of the array {shorten(name)}")
        return name

    def get(self, name: str, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Entries of an array, checked."""
        array = self.raw(name)
        stop = len(array) if stop is None else stop
        kind, at, _ = self.places[name]
        width = np.dtype(kind).itemsize
        self._check(at + start * width, at + stop * width)
        return array[start:stop]

    def raw(self, name: str) -> np.ndarray:
        """A whole array, not checked."""
        n = self.length(name)
        kind, at, _ = self.places[name]
        return self.bytes[at : at + n * np.dtype(kind).itemsize].view(kind)

    def _check(self, begin: int, end: int) -> None:
        first, last = begin // CHUNK, -(-end // CHUNK)
        for i in (np.flatnonzero(~self.sound[first:last]) + first).tolist():
            if zlib.crc32(self.bytes[i * CHUNK : min((i + 1) * CHUNK, self.end)].data) != self.crcs[i]:
                raise self.wrong(f"the checksum of bytes {i * CHUNK:,} to {(i + 1) * CHUNK:,}")
            self.sound[i] = True

    def check_runs(self, name: str, begin: np.ndarray, end: np.ndarray) -> None:
        """Check entries of an array, in runs."""
        kind, at, _ = self.places[name]
        width = np.dtype(kind).itemsize
        first, last = (at + begin * width) // CHUNK, -(-(at + end * width) // CHUNK)
        counts = np.bincount(first, minlength=len(self.crcs) + 1) - np.bincount(last, minlength=len(self.crcs) + 1)
        for i in np.flatnonzero((np.cumsum(counts)[:-1] > 0) & ~self.sound).tolist():
            self._check(i * CHUNK, min((i + 1) * CHUNK, self.end))

    def check(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Check every byte again; ``report`` is called with the number of bytes checked."""
        self.sound[:] = False
        for begin in range(0, self.end, 64 * CHUNK):
            self._check(begin, min(begin + 64 * CHUNK, self.end))
            report(min(begin + 64 * CHUNK, self.end))


class MemoryPart(Part):
    """The arrays of a part that has no file."""

    def __init__(self, arrays: Iterable[tuple[str, np.ndarray]], meta: Any) -> None:
        self.path, self.arrays, self.meta = Path("(memory)"), dict(arrays), meta
        self.places: dict[str, Any] = {name: (a.dtype.str, 0, len(a)) for name, a in self.arrays.items()}
        self.valid, self.kept = set(), {}

    def raw(self, name: str) -> np.ndarray:
        """A whole array."""
        self.length(name)
        return self.arrays[name]

    def get(self, name: str, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Entries of an array."""
        return self.raw(name)[start:stop]

    def check_runs(self, name: str, begin: np.ndarray, end: np.ndarray) -> None:
        """Check nothing: what is in memory is not damaged."""


def _opened(path: Path) -> int:
    """A plain file, opened for reading; a link is not followed, a pipe is not waited for."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InputError("expected a file: it is not used", str(path))
    return handle


def damaged(path: Path, what: str) -> InputError:
    """The error for a file of an archive in which something is wrong."""
    hint = "Restore it from a copy, or see `rankine spoken check --repair`"
    return InputError(f"the archive is damaged: {what} is wrong. {hint}", str(path))


def write_part(path: Path, arrays: Iterable[tuple[str, np.ndarray]], meta: dict[str, Any]) -> PartFile:
    """Write a part and wait until it is on disk; what the manifest is to say of it. If that fails nothing is left."""
    places: dict[str, tuple[str, int, int]] = {}
    with replacing(path, durable=True) as temporary, open(temporary, "wb") as file:
        writer = _Checked(file)
        writer.write(MAGIC)
        for name, array in arrays:
            writer.write(bytes(-writer.at % ALIGNED))
            flat = np.ascontiguousarray(array)
            places[name] = (flat.dtype.str, writer.at, len(flat))
            writer.write(flat.view(np.uint8).data if len(flat) else b"")
        header = {"meta": meta, "arrays": places, "crcs": writer.finish()}
        text = json.dumps(header, ensure_ascii=False).encode()
        footer = text + np.array([writer.at, len(text)], "<u8").tobytes()
        file.write(footer)
    return PartFile(path.name, writer.at + len(footer), zlib.crc32(footer))


class _Checked:
    """Writes and remembers the checksum of every chunk."""

    def __init__(self, file: Any) -> None:
        self.file, self.at, self.crc = file, 0, 0
        self.crcs: list[int] = []

    def write(self, data: Any) -> None:
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        self.file.write(view)
        while len(view):
            room = CHUNK - self.at % CHUNK
            self.crc = zlib.crc32(view[:room], self.crc)
            self.at += len(view[:room])
            view = view[room:]
            if self.at % CHUNK == 0:
                self.crcs.append(self.crc)
                self.crc = 0

    def finish(self) -> list[int]:
        return [*self.crcs, self.crc] if self.at % CHUNK else self.crcs


class PartFile(NamedTuple):
    """What the manifest says of a part; ``hidden`` are the numbers of recordings in it that do not count any more."""

    file: str
    size: int
    crc: int
    hidden: tuple[int, ...] = ()

    def record(self) -> dict[str, Any]:
        """As it stands in the manifest."""
        return {key: value for key, value in self._asdict().items() if key != "hidden" or value}

    def open(self, folder: Path) -> Part:
        """The part in an archive's folder; one that is open already, where it is the same file.

        A part never changes. So what was checked of it need not be checked again when another one was added.
        """
        path = inside(folder, self.file)
        state = os.stat(path)
        key = (str(path.absolute()), self.size, self.crc, state.st_ino, state.st_size, state.st_mtime_ns)
        part = _OPEN.get(key)
        if part is None:
            part = _OPEN[key] = self.opened_anew(folder)
        return part

    def opened_anew(self, folder: Path) -> Part:
        """The part, of which nothing has been checked."""
        return Part(inside(folder, self.file), self.size, self.crc)


_OPEN: WeakValueDictionary[tuple[object, ...], Part] = WeakValueDictionary()


# -- An archive on disk: immutable parts of flat arrays, and a manifest that is replaced atomically


_PART = re.compile(r"\d{9,30}\.part")
_OWN = r"(\d{9,30}\.part|manifest\.json|dictionary\.txt|units-\d+\.txt)"
_LEFT_BEHIND = re.compile(rf"\.{_OWN}\.new-.*")  # by a writer that was killed


class _NamedPart(TypedDict):
    file: str
    size: Count
    crc: Checksum
    hidden: NotRequired[list[Count]]


class _ManifestRecord(TypedDict):
    serial: Count
    settings: SettingsRecord
    parts: list[_NamedPart]
    files: dict[str, Checksum] | None
    id: Annotated[str, Meta(pattern="^[0-9a-f]{8,64}$")]
    store: NotRequired[bool]


@dataclass(frozen=True)
class Manifest:
    """What an archive consists of."""

    settings: dict[str, Any]
    parts: tuple[PartFile, ...] = ()
    files: dict[str, int] = field(default_factory=dict)  # other files that belong to it, with their checksums
    serial: int = 0
    id: str = ""  # made with the archive
    store: bool = False  # whether there is a store, without which the archive is damaged

    @property
    def size(self) -> int:
        """Bytes of all parts."""
        return sum(p.size for p in self.parts)

    def to_bytes(self) -> bytes:
        """JSON with a checksum."""
        content = {
            "archive": "rankine", "format": FORMAT, "version": __version__, "serial": self.serial,
            "settings": self.settings, "parts": [p.record() for p in self.parts], "files": self.files, "id": self.id,
        }  # fmt: skip
        if self.store:
            content[STORED] = True
        return sealed(json.dumps(content, indent=1, ensure_ascii=False))

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of a folder, checked."""
        path = inside(folder, MANIFEST)
        if not path.is_file():
            hint = "there is no such folder" if not folder.exists() else f"it has no {MANIFEST}"
            raise InputError(f"not a spoken archive: {hint}", str(folder))
        content = unsealed(path, WHAT, FORMAT)
        if content.get("archive") != "rankine" or not isinstance(content.get("format"), int):
            raise InputError("not the manifest of a spoken archive", str(path))
        if content["format"] != FORMAT:
            version, form = content.get("version", "of another version"), content["format"]
            reads = f"reads up to {FORMAT}" if form > FORMAT else f"reads from {FORMAT} on"
            raise InputError(f"made by Rankine {version}, format {form}; this version {reads}", str(folder))
        said = checked(content, _ManifestRecord, WHAT, str(path))
        check_members(content["settings"], str(content.get("version", "of another version")), str(path))
        parts = tuple(PartFile(p["file"], p["size"], p["crc"], tuple(p.get("hidden", ()))) for p in said["parts"])
        for name in [p.file for p in parts if not _PART.fullmatch(p.file)]:
            raise InputError(f"expected the name of a part such as 000001001.part, got {shorten(name)}", str(path))
        for name in said["files"] or {}:
            check_name(name, str(path))
        if not is_utf8(json.dumps(content["settings"], ensure_ascii=False)):
            raise InputError("a text in the settings cannot be written as UTF-8", str(path))
        doubled = len(parts) - len({p.file for p in parts})
        if doubled:
            raise InputError(f"{doubled} parts are named twice", str(path))
        stored = said.get("store", False)
        return cls(dict(content["settings"]), parts, said["files"] or {}, said["serial"], said["id"], stored)

    def check_files(self, folder: Path) -> None:
        """Raise InputError if a file that belongs to the archive, beside its parts, is missing or damaged."""
        for name, crc in self.files.items():
            path = inside(folder, name)
            if not path.exists() or zlib.crc32(path.read_bytes()) != crc:
                raise InputError("the archive is damaged: this file is missing or its checksum is wrong", str(path))


def open_parts(folder: Path) -> tuple[Manifest, list[Part]]:
    """A consistent state: a manifest and all its parts. If a writer replaces them meanwhile it is tried again."""
    for attempt in range(20):
        manifest = Manifest.read(folder)
        try:
            return manifest, [p.open(folder) for p in manifest.parts]
        except FileNotFoundError as error:
            if attempt == 19 or Manifest.read(folder).serial == manifest.serial:
                raise damaged(Path(error.filename or folder), "a file is missing; that") from None
    raise AssertionError


class Writer:
    """The one process that may change an archive. Made by :func:`writing`."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest
        self._next = manifest.serial * 1000

    def part(self, arrays: Iterable[tuple[str, np.ndarray]], meta: dict[str, Any]) -> PartFile:
        """Write a part; it counts once :meth:`commit` names it."""
        self._next += 1
        return write_part(self.folder / f"{self._next:09d}.part", arrays, meta)

    def commit(self, parts: Iterable[PartFile]) -> None:
        """Replace the manifest, then remove what it no longer names."""
        stored = self.manifest.store or Store(self.folder).exists
        new = replace(self.manifest, parts=tuple(parts), serial=self.manifest.serial + 1, store=stored)
        write_file(self.folder / MANIFEST, new.to_bytes(), durable=True)
        self.manifest = new
        self.sweep()

    def keep_file(self, name: str, data: bytes, settings: dict[str, Any]) -> None:
        """Put a file into the archive that these settings name."""
        write_file(inside(self.folder, name), data, durable=True)
        self.manifest = replace(self.manifest, settings=settings, files={**self.manifest.files, name: zlib.crc32(data)})
        self.commit(self.manifest.parts)

    def sweep(self) -> None:
        """Remove parts that the manifest does not name, and temporary files; nothing that a writer did not make."""
        named = {p.file for p in self.manifest.parts}
        for path in plain_files(self.folder):
            if (_PART.fullmatch(path.name) and path.name not in named) or _LEFT_BEHIND.fullmatch(path.name):
                path.unlink()


@contextmanager
def writing(folder: Path, wait: float = 0.0) -> Iterator[Writer]:
    """Lock the archive for writing; wait at most ``wait`` seconds for another writer."""
    Manifest.read(folder)
    with locked(folder, BUSY, wait):
        writer = Writer(folder, Manifest.read(folder))
        writer.sweep()
        yield writer


def create(folder: Path, settings: dict[str, Any], files: dict[str, bytes], stored: bool = True) -> None:
    """Make an empty archive with these files and (``stored``) a store in it; the manifest comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, BUSY):
        if inside(folder, MANIFEST).exists():
            raise InputError("there is an archive already", str(folder))
        own, store = {"lock", *files}, Store(folder)
        if store.exists and store.holds_nothing():  # of a process that was killed before the manifest
            own.add(FILE)
        if any(p.name not in own and not is_temporary(p) for p in folder.iterdir()):
            raise InputError("the folder is not empty and not an archive: name another", str(folder))
        for name, data in files.items():
            write_file(inside(folder, name), data, durable=True)
        if stored:
            store.make()
        crcs = {name: zlib.crc32(data) for name, data in files.items()}
        manifest = Manifest(settings, (), crcs, 1, token_hex(8), store=stored)
        write_file(folder / MANIFEST, manifest.to_bytes(), durable=True)
