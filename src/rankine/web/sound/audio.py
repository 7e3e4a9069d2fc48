"""Audio of recordings: found by the recording's name below the roots that the user named, and sent as browsers play it.

A file that browsers play is sent as it is. Any other is sent as WAV, decoded while it is sent, from any byte on; so are
the files of a recording that has several, one after the other.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from ...errors import InputError
from ...spoken.metadata.rights import OPEN
from ...spoken.recognise.audio.audio import as_16_bits
from ...spoken.recognise.roots import split_root
from ...system.files import fingerprint
from ..answers import ApiError
from ..live import ArchiveState
from .joined import open_files
from .timeline import TimedFile, timeline

CHUNK = 1 << 16  # bytes that are sent at once
WAV_HEAD = 44  # bytes
WAV = "audio/wav"
_MOST_CLIP = 3600.0  # seconds
_PLAYED = {  # by how a file begins, as browsers tell it too
    "audio/flac": lambda head: head[:4] == b"fLaC",
    "audio/ogg": lambda head: head[:4] == b"OggS",
    "audio/mpeg": lambda head: head[:3] == b"ID3" or (len(head) > 1 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2),
    "audio/mp4": lambda head: head[4:8] == b"ftyp" and head[8:11] in (b"M4A", b"M4B", b"mp4", b"iso", b"MSN"),
    "audio/webm": lambda head: head[:4] == b"\x1a\x45\xdf\xa3" and b"webm" in head,
    WAV: lambda head: head[:4] == b"RIFF" and head[8:16] == b"WAVEfmt " and head[20:22] in (b"\x01\0", b"\x03\0"),
}


class RecordingAudio(NamedTuple):
    """The audio of a recording: ``ok`` with its files, else ``missing``, ``none`` or ``closed`` with a reason.

    It is ``ok`` where one of several files is there; the message names those that are not.
    """

    state: str
    message: str = ""
    files: Sequence[TimedFile] = ()


def audio_state(state: ArchiveState, recording: str) -> RecordingAudio:
    """The audio of a recording that is not closed (an ApiError else)."""
    index = state.archive.index
    if state.descriptions.get(recording).rights != OPEN:
        return RecordingAudio("closed", "this recording is given on request: ask whoever keeps the archive")
    files = timeline(index, recording)
    if not files:
        return RecordingAudio("none", "the archive holds what was said, but names no audio file of this recording")
    gone = [file_name(file) for file in files if file.path is None]
    if len(gone) < len(files):
        said = f"{len(gone)} of {len(files)} audio files cannot be read here: {', '.join(gone)}" if gone else ""
        return RecordingAudio("ok", said, files)
    return RecordingAudio("missing", f"the audio file was expected as {' and '.join(gone)}, and is not there")


def file_name(file: TimedFile) -> str:
    """The name of an audio file without the folders of this machine."""
    return file.stored if split_root(file.stored)[0] else Path(file.stored).name


def audio_files(state: ArchiveState, recording: str) -> Sequence[TimedFile]:
    """The audio files of a recording; an ApiError that says why there is none."""
    audio = audio_state(state, recording)
    if audio.state != "ok":
        status = 403 if audio.state == "closed" else 404
        raise ApiError(status, f"audio-{audio.state}", audio.message)
    return audio.files


class SentAudio(Protocol):
    """Bytes that are sent: how many, of what type, a mark of their content, and a part of them in chunks."""

    size: int
    type: str
    mark: str

    def chunks(self, begin: int, end: int) -> Iterator[bytes]:
        """The bytes from one number to another."""

    def close(self) -> None:
        """Let go of the file."""


def open_content(files: Sequence[TimedFile]) -> SentAudio:
    """The audio of a recording as browsers play it."""
    path = files[0].path
    if len(files) > 1 or path is None:
        return DecodedContent(files)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        raise ApiError(404, "audio-missing", "the audio file cannot be opened") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ApiError(404, "audio-missing", "the audio file is not there")
    head = os.pread(handle, 64, 0)
    kind = next((kind for kind, begins in _PLAYED.items() if begins(head)), None)
    if kind is not None:
        return PlainContent(handle, kind)
    os.close(handle)
    return DecodedContent(files)


def _mark(*values: object) -> str:
    return f'"{fingerprint(repr(values), size=8)}"'


class PlainContent:
    """A file as it is."""

    def __init__(self, handle: int, kind: str) -> None:
        state = os.fstat(handle)
        self.handle, self.size, self.type = handle, state.st_size, kind
        self.mark = _mark(state.st_ino, state.st_size, state.st_mtime_ns)

    def chunks(self, begin: int, end: int) -> Iterator[bytes]:
        """The bytes from one number to another; fewer where the file has become shorter."""
        while begin < end and (data := os.pread(self.handle, min(CHUNK, end - begin), begin)):
            yield data
            begin += len(data)

    def close(self) -> None:
        """Close the file."""
        os.close(self.handle)


class DecodedContent:
    """A recording as WAV with 16 bits, decoded while it is sent; or the samples from ``first`` to ``last`` of it."""

    def __init__(self, files: Sequence[TimedFile], start: float = 0.0, end: float | None = None) -> None:
        self._open = ExitStack()
        try:
            self.audio = self._open.enter_context(open_files(files))
            states = [file.path.stat() for file in files if file.path is not None]
        except (InputError, OSError):
            self._open.close()
            raise ApiError(415, "audio-unreadable", "the audio file cannot be decoded on this machine") from None
        self.first = round(start * self.audio.rate)
        self.last = self.audio.frames if end is None else min(round(end * self.audio.rate), self.audio.frames)
        if self.first >= self.last:
            self._open.close()
            length = self.audio.frames / self.audio.rate
            raise ApiError(416, "bad-range", f"this is not within the {length:.1f} seconds of the recording")
        self.width = 2 * self.audio.channels
        self.size, self.type = WAV_HEAD + (self.last - self.first) * self.width, WAV
        stamps = [(state.st_ino, state.st_size, state.st_mtime_ns) for state in states]
        self.mark = _mark(stamps, self.first, self.last)

    @property
    def head(self) -> bytes:
        """The head of the WAV; one of more than four gigabytes states the largest size that it can."""
        data = min(self.size - WAV_HEAD, 0xFFFFFFFF - 36)
        rate, channels = self.audio.rate, self.audio.channels
        form = struct.pack("<HHIIHH", 1, channels, rate, rate * self.width, self.width, 16)
        return b"RIFF" + struct.pack("<I", data + 36) + b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + (
            struct.pack("<I", data)
        )  # fmt: skip

    def chunks(self, begin: int, end: int) -> Iterator[bytes]:
        """The bytes from one number to another; samples that cannot be decoded are silence, so that all are sent."""
        if begin < WAV_HEAD:
            yield self.head[begin:end]
            begin = WAV_HEAD
        skip = (begin - WAV_HEAD) % self.width
        at, left = self.first + (begin - WAV_HEAD) // self.width, end - begin
        for block in self._blocks(at) if left > 0 else ():
            data = as_16_bits(block).tobytes()[skip : skip + left]
            skip = 0
            left -= len(data)
            yield from (data[i : i + CHUNK] for i in range(0, len(data), CHUNK))
            if left <= 0:
                return
        while left > 0:
            yield bytes(min(left, CHUNK))
            left -= min(left, CHUNK)

    def _blocks(self, first: int) -> Iterator[np.ndarray]:
        try:
            yield from self.audio.blocks(first)
        except (InputError, OSError):  # damaged further on
            return

    def close(self) -> None:
        """Close the file."""
        self._open.close()


def open_clip(files: Sequence[TimedFile], start: float, end: float) -> DecodedContent:
    """The samples between two times, as WAV."""
    if not start < end <= start + _MOST_CLIP:
        raise ApiError(
            400, "bad-parameter", f"expected an end behind the start, by at most {_MOST_CLIP:g} seconds; got "
            f"{start:g} to {end:g}",
        )  # fmt: skip
    return DecodedContent(files, start, end)
