"""Recordings, and a recogniser that needs no model."""

import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import soundfile

SAMPLE = Path(str(files("rankine").joinpath("sample", "spoken")))


@dataclass(frozen=True)
class Echo:
    """A recogniser whose words are the number of samples; slow, or broken, if asked to be."""

    rate: int = 16000
    ending: str = ".nbest"
    wait: float = 0.0
    fail: str = ""

    def __call__(self, samples):
        time.sleep(self.wait)
        if self.fail == "disk" and len(samples) % 2:
            raise OSError(28, "No space left on device", "lattice")
        if self.fail == "call":
            raise AssertionError("called again")
        if self.fail == "odd" and len(samples) % 2:
            raise RuntimeError("does not like it")
        return f"-1.0 heard {len(samples)} {int(np.abs(samples.astype(int)).sum())}\n".encode()


def write(path, length, rate=16000, channels=1, seed=0):
    """Noise in syllables, which is cut like speech."""
    rng = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    loud = np.where(np.arange(length) * 10 // rate % 3 < 2, 0.1, 0.001)
    soundfile.write(path, loud[:, None] * rng.normal(size=(length, channels)).clip(-3, 3), rate)


def tag(path, title):
    """Write a title into a wav file: other bytes, the same sound."""
    data = path.read_bytes()
    end = 12
    while data[end : end + 4] != b"data":
        end += 8 + int.from_bytes(data[end + 4 : end + 8], "little")
    end += 8 + int.from_bytes(data[end + 4 : end + 8], "little")
    text = title.encode() + b"\0" * (2 - len(title) % 2)
    info = b"INFOINAM" + len(text).to_bytes(4, "little") + text
    whole = data[:end] + b"LIST" + len(info).to_bytes(4, "little") + info
    path.write_bytes(b"RIFF" + (len(whole) - 8).to_bytes(4, "little") + whole[8:])


def content(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*.nbest"))}


def heard(name):
    return soundfile.read(SAMPLE / "audio" / f"{name}.ogg", dtype="int16")[0]
