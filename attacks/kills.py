"""Kill -9 at any point of every command that writes: nothing committed is lost, and a later run succeeds.

Half of the kills come before or after a call that changes files (``write``, ``replace``, ``fsync``, ``commit`` and so
on; the n-th one, so that all points are met in turn), half after a random time.

    python -m attacks.kills --count 1000 --seed 0
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import tempfile
import threading
import time
import types
from collections import Counter
from pathlib import Path

from .scenes import Scene, Stage, command, forked, perform, place, selected

# names of functions of C that change files, or decide that a change counts
CALLS = frozenset(
    "write writelines writerow writerows flush close replace rename unlink remove fsync mkdir rmdir open truncate"
    " ftruncate commit execute executemany executescript chmod link symlink tofile write_table write_batch mkstemp"
    " release flock lockf".split()
)


def changes_files(function) -> bool:
    """Whether a function of C changes files: one of the system's, a method of an open file or of a data base."""
    owner = getattr(function, "__self__", None)
    home = owner.__name__ if isinstance(owner, types.ModuleType) else type(owner).__module__
    return (
        function.__name__ in CALLS
        and home.split(".")[0]
        in ("posix", "_io", "io", "sqlite3", "fcntl", "numpy", "pyarrow", "gzip", "_lzma", "zlib")
        and type(owner).__name__ not in ("StringIO", "BytesIO")
    )


def kill_at_call(number: int) -> list[int]:
    """Kill this process at the n-th such event (a call or its return); the counter of events."""
    seen = [0]

    def profile(frame, event, function) -> None:
        if event in ("c_call", "c_return") and changes_files(function):
            seen[0] += 1
            if seen[0] == number:
                os.kill(os.getpid(), signal.SIGKILL)

    threading.setprofile(profile)
    sys.setprofile(profile)
    return seen


def events_of(scene: Scene, stage: Stage) -> tuple[int, float]:
    """How many events a command has undisturbed, and how many seconds it takes without counting."""
    folder = stage.fresh()

    def count() -> int:
        seen = kill_at_call(-1)
        code = perform(scene)
        sys.setprofile(None)
        Path(f"{folder}.events").write_text(str(seen[0]))
        return code

    os.waitpid(forked(count, folder, "count"), 0)
    events = int(Path(f"{folder}.events").read_text())
    folder = stage.fresh()
    began = time.perf_counter()
    os.waitpid(forked(lambda: perform(scene), folder, "time"), 0)
    return events, time.perf_counter() - began


def kill(scene: Scene, stage: Stage, number: int | None, delay: float) -> bool:
    """Run the command and kill it at an event, or after a time; whether it was killed before its end."""
    folder = stage.fresh()

    def work() -> int:
        if number is not None:
            kill_at_call(number)
        return perform(scene)

    child = forked(work, folder, "run")
    if number is None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def attack(count: int, seed: int, names: list[str], minutes: float = 1e9) -> list[str]:
    """Kill ``count`` times; print counts; the failures."""
    rng = random.Random(seed)
    failures: list[str] = []
    killed: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    deadline = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="rankine-kills-", dir=place()) as folder:
        stage = Stage(Path(folder))
        scenes = selected(names)
        for scene in scenes:
            stage.rehearse(scene)
        costs = {scene.name: events_of(scene, stage) for scene in scenes}
        for i in itertools.count():
            if killed.total() >= count or time.monotonic() > deadline:
                break
            scene = scenes[i % len(scenes)]
            events, seconds = costs[scene.name]
            turn = i // len(scenes)
            number = None if turn % 2 else 1 + (turn // 2 * 7919 + rng.randrange(3)) % events
            delay = rng.uniform(0, 1.1 * seconds)
            tried[scene.name] += 1
            killed[scene.name] += kill(scene, stage, number, delay)
            problem = stage.problem(scene, stage.work)
            if problem:
                failures.append(f"seed {seed}, kill {i}, {scene.name}, event {number}, delay {delay:.3f}: {problem}")
                print(failures[-1], flush=True)
    for name, n in tried.items():
        print(f"{name}: {n} runs, {killed[name]} killed before their end, {costs[name][0]} events")
    print(f"{sum(killed.values())} kills in {sum(tried.values())} runs, {len(failures)} failures (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=1000)
