"""Recordings: any file that libsndfile reads, as one channel at any rate, in blocks; stretches of speech; snippets."""

from __future__ import annotations

import os
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, needs
from ..io.files import replacing

ENDINGS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".aif", ".aiff", ".au", ".w64", ".caf")
_BLOCK = 1 << 16


class Segment(NamedTuple):
    """A stretch of a recording: where it begins, in seconds, and its samples."""

    start: float
    samples: np.ndarray


def _open(path: str | os.PathLike) -> Any:
    soundfile = needs("soundfile", "spoken")
    if not Path(path).exists():
        raise FileNotFoundError(2, "there is no such file", str(path))
    try:
        return soundfile.SoundFile(path)
    except (soundfile.LibsndfileError, RuntimeError) as error:
        raise InputError(f"cannot be read as audio (wav, flac, mp3, ogg, …): {error}", str(path)) from None


def seconds(path: str | os.PathLike) -> float:
    """How long a recording is."""
    with _open(path) as file:
        return file.frames / file.samplerate


def blocks(path: str | os.PathLike, rate: int) -> Iterator[np.ndarray]:
    """One channel (the mean of all) at ``rate`` samples per second, 16 bits, in blocks."""
    soundfile, soxr = needs("soundfile", "spoken"), needs("soxr", "spoken")
    with _open(path) as file:
        stream = None if file.samplerate == rate else soxr.ResampleStream(file.samplerate, rate, 1, dtype="float32")
        while True:
            try:
                block = file.read(_BLOCK, dtype="float32", always_2d=True)
            except (soundfile.LibsndfileError, RuntimeError) as error:
                raise InputError(f"cannot be read to its end: {error}", str(path)) from None
            mono = np.ascontiguousarray(block.mean(axis=1)) if len(block) else np.zeros(0, np.float32)
            if stream is not None:
                mono = stream.resample_chunk(mono, last=len(block) == 0)
            yield np.clip(np.rint(mono * 32768.0), -32768, 32767).astype(np.int16)
            if len(block) == 0:
                return


def segments(path: str | os.PathLike, rate: int, longest: float = 30.0) -> Iterator[Segment]:
    """The stretches of a recording to be recognised, one after the other, none of them longer than ``longest`` seconds.

    A recording up to that length is one; a longer one is cut at pauses by PocketSphinx's voice-activity detector. What
    has no sound at all is left out.
    """
    if seconds(path) <= longest:
        whole = np.concatenate([np.zeros(0, np.int16), *blocks(path, rate)])
        if len(whole) and whole.any():
            yield Segment(0.0, whole)
        return
    for found in _speech(blocks(path, rate), rate):
        yield from _split(found, rate, longest)


def _speech(parts: Iterator[np.ndarray], rate: int) -> Iterator[Segment]:
    """Stretches between pauses."""
    pocketsphinx = needs("pocketsphinx", "spoken")
    detector = pocketsphinx.Endpointer(sample_rate=rate)
    size = detector.frame_bytes
    rest, heard = b"", []
    for part in parts:
        rest += part.tobytes()
        at = 0
        while at + size <= len(rest):
            speech = detector.process(rest[at : at + size])
            at += size
            if speech is not None:
                heard.append(speech)
                if not detector.in_speech:
                    yield Segment(detector.speech_start, np.frombuffer(b"".join(heard), np.int16))
                    heard = []
        rest = rest[at:]
    speech = detector.end_stream(rest) if rest else None
    heard += [] if speech is None else [speech]
    if heard:
        yield Segment(detector.speech_start, np.frombuffer(b"".join(heard), np.int16))


def _split(segment: Segment, rate: int, longest: float) -> Iterator[Segment]:
    """Cut what is too long at the quietest tenth of a second in the second half of what is allowed."""
    start, samples = segment
    most, window = int(longest * rate), max(rate // 10, 1)
    while len(samples) > most:
        power = samples[most // 2 : most].astype(np.float64) ** 2
        sums = np.cumsum(np.append(0.0, power))
        quietest = int(np.argmin(sums[window:] - sums[:-window]))
        cut = most // 2 + quietest + window // 2
        yield Segment(start, samples[:cut])
        start, samples = start + cut / rate, samples[cut:]
    yield Segment(start, samples)


def snippet(path: str | os.PathLike, start: float, end: float, pad: float, target: str | os.PathLike) -> float:
    """Write the part of a recording between two times, with ``pad`` seconds on either side, as a wav; its length."""
    with _open(path) as file:
        first = max(int((start - pad) * file.samplerate), 0)
        last = min(int(np.ceil((end + pad) * file.samplerate)), file.frames)
        if first >= last:
            length = file.frames / file.samplerate
            raise InputError(f"the place {start:.1f}–{end:.1f} s is not within its {length:.1f} s", str(path))
        file.seek(first)
        samples = file.read(last - first, dtype="int16", always_2d=True)
        rate, channels = file.samplerate, file.channels
    with replacing(target) as temporary, wave.open(str(temporary), "wb") as out:
        out.setnchannels(channels)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(samples.tobytes())
    return len(samples) / rate
