"""Text of any encoding as blocks of whole lines in UTF-8, for the reader of CSV.

Without a given encoding a file with a byte order mark is what the mark says, and one with a NUL in every second byte is
UTF-16. Otherwise the first line that is not ASCII decides: UTF-8 if it is valid UTF-8, else Windows-1252. A later line
that is not of that kind is an error, for the file then mixes encodings.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ...errors import InputError
from ...system.files import Rewindable
from ...system.sources import OpenSource, line_blocks, unpacked

_MARKS = {  # the longer one first
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
UTF8 = ("utf-8", "utf-8-sig")
_FALLBACK = "cp1252"
_NOT_ASCII = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_HEAD, _CHUNK = 4096, 1 << 18
_NAMED = 5  # lines of one encoding that a message names


class TextBlock(NamedTuple):
    """Whole lines in UTF-8; ``line`` is the number of the first, from 1."""

    data: bytes
    line: int
    raw_position: int


class DecodedText:
    """The lines of an opened source; ``encoding`` is None as long as they are ASCII."""

    def __init__(self, opened: OpenSource, encoding: str | None, size: int) -> None:
        self.name, self.size = opened.name, size
        again = Rewindable(opened.stream, opened.name)
        self.opened = opened._replace(stream=again)  # type: ignore[arg-type]
        head = next(unpacked(self.opened, _HEAD), b"")
        again.rewind()
        self.given = encoding is not None
        self.encoding = _codec(encoding) if encoding is not None else _marked(head)
        self.first_line = 0  # the line that decided
        if self.encoding is not None and self.encoding not in UTF8:
            self.opened = opened._replace(stream=_Transcoded(again, self.encoding, opened.name))  # type: ignore[arg-type]

    def blocks(self) -> Iterator[TextBlock]:
        """The blocks; each ends with a line break."""
        line = 1
        for block in line_blocks(self.opened, self.size):
            signs = block.data[: block.end]
            data = signs.tobytes()
            at = data.find(b"\0")
            if at >= 0:
                line += data.count(b"\n", 0, at)
                raise InputError("a NUL byte: this is not text", f"{self.name}, line {line}")
            yield TextBlock(data if data.isascii() else self._utf8(data, line), line, block.raw_position)
            line += int(np.count_nonzero(signs == ord("\n")))

    def _utf8(self, data: bytes, line: int) -> bytes:
        """A block that is not ASCII, in UTF-8."""
        if self.encoding != _FALLBACK or self.given:
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as error:
                if self.given:
                    self._refuse(f"not valid {self.encoding}", line + data.count(b"\n", 0, error.start))
            else:
                self.encoding = self.encoding or "utf-8"
                self.first_line = self.first_line or _first(data, line)
                return data
        self._check_kind(data, line)
        try:
            return data.decode(_FALLBACK).encode()
        except UnicodeDecodeError as error:
            says = f"the byte 0x{data[error.start]:02x} is neither UTF-8 nor {_FALLBACK}"
            self._refuse(f"{says}: say which encoding it is", line + data.count(b"\n", 0, error.start))

    def _check_kind(self, data: bytes, line: int) -> None:
        """Raise if the lines that are not ASCII are not all UTF-8, or all of one byte a character."""
        utf8, others = list[int](), list[int]()
        for number, fits in _kinds(data, line):
            (utf8 if fits else others).append(number)
        if self.encoding is not None:
            (others if self.encoding == _FALLBACK else utf8).insert(0, self.first_line)  # 0: the mark at the beginning
        else:
            self.first_line = min(utf8[:1] + others[:1])
            self.encoding = "utf-8" if self.first_line in utf8[:1] else _FALLBACK
        if utf8 and others:
            number, other = max(utf8[0], others[0]), min(utf8[0], others[0])
            says = "UTF-8" if number == utf8[0] else "not valid UTF-8"
            says += f", unlike line {other}" if other else ""
            raise InputError(
                f"{says}: the file mixes encodings. In UTF-8: {_lines(utf8)}; "
                f"in another: {_lines(others)}. Bring them to one encoding by hand", f"{self.name}, line {number}",
            )  # fmt: skip

    def _refuse(self, message: str, line: int) -> NoReturn:
        raise InputError(f"{message} (encoding=, --encoding)", f"{self.name}, line {line}") from None


def _kinds(data: bytes, line: int) -> Iterator[tuple[int, bool]]:
    """The numbers of lines that are not ASCII, and whether each is UTF-8."""
    at = 0
    for match in _NOT_ASCII.finditer(data):
        line += data.count(b"\n", at, match.start())
        at = match.start()
        try:
            match[0].decode("utf-8")
        except UnicodeDecodeError:
            yield line, False
        else:
            yield line, True


def _lines(numbers: list[int]) -> str:
    """Numbers of lines in words; of many the first ones."""
    some = [str(number) if number else "its mark" for number in numbers[:_NAMED]]
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(some)}{' …' if len(numbers) > _NAMED else ''}"


def _first(data: bytes, line: int) -> int:
    match = _NOT_ASCII.search(data)
    return line + data.count(b"\n", 0, match.start()) if match else line


def _codec(encoding: str) -> str:
    """The usual name of an encoding."""
    try:
        "a".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError, TypeError):
        raise InputError(f"there is no text encoding {encoding!r}: expected utf-8, utf-16, cp1252, …") from None


def _marked(head: bytes) -> str | None:
    """The encoding that the beginning of a file shows, None if it may be UTF-8 or of one byte a character."""
    mark = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if mark is not None or b"\0" not in head:
        return mark
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if even == 0 and 3 * odd > len(head) // 2:
        return "utf-16-le"
    return "utf-16-be" if odd == 0 and 3 * even > len(head) // 2 else None


class _Transcoded(io.RawIOBase):
    """A stream of some encoding, as UTF-8."""

    def __init__(self, stream: Any, encoding: str, name: str) -> None:
        self.stream, self.encoding, self.name = stream, encoding, name
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.rest, self.lines = b"", 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill ``target`` with what is decoded, or decode more."""
        at_end = False
        while not self.rest and not at_end:
            data = self.stream.read(_CHUNK)
            at_end = not data
            try:
                self.rest = self.decoder.decode(data, final=at_end).encode()
            except UnicodeError as error:
                raise InputError(f"not valid {self.encoding}", f"{self.name}, {self._place(error)}") from None
            self.lines += self.rest.count(b"\n")
        n = min(len(target), len(self.rest))
        target[:n], self.rest = self.rest[:n], self.rest[n:]
        return n

    def _place(self, error: UnicodeError) -> str:
        line = self.lines + 1
        if isinstance(error, UnicodeDecodeError):
            line += error.object[: error.start].decode(self.encoding, "ignore").count("\n")
        return f"line {line}"
