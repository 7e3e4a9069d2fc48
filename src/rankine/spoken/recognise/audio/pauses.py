"""Where a word begins after a pause, and where the one before it ends.

A recogniser that tells times by attention often lets a word begin with the pause before it. The sound tells better: a
pause of at least ``LEAST`` that begins or ends near the beginning of a word belongs to neither of the words beside it.
The limits were chosen on one half of the utterances of ``python -m benchmarks times``, and tested on the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...lattice.formats.transcripts.transcript import TranscriptWord
from .cutting import FRAMES, levels, loud

LEAST = 0.12  # seconds of a pause
NEAR = 0.25  # seconds between a pause and the beginning of a word
_WORD = 0.05  # seconds that a word is long, at least, when a pause is taken from it

Pause = tuple[float, float]


def pauses(samples: np.ndarray, rate: int) -> list[Pause]:
    """Where nobody speaks in a window: pairs of seconds; none where speech does not stand out from noise.

    >>> tone = np.sin(np.arange(8000)) * 1000
    >>> pauses(np.concatenate([tone, np.zeros(8000), tone]).astype(np.int16), 16000)
    [(0.52, 0.98)]
    """
    of_frames = levels(samples, max(rate // FRAMES, 1))
    speech = loud(of_frames, of_frames)
    quiet = ~speech & speech.any()
    edges = np.flatnonzero(np.diff(np.concatenate([[0], quiet, [0]]).astype(np.int8))) / FRAMES
    return [(a, b) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True) if b - a >= LEAST - 1e-9]


def outside_pauses(words: Sequence[TranscriptWord], silent: Sequence[Pause]) -> list[TranscriptWord]:
    """Words that begin after the pause near their beginning, and end before the one near the next word's.

    >>> words = [TranscriptWord("one", 0.0, 0.5), TranscriptWord("two", 0.5, 1.0)]
    >>> [(word.start, word.end) for word in outside_pauses(words, [(0.4, 0.7)])]
    [(0.0, 0.4), (0.7, 1.0)]
    """
    out = list(words)
    for i, word in enumerate(out):
        floor = out[i - 1].start + _WORD if i else 0.0
        near = [
            (b - a, a, b) for a, b in silent
            if a <= word.start + NEAR and b >= word.start - NEAR and a >= floor and b <= word.end - _WORD
        ]  # fmt: skip
        if near:
            _, a, b = max(near)
            out[i] = word._replace(start=b)
            if i:
                out[i - 1] = out[i - 1]._replace(end=a)
    return out
