"""An archive on disk: immutable parts of flat arrays, and a manifest that is replaced atomically.

A part is one file: arrays on 64-byte borders, then a footer (JSON: what stands where, and a checksum for every 64 KiB
before it). The manifest names the parts, their sizes and their footers' checksums, and holds one of its own. A writer
makes new parts, has them on disk, and only then replaces the manifest: whatever happens in between, the last manifest
and all that it names are whole. Files that it does not name are left-overs and go with the next writer.

A reader maps the parts that one manifest names and keeps them: on POSIX a file that was removed lives as long as it is
mapped. What it reads it checks first, once per 64 KiB.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...version import __version__

MAGIC = b"RNKPART1"
CHUNK = 1 << 16
FORMAT = 1
MANIFEST = "manifest.json"


class Part:
    """The arrays of one file, mapped; what is read through :meth:`get` has been checked."""

    def __init__(self, path: Path, size: int, crc: int) -> None:
        self.path = path
        there = path.stat().st_size
        if there != size or size < len(MAGIC) + 16:
            raise _damaged(path, f"{there} bytes instead of {size}")
        self.bytes = np.memmap(path, np.uint8, mode="r")
        at, length = (int(x) for x in self.bytes[-16:].view("<u8"))
        if at + length + 16 != size:
            raise _damaged(path, "no footer")
        footer = self.bytes[at:]
        if zlib.crc32(footer.data) != crc:
            raise _damaged(path, "the footer's checksum")
        header = json.loads(self.bytes[at : at + length].tobytes())
        self.meta: dict[str, Any] = header["meta"]
        self.places: dict[str, tuple[str, int, int]] = header["arrays"]
        self.crcs = np.array(header["crcs"], np.uint32)
        self.sound = np.zeros(len(self.crcs), np.bool_)
        self.end = at

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
        kind, at, n = self.places[name]
        return self.bytes[at : at + n * np.dtype(kind).itemsize].view(kind)

    def _check(self, begin: int, end: int) -> None:
        first, last = begin // CHUNK, -(-end // CHUNK)
        for i in (np.flatnonzero(~self.sound[first:last]) + first).tolist():
            if zlib.crc32(self.bytes[i * CHUNK : min((i + 1) * CHUNK, self.end)].data) != self.crcs[i]:
                raise _damaged(self.path, f"the checksum of bytes {i * CHUNK:,} to {(i + 1) * CHUNK:,}")
            self.sound[i] = True

    def check(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Check every byte again; ``report`` is told how many are done."""
        self.sound[:] = False
        for begin in range(0, self.end, 64 * CHUNK):
            self._check(begin, min(begin + 64 * CHUNK, self.end))
            report(min(begin + 64 * CHUNK, self.end))


def _damaged(path: Path, what: str) -> InputError:
    return InputError(f"the archive is damaged: {what} is wrong. Restore it from a copy, or index anew", str(path))


def write_part(path: Path, arrays: Iterable[tuple[str, np.ndarray]], meta: dict[str, Any]) -> dict[str, Any]:
    """Write a part and have it on disk; what the manifest is to say of it. Nothing is left where that fails."""
    places: dict[str, tuple[str, int, int]] = {}
    try:
        with open(path, "wb") as file:
            writer = _Checked(file)
            writer.write(MAGIC)
            for name, array in arrays:
                writer.write(bytes(-writer.at % 64))
                flat = np.ascontiguousarray(array)
                places[name] = (flat.dtype.str, writer.at, len(flat))
                writer.write(flat.view(np.uint8).data if len(flat) else b"")
            header = {"meta": meta, "arrays": places, "crcs": writer.finish()}
            text = json.dumps(header, ensure_ascii=False).encode()
            footer = text + np.array([writer.at, len(text)], "<u8").tobytes()
            file.write(footer)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    return {"file": path.name, "size": writer.at + len(footer), "crc": zlib.crc32(footer)}


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


def sealed(text: str) -> bytes:
    """JSON with a line before it that holds its checksum."""
    return json.dumps({"crc": zlib.crc32(text.encode())}).encode() + b"\n" + text.encode() + b"\n"


def unsealed(path: Path, what: str) -> dict[str, Any]:
    """The content of a sealed file, checked."""
    head, _, text = path.read_bytes().partition(b"\n")
    try:
        crc, content = json.loads(head)["crc"], json.loads(text)
    except (ValueError, KeyError, TypeError):
        raise InputError(f"not {what}, or damaged", str(path)) from None
    newer = isinstance(content, dict) and isinstance(content.get("format"), int) and content["format"] > FORMAT
    if not newer and (zlib.crc32(text[:-1]) != crc or not text.endswith(b"\n")):
        raise _damaged(path, "its checksum")
    if not isinstance(content, dict):
        raise InputError(f"not {what}", str(path))
    return content


