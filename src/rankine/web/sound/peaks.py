"""Peaks of a recording for its waveform: the least and the largest sample of each of many equal stretches."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...spoken.recognise.audio.readers import OpenAudio
from ..answers import ApiError
from .joined import open_files
from .timeline import TimedFile

SIZES = (100, 500, 2000, 5000, 20_000)  # numbers of points that are computed: others would be kept beside them
_KEPT = 16 << 20  # bytes


class WavePeaks(NamedTuple):
    """The length of a recording, and a row of least and largest sample, in thousandths, for each stretch."""

    seconds: float
    thousandths: np.ndarray

    def rows(self) -> list[tuple[float, float]]:
        """The rows as numbers from −1 to 1."""
        return [(low / 1000, high / 1000) for low, high in self.thousandths.tolist()]


class PeakCache:
    """Peaks of recordings, computed once while their files stay the same; so many bytes are kept."""

    def __init__(self, most: int = _KEPT) -> None:
        self.most, self.size = most, 0
        self._kept: OrderedDict[object, WavePeaks] = OrderedDict()
        self._lock = threading.Lock()
        self._busy: dict[object, threading.Lock] = {}

    def get(self, files: Sequence[TimedFile], points: int) -> WavePeaks:
        """The peaks of a recording, of as many points or the next larger size; requests for the same wait for one."""
        points = next((size for size in SIZES if size >= points), SIZES[-1])
        key = (points, *map(_stamp, files))
        with self._lock:
            busy = self._busy.setdefault(key, threading.Lock())
        try:
            with busy:
                with self._lock:
                    kept = self._kept.get(key)
                kept = kept or read_peaks(files, points)
                self._keep(key, kept)
        finally:
            with self._lock:
                self._busy.pop(key, None)
        return kept

    def _keep(self, key: object, peaks: WavePeaks) -> None:
        with self._lock:
            if key not in self._kept:
                self.size += peaks.thousandths.nbytes
            self._kept[key] = peaks
            self._kept.move_to_end(key)
            while self.size > self.most:
                _, oldest = self._kept.popitem(last=False)
                self.size -= oldest.thousandths.nbytes


def _stamp(file: TimedFile) -> tuple[int | float, ...]:
    if file.path is None:
        return (file.seconds,)
    try:
        state = file.path.stat()
    except OSError:
        raise ApiError(404, "audio-missing", "the audio file cannot be opened") from None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns


def read_peaks(files: Sequence[TimedFile], points: int) -> WavePeaks:
    """The peaks of a recording, block by block; of several channels together."""
    try:
        with open_files(files) as audio:
            return _peaks(audio, points)
    except (InputError, OSError):
        raise ApiError(415, "audio-unreadable", "the audio file cannot be decoded on this machine") from None


def _peaks(audio: OpenAudio, points: int) -> WavePeaks:
    points = max(min(points, audio.frames), 1)
    low, high = np.zeros(points, np.float32), np.zeros(points, np.float32)
    at = 0
    try:
        for block in audio.blocks():
            stretch = np.minimum((at + np.arange(len(block))) * points // max(audio.frames, 1), points - 1)
            first = np.flatnonzero(np.diff(stretch, prepend=-1))
            own = stretch[first]
            low[own] = np.minimum(low[own], np.minimum.reduceat(block.min(axis=1), first))
            high[own] = np.maximum(high[own], np.maximum.reduceat(block.max(axis=1), first))
            at += len(block)
    except InputError:  # damaged further on: silence
        pass
    rows = np.round(1000 * np.clip(np.column_stack([low, high]), -1, 1)).astype(np.int16)
    return WavePeaks(round(audio.frames / audio.rate, 3), rows)
