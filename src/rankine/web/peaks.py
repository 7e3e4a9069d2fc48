"""Peaks of a recording for its waveform: the least and the largest sample of each of many equal stretches."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..spoken.recognise.readers import OpenAudio, open_audio
from .answers import ApiError

_KEPT = 200  # recordings


class WavePeaks(NamedTuple):
    """The length of a recording, and a row of least and largest sample for each stretch."""

    seconds: float
    peaks: list[tuple[float, float]]


class PeakCache:
    """Peaks of recordings, computed once while the file stays the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, WavePeaks] = OrderedDict()
        self._lock = threading.Lock()
        self._busy: dict[object, threading.Lock] = {}

    def get(self, path: Path, points: int) -> WavePeaks:
        """The peaks of a file; two requests for the same compute them once."""
        try:
            state = path.stat()
        except OSError:
            raise ApiError(404, "audio-missing", "the audio file cannot be opened") from None
        key = state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, points
        with self._lock:
            busy = self._busy.setdefault(key, threading.Lock())
        with busy:
            with self._lock:
                kept = self._kept.get(key)
            if kept is None:
                kept = read_peaks(path, points)
            with self._lock:
                self._kept[key] = kept
                self._kept.move_to_end(key)
                self._busy.pop(key, None)
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return kept


def read_peaks(path: Path, points: int) -> WavePeaks:
    """The peaks of a file, block by block; of several channels together."""
    try:
        with open_audio(path) as audio:
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
    rows = np.round(np.clip(np.column_stack([low, high]), -1, 1).astype(np.float64), 3)
    return WavePeaks(round(audio.frames / audio.rate, 3), [(a, b) for a, b in rows.tolist()])
