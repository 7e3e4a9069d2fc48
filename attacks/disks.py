"""Faults of disks, clocks and neighbours for every command that writes.

Faults: a limit on the size of files; a call of the system that fails (no space, quota, read-only, input or output
error), the n-th one; a disk of a random size that is full at some point (where file systems may be mounted, as root);
a clock that goes backwards; two writers at once; an archive of hard links to another's files.
The command must succeed, or end with one line that names a file; nothing is lost or half-written, no temporary file
stays, and a second run succeeds (of a full disk: with more space). Of hard-linked archives the other one must stay as
it was, byte for byte.

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
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rankine.system.files import is_temporary

from .scenes import Scene, Stage, command, forked, perform, place, printed, selected

ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EACCES)
CALLS = ("replace", "fsync", "open", "mkdir", "unlink", "rename", "chmod", "stat")
PAGE, ENOUGH = 4096, 1 << 28
FULL = ("No space left on device", "disk is full")  # as the system and SQLite say it


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


def use_own_temporary_folder(rng: random.Random) -> str:
    """In half of the runs temporary files lie on the small disk too."""
    if rng.random() < 0.5:
        os.environ["TMPDIR"] = tempfile.tempdir = os.getcwd()
    return f"temporary files in {tempfile.gettempdir()}"


FAULTS = {
    "size": limit_size, "call": fail_call, "clock": turn_clock_back, "two writers": nothing, "links": nothing,
    "full disk": use_own_temporary_folder,
}  # fmt: skip


def mount(folder: Path, options: str) -> bool:
    """Mount a file system in memory on a folder, or change a mounted one; whether that is permitted."""
    command = ["mount", "-t", "tmpfs", "-o", options, "rankine-attack", str(folder)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def may_mount() -> bool:
    """Whether this process may mount file systems."""
    with tempfile.TemporaryDirectory() as folder:
        there = mount(Path(folder), "size=64k")
        if there:
            subprocess.run(["umount", folder], check=True)
        return there


def pages(folder: Path) -> int:
    """How many bytes the files of a folder take in whole pages."""
    return sum(-(-p.lstat().st_size // PAGE) * PAGE for p in folder.rglob("*") if not p.is_dir())


@contextmanager
def small_disk(template: Path, folder: Path, room: int) -> Iterator[None]:
    """A disk of its own at a folder: it holds the template, and has room for so many bytes more."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if not mount(folder, f"size={pages(template) + room}"):
        raise OSError(errno.EPERM, "this process may not mount a file system", str(folder))
    try:
        shutil.copytree(template, folder, symlinks=True, dirs_exist_ok=True)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def run_on_small_disk(scene: Scene, stage: Stage, seed: str) -> tuple[str, bool]:
    """A run on a disk that is full at some point: what is wrong, and whether it was full."""
    rng, folder = random.Random(f"{seed} room"), stage.work
    room = PAGE * int(rng.uniform(0, 1.5) * (8 + stage.growth[scene.name] // PAGE))
    with small_disk(stage.template, folder, room):

        def work() -> int:
            print(FAULTS["full disk"](random.Random(seed)), flush=True)
            return perform(scene)

        _, status = os.waitpid(forked(work, folder, "run"), 0)
        said = printed(folder, "run")
        was_full = any(words in said for words in FULL)
        problems = [_ending(status, said, "full disk")]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) and not was_full:
            problems.append(f"an error that does not say that the disk is full: {said[-500:]}")
        left = [p for p in folder.rglob("*") if is_temporary(p) or p.name.startswith(("rankine-", "tmp"))]
        problems += [f"temporary files are left: {left}"] if left else []
        problem = "; ".join(filter(None, problems)) or stage.problem(
            scene, folder, lambda: mount(folder, f"remount,size={ENOUGH}")
        )
        described = Path(f"{folder}.run.out").read_text(errors="replace").split("\n")[0]
        return f"{room // PAGE} pages of room, {described}: {problem}" if problem else "", was_full


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
    full: Counter[str] = Counter()
    deadline = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="rankine-disks-", dir=place()) as temporary:
        stage = Stage(Path(temporary))
        scenes = [s for s in selected(names) if s.run is None]
        for scene in scenes:
            stage.rehearse(scene)
        kinds = ["call", "size", "full disk", "clock", "call", "full disk", "two writers", "call", "full disk", "links"]
        if not may_mount():
            print("no file system may be mounted: calls fail instead of full disks")
            kinds = ["call" if kind == "full disk" else kind for kind in kinds]
        for i in range(count):
            if time.monotonic() > deadline:
                break
            scene, fault = scenes[i % len(scenes)], kinds[i // len(scenes) % len(kinds)]
            done[fault] += 1
            if fault == "full disk":
                problem, was_full = run_on_small_disk(scene, stage, f"{seed} {i}")
                full[scene.name] += was_full
            else:
                problem = run(scene, stage, fault, f"{seed} {i}")
            if problem:
                failures.append(f"seed {seed}, run {i}, {scene.name}, {fault}: {problem}")
                print(failures[-1], flush=True)
    print(", ".join(f"{fault}: {n}" for fault, n in done.items()))
    print(f"full disks: {full.total()} ({', '.join(f'{name} {n}' for name, n in full.items() if n)})")
    print(f"{sum(done.values())} faults, {len(failures)} failures (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=300)
