"""Audio of recordings: samples of any file that is read, segments of speech, and snippets that are written."""

from __future__ import annotations

import hashlib
import os
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import InputError, needs
from ...files import replacing
from .readers import open_audio


class Segment(NamedTuple):
    """A segment of a recording: where it begins, in seconds, and its samples."""

    start: float
    samples: np.ndarray


def seconds(path: str | os.PathLike) -> float:
    """The length of a recording in seconds, as its head states it."""
    with open_audio(path) as audio:
        return audio.frames / audio.rate


def blocks(path: str | os.PathLike, rate: int) -> Iterator[np.ndarray]:
    """One channel (the mean of all) at ``rate`` samples per second, 16 bits, in blocks."""
    soxr = needs("soxr", "spoken")
    with open_audio(path) as audio:
        stream = None if audio.rate == rate else soxr.ResampleStream(audio.rate, rate, 1, dtype="float32")
        for block in audio.blocks():
            mono = np.ascontiguousarray(block.mean(axis=1))
            yield _as_16_bits(mono if stream is None else stream.resample_chunk(mono))
        if stream is not None:
            yield _as_16_bits(stream.resample_chunk(np.zeros(0, np.float32), last=True))


def sample_print(path: str | os.PathLike) -> str:
    """A fingerprint of the sound itself: its samples as they are stored, and their rate; tags do not change it."""
    digest = hashlib.blake2b(digest_size=16)
    with open_audio(path) as audio:
        digest.update(str(audio.rate).encode())
        for block in audio.blocks():
            digest.update(np.ascontiguousarray(block).data)
    return digest.hexdigest()


def segments(path: str | os.PathLike, rate: int, longest: float = 30.0) -> Iterator[Segment]:
    """The segments of a recording, one after the other, none of them longer than ``longest`` seconds.

    A recording up to that length is one segment; a longer one is cut at pauses by PocketSphinx's voice-activity
    detector. Digital silence is left out.
    """
    if seconds(path) <= longest:
        whole = np.concatenate([np.zeros(0, np.int16), *blocks(path, rate)])
        if len(whole) and whole.any():
            yield Segment(0.0, whole)
        return
    yield from _speech(blocks(path, rate), rate, longest)


def _speech(audio: Iterator[np.ndarray], rate: int, longest: float) -> Iterator[Segment]:
    """Segments of speech between pauses; one that becomes too long is cut at once."""
    pocketsphinx = needs("pocketsphinx", "spoken")
    detector = pocketsphinx.Endpointer(sample_rate=rate)
    size = detector.frame_bytes
    rest, collected = b"", _SpeechBuffer(rate, longest)
    for block in audio:
        rest += block.tobytes()
        at = 0
        while len(rest) - at > size:  # the last frame, whole or not, ends the stream
            speech = detector.process(rest[at : at + size])
            at += size
            if speech is not None:
                yield from collected.add(detector.speech_start, speech)
                if not detector.in_speech:
                    yield from collected.end()
        rest = rest[at:]
    speech = detector.end_stream(rest) if rest else None
    if speech is not None:
        yield from collected.add(detector.speech_start, speech)
    yield from collected.end()


def windows(samples: np.ndarray, rate: int, longest: float) -> Iterator[Segment]:
    """Samples in windows of at most ``longest`` seconds, cut where it is quiet.

    >>> [len(window.samples) for window in windows(np.ones(10, np.int16), 2, 3.0)]
    [3, 3, 4]
    """
    buffer = _SpeechBuffer(rate, longest)
    yield from buffer.add(0.0, np.ascontiguousarray(samples, np.int16).tobytes())
    yield from buffer.end()


class _SpeechBuffer:
    """Speech that is being collected; cut at the quietest tenth of a second in the second half of what is allowed."""

    def __init__(self, rate: int, longest: float) -> None:
        self.rate, self.most = rate, int(longest * rate)
        self.pieces: list[np.ndarray] = []
        self.start = self.length = 0.0

    def add(self, start: float, speech: bytes) -> Iterator[Segment]:
        """Append speech; yield a segment whenever the longest allowed length is exceeded."""
        if not self.pieces:
            self.start = start
        self.pieces.append(np.frombuffer(speech, np.int16))
        self.length += len(self.pieces[-1])
        while self.length > self.most:
            samples = np.concatenate(self.pieces)
            cut = self._quietest(samples)
            yield Segment(self.start, samples[:cut])
            self.start += cut / self.rate
            self.pieces, self.length = [samples[cut:]], len(samples) - cut

    def _quietest(self, samples: np.ndarray) -> int:
        window = max(self.rate // 10, 1)
        power = samples[self.most // 2 : self.most].astype(np.float64) ** 2
        sums = np.cumsum(np.append(0.0, power))
        return self.most // 2 + int(np.argmin(sums[window:] - sums[:-window])) + window // 2

    def end(self) -> Iterator[Segment]:
        """Yield the rest as the last segment."""
        if self.length > 0:
            yield Segment(self.start, np.concatenate(self.pieces))
        self.pieces, self.length = [], 0


def snippet(path: str | os.PathLike, start: float, end: float, pad: float, target: str | os.PathLike) -> float:
    """Write a recording between two times, with ``pad`` seconds on either side, as a wav; return its length."""
    out = Path(target)
    if not (0 <= pad < 3600 and 0 <= start <= end):
        raise InputError(f"expected times in seconds and a pad of at least 0, got {start}–{end} and {pad}")
    if out.is_dir() or out.suffix.lower() != ".wav":
        raise InputError("a snippet is written as a .wav file", str(out))
    if out.exists() and out.samefile(path):
        raise InputError("the snippet would overwrite the recording itself", str(out))
    with open_audio(path) as audio:
        rate, channels, length = audio.rate, audio.channels, audio.frames / audio.rate
        first = max(int((start - pad) * rate), 0)
        last = min(int(np.ceil(min(end + pad, length) * rate)), audio.frames)
        if first >= last:
            raise InputError(f"the place {start:.1f}–{end:.1f} s is not within its {length:.1f} s", str(path))
        samples = _as_16_bits(_taken(audio.blocks(first), last - first))
    with replacing(out) as temporary, wave.open(str(temporary), "wb") as wav:
        wav.setnchannels(channels)
        wav.setsampwidth(2)
        wav.setframerate(rate)
        wav.writeframes(samples.tobytes())
    return len(samples) / rate


def _taken(audio: Iterator[np.ndarray], n: int) -> np.ndarray:
    """The first n samples, or all if there are fewer."""
    taken: list[np.ndarray] = []
    for block in audio:
        taken.append(block[:n])
        n -= len(taken[-1])
        if n <= 0:
            break
    return np.concatenate(taken)


def _as_16_bits(samples: np.ndarray) -> np.ndarray:
    """Samples as 16-bit numbers; what is louder than full scale is cut off, not wrapped around."""
    return np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)
