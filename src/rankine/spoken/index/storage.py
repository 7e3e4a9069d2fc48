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
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np
from msgspec import Meta

from ...errors import InputError, is_utf8, shorten
from ...system.files import is_temporary, locked, sealed, unsealed, write_file
from ...system.paths import check_name, inside, plain_files
from ...system.records import Count, checked
from ...version import __version__
from ..store import FILE, Store
from ..upgrading import BUSY, FORMAT, MANIFEST, STORED, WHAT
from .parts import Checksum, Part, PartFile, damaged, write_part
from .settings import SettingsRecord, check_members

_PART = re.compile(r"\d{9,30}\.part")
# what a writer that was killed leaves behind; the latter until 0.1
_OWN = r"(\d{9,30}\.part|manifest\.json|dictionary\.txt|units-\d+\.txt)"
_LEFT_BEHIND = re.compile(rf"\.{_OWN}\.new-.*|{_OWN}\.new")


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
    id: NotRequired[Annotated[str, Meta(pattern="^[0-9a-f]{8,64}$")]]
    store: NotRequired[bool]


@dataclass(frozen=True)
class Manifest:
    """What an archive consists of."""

    settings: dict[str, Any]
    parts: tuple[PartFile, ...] = ()
    files: dict[str, int] = field(default_factory=dict)  # other files that belong to it, with their checksums
    serial: int = 0
    id: str = ""  # made with the archive; empty in archives of 0.1
    format: int = FORMAT
    store: bool = False  # whether there is a store, without which the archive is damaged

    @property
    def size(self) -> int:
        """Bytes of all parts."""
        return sum(p.size for p in self.parts)

    def to_bytes(self) -> bytes:
        """JSON with a checksum."""
        content = {
            "archive": "rankine", "format": self.format, "version": __version__, "serial": self.serial,
            "settings": self.settings, "parts": [p.record() for p in self.parts], "files": self.files,
        }  # fmt: skip
        if self.id:
            content["id"] = self.id
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
        if content["format"] > FORMAT:
            version, form = content.get("version", "a newer version"), content["format"]
            raise InputError(
                f"made by Rankine {version}, format {form}; this version reads up to {FORMAT}", str(folder)
            )
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
        own = said.get("id", ""), content["format"], said.get("store", False)
        return cls(dict(content["settings"]), parts, said["files"] or {}, said["serial"], *own)

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
    """Lock the archive for writing, in the present format; wait at most ``wait`` seconds for another writer."""
    Manifest.read(folder)
    Store(folder).upgrade()
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
