"""Audio of recordings: samples of any file that is read, segments of speech, and snippets that are written."""

from __future__ import annotations

import hashlib
import os
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ....errors import InputError, needs
from ....system.files import replacing
from .cutting import Segment, cut
from .readers import open_audio


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
            yield as_16_bits(mono if stream is None else stream.resample_chunk(mono))
        if stream is not None:
            yield as_16_bits(stream.resample_chunk(np.zeros(0, np.float32), last=True))


def sample_print(path: str | os.PathLike) -> str:
    """A fingerprint of the sound itself: its samples as they are stored, and their rate; tags do not change it.

    A file without a single sample is an InputError.
    """
    digest, length = hashlib.blake2b(digest_size=16), 0
    with open_audio(path) as audio:
        digest.update(str(audio.rate).encode())
        for block in audio.blocks():
            digest.update(np.ascontiguousarray(block).data)
            length += len(block)
    if not length:
        raise InputError("there is no sound in it: it is empty or cut off", str(path))
    return digest.hexdigest()


def segments(path: str | os.PathLike, rate: int, longest: float = 30.0) -> Iterator[Segment]:
    """The segments of a recording, one after the other, none of them longer than ``longest`` seconds.

    A recording up to that length is one segment; a longer one is cut at pauses. Digital silence is left out.
    """
    if seconds(path) <= longest:
        whole = np.concatenate([np.zeros(0, np.int16), *blocks(path, rate)])
        if len(whole) and whole.any():
            yield Segment(0.0, whole)
        return
    yield from cut(blocks(path, rate), rate, longest)


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
        samples = as_16_bits(_taken(audio.blocks(first), last - first))
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


def as_16_bits(samples: np.ndarray) -> np.ndarray:
    """Samples as 16-bit numbers; what is louder than full scale is cut off, not wrapped around."""
    return np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)
