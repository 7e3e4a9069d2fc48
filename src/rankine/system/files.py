"""Files: replacing them whole, locking their folder, checksums and fingerprints; reading them is in ``sources``."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypedDict

from ..errors import InputError
from .console import data_output
from .paths import inside
from .sources import (
    PADDING,
    Block,
    OpenSource,
    Source,
    line_blocks,
    open_source,
    read_whole,
    unpacked,
    unpacked_whole,
    zstd_open,
)
from .temporary import MARK, temporary_beside

if TYPE_CHECKING:
    import numpy as np  # imported where it is used: help texts need this module, and not NumPy

_WRITERS: dict[str, Any] = {".bz2": bz2.open, ".xz": lzma.open, ".zst": zstd_open}
_NOT_WRITTEN = (".7z", ".br", ".lz", ".lz4", ".lzma", ".lzo", ".rar", ".sz", ".tgz", ".z", ".zip")

__all__ = [
    "PADDING", "Block", "OpenSource", "Rewindable", "Source", "check_folder_of", "fingerprint", "fingerprint_of_file",
    "is_temporary", "line_blocks", "locked", "open_source", "open_target", "replacing", "sealed", "stamp", "unpacked",
    "unpacked_whole", "unsealed", "write_file",
]  # fmt: skip


@contextmanager
def replacing(path: str | os.PathLike, durable: bool = False) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on success it takes its place, on failure it is removed.

    ``durable`` waits until the file and its folder entry are on disk, so that it also survives a power failure.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     target = Path(folder, "out.txt")
    ...     with replacing(target) as temporary:
    ...         _ = temporary.write_text("whole")
    ...     target.read_text()
    'whole'
    """
    target = Path(path)
    check_folder_of(target)
    with temporary_beside(target) as temporary:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        if durable:
            _to_disk(temporary)
        os.replace(temporary, target)
        if durable:
            _to_disk(target.parent)


def write_file(path: str | os.PathLike, data: bytes, durable: bool = False) -> None:
    """Write a file whole or not at all."""
    with replacing(path, durable) as temporary:
        temporary.write_bytes(data)


def is_temporary(path: Path) -> bool:
    """Whether a file was left behind by a process that was killed while it replaced a file.

    >>> is_temporary(Path(".model.json.new-a8fz.json")), is_temporary(Path("model.json"))
    (True, False)
    """
    return path.name.startswith(".") and MARK in path.name


def check_folder_of(path: str | os.PathLike) -> None:
    """Raise if the folder that a file is to be written into does not exist."""
    if not Path(path).parent.is_dir():
        raise InputError(f"there is no folder '{Path(path).parent}' to write into", str(path))


