"""One's own command as a recogniser: a program that reads a wav file and writes what was said.

The command comes from whoever calls Rankine. Archives hold only a fingerprint of it, so nothing that is stored is ever
run. It is split into words as a shell does, and run without one.
"""

from __future__ import annotations

import ctypes
import gzip
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import wave
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InputError, shorten
from ....system.temporary import temporary_folder
from ...lattice.formats import write_slf
from .outputs import read_output
from .table import PLACES, SegmentError

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PER_SECOND, _LEAST = 10.0, 60.0  # the time limit: so many seconds for each of the audio, and so many more


@dataclass(frozen=True)
class Command:
    """A command that hears a segment; what it writes becomes a lattice in HTK's SLF.

    Args:
        command: with ``{audio}``, the path of a wav file (16 kHz, one channel, 16 bits), and ``{output}``, the path of
            the file that it writes, in any format of lattices or transcripts; an ending may follow it. Times count from
            the beginning of the wav file.
        timeout: seconds after which it is ended, for each segment; default: 60, and 10 for each second of audio.
    """

    command: str = ""
    timeout: float | None = None
    rate: int = field(default=16000, init=False)
    ending: str = field(default=".slf.gz", init=False)

    def __post_init__(self) -> None:
        if any(place not in self.command for place in PLACES):
            raise InputError(f"expected a command such as 'program {{audio}} {{output}}', got {self.command!r}")
        if self.timeout is not None and not 0 < self.timeout < float("inf"):
            raise InputError(f"the time limit must be above 0 seconds, got {self.timeout}")
        self.words()

    def words(self) -> list[str]:
        """The words of the command."""
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise InputError(f"the command cannot be split into words ({error}): {self.command!r}") from None

    @property
    def settings(self) -> str:
        """What the lattices depend on."""
        return f"command={self.command!r} rate={self.rate} ending={self.ending}"

    def start(self) -> None:
        """Raise InputError where there is no such program."""
        program = self.words()[0]
        if shutil.which(program) is None:
            raise InputError(f"there is no program {program!r} that can be run")

    def __call__(self, samples: np.ndarray) -> bytes | None:
        """The lattice of a segment of speech; None if nothing was understood."""
        length = len(samples) / self.rate
        limit = self.timeout or _LEAST + _PER_SECOND * length
        with temporary_folder("rankine-") as folder:
            audio, output = os.path.join(folder, "audio.wav"), os.path.join(folder, "output")
            _write_wav(audio, samples, self.rate)
            paths = dict(zip(PLACES, (audio, output), strict=True))
            errors = Path(folder, "errors")
            code = _run([_filled(word, paths) for word in self.words()], errors, limit)
            if code:
                lines = errors.read_text(errors="replace").strip().splitlines()
                why = f": {shorten(lines[-1], 200)}" if lines else ""
                how = f"exit code {code}" if code > 0 else f"signal {-code}"
                raise SegmentError(f"the command failed ({how}){why}")
            return _lattice(_written(Path(folder)))


def _filled(word: str, paths: dict[str, str]) -> str:
    for place, path in paths.items():
        word = word.replace(place, path)
    return word


def _write_wav(path: str, samples: np.ndarray, rate: int) -> None:
    with wave.open(path, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(rate)
        wav.writeframes(np.ascontiguousarray(samples, np.int16).tobytes())


def _run(words: list[str], errors: Path, limit: float) -> int:
    """The exit code of a program; it and what it started are killed after the limit, and when we are stopped."""
    process = None
    try:
        with open(errors, "wb") as file, _signals_later():
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file, start_new_session=True,
                preexec_fn=_end_with_parent if _LIBC is not None else None,
            )  # fmt: skip
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        raise SegmentError(f"the command did not end within {limit:g} seconds (--timeout)") from None
    except OSError as error:
        if process is not None or error.filename == str(errors):
            raise
        raise SegmentError(f"the command cannot be run: {words[0]}: {error.strerror}") from None
    finally:
        if process is not None and process.returncode is None:
            _kill(process)


def _end_with_parent() -> None:
    """In the program's process before it begins: the system ends it when this process is killed."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@contextmanager
def _signals_later() -> Iterator[None]:
    """Signals that come within the block are handled at its end: a program that is being started would be lost."""
    came: list[int] = []
    before: dict[int, Any] = {}
    numbers: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)
    if threading.current_thread() is threading.main_thread():
        for number in numbers:
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in came:
        before[number](number, None)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _written(folder: Path) -> Path:
    """The file that the command wrote, perhaps with an ending."""
    files = sorted(path for path in folder.glob("output*") if path.is_file())
    if len(files) != 1:
        names = ", ".join(path.name for path in files)
        raise SegmentError(f"the command wrote several files: {names}" if files else "the command wrote no {output}")
    if not files[0].stat().st_size:
        raise SegmentError("the command wrote an empty {output}")
    return files[0]


def _lattice(path: Path) -> bytes | None:
    try:
        lattice = read_output(path)
        return None if lattice is None else gzip.compress(write_slf(lattice), 6, mtime=0)
    except InputError as error:
        what = str(error).replace(f"{path.parent}{os.sep}", "").replace(" (--format)", "")
        raise SegmentError(f"what the command wrote cannot be read: {what}") from None
