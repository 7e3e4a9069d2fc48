"""Readers of audio: one row for each library or program that decodes recordings.

A reader opens a file and gives its samples in blocks, from any sample on. The memory that it needs does not grow with
the length of the recording. The first reader of the table that has the ending and is installed is used; if it cannot
read a file, the next one tries.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ....errors import InputError, install, needs
from . import media

BLOCK = 1 << 16
SOUND = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".aif", ".aiff", ".au", ".w64", ".caf")
MEDIA = (
    ".m4a", ".m4b", ".aac", ".wma", ".amr", ".3gp", ".mka", ".ac3",
    ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".wmv", ".mpg", ".mpeg", ".flv",
)  # fmt: skip
INSTALL = f"install ffmpeg, or {install('media')} (PyAV, whose wheels bundle x264 and x265 under the GPL)"


class OpenAudio(Protocol):
    """A recording that is open: samples per second, channels, and its length in samples as far as its head tells."""

    rate: int
    channels: int
    frames: int

    def blocks(self, first: int = 0) -> Iterator[np.ndarray]:
        """Samples from the ``first`` on, as float32 arrays with a column for each channel."""


class AudioReader(NamedTuple):
    """A reader: the endings of its files, whether it is installed, and what opens a file."""

    endings: tuple[str, ...]
    ready: Callable[[], bool]
    open: Callable[[Path], Any]  # a context manager that yields an OpenAudio


class _SoundFile:
    """A file that libsndfile reads."""

    def __init__(self, file: Any, path: Path) -> None:
        self.file, self.path = file, path
        self.rate, self.channels, self.frames = int(file.samplerate), int(file.channels), int(file.frames)

    def blocks(self, first: int = 0) -> Iterator[np.ndarray]:
        soundfile = needs("soundfile", "spoken")
        try:
            if first:
                self.file.seek(first)
            while len(block := self.file.read(BLOCK, dtype="float32", always_2d=True)):
                yield block
        except (soundfile.LibsndfileError, RuntimeError):
            raise InputError("cannot be read to its end: it is damaged or cut off", str(self.path)) from None


@contextmanager
def _open_sound(path: Path) -> Iterator[OpenAudio]:
    soundfile = needs("soundfile", "spoken")
    try:
        file = soundfile.SoundFile(path)
    except (soundfile.LibsndfileError, RuntimeError):
        raise media.unreadable(path) from None
    with file:
        yield _SoundFile(file, path)


TABLE = {
    "soundfile": AudioReader(SOUND, lambda: find_spec("soundfile") is not None, _open_sound),
    "ffmpeg": AudioReader(SOUND + MEDIA, lambda: media.ffmpeg() is not None, media.open_ffmpeg),
    "PyAV": AudioReader(SOUND + MEDIA, lambda: find_spec("av") is not None, media.open_av),
}


def endings() -> tuple[str, ...]:
    """The endings of files that can be read here; those of libsndfile always, so that a missing package is an error."""
    return SOUND + (MEDIA if TABLE["PyAV"].ready() or TABLE["ffmpeg"].ready() else ())


@contextmanager
def open_audio(path: str | os.PathLike) -> Iterator[OpenAudio]:
    """A recording, opened by the first reader that can; an InputError says what is missing, or what the first said."""
    place, ending = Path(path), Path(path).suffix.lower()
    if not place.exists():
        raise FileNotFoundError(2, "there is no such file", str(path))
    with open(place, "rb") as file:  # raises where it may not be read
        if not file.read(1):
            raise InputError("cannot be read as audio: the file is empty", str(path))
    suited = [row for row in TABLE.values() if ending in row.endings or ending not in SOUND + MEDIA]
    ready = [row for row in suited if row.ready()]
    if not ready:
        if ending in MEDIA:
            raise InputError(f"{ending} needs ffmpeg or PyAV to be read: {INSTALL}", str(path))
        needs("soundfile", "spoken")
    first: InputError | None = None
    for row in ready:
        opening = row.open(place)
        try:
            audio = opening.__enter__()
        except InputError as error:
            first = first or error
            continue
        with _closing(opening):
            yield audio
        return
    raise first or media.unreadable(place)


@contextmanager
def _closing(opening: Any) -> Iterator[None]:
    """Leave a context that was entered before."""
    try:
        yield
    finally:
        opening.__exit__(None, None, None)
