"""Files: opening them (compressed or not), replacing them whole, locking their folder, checksums and fingerprints."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import mmap
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple

try:  # twice as fast as zlib
    from isal import igzip
except ImportError:
    igzip = gzip

from .errors import InputError
from .places import inside
from .records import parsed

if TYPE_CHECKING:
    import numpy as np  # imported where it is used: help texts need this module, and not NumPy

Source = str | os.PathLike | IO[bytes]
PADDING = 8  # readable bytes that follow a block: kernels may look so far beyond its end

_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
_BLOCK = 4 << 20
_TEMPORARY = ".new-"  # in the names of files that are being written


def _zstd_open(file: Any, mode: Any) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.open(file, mode)


class OpenSource(NamedTuple):
    """A source opened for reading: the decompressed stream, its name, and where the raw file stands."""

    stream: BinaryIO
    name: str
    raw: BinaryIO
    size: int | None

    def position(self) -> int:
        """Bytes of the raw (perhaps compressed) file consumed so far."""
        return self.raw.tell() if self.size is not None else 0


@contextmanager
def open_source(source: Source) -> Iterator[OpenSource]:
    """Open a path, ``-`` (standard input) or a binary file object; .gz, .xz and .zst are found by content."""
    if hasattr(source, "read"):
        binary: Any = getattr(source, "buffer", source)
        if isinstance(binary, io.TextIOBase):
            raise TypeError("a text-mode file object cannot be read as bytes: open it with mode 'rb'")
        peekable: Any = binary if hasattr(binary, "peek") else io.BufferedReader(binary)
        try:
            yield _decompressed(peekable, str(getattr(source, "name", "<stream>")), None)
        finally:
            if peekable is not binary:
                peekable.detach()  # the caller's object stays open
    elif str(source) == "-":
        yield _decompressed(sys.stdin.buffer, "<stdin>", None)
    else:
        path = Path(source)
        with open(path, "rb") as raw:
            yield _decompressed(raw, str(path), path.stat().st_size)


def _decompressed(peekable: Any, name: str, size: int | None) -> OpenSource:
    head = peekable.peek(6)[:6]
    compression = next((ext for magic, ext in _MAGIC.items() if head.startswith(magic)), "")
    stream: BinaryIO = peekable
    if compression == ".gz":
        stream = igzip.GzipFile(fileobj=peekable)
    elif compression == ".xz":
        stream = lzma.LZMAFile(peekable)  # type: ignore[assignment]
    elif compression == ".zst":
        stream = _zstd_open(peekable, "rb")
    return OpenSource(stream, name, peekable, size)


class Block(NamedTuple):
    """Whole lines: ``data[:end]`` ends with a newline; at least ``PADDING`` readable bytes follow."""

    data: np.ndarray
    end: int
    raw_position: int


def line_blocks(opened: OpenSource, size: int = _BLOCK) -> Iterator[Block]:
    """Cut a stream into blocks of whole lines; a line longer than a block makes its block grow. A BOM is skipped.

    >>> opened = OpenSource(io.BytesIO(b"a\\nb"), "x", io.BytesIO(), None)
    >>> [bytes(b.data[: b.end]) for b in line_blocks(opened, size=3)]
    [b'a\\n', b'b\\n']
    """
    mapped = opened.size and opened.stream is opened.raw
    for number, block in enumerate(_mapped_blocks(opened, size) if mapped else _read_blocks(opened, size)):
        bom = 3 if number == 0 and block.data[:3].tobytes() == b"\xef\xbb\xbf" else 0
        if block.end > bom:
            yield Block(block.data[bom:], block.end - bom, block.raw_position)


def _read_blocks(opened: OpenSource, size: int) -> Iterator[Block]:
    """Blocks of a stream, each in memory of its own."""
    import numpy as np

    carry = np.empty(0, np.uint8)
    at_end = False
    while not at_end:
        data = np.empty(max(size, 2 * len(carry)) + 1 + PADDING, np.uint8)
        data[: len(carry)] = carry
        capacity = len(data) - 1 - PADDING
        filled = len(carry) + _fill(opened, data[len(carry) : capacity])
        at_end = filled < capacity
        end = filled if at_end else _last_newline(data, filled)
        carry = data[end:filled].copy()
        if at_end:
            end = _finish(data, filled)
        data[end : end + PADDING] = 0
        if end:
            yield Block(data, end, opened.position())


def _mapped_blocks(opened: OpenSource, size: int) -> Iterator[Block]:
    """Blocks of a plain file: views of its memory map, but for the last, which is copied to be padded."""
    mapped = mmap.mmap(opened.raw.fileno(), 0, access=mmap.ACCESS_COPY)
    import numpy as np

    data = np.frombuffer(mapped, np.uint8)
    start, release_to, total = 0, 0, len(data)
    while start < total:
        end = mapped.rfind(b"\n", start, start + size) + 1 or mapped.find(b"\n", start) + 1 or total
        if start >= release_to + 16 * size:  # far behind every reader: give the pages back
            mapped.madvise(mmap.MADV_DONTNEED, release_to, 8 * size)
            release_to += 8 * size
        if end + PADDING <= total:
            yield Block(data[start:], end - start, end)
        else:
            rest = np.zeros(total - start + 1 + PADDING, np.uint8)
            rest[: total - start] = data[start:]
            end = total
            yield Block(rest, _finish(rest, total - start), total)
        start = end


def _finish(data: np.ndarray, filled: int) -> int:
    """Add the newline that the last line lacks; where the text then ends."""
    if filled and data[filled - 1] != 10:
        data[filled] = 10
        return filled + 1
    return filled


def _last_newline(data: np.ndarray, filled: int) -> int:
    """Position after the last newline, 0 if there is none."""
    for width in (1 << 16, filled):
        start = max(filled - width, 0)
        newline = data[start:filled].tobytes().rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
    return 0


@contextmanager
def _damage_reported(opened: OpenSource) -> Iterator[None]:
    """Errors of decompression, as bad input."""

    def where() -> str:
        return opened.name + (f", near byte {opened.position()}" if opened.size is not None else "")

    try:
        yield
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"compressed data is truncated or damaged ({error})", where()) from None
    except Exception as error:
        if type(error).__name__ not in ("ZstdError", "IsalError"):
            raise
        raise InputError(f"compressed data is truncated or damaged ({error})", where()) from None


def _fill(opened: OpenSource, target: np.ndarray) -> int:
    """Read until ``target`` is full or the stream ends; how many bytes were read."""
    view = memoryview(target.data)
    done = 0
    with _damage_reported(opened):
        while done < len(view):
            n = opened.stream.readinto(view[done:])  # type: ignore[attr-defined]
            if not n:
                break
            done += n
    return done


def unpacked(opened: OpenSource, size: int = _BLOCK) -> Iterator[bytes]:
    """The decompressed bytes of a source, a block at a time; a damaged source is an InputError.

    >>> list(unpacked(OpenSource(io.BytesIO(b"abc"), "x", io.BytesIO(), None), size=2))
    [b'ab', b'c']
    """
    while True:
        with _damage_reported(opened):
            block = opened.stream.read(size)
        if not block:
            return
        yield block


def unpacked_whole(opened: OpenSource) -> bytes:
    """All of it at once: for files of a few megabytes, whose streams would cost more than their bytes."""
    with _damage_reported(opened):
        if isinstance(opened.stream, igzip.GzipFile):
            return igzip.decompress(opened.raw.read())
        return opened.stream.read()


@contextmanager
def replacing(path: str | os.PathLike, durable: bool = False) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on success it takes its place, on failure it is removed.

    ``durable`` waits until the file and its folder entry are on disk, so that it also survives a power failure.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "out.txt")
    ...     with replacing(target) as temporary:
    ...         _ = temporary.write_text("whole")
    ...     target.read_text()
    'whole'
    """
    target = Path(path)
    check_folder_of(target)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}{_TEMPORARY}", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        if durable:
            _to_disk(temporary)
        os.replace(temporary, target)
        if durable:
            _to_disk(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_file(path: str | os.PathLike, data: bytes, durable: bool = False) -> None:
    """Write a file whole or not at all."""
    with replacing(path, durable) as temporary:
        temporary.write_bytes(data)


def is_temporary(path: Path) -> bool:
    """Whether a file was left behind by a process that was killed while it replaced a file.

    >>> is_temporary(Path(".model.json.new-a8fz.json")), is_temporary(Path("model.json"))
    (True, False)
    """
    return (path.name.startswith(".") and _TEMPORARY in path.name) or path.suffix == ".new"  # the latter until 0.1


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


def sealed(text: str) -> bytes:
    """JSON text with a line before it that holds its checksum."""
    return json.dumps({"crc": zlib.crc32(text.encode())}).encode() + b"\n" + text.encode() + b"\n"


def unsealed(path: Path, what: str, newest: int | None = None) -> dict[str, Any]:
    """The content of a file that :func:`sealed` made; raise InputError if it is damaged or is not ``what``.

    The checksum of a file whose ``format`` is above ``newest`` is not compared: a later release may seal differently.
    """
    head, _, text = path.read_bytes().partition(b"\n")
    seal, content = (parsed(json_text, what, str(path)) for json_text in (head, text))
    version = content.get("format") if isinstance(content, dict) else None
    newer = newest is not None and isinstance(version, int) and version > newest
    if not newer and (seal != {"crc": zlib.crc32(text[:-1])} or not text.endswith(b"\n")):
        raise InputError(f"{what} is damaged: the checksum is wrong. Restore the file from a copy", str(path))
    if not isinstance(content, dict):
        raise InputError(f"not {what}", str(path))
    return content


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
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with replacing(target) as temporary, _compressing(temporary, Path(target).suffix) as stream:
            yield stream


def _compressing(path: Path, suffix: str) -> BinaryIO:
    if suffix == ".gz":
        return gzip.GzipFile(path, "wb", compresslevel=6, mtime=0)  # type: ignore[return-value]
    if suffix == ".xz":
        return lzma.open(path, "wb")  # type: ignore[return-value]
    if suffix == ".zst":
        return _zstd_open(str(path), "wb")
    return open(path, "wb")