@dataclass(frozen=True)
class Manifest:
    """What an archive consists of."""

    settings: dict[str, Any]
    parts: tuple[dict[str, Any], ...] = ()
    files: dict[str, int] | None = None  # other files that belong to it, with their checksums
    serial: int = 0

    def to_bytes(self) -> bytes:
        """JSON with a checksum."""
        content = {
            "archive": "rankine", "format": FORMAT, "version": __version__, "serial": self.serial,
            "settings": self.settings, "parts": list(self.parts), "files": self.files or {},
        }  # fmt: skip
        return sealed(json.dumps(content, indent=1, ensure_ascii=False))

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of a folder, checked."""
        path = folder / MANIFEST
        if not path.is_file():
            hint = "there is no such folder" if not folder.exists() else f"it has no {MANIFEST}"
            raise InputError(f"not a spoken archive: {hint}", str(folder))
        content = unsealed(path, "the manifest of a spoken archive")
        if content.get("archive") != "rankine" or not isinstance(content.get("format"), int):
            raise InputError("not the manifest of a spoken archive", str(path))
        if content["format"] > FORMAT:
            made, form = content.get("version", "a newer version"), content["format"]
            raise InputError(f"made by Rankine {made}, format {form}; this version reads up to {FORMAT}", str(folder))
        return cls(content["settings"], tuple(content["parts"]), content["files"], content["serial"])


def open_parts(folder: Path) -> tuple[Manifest, list[Part]]:
    """A consistent state: a manifest and all its parts. Where a writer was faster it is tried again."""
    for attempt in range(20):
        manifest = Manifest.read(folder)
        try:
            return manifest, [Part(folder / p["file"], p["size"], p["crc"]) for p in manifest.parts]
        except FileNotFoundError as error:
            if attempt == 19 or Manifest.read(folder).serial == manifest.serial:
                raise _damaged(Path(error.filename or folder), "a file is missing; that") from None
    raise AssertionError


class Writer:
    """The one process that may change an archive. Made by :func:`writing`."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest
        self._next = manifest.serial * 1000

    def part(self, arrays: Iterable[tuple[str, np.ndarray]], meta: dict[str, Any]) -> dict[str, Any]:
        """Write a part; it counts once :meth:`commit` names it."""
        self._next += 1
        return write_part(self.folder / f"{self._next:09d}.part", arrays, meta)

    def commit(self, parts: Iterable[dict[str, Any]], files: dict[str, int] | None = None) -> None:
        """Replace the manifest, then remove what it no longer names."""
        new = Manifest(
            self.manifest.settings, tuple(parts), self.manifest.files if files is None else files,
            self.manifest.serial + 1,
        )  # fmt: skip
        replace_file(self.folder / MANIFEST, new.to_bytes())
        self.manifest = new
        self.sweep()

    def sweep(self) -> None:
        """Remove parts and temporary files that do not belong to the archive."""
        named = {p["file"] for p in self.manifest.parts}
        for path in self.folder.iterdir():
            if (path.suffix == ".part" and path.name not in named) or path.suffix == ".new":
                path.unlink()


def replace_file(path: Path, data: bytes) -> None:
    """Put a file in place so that after any failure the old one or the new one is there, and on disk."""
    temporary = path.with_name(f"{path.name}.new")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing(folder: Path, wait: float = 0.0) -> Iterator[Writer]:
    """Be the one writer of an archive; ``wait`` so many seconds for another one to end."""
    Manifest.read(folder)
    with _locked(folder, wait):
        writer = Writer(folder, Manifest.read(folder))
        writer.sweep()
        yield writer


@contextmanager
def _locked(folder: Path, wait: float = 0.0) -> Iterator[None]:
    until = time.monotonic() + wait
    with open(folder / "lock", "ab") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() < until:
                    time.sleep(0.1)
                    continue
                raise InputError(
                    "another process is changing this archive; try again when it is done", str(folder)
                ) from None
        yield


def create(folder: Path, settings: dict[str, Any], files: dict[str, bytes]) -> None:
    """Make an empty archive with these files in it; the manifest comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        if (folder / MANIFEST).exists():
            raise InputError("there is an archive already", str(folder))
        ours = {"lock", *files}
        if any(p.name not in ours and p.suffix != ".new" for p in folder.iterdir()):
            raise InputError("the folder is not empty and not an archive: name another", str(folder))
        for name, data in files.items():
            replace_file(folder / name, data)
        crcs = {name: zlib.crc32(data) for name, data in files.items()}
        replace_file(folder / MANIFEST, Manifest(settings, (), crcs, 1).to_bytes())
