"""Audio files of a recording as one: they are decoded one after the other, and one that is missing is silence.

The samples have the largest rate and number of channels of all files. A file of a smaller rate gets samples on straight
lines between its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...spoken.recognise.audio.readers import BLOCK, OpenAudio, open_audio
from .timeline import TimedFile


@contextmanager
def open_files(files: Sequence[TimedFile]) -> Iterator[OpenAudio]:
    """The files of a recording, of which one is there at least, as one that is open."""
    if len(files) > 1:
        yield JoinedAudio(files)
    else:
        with open_audio(files[0].path or files[0].stored) as audio:
            yield audio


class JoinedAudio:
    """Files one after the other; each is opened when its time comes."""

    def __init__(self, files: Sequence[TimedFile]) -> None:
        self.rate = self.channels = 1
        for file in files:
            if file.path is not None:
                with open_audio(file.path) as audio:
                    self.rate, self.channels = max(self.rate, audio.rate), max(self.channels, audio.channels)
        bounds = [round(file.begin * self.rate) for file in files]
        bounds.append(round((files[-1].begin + files[-1].seconds) * self.rate))
        self.parts = list(zip([file.path for file in files], bounds[:-1], bounds[1:], strict=True))
        self.frames = bounds[-1]

    def blocks(self, first: int = 0) -> Iterator[np.ndarray]:
        """Samples from the ``first`` on; each file has as many as its time in the recording asks for."""
        for path, begin, end in self.parts:
            left = end - max(begin, first)
            for block in self._of_file(path, max(first - begin, 0)) if left > 0 else ():
                yield block[:left]
                left -= len(block)
                if left <= 0:
                    break
            while left > 0:
                yield np.zeros((min(left, BLOCK), self.channels), np.float32)
                left -= BLOCK

    def _of_file(self, path: Path | None, first: int) -> Iterator[np.ndarray]:
        if path is None:
            return
        try:
            with open_audio(path) as audio:
                for block in audio.blocks(first) if audio.rate == self.rate else _resampled(audio, self.rate, first):
                    same = block.shape[1] == self.channels
                    yield block if same else block.mean(axis=1, keepdims=True).repeat(self.channels, axis=1)
        except (InputError, OSError):  # damaged further on: silence
            return


def _resampled(audio: OpenAudio, rate: int, first: int) -> Iterator[np.ndarray]:
    """Samples of a higher rate from the ``first`` on, each on a straight line between two of the file's own."""
    at, kept = first * audio.rate // rate, np.zeros((0, audio.channels), np.float32)
    for block in audio.blocks(at):
        own = np.concatenate([kept, block])  # the samples of the file from ``at`` on
        last = at + len(own) - 1
        numbers = np.arange(first, last * rate // audio.rate + 1)
        place = numbers * audio.rate / rate - at
        left = place.astype(np.int64)
        share = (place - left)[:, None].astype(np.float32)
        yield own[left] * (1 - share) + own[np.minimum(left + 1, len(own) - 1)] * share
        first, at, kept = first + len(numbers), last, own[-1:]
