"""Adding recordings again: what it costs to see that nothing is new, and that all were renamed."""

import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile

from rankine.spoken import Archive
from rankine.spoken.archive import create_or_open

from .timing import goal, heading

RECORDINGS = 10_000


class Ears:
    """A recogniser that costs nothing."""

    rate, ending = 16000, ".nbest"

    def __call__(self, samples: np.ndarray) -> bytes:
        return b"-1.0 spoken words\n"


def add(folder: Path) -> tuple[float, tuple[int, int]]:
    """The seconds of one call, opening included, and how many recordings were heard now and before."""
    began = time.perf_counter()
    done = Archive(folder / "archive").recordings.add(folder / "audio", [Ears()], every=600.0).recognised
    return time.perf_counter() - began, (done.done, done.before)


def main() -> None:
    heading("Adding recordings")
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        folder, rng = Path(temporary), np.random.default_rng(0)
        (folder / "audio").mkdir()
        for i in range(RECORDINGS):
            soundfile.write(folder / "audio" / f"r{i:05d}.wav", rng.integers(-9000, 9000, 1600).astype(np.int16), 16000)
        create_or_open(folder / "archive", "en")
        took, heard = add(folder)
        print(f"  {heard[0]:,} recordings of a tenth of a second, heard at no cost: {took:.0f} s", flush=True)
        took = min(add(folder)[0] for _ in range(3))
        goal(f"nothing new among {RECORDINGS:,} recordings, seconds", took, 3, at_most=True)
        (folder / "audio").rename(folder / "moved")
        (folder / "audio").mkdir()
        for path in sorted((folder / "moved").iterdir()):
            path.rename(folder / "audio" / f"new-{path.name}")
        took, heard = add(folder)
        print(f"  all renamed: {took:.1f} s; {heard[0]:,} heard again", flush=True)