def _to_disk(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on disk; systems that cannot open a folder skip it."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:
        if path.is_dir():
            return
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(place: str | os.PathLike, busy: str, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of a folder or of a file; if another process has it for ``wait`` seconds, raise ``busy``.

    The lock of a folder is its file ``lock``, which stays. That of a file stands beside it and is removed.
    """
    from filelock import FileLock, Timeout

    folder = Path(place).is_dir()
    path = inside(place, "lock") if folder else Path(f"{place}.lock")
    try:
        lock = FileLock(path).acquire(timeout=wait, poll_interval=0.1)
    except Timeout:
        raise InputError(busy, str(place)) from None
    with lock:
        try:
            yield
        finally:
            if not folder:
                with suppress(OSError):  # some systems cannot remove a file that is open
                    path.unlink()


class Seal(TypedDict):
    """The first line of a sealed file."""

    crc: int


def sealed(text: str) -> bytes:
    """JSON text with a line before it that holds its checksum."""
    return json.dumps({"crc": zlib.crc32(text.encode())}).encode() + b"\n" + text.encode() + b"\n"


def unsealed(path: Path, what: str, newest: int | None = None, schema: type = dict[str, Any]) -> Any:
    """The content of a file that :func:`sealed` made; raise InputError if it is damaged or is not ``what``.

    ``schema`` describes the content (see :mod:`.records`): a checksum shows only that the file is not damaged.
    The checksum of a file whose ``format`` is above ``newest`` is not compared: a later release may seal differently.
    """
    from .records import checked, parsed, record  # not for help texts, which need this module

    where = str(path)
    head, _, text = read_whole(path).partition(b"\n")
    crc = record(head, Seal, f"{what}, or damaged", where)["crc"]
    content = parsed(text, what, where, infinite=True)
    version = content.get("format") if isinstance(content, dict) else None
    newer = newest is not None and isinstance(version, int) and version > newest
    if not newer and (zlib.crc32(text[:-1]) != crc or not text.endswith(b"\n")):
        raise InputError(f"{what} is damaged: the checksum is wrong. Restore the file from a copy", where)
    return checked(content, dict[str, Any] if newer else schema, what, where)


def fingerprint(*contents: bytes | str | np.ndarray, size: int = 16, algorithm: str = "blake2b") -> str:
    """The hexadecimal digest of these contents one after the other, ``size`` bytes long.

    >>> fingerprint("settings", b"audio", size=4)
    '17ed74f3'
    """
    digest = hashlib.new(algorithm) if algorithm != "blake2b" else hashlib.blake2b(digest_size=size)
    for content in contents:
        if isinstance(content, str | bytes):
            digest.update(content.encode("utf-8", "replace") if isinstance(content, str) else content)
        else:
            import numpy as np

            digest.update(np.ascontiguousarray(content).view(np.uint8).data)
    return digest.hexdigest()[: 2 * size]


def fingerprint_of_file(path: str | os.PathLike, *contents: bytes | str, size: int = 16) -> str:
    """The digest of these contents followed by the content of a file."""
    digest = hashlib.blake2b(b"".join(c.encode() if isinstance(c, str) else c for c in contents), digest_size=size)
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def stamp(path: str | os.PathLike) -> tuple[str, int, int]:
    """The full path, size and time of change (ns) of a file; of a folder the sum and the latest over its files.

    It changes when the file does, and costs no reading.
    """
    place = Path(path).resolve()
    states = [p.stat() for p in place.rglob("*") if p.is_file()] if place.is_dir() else []
    states = states or [place.stat()]
    return str(place), sum(s.st_size for s in states), max(s.st_mtime_ns for s in states)


@contextmanager
def open_target(target: str | os.PathLike | IO[bytes]) -> Iterator[BinaryIO]:
    """Open a path (atomically replaced, compressed by its ending), ``-`` or a binary file object for writing."""
    if hasattr(target, "write"):
        yield target  # type: ignore[misc]
    elif str(target) == "-":
        with data_output() as stream:
            yield stream
    else:
        if Path(target).suffix.lower() in _NOT_WRITTEN:
            raise InputError("files are compressed as .gz, .bz2, .xz or .zst only", str(target))
        with replacing(target) as temporary, _compressing(temporary, Path(target).suffix.lower()) as stream:
            yield stream


@contextmanager
def _compressing(path: Path, suffix: str) -> Iterator[BinaryIO]:
    with open(path, "wb") as raw:
        stream: Any = raw
        if suffix == ".gz":
            stream = gzip.GzipFile("", "wb", 6, raw, mtime=0)  # without the temporary name
        elif suffix in _WRITERS:
            stream = _WRITERS[suffix](raw, "wb")
        with stream:
            yield stream


class Rewindable(io.RawIOBase):
    """A stream that can be read from its beginning once more: what is read before :meth:`rewind` is remembered.

    >>> stream = Rewindable(io.BytesIO(b"abc"), "x")
    >>> stream.read(2)
    b'ab'
    >>> stream.rewind()
    >>> stream.read(2), stream.read(2)
    (b'ab', b'c')
    """

    def __init__(self, stream: Any, name: str) -> None:
        self.stream, self.name = stream, name
        self.head: bytes | bytearray = bytearray()
        self.remembers = True

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill ``target`` as far as there is something."""
        if self.remembers or not self.head:
            data = self.stream.read(len(target)) or b""
            if self.remembers:
                self.head += data
        else:
            data, self.head = self.head[: len(target)], self.head[len(target) :]
        target[: len(data)] = data
        return len(data)

    def rewind(self) -> None:
        """Begin again."""
        self.head, self.remembers = bytes(self.head), False
