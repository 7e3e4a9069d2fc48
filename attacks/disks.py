"""Faults of disks, clocks and neighbours for every command that writes.

Faults: a limit on the size of files; a call of the system that fails (no space, quota, read-only, input or output
error), the n-th one; a clock that goes backwards; two writers at once; an archive of hard links to another's files.
The command must succeed, or end with one line that names a file; nothing is lost or half-written, no temporary file
stays, and a second run succeeds. Of hard-linked archives the other one must stay as it was, byte for byte.

    python -m attacks.disks --count 300 --seed 0
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import random
import resource
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from .scenes import Scene, Stage, command, forked, perform, place, printed, selected

ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EACCES)
CALLS = ("replace", "fsync", "open", "mkdir", "unlink", "rename", "chmod", "stat")


def limit_size(rng: random.Random) -> str:
    """No file may become larger than a few bytes."""
    size = rng.choice([700, 1000, 2000, 4096, 8192, 20000])  # messages go to a file too
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    return f"files of at most {size} bytes"


def fail_call(rng: random.Random) -> str:
    """The n-th call of the system that changes files fails, and all after it, or only that one."""
    number, wrong, lasting = rng.randint(1, 25), rng.choice(ERRORS), rng.random() < 0.5
    seen = [0]

    def failing(call: Callable, counts: Callable[..., bool]) -> Callable:
        def instead(*arguments, **options):
            if counts(*arguments, **options):
                seen[0] += 1
                if seen[0] == number or (lasting and seen[0] > number):
                    raise OSError(wrong, os.strerror(wrong), str(arguments[0]))
            return call(*arguments, **options)

        return instead

    def here(path, *_, **__) -> bool:
        return isinstance(path, int) or os.path.abspath(os.fsdecode(path)).startswith(os.getcwd())

    def writes(path, mode="r", *_, **__) -> bool:
        return not isinstance(path, int) and here(path) and any(c in mode for c in "wax+")

    for name in CALLS[:-1]:
        setattr(os, name, failing(getattr(os, name), here))
    io.open = builtins.open = failing(builtins.open, writes)
    return f"call {number} fails with {errno.errorcode[wrong]}{', and all after it' if lasting else ''}"


def turn_clock_back(rng: random.Random) -> str:
    """Every look at the clock is an hour before the last one."""
    now = [time.time()]

    def earlier() -> float:
        now[0] -= 3600
        return now[0]

    time.time = earlier
    time.time_ns = lambda: int(earlier() * 1e9)
    return "a clock that goes backwards"


def nothing(rng: random.Random) -> str:
    """No fault in the process itself."""
    return ""


FAULTS = {"size": limit_size, "call": fail_call, "clock": turn_clock_back, "two writers": nothing, "links": nothing}


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def run(scene: Scene, stage: Stage, fault: str, seed: str) -> str:
    """A run with a fault: what is wrong."""
    folder = stage.fresh()
    before: dict[str, bytes] = {}
    original = folder.with_name("original")
    if fault == "links":
        shutil.rmtree(original, ignore_errors=True)
        folder.rename(original)
        shutil.copytree(original, folder, copy_function=os.link)
        before = content(original)

    def work() -> int:
        print(FAULTS[fault](random.Random(seed)), flush=True)
        return perform(scene)

    names = ["run", "run2"] if fault == "two writers" else ["run"]
    children = [(forked(work, folder, name), name) for name in names]
    problems = []
    for child, name in children:
        _, status = os.waitpid(child, 0)
        problems.append(_ending(status, printed(folder, name), fault))
    left = [p for p in folder.rglob("*") if ".new-" in p.name]
    if left and fault != "call":
        problems.append(f"temporary files are left: {left}")
    if fault == "links" and content(original) != before:
        after = content(original)
        problems.append(f"the other archive has changed: {[n for n in before if after.get(n) != before[n]]}")
    described = Path(f"{folder}.run.out").read_text(errors="replace").split("\n")[0]
    problem = "; ".join(filter(None, problems)) or stage.problem(scene, folder)
    return f"{described}: {problem}" if problem else ""


def _ending(status: int, text: str, fault: str) -> str:
    """What is wrong with the end of a run."""
    if os.WIFSIGNALED(status):
        return f"killed by signal {os.WTERMSIG(status)}"
    if os.WEXITSTATUS(status) == 0:
        return ""
    last = text.strip().split("\n")[-1]
    if "Traceback" in text or "bug in Rankine" in text:
        return f"a traceback: {text[:200]} … {text[-400:]}"
    if "rankine: " not in text or "[Errno" in last:
        return f"an error that names no file: {text[-500:]}"
    return ""


def attack(count: int, seed: int, names: list[str], minutes: float = 1e9) -> list[str]:
    """Run ``count`` commands with faults; print counts and failures; the failures."""
    failures: list[str] = []
    done: Counter[str] = Counter()
    deadline = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="rankine-disks-", dir=place()) as temporary:
        stage = Stage(Path(temporary))
        scenes = [s for s in selected(names) if s.run is None]
        for scene in scenes:
            stage.rehearse(scene)
        kinds = ["call", "size", "call", "clock", "call", "two writers", "call", "links"]
        for i in range(count):
            if time.monotonic() > deadline:
                break
            scene, fault = scenes[i % len(scenes)], kinds[i // len(scenes) % len(kinds)]
            done[fault] += 1
            problem = run(scene, stage, fault, f"{seed} {i}")
            if problem:
                failures.append(f"seed {seed}, run {i}, {scene.name}, {fault}: {problem}")
                print(failures[-1], flush=True)
    print(", ".join(f"{fault}: {n}" for fault, n in done.items()))
    print(f"{sum(done.values())} faults, {len(failures)} failures (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=300)
