"""Kill -9 a recognition at random moments: what goes on afterwards ends with the same lattices as one that was let be.

Whisper hears the bundled recordings, joined to longer ones, with samples; without its model PocketSphinx does.

    python -m attacks.recognition --count 50 --seed 0
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from .scenes import command, forked, place

FILES, JOINED, LONGEST = 3, 4, 5.0


def write_recordings(folder: Path) -> None:
    """Some recordings, each of several bundled ones."""
    import numpy as np
    import soundfile

    from rankine.sample import spoken_sample

    folder.mkdir()
    with spoken_sample() as sample:
        paths = sorted((sample / "audio").glob("*.ogg"))
        for i in range(FILES):
            parts = [soundfile.read(path, dtype="int16")[0] for path in paths[i * JOINED : (i + 1) * JOINED]]
            soundfile.write(folder / f"tape{i}.wav", np.concatenate(parts), 16000)


def recogniser() -> object:
    """Whisper where its model is, else PocketSphinx."""
    from rankine.spoken.recognise import models
    from rankine.spoken.recognise.model_table import DEFAULT
    from rankine.spoken.recognise.table import get

    there = all(map(find_spec, ("ctranslate2", "tokenizers"))) and models.is_here(DEFAULT)
    return get("whisper", number=3) if there else get("pocketsphinx")


def start(heard: object, audio: Path, out: Path) -> int:
    """Recognise in a process of its own; its number."""

    def work() -> int:
        from rankine.spoken.recognise.run import recognise

        return bool(recognise([audio], out, heard, longest=LONGEST).errors)

    out.mkdir(exist_ok=True)
    return forked(work, out, "run")


def lattices(folder: Path) -> dict[str, bytes]:
    """The table of recordings and all lattices."""
    table = sorted((folder / "recordings.tsv").read_text().replace(str(folder), "").splitlines())
    return {"table": "\n".join(table).encode(), **{p.name: p.read_bytes() for p in folder.glob("*.slf.gz")}}


def attack(count: int, seed: int, minutes: float = 1e9, heard: object | None = None) -> list[str]:
    """Kill so often, begin anew whenever a run came to its end; print counts; the failures."""
    rng, used = random.Random(seed), heard or recogniser()
    failures: list[str] = []
    killed = ended = 0
    deadline = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="rankine-recognition-", dir=place()) as temporary:
        folder = Path(temporary)
        write_recordings(folder / "audio")
        began = time.monotonic()
        os.waitpid(start(used, folder / "audio", folder / "whole"), 0)
        taken, expected = time.monotonic() - began, lattices(folder / "whole")
        out, over = folder / "out0", False
        while not over:
            child = start(used, folder / "audio", out)
            time.sleep(rng.uniform(0, taken))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            killed += os.WIFSIGNALED(status)
            over = killed >= count or time.monotonic() > deadline
            if os.WIFSIGNALED(status) and not over:
                continue
            os.waitpid(start(used, folder / "audio", out), 0)
            ended += 1
            if lattices(out) != expected:
                failures.append(f"seed {seed}, after {killed} kills: other lattices than without kills")
                print(failures[-1], flush=True)
            out = folder / f"out{ended}"
    name = type(used).__name__
    print(f"{name}: {len(expected) - 1} lattices, {killed} kills, {ended} ends, {len(failures)} failures (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=50, scenes=False)
