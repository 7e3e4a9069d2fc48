"""What the readers share: how words are read, pieces of archives, numbers that may be wrong."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ....errors import InputError, shorten
from ....files import open_source, unpacked, unpacked_whole
from ..lattice import Lattice

_EPSILON = frozenset(["!NULL", "<eps>", "<epsilon>", "*DELETE*", "-", ""])  # what formats write for "no word"
NOTHING = frozenset(
    ["!SENT_START", "!SENT_END", "!ENTER", "!EXIT", "<s>", "</s>", "<sil>", "<SIL>", "SIL", "sil", "!SIL", "[NOISE]",
     "[SPEECH]", "++NOISE++", "<NOISE>", "<SPOKEN_NOISE>"]
)  # fmt: skip
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_PACKED = (".gz", ".xz", ".zst")
_VARIANT = re.compile(r"^(.+)\(\d+\)$")


@dataclass(frozen=True)
class Reading:
    """How a source is read.

    Args:
        words: ``words.txt`` of a Kaldi archive (a word and its number on each line); without it units are the numbers.
        frame: seconds per frame of Kaldi's alignments, 0.03 where the model subsamples.
        nothing: words that say nothing (fillers, silence, sentence marks): their arcs take no position. None: the
            usual ones. What a format writes for "no word" says nothing in any case.
        variants: keep pronunciation variants such as ``to(2)`` apart.
        lower: turn words to lower case. None: only for the JSON of recognisers that write whole sentences.
    """

    words: str | None = None
    frame: float = 0.01
    nothing: Collection[str] | None = None
    variants: bool = False
    lower: bool | None = None

    def meaning(self, text: str, lower: bool = False, more: Collection[str] = ()) -> str | None:
        """The word as it is indexed, or None where it says nothing.

        >>> Reading().meaning("to(2)"), Reading().meaning("<sil>")
        ('to', None)
        """
        silent: Collection[str] = NOTHING if self.nothing is None else self.nothing
        if text in silent or text in _EPSILON or text in more:
            return None
        if not self.variants and text.endswith(")") and (match := _VARIANT.match(text)):
            text = match[1]
        if text in silent:
            return None
        return text.lower() if (lower if self.lower is None else self.lower) else text


_SEEN: dict[tuple[Any, ...], dict[bytes, str | None]] = {}


def seen(reading: Reading) -> dict[bytes, str | None]:
    """Words met so far and what they mean, kept for the next utterance that is read in the same way."""
    nothing = None if reading.nothing is None else frozenset(reading.nothing)
    return _SEEN.setdefault((nothing, reading.variants, reading.lower), {})


class Piece(NamedTuple):
    """One utterance of a source, not yet parsed: ``data`` is None where it is the whole file ``path``.

    ``line`` is where its text begins in the file, ``byte`` where its binary data do (−1: it is text).
    """

    name: str
    format: str
    path: str
    data: bytes | None = None
    line: int = 1
    byte: int = -1

    @property
    def where(self) -> str:
        """What errors call it."""
        if self.data is None:
            return self.path
        return f"{self.path}, {self.name}" + (f", byte {self.byte}" if self.byte >= 0 else "")

    def content(self) -> bytes:
        """Its bytes, decompressed."""
        return read_bytes(self.path) if self.data is None else self.data

    def lines(self) -> Iterator[tuple[str, str]]:
        """(where, line) of its text, without empty ones."""
        for number, line in enumerate(decoded(self.content(), self.where, self.line).split("\n"), self.line):
            if line := line.strip(" \t\r\f\v"):
                yield f"{self.where}, line {number}", line


class Format(NamedTuple):
    """A row of the table of formats."""

    name: str
    endings: tuple[str, ...]
    explanation: str
    parse: Callable[[Piece, Reading], Lattice]
    split: Callable[[str], Iterator[Piece]] | None = None  # None: a file holds one utterance


def ending(path: str | os.PathLike) -> str:
    """The ending that tells a format, in lower case: without that of packed files."""
    suffixes = Path(path).suffixes
    while suffixes and suffixes[-1].lower() in _PACKED:
        suffixes.pop()
    return suffixes[-1].lower() if suffixes else ""


def stem(path: str | os.PathLike) -> str:
    """The name of an utterance's own file, without endings.

    >>> stem("x/LJ.001.slf.gz")
    'LJ.001'
    """
    name = os.fsencode(Path(path).name).decode("utf-8", "replace")
    for known in (*_PACKED, ending(path)):
        name = name[: -len(known)] if known and name.lower().endswith(known) else name
    return name


def columns(line: str) -> list[str]:
    """The columns of a line: blanks of ASCII only, a word may hold others."""
    return [c for c in _BLANKS.split(line) if c]


def read_bytes(path: str | os.PathLike) -> bytes:
    """A whole file, decompressed."""
    with open_source(path) as opened:
        return unpacked_whole(opened)


def read_blocks(path: str | os.PathLike) -> Iterator[bytes]:
    """A file piece by piece, decompressed."""
    with open_source(path) as opened:
        yield from unpacked(opened)


def read_lines(path: str | os.PathLike) -> Iterator[tuple[int, bytes]]:
    """(number from 1, line with its end) of a file, streamed."""
    rest, number = b"", 0
    for block in read_blocks(path):
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            number += 1
            yield number, line + b"\n"
    if rest:
        yield number + 1, rest


def decoded(data: bytes, where: str, first_line: int = 1) -> str:
    """Text of UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        raise InputError(f"{data[error.start : error.start + 4]!r} is not UTF-8", f"{where}, line {line}") from None


def number(text: str, where: str) -> float:
    """A number that is not NaN."""
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"expected a number, got {shorten(text)}", where) from None
    if math.isnan(value):
        raise InputError("expected a number, got NaN", where)
    return value


def whole(text: str, where: str, what: str = "a whole number", most: int = 10**8) -> int:
    """A number of a node or a count."""
    digits = text.lstrip("0") or text[:1]
    if not (text.isascii() and text.isdigit()) or len(digits) > 18 or int(digits) > most:
        raise InputError(f"expected {what}, got {shorten(text)}", where)
    return int(digits)


@lru_cache(maxsize=4)
def _word_list(path: str, changed: int) -> dict[int, str]:
    out: dict[int, str] = {}
    for place, line in Piece("", "", path).lines():
        parts = columns(line)
        if len(parts) != 2:
            raise InputError(f"expected a word and its number, got {shorten(line)}", place)
        at = whole(parts[1], place, "the number of a word", 2**31)
        if at in out:
            raise InputError(f"the number {at} stands for {shorten(out[at])} and for {shorten(parts[0])}", place)
        out[at] = parts[0]
    if not out:
        raise InputError("no words", path)
    return out


def word_list(path: str | os.PathLike | None) -> dict[int, str]:
    """Number → word of a ``words.txt``; kept for the next utterance."""
    return {} if path is None else _word_list(str(path), os.stat(path).st_mtime_ns)


def split_at(path: str, format: str, begins: Callable[[bytes], str | None]) -> Iterator[Piece]:
    """Pieces of a text file: each begins with a line for which ``begins`` gives the utterance's name."""
    name: Any = None
    first, lines = 1, list[bytes]()
    for at, line in read_lines(path):
        found = begins(line)
        if found is not None:
            if name is not None:
                yield Piece(name, format, path, b"".join(lines), first)
            name, first, lines = found, at, []
        if name is None:
            if line.strip():
                raise InputError(
                    f"expected the name of an utterance, got {shorten(repr(line[:40]))}", f"{path}, line {at}"
                )
            continue
        lines.append(line)
    if name is not None:
        yield Piece(name, format, path, b"".join(lines), first)
