"""Cutting a recording into segments of speech: at pauses, and where there is none with overlap.

The same recording is cut in the same way whichever recogniser hears it, and with little memory however long it is.

The level of a moment is its power in decibels, over 50 ms. Noise is taken for the lowest levels around, speech for what
stands out from it: above the noise by a fifth of the way to the loudest level, and by at least 3 decibels. A pause is
half a second without speech. A pause of two seconds ends a segment. Otherwise a segment is about as long as it may be,
because recognisers make use of what was said around a word: it ends in the longest pause of the second half of that, or
in the last pause of the first half. The pause is shared by the segments beside it; of a longer one each gets half a
second, and the rest is left out. A stretch without any contrast, digital silence or steady noise, has no speech.

Where speech goes on for longer than a segment may be, it is cut at its quietest moment. Both segments hold the second
before and the second after the cut, so that no word is cut. A word counts in the segment in whose ``inner`` part its
middle is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import NamedTuple

import numpy as np

VERSION = 2  # of the cuts; 1 were those of PocketSphinx's detector
ALL = (-inf, inf)
FRAMES = 100  # a second
_SMOOTH = 5  # frames
_PAUSE = _PAD = 50  # frames
_LONG = 200  # frames of a pause that ends a segment
_CLICK = 10  # frames; what is loud for less is no speech
_AROUND = 1000  # frames before and after a segment from which noise is told
_NOISE = 10  # per cent of the levels that are taken for noise
_LEAST, _SHARE, _CONTRAST = 3.0, 0.2, 6.0  # decibels above noise, part of the way to the loudest, decibels between both
_OVERLAP = 1.0  # seconds on either side of a cut in speech


class Segment(NamedTuple):
    """A segment of a recording: where it begins, in seconds, and its samples.

    ``inner`` is the part, in seconds from its beginning, whose words are its own; those of the rest are in a neighbour.
    """

    start: float
    samples: np.ndarray
    inner: tuple[float, float] = ALL


def cut(audio: Iterable[np.ndarray], rate: int, longest: float) -> Iterator[Segment]:
    """The segments of speech in blocks of 16-bit samples, none longer than ``longest`` seconds."""
    return _Cutter(audio, rate, longest).segments()


def windows(samples: np.ndarray, rate: int, longest: float) -> Iterator[Segment]:
    """Samples in windows of at most ``longest`` seconds, all of them, cut with overlap where it is quiet.

    >>> [(window.start, len(window.samples)) for window in windows(np.ones(1000, np.int16), 100, 4.0)]
    [(0.0, 255), (1.55, 255), (3.1, 255), (4.65, 255), (6.2, 380)]
    """
    most, shared = int(longest * rate), _shared(rate, longest)
    at, before = 0, 0
    while len(samples) - at > most:
        after = quietest(samples[at : at + most], rate, max(most // 2, 2 * before), most - shared)
        yield _segment(at, samples[at : at + after + shared], before, shared, rate)
        at, before = at + after - shared, shared
    yield _segment(at, samples[at:], before, 0, rate)


def quietest(samples: np.ndarray, rate: int, first: int, last: int) -> int:
    """The middle of the quietest tenth of a second between two places."""
    size = max(min(rate // 10, last - first), 1)
    sums = np.cumsum(np.append(0.0, samples[first:last].astype(np.float64) ** 2))
    return first + int(np.argmin(sums[size:] - sums[:-size])) + size // 2


def _shared(rate: int, longest: float) -> int:
    """How many samples on either side of a cut in speech both segments hold."""
    return int(min(_OVERLAP, longest / 8) * rate)


def _segment(at: int, samples: np.ndarray, before: int, after: int, rate: int) -> Segment:
    """A segment that shares so many samples twice, once on either side of a cut, with its neighbours."""
    first = before / rate if before else -inf
    last = (len(samples) - after) / rate if after else inf
    return Segment(at / rate, samples, (first, last))


class _Cutter:
    """A stretch of a recording that moves on: ``held`` are samples from the place ``at`` on."""

    def __init__(self, audio: Iterable[np.ndarray], rate: int, longest: float) -> None:
        self.blocks, self.rate, self.frame = iter(audio), rate, max(rate // FRAMES, 1)
        self.most, self.shared = int(longest * rate) // self.frame, _shared(rate, longest) // self.frame  # frames
        self.wanted = (self.most + _AROUND) * self.frame  # samples that decisions need
        self.held, self.at = np.zeros(0, np.int16), 0
        self.past = np.zeros(0)  # levels before the stretch
        self.before = 0  # frames at the beginning that belong to the segment before

    def segments(self) -> Iterator[Segment]:
        """All segments."""
        while self._fill():
            loud, levels = self._loud()
            begin = int(np.argmax(loud[self.before :])) + self.before
            if not loud[begin]:
                self._drop(len(loud) if self._is_last else len(loud) - _PAD, levels)
            elif begin - self.before > _PAD:
                self._drop(begin - _PAD, levels)
            else:
                yield from self._take(loud, levels, begin)

    def _take(self, loud: np.ndarray, levels: np.ndarray, begin: int) -> Iterator[Segment]:
        """The segment at the beginning of the stretch, in which speech begins at a frame, and drop it."""
        pause, length = _last_pause(loud, begin, self.most)
        if pause <= self.most:
            end = min(pause + min(_PAD, length // 2), self.most)
            if loud[begin:pause].sum() >= min(_CLICK, self.most // 4):
                samples = self.held[: end * self.frame] if end < len(loud) else self.held
                yield self._segment(samples, 0)
            self._drop(end, levels)
            return
        first, last = max(self.most // 2, 2 * self.before), self.most - self.shared
        middle = quietest(self.held, self.rate, first * self.frame, last * self.frame) // self.frame
        yield self._segment(self.held[: (middle + self.shared) * self.frame], self.shared)
        self._drop(middle - self.shared, levels, self.shared)

    def _segment(self, samples: np.ndarray, after: int) -> Segment:
        return _segment(self.at, samples, self.before * self.frame, after * self.frame, self.rate)

    def _fill(self) -> bool:
        """Hold as much as decisions need, if there is so much; whether anything is held."""
        pieces, length = [self.held], len(self.held)
        while length < self.wanted and (block := next(self.blocks, None)) is not None:
            pieces.append(block)
            length += len(block)
        self.held = np.concatenate(pieces)
        return length > 0

    @property
    def _is_last(self) -> bool:
        """Whether decisions see the end of the recording; however long its blocks are."""
        return len(self.held) < self.wanted

    def _drop(self, frames: int, levels: np.ndarray, before: int = 0) -> None:
        """Move the stretch on."""
        self.past = np.concatenate([self.past, levels[:frames]])[-_AROUND:]
        self.held = self.held[frames * self.frame :]
        self.at, self.before = self.at + frames * self.frame, before

    def _loud(self) -> tuple[np.ndarray, np.ndarray]:
        """Whether there is speech, frame by frame, and the levels; the last frame may be short."""
        of_frames = levels(self.held[: self.wanted], self.frame)
        return loud(of_frames, np.concatenate([self.past, of_frames])), of_frames


def loud(levels: np.ndarray, around: np.ndarray) -> np.ndarray:
    """Which levels stand out from the noise among the levels around them."""
    noise, loudest = np.percentile(around, _NOISE), around.max()
    if loudest - noise < _CONTRAST:
        return np.zeros(len(levels), np.bool_)
    return np.asarray(levels > noise + max(_LEAST, _SHARE * (loudest - noise)))


def levels(samples: np.ndarray, frame: int) -> np.ndarray:
    """Decibels of each frame and its neighbours, without what is constant in a frame; digital silence has 0."""
    whole = np.zeros(-(-len(samples) // frame) * frame, np.float32)
    whole[: len(samples)] = samples
    power = whole.reshape(-1, frame).var(axis=1, dtype=np.float64) if frame > 1 else whole.astype(np.float64) ** 2
    smooth = np.convolve(power, np.ones(_SMOOTH) / _SMOOTH)[_SMOOTH // 2 :][: len(power)]
    return 10 * np.log10(1 + smooth)


def _last_pause(loud: np.ndarray, begin: int, most: int) -> tuple[int, int]:
    """Where the pause begins that ends a segment, and its length; more than ``most`` where there is none."""
    speech = np.append(np.flatnonzero(loud[begin:]) + begin, len(loud))
    gaps = np.diff(speech) - 1
    long = np.flatnonzero(gaps >= _PAUSE)
    starts, lengths = speech[long] + 1, gaps[long]
    ends = np.flatnonzero(lengths >= _LONG)
    if len(ends) and starts[ends[0]] <= most:
        return int(starts[ends[0]]), int(lengths[ends[0]])
    if len(loud) <= most:
        return len(loud), 0
    starts, lengths = starts[starts <= most], lengths[: (starts <= most).sum()]
    if not len(starts):
        return most + 1, 0
    late = np.flatnonzero(starts >= most // 2)
    best = late[np.argmax(lengths[late])] if len(late) else len(starts) - 1
    return int(starts[best]), int(lengths[best])
