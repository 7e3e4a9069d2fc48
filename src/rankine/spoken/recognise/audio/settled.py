"""Files that are still being written: a recorder or a copy is not done with them yet.

A file is looked at twice, a moment apart: if its size or its time has changed, it is being written. It is also taken
for that if it was changed lately and its head states more than there is. One that has not been changed for long is
damaged rather, and whoever reads it says so.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

MOMENT = 0.2  # seconds between two looks
_RECENT = 10.0  # seconds; a file that rests longer is not looked at twice
_UNFINISHED = 600.0  # seconds after which a file that is too short is damaged, not unfinished
_KINDS = (b"WAVE", b"AVI ", b"AIFF", b"AIFC")
_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
_MOST_BOXES = 10_000
_EBML, _SEGMENT = bytes.fromhex("1a45dfa3"), bytes.fromhex("18538067")


def unsettled(paths: Iterable[str | os.PathLike], moment: float = MOMENT) -> dict[Path, str]:
    """The files of these that are still being written, each with a sentence that says why; there is one pause for all.

    >>> unsettled([])
    {}
    """
    before = {path: state for path in map(Path, paths) if (state := _state(path)) is not None}
    now = time.time()
    fresh = {path: state for path, state in before.items() if abs(now - state[1] / 1e9) < _RECENT}
    if fresh:
        time.sleep(moment)
    out = {}
    for path, (size, changed) in before.items():
        if path in fresh and _state(path) != (size, changed):
            out[path] = f"{path}: still being written; it is taken next time"
        elif abs(now - changed / 1e9) < _UNFINISHED and (stated := stated_size(path)) > size:
            what = f"its head states at least {stated:,} bytes, and there are {size:,}"
            out[path] = f"{path}: still being written ({what}); it is taken next time"
    return out


def settled(path: str | os.PathLike, moment: float = MOMENT) -> bool:
    """Whether a file is complete, as far as one can see."""
    return not unsettled([path], moment)


def _state(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


def stated_size(path: Path) -> int:
    """How many bytes a file has at least, as its head states; 0 if the head does not tell."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(64)
            if head[:4] in (b"RIFF", b"FORM") and head[8:12] in _KINDS:
                (stated,) = struct.unpack("<I" if head[:4] == b"RIFF" else ">I", head[4:8])
                return 0 if stated in (0, 0xFFFFFFFF) else stated + 8  # a stream has no length
            if head[4:8] in _BOXES:
                return _boxes(file, size)
            if head[:4] == _EBML:
                return _segment(head)
    except OSError:
        return 0
    return 0


def _boxes(file: BinaryIO, size: int) -> int:
    """Where the boxes of an MP4 file end; behind its end if the one that lists its sound is not there yet."""
    at, listed = 0, False
    for _ in range(_MOST_BOXES):
        if at + 8 > size:
            break
        file.seek(at)
        head = file.read(16)
        (length,), name = struct.unpack(">I", head[:4]), head[4:8]
        if length == 1 and len(head) == 16:
            (length,) = struct.unpack(">Q", head[8:])
        listed |= name == b"moov"
        if length == 0:  # to the end
            at = size
            break
        if length < 8:
            return 0
        at += length
    return at if listed or at > size else size + 1


def _segment(head: bytes) -> int:
    """Where the segment of a Matroska file ends."""
    at = 4
    length, width = _number(head[at:])
    at += width + length
    if head[at : at + 4] != _SEGMENT:
        return 0
    length, width = _number(head[at + 4 :])
    return at + 4 + width + length if length else 0


def _number(data: bytes) -> tuple[int, int]:
    """A number of EBML and how many bytes it takes; 0 if it is not known.

    >>> _number(b"\\x81"), _number(b"\\x40\\x02"), _number(b"\\xff")
    ((1, 1), (2, 2), (0, 1))
    """
    if not data or not data[0]:
        return 0, 1
    width = 9 - data[0].bit_length()
    value = int.from_bytes(data[:width], "big") & ((1 << (7 * width)) - 1)
    return (0 if value == (1 << (7 * width)) - 1 else value), width
