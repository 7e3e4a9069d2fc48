"""Sound of media files, also of video: decoded by an installed ``ffmpeg``, or by PyAV (FFmpeg's libraries).

A sample's number is its time: sample n is heard n / rate seconds after the beginning of the file. Where the sound
begins later than the picture, or a part of it is missing, there is silence. Only files are opened, never addresses,
and only containers of this table, none of which names other files to be read.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from ....errors import InputError, needs

_FORMATS = "mov,matroska,avi,asf,aac,mp3,ogg,amr,wav,flac,caf,aiff,au,w64,mpeg,mpegts,flv,ac3"
_SAFE = {"protocol_whitelist": "file,pipe", "format_whitelist": _FORMATS}
_STATED = ("mov", "matroska", "avi", "asf", "flv")  # containers whose heads state the length
_GUESSED = ("aac", "amr", "mp3", "ac3", "mpeg", "mpegts")  # their length is not stored, and counted by decoding
_INDEXED = ("mov", "matroska")  # a place in them is reached without decoding all that is before it
_BLOCK = 1 << 16
_JITTER = 0.05  # seconds by which time stamps may differ from the number of samples
_LONGEST_GAP = 6 * 3600.0
_SHORTER = 0.5  # seconds that a recording may be shorter than its head says
_ROLL = 1.0  # seconds decoded before a place, so that the decoder has settled
_DURATION = re.compile(r"Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)")
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)")


def unreadable(path: Path) -> InputError:
    """The error for a file in which no reader finds sound."""
    return InputError("cannot be read as audio: the file holds something else, or is damaged", str(path))


# -- PyAV


@contextmanager
def open_av(path: Path) -> Iterator[_AvSound]:
    """The first track of sound of a file."""
    av = needs("av", "media")
    try:
        container = av.open(f"file:{path.resolve()}", options=_SAFE, metadata_errors="replace")
    except (av.FFmpegError, ValueError):
        raise unreadable(path) from None
    with container:
        if not container.streams.audio:
            raise InputError("cannot be read as audio: it holds no sound", str(path))
        if container.streams.audio[0].codec_context is None:
            raise InputError("cannot be read as audio: its sound is in an unknown coding", str(path))
        try:
            sound = _AvSound(container, path)
        except InputError:
            raise
        except (av.FFmpegError, ValueError, TypeError):
            raise unreadable(path) from None
        yield sound


class _AvSound:
    """The first track of sound of an open container."""

    def __init__(self, container: Any, path: Path) -> None:
        self.container, self.path, self.stream = container, path, container.streams.audio[0]
        self.rate, self.channels = int(self.stream.rate or 0), int(self.stream.channels or 0)
        if not (0 < self.rate <= 1_000_000 and 0 < self.channels <= 64):
            raise InputError("cannot be read as audio: its head states no rate or no channels", str(path))
        self.form = container.format.name.split(",")[0]
        self.origin = max(container.start_time or 0, 0) / 1e6  # seconds
        self.stated = self._stated()
        self.frames = round(self.rate * self.stated) if self.stated else self._count()

    def _stated(self) -> float:
        """The length in seconds that the head states, 0 if it does not."""
        stream, container = self.stream, self.container
        if self.form in _GUESSED:
            return 0.0
        if stream.duration and stream.time_base:
            late = float((stream.start_time or 0) * stream.time_base) - self.origin
            return float(stream.duration * stream.time_base) + max(late, 0.0)
        clock = _CLOCK.fullmatch(stream.metadata.get("DURATION", "").strip())
        if clock:
            return seconds_of(clock)
        return 0.0 if container.streams.video else (container.duration or 0) / 1e6

    def _count(self) -> int:
        """The length by decoding all of it: the head states none."""
        total = sum(len(block) for block in self.blocks())
        self.container.seek(0)
        return total

    def blocks(self, first: int = 0) -> Iterator[np.ndarray]:
        """Samples from the ``first`` on, as float32 arrays with a column for each channel."""
        collected: list[np.ndarray] = []
        size, skip = 0, first
        for at, samples in self._pieces(first):
            piece = samples[max(skip - at, 0) :]
            collected.append(piece)
            size += len(piece)
            if size >= _BLOCK:
                yield np.concatenate(collected)
                collected, size = [], 0
        if size:
            yield np.concatenate(collected)

    def _pieces(self, first: int) -> Iterator[tuple[int, np.ndarray]]:
        """Pieces of sound with the numbers of their first samples, without gaps."""
        av = needs("av", "media")
        at = self._seek(first)
        tolerance = 0 if at == 0 else round(_JITTER * self.rate)  # the first sample is where its time stamp says
        try:
            for start, samples in self._decoded():
                at = start if at is None else at
                missing = start - at
                if missing > _LONGEST_GAP * self.rate:
                    raise InputError(f"cannot be read to its end: a gap of {missing / self.rate:.0f} s", str(self.path))
                while missing > tolerance:
                    silence = np.zeros((min(missing, _BLOCK), self.channels), np.float32)
                    yield at, silence
                    at, missing = at + len(silence), missing - len(silence)
                if missing < -tolerance:
                    samples = samples[-missing:]
                tolerance = round(_JITTER * self.rate)
                yield at, samples
                at += len(samples)
        except (av.FFmpegError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError("cannot be read to its end: it is damaged or cut off", str(self.path)) from None
        heard = (at or 0) / self.rate
        if self.form in _STATED and heard < self.stated - _SHORTER:
            raise InputError(
                f"cannot be read to its end: its head states {self.stated:.1f} s, and there are {heard:.1f}",
                str(self.path),
            )

    def _seek(self, first: int) -> int | None:
        """Go to a place a little before a sample; the number of the sample that comes next, None if not known yet."""
        before = first / self.rate - _ROLL
        if before <= 0 or self.form not in _INDEXED:
            return 0
        self.container.seek(int((before + self.origin) * 1e6))
        return None

    def _decoded(self) -> Iterator[tuple[int, np.ndarray]]:
        """Frames as they are decoded, with the numbers of their first samples by their time stamps."""
        av = needs("av", "media")
        plain = av.AudioResampler(format="fltp", layout=self.stream.layout, rate=self.rate)
        expected: int = 0
        for frame in self.container.decode(self.stream):
            if frame.pts is not None and frame.time_base:
                expected = round((float(frame.pts * frame.time_base) - self.origin) * self.rate)
            for converted in plain.resample(frame):
                samples = converted.to_ndarray().T
                yield expected, samples
                expected += len(samples)


# -- ffmpeg


def ffmpeg() -> str | None:
    """The program, if it is installed."""
    return shutil.which("ffmpeg")


@contextmanager
def open_ffmpeg(path: Path) -> Iterator[_FfmpegSound]:
    """The first track of sound of a file."""
    sound = _FfmpegSound(path)
    try:
        yield sound
    finally:
        sound.close()


class _FfmpegSound:
    """Sound that the program decodes into a pipe; each call of :meth:`blocks` starts it anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.running: list[subprocess.Popen[bytes]] = []
        said = subprocess.run(
            [*self._command("info"), "-hide_banner"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        ).stderr.decode(errors="replace")
        process, self.rate, self.channels = self._start(0.0)
        self._stop(process)
        match = _DURATION.search(said)
        self.stated = seconds_of(match) if match else 0.0
        self.frames = round(self.stated * self.rate) or sum(len(block) for block in self.blocks())

    def _command(self, level: str, start: float = 0.0) -> list[str]:
        options = [part for name, value in _SAFE.items() for part in (f"-{name}", value)]
        seek = ["-ss", f"{start:.6f}"] if start else []
        return [ffmpeg() or "ffmpeg", "-nostdin", "-v", level, *options, *seek, "-i", f"file:{self.path.resolve()}"]

    def _start(self, start: float) -> tuple[subprocess.Popen[bytes], int, int]:
        """A process that decodes from a time on, and the rate and channels that it tells."""
        how = ["-map", "0:a:0", "-af", "aresample=async=1:first_pts=0", "-c:a", "pcm_f32le", "-f", "wav", "-"]
        errors = tempfile.TemporaryFile()
        process = subprocess.Popen(
            [*self._command("error", start), *how], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        )
        self.running.append(process)
        try:
            rate, channels = wav_head(_output(process))
        except (EOFError, struct.error, ValueError):
            process.wait()
            self._stop(process)
            errors.seek(0)
            if b"matches no streams" in errors.read():
                raise InputError("cannot be read as audio: it holds no sound", str(self.path)) from None
            raise unreadable(self.path) from None
        finally:
            errors.close()
        return process, rate, channels

    def blocks(self, first: int = 0) -> Iterator[np.ndarray]:
        """Samples from the ``first`` on, as float32 arrays with a column for each channel."""
        process, _, channels = self._start(first / self.rate)
        output, width, heard = _output(process), 4 * channels, first
        while data := output.read(_BLOCK * width):
            samples = np.frombuffer(data[: len(data) // width * width], "<f4").reshape(-1, channels)
            heard += len(samples)
            yield samples
        if process.wait() or (self.stated and heard < (self.stated - _SHORTER) * self.rate and not first):
            raise InputError(f"cannot be read to its end: {heard / self.rate:.1f} s could be decoded", str(self.path))
        self._stop(process)

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        _output(process).close()
        if process.poll() is None:
            process.kill()
        process.wait()
        self.running.remove(process)

    def close(self) -> None:
        """End all processes."""
        for process in list(self.running):
            self._stop(process)


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    return cast(IO[bytes], process.stdout)


def wav_head(stream: IO[bytes]) -> tuple[int, int]:
    """The rate and channels of a wav file whose samples come next in the stream.

    >>> import io
    >>> head = b"RIFF....WAVEfmt " + struct.pack("<IHHIIHH", 16, 3, 2, 8000, 64000, 8, 32) + b"data...."
    >>> wav_head(io.BytesIO(head))
    (8000, 2)
    """
    if _exactly(stream, 12)[:4] != b"RIFF":
        raise ValueError("no wav file")
    rate = channels = 0
    while True:
        name, size = struct.unpack("<4sI", _exactly(stream, 8))
        if name == b"data":
            return rate, channels
        if size > 1 << 20:
            raise ValueError("no wav file")
        content = _exactly(stream, size + size % 2)
        if name == b"fmt ":
            channels, rate = struct.unpack("<HI", content[2:8])


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def seconds_of(clock: re.Match[str]) -> float:
    """The seconds of hours, minutes and seconds.

    >>> seconds_of(_CLOCK.fullmatch("01:00:02.5"))
    3602.5
    """
    hours, minutes, seconds = clock.groups()
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)
