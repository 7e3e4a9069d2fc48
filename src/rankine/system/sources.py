"""Sources: opening files for reading, compressed or not, and cutting them into blocks, within :mod:`.limits`.

Files are read, never mapped: a file that another program cuts short while it is read is an error, not a signal.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple

try:  # twice as fast as zlib
    from isal import igzip
except ImportError:
    igzip = gzip

from ..errors import InputError
from .limits import FREE, LINE, SIZE, Meter, check_line, max_size, shown

if TYPE_CHECKING:
    import numpy as np  # imported where it is used: help texts need this module, and not NumPy

Source = str | os.PathLike | IO[bytes]
PADDING = 16  # readable bytes that follow a block: kernels look so far beyond its end, up to 9

_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
_MAGIC |= {b"BZh%d1A" % level: ".bz2" for level in range(1, 10)}
_BLOCK = 4 << 20
_LINES = 1 << 20  # bytes of a block of lines: it stays in the processor's cache
_PIECES_FROM = 4 << 20  # bytes of a file that is read by several threads
_WINDOW = 1 << 16
_NOT_EMPTY = re.compile(rb"[^\n]+")
_DEFLATED = 1032  # what a byte of gzip can unpack to, at most


def zstd_open(file: Any, mode: Any) -> Any:
    """Open a Zstandard file for reading or writing."""
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
    """Open a path, ``-`` (standard input) or a binary file object; .gz, .bz2, .xz and .zst are found by content."""
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
            state = os.fstat(raw.fileno())
            yield _decompressed(raw, str(path), state.st_size if stat.S_ISREG(state.st_mode) else None)


def _decompressed(peekable: Any, name: str, size: int | None) -> OpenSource:
    head = peekable.peek(6)[:6]
    compression = next((ext for magic, ext in _MAGIC.items() if head.startswith(magic)), "")
    if not compression:
        return OpenSource(_Metered(peekable, name, None), name, peekable, size)  # type: ignore[arg-type]
    packed = _Counted(peekable)
    stream: Any
    if compression == ".gz":
        stream = igzip.GzipFile(fileobj=packed)
    elif compression == ".xz":
        stream = lzma.LZMAFile(packed)  # type: ignore[arg-type]
    elif compression == ".bz2":
        stream = bz2.BZ2File(packed)  # type: ignore[call-overload]
    else:
        stream = zstd_open(packed, "rb")
    return OpenSource(_Metered(stream, name, packed), name, peekable, size)  # type: ignore[arg-type]


class _Counted:
    """A file object that counts what is read from it."""

    mode = "rb"

    def __init__(self, file: Any) -> None:
        self.file, self.count = file, 0

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.count += len(data)
        return data

    def readinto(self, target: Any) -> int:
        n = self.file.readinto(target)
        self.count += n
        return n

    def seekable(self) -> bool:
        return False


class _Metered(io.RawIOBase):
    """A stream whose unpacked bytes are counted against the limits; ``packed`` is what it is unpacked from."""

    def __init__(self, stream: Any, name: str, packed: _Counted | None) -> None:
        self.stream, self.packed, self.meter = stream, packed, Meter(name)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size)
        self.meter.add(len(data), None if self.packed is None else self.packed.count)
        return data

    def readinto(self, target: Any) -> int:
        n = self.stream.readinto(target) or 0
        self.meter.add(n, None if self.packed is None else self.packed.count)
        return n


class Block(NamedTuple):
    """Whole lines: ``data[:end]`` ends with a newline; at least ``PADDING`` readable bytes follow."""

    data: np.ndarray
    end: int
    raw_position: int

    def load(self) -> Block:
        """Itself: it is loaded already."""
        return self


class FilePiece(NamedTuple):
    """Whole lines of a plain file that nobody has read yet: its bytes from ``start`` to ``end``."""

    opened: OpenSource
    buffers: _Buffers
    start: int
    end: int

    def load(self) -> Block:
        """Read them; several threads may load pieces of a file at the same time."""
        length = self.end - self.start
        room = -(-(length + 1 + PADDING) // _LINES) * _LINES  # of few different lengths, so that it is used again
        data = self.buffers.take(room)[: length + 1 + PADDING]
        if _read_at(self.opened, memoryview(data.data)[:length], self.start) < length:
            raise InputError(f"the file became shorter than {self.end} bytes while it was read", self.opened.name)
        bom = 3 if self.start == 0 and data[:3].tobytes() == b"\xef\xbb\xbf" else 0
        end = _finish(data, length)
        data[end : end + PADDING] = 0
        return Block(data[bom:], end - bom, self.end)


def line_pieces(opened: OpenSource, size: int = _LINES) -> Iterator[Block | FilePiece]:
    """Like :func:`line_blocks`, but large plain files are only cut here, and read where ``load`` is called.

    A file is read as far as it went when it was opened.
    """
    plain = opened.size is not None and getattr(opened.stream, "packed", None) is None and hasattr(os, "preadv")
    if not plain or opened.size is None or opened.size < _PIECES_FROM:
        yield from line_blocks(opened, size)
        return
    buffers, start, window = _Buffers(), 0, bytearray(_WINDOW)
    while start < opened.size:
        end = min(start + size, opened.size)
        while end < opened.size:
            first = max(end - _WINDOW, start)
            n = _read_at(opened, memoryview(window)[: end - first], first)
            newline = window.rfind(b"\n", 0, n)
            if newline >= 0:
                end = first + newline + 1
                break
            check_line(end - start, f"{opened.name}, near byte {end}")
            end = min(end + _WINDOW, opened.size)
        opened.stream.meter.add(end - start, None)  # type: ignore[attr-defined]
        yield FilePiece(opened, buffers, start, end)
        start = end


def _read_at(opened: OpenSource, target: memoryview, start: int) -> int:
    """Fill ``target`` from this place of a plain file as far as the file goes; how many bytes were read."""
    done = 0
    while done < len(target):
        n = os.preadv(opened.raw.fileno(), [target[done:]], start + done)
        if not n:
            break
        done += n
    return done


def line_blocks(opened: OpenSource, size: int = _LINES) -> Iterator[Block]:
    """Cut a stream into blocks of whole lines; a line longer than a block makes its block grow. A BOM is skipped.

    >>> opened = OpenSource(io.BytesIO(b"a\\nb"), "x", io.BytesIO(), None)
    >>> [bytes(b.data[: b.end]) for b in line_blocks(opened, size=3)]
    [b'a\\n', b'b\\n']
    """
    for number, block in enumerate(_read_blocks(opened, size)):
        bom = 3 if number == 0 and block.data[:3].tobytes() == b"\xef\xbb\xbf" else 0
        if block.end > bom:
            yield Block(block.data[bom:], block.end - bom, block.raw_position)


def _read_blocks(opened: OpenSource, size: int) -> Iterator[Block]:
    """Blocks of a stream, each in memory of its own, for several threads may work on them."""
    import numpy as np

    carry, buffers = np.empty(0, np.uint8), _Buffers()
    at_end = False
    while not at_end:
        if len(carry) >= size:  # it has no line break
            check_line(len(carry), _place(opened))
        data = buffers.take(min(max(size, 2 * len(carry)), max(size, LINE + 1)) + 1 + PADDING)
        data[: len(carry)] = carry
        capacity = len(data) - 1 - PADDING
        filled = len(carry) + _fill(opened, data[len(carry) : capacity])
        at_end = filled < capacity
        end = filled if at_end else _last_newline(data, filled, len(carry))
        carry = data[end:filled].copy()
        if at_end:
            end = _finish(data, filled)
        data[end : end + PADDING] = 0
        if end:
            yield Block(data, end, opened.position())


class _Buffers:
    """Memory for blocks. A block whose memory nobody refers to any more is used again: fresh pages cost time."""

    def __init__(self) -> None:
        self.buffers: list[np.ndarray] = []
        self.lock = threading.Lock()

    def take(self, length: int) -> np.ndarray:
        """Memory of this length that nobody else uses."""
        import numpy as np

        with self.lock:
            for i in range(len(self.buffers)):
                # two references: the list's, and this one
                if len(self.buffers[i]) == length and sys.getrefcount(self.buffers[i]) == 2:
                    return self.buffers[i]
            buffer = np.empty(length, np.uint8)
            if len(self.buffers) < 16 and length < 2 * _BLOCK:
                self.buffers.append(buffer)
            return buffer


def _finish(data: np.ndarray, filled: int) -> int:
    """Add the newline that the last line lacks; where the text then ends."""
    if filled and data[filled - 1] != 10:
        data[filled] = 10
        return filled + 1
    return filled


def _last_newline(data: np.ndarray, filled: int, first: int) -> int:
    """Position after the last newline at ``first`` or behind it, 0 if there is none."""
    for width in (1 << 16, filled):
        start = max(filled - width, first)
        newline = data[start:filled].tobytes().rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
    return 0


def _place(opened: OpenSource) -> str:
    """The name of a source, and how far it was read."""
    return opened.name + (f", near byte {opened.position()}" if opened.size is not None else "")


@contextmanager
def _damage_reported(opened: OpenSource) -> Iterator[None]:
    """Errors of decompression, as bad input."""
    try:
        yield
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"compressed data is truncated or damaged ({error})", _place(opened)) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise InputError(f"compressed data is truncated or damaged ({error})", _place(opened)) from None  # bz2
    except MemoryError:
        raise InputError("it needs more memory than there is", _place(opened)) from None
    except Exception as error:
        if type(error).__name__ not in ("ZstdError", "IsalError"):
            raise
        raise InputError(f"compressed data is truncated or damaged ({error})", _place(opened)) from None


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
    most = max_size(whole=True)
    gzipped = isinstance(getattr(opened.stream, "stream", None), igzip.GzipFile)
    if gzipped and opened.size is not None and opened.size * _DEFLATED <= min(most, FREE):
        with _damage_reported(opened):
            return igzip.decompress(opened.raw.read(opened.size))
    blocks, length = [], 0
    for block in unpacked(opened):
        blocks.append(block)
        length += len(block)
        if length > most:
            raise InputError(f"more than {shown(most)}, the most that is read whole (--max-size, {SIZE})", opened.name)
    return b"".join(blocks)


def read_whole(path: str | os.PathLike) -> bytes:
    """The content of a file that is read whole."""
    with open_source(path) as opened:
        return unpacked_whole(opened)


def text_lines(source: Source) -> Iterator[tuple[int, str]]:
    """(number from 1, line without its end) of a file of UTF-8 text that people write; empty lines are left out.

    >>> list(text_lines(io.BytesIO(b"a\\r\\nb")))
    [(1, 'a'), (2, 'b')]
    """
    number = 1
    with open_source(source) as opened:
        for block in line_blocks(opened):
            data, at = block.data[: block.end].tobytes(), 0
            for match in _NOT_EMPTY.finditer(data):
                number, at = number + data.count(b"\n", at, match.start()), match.start()
                try:
                    yield number, match[0].decode("utf-8").rstrip("\r")
                except UnicodeDecodeError:
                    raise InputError("the line is not valid UTF-8", f"{opened.name}, line {number}") from None
            number += data.count(b"\n", at)
