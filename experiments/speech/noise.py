"""Noise that is mixed into recordings, so many decibels below the speech; what is mixed depends on a seed alone."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankine.errors import needs
from rankine.spoken.recognise.audio.audio import blocks
from rankine.system.files import write_file

RATE = 16000
VOICES = 6  # that speak at once in babble


def with_noise(samples: np.ndarray, decibels: float, seed: str) -> np.ndarray:
    """16-bit samples with white noise so many decibels below them; the noise depends on the seed."""
    rng = np.random.default_rng([zlib.crc32(seed.encode()), round(decibels)])
    level = np.sqrt(np.mean(samples**2)) * 10 ** (-decibels / 20)
    return _as_16_bits(samples + rng.normal(0, level, len(samples)))


def with_babble(samples: np.ndarray, others: Sequence[np.ndarray], decibels: float, seed: str) -> np.ndarray:
    """16-bit samples with ``VOICES`` of other recordings, each repeated from a drawn place on, so many decibels below.

    >>> one = np.full(4, 1000.0)
    >>> with_babble(one, [np.full(3, 7.0)], 20.0, "a").tolist()
    [1100, 1100, 1100, 1100]
    """
    rng = np.random.default_rng([zlib.crc32(seed.encode()), round(decibels), VOICES])
    mixed = np.zeros(len(samples))
    for i in rng.choice(len(others), min(VOICES, len(others)), replace=False).tolist():
        voice = others[i].astype(np.float64)
        voice /= max(float(np.sqrt(np.mean(voice**2))), 1.0)  # all are equally loud
        mixed += np.resize(np.roll(voice, -int(rng.integers(len(voice)))), len(samples))
    loud = float(np.sqrt(np.mean(mixed**2))) or 1.0
    level = np.sqrt(np.mean(samples**2)) * 10 ** (-decibels / 20)
    return _as_16_bits(samples + mixed * (level / loud))


def noisy_audio(source: Path, folder: Path, noise: str, decibels: int) -> Path:
    """Audio files of a folder with noise (``white`` or ``babble`` of the others), as FLAC files in another folder.

    What is there already is not made again.
    """
    soundfile = needs("soundfile", "spoken")
    folder.mkdir(parents=True, exist_ok=True)
    paths = sorted(path for path in source.iterdir() if path.suffix in (".flac", ".ogg"))
    voices: dict[str, np.ndarray] = {}
    for path in paths:
        target = folder / f"{path.stem}.flac"
        if target.exists():
            continue
        if noise == "babble" and not voices:
            voices = {p.stem: _samples(p).astype(np.int16) for p in paths}
        clean = _samples(path)
        if noise == "babble":
            mixed = with_babble(clean, [v for name, v in voices.items() if name != path.stem], decibels, path.stem)
        else:
            mixed = with_noise(clean, decibels, path.stem)
        beside = folder / f".{target.name}"
        soundfile.write(beside, mixed, RATE, format="FLAC")
        write_file(target, beside.read_bytes())
        beside.unlink()
    return folder


def _samples(path: Path) -> np.ndarray:
    return np.concatenate(list(blocks(path, RATE))).astype(np.float64)


def _as_16_bits(samples: np.ndarray) -> np.ndarray:
    return samples.round().clip(-32768, 32767).astype(np.int16)
