"""Audio of recordings: read any file that libsndfile reads, cut it into segments of speech, write snippets."""

from __future__ import annotations

import hashlib
import os
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, needs
from ...files import replacing

ENDINGS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".aif", ".aiff", ".au", ".w64", ".caf")
_BLOCK = 1 << 16


class Segment(NamedTuple):
    """A segment of a recording: where it begins, in seconds, and its samples."""

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
    """The length of a recording in seconds."""
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
            yield _as_16_bits(mono)
            if len(block) == 0:
                return


def sample_print(path: str | os.PathLike) -> str:
    """A fingerprint of the sound itself: its samples as they are stored, and their rate; tags do not change it."""
    digest = hashlib.blake2b(digest_size=16)
    soundfile = needs("soundfile", "spoken")
    with _open(path) as file:
        digest.update(f"{file.samplerate} {file.channels}".encode())
        try:
            for block in file.blocks(_BLOCK, dtype="float32", always_2d=True):
                digest.update(np.ascontiguousarray(block).data)
        except (soundfile.LibsndfileError, RuntimeError) as error:
            raise InputError(f"cannot be read to its end: {error}", str(path)) from None
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
    with _open(path) as file:
        length = file.frames / file.samplerate
        first = max(int((start - pad) * file.samplerate), 0)
        last = min(int(np.ceil(min(end + pad, length) * file.samplerate)), file.frames)
        if first >= last:
            raise InputError(f"the place {start:.1f}–{end:.1f} s is not within its {length:.1f} s", str(path))
        file.seek(first)
        samples = _as_16_bits(file.read(last - first, dtype="float32", always_2d=True))
        rate, channels = file.samplerate, file.channels
    with replacing(out) as temporary, wave.open(str(temporary), "wb") as wav:
        wav.setnchannels(channels)
        wav.setsampwidth(2)
        wav.setframerate(rate)
        wav.writeframes(samples.tobytes())
    return len(samples) / rate


def _as_16_bits(samples: np.ndarray) -> np.ndarray:
    """Samples as 16-bit numbers; what is louder than full scale is cut off, not wrapped around."""
    return np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)
