"""Ctrl-C and SIGTERM at random moments of every command: how long until it is acknowledged, and how the command ends.

A run is one process that is sent a signal after a random time. It must print its acknowledgement within 0.5 seconds,
end with exit code 130 (SIGINT) or 143 (SIGTERM), print no traceback, and leave no process behind and a folder in which
nothing is lost. Every third run is sent a second signal, which must end it within 0.5 seconds.

    python -m attacks.signals --count 200 --seed 0
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from .scenes import Scene, Stage, command, place, selected

LIMIT = 0.5  # seconds
# commands that work for seconds, with processes of their own and in kernels and libraries
LONG = [
    Scene(
        "long train", ["train", "large.txt", "-o", "out.json", "--loss", "svm-ndcg@10", "--tol", "1e-9", "-C", "1000"]
    ),
    Scene(
        "long train --path",
        ["train", "large.txt", "--valid", "valid.txt", "-o", "out.json", "--loss", "svm-ndcg@10", "--path", "1e-3:1e3"],
    ),
    Scene("long tune", ["tune", "large.txt", "--folder", "jobs", "--loss", "svm-map", "--workers", "2"]),
    Scene("long tune adarank", ["tune", "data.txt", "--folder", "jobs", "--ranker", "adarank", "--workers", "1"]),
    Scene("long index", ["spoken", "index", "new", "many", "--workers", "2"]),
    Scene("long pspl", ["spoken", "pspl", "many", "-o", "out.tsv", "--workers", "2"]),
    Scene("long convert", ["convert", "large.txt", "large.txt.xz"]),
    Scene("long compare", ["compare", "large.txt", "old.json", "model.json"]),
    Scene("long recognise", ["spoken", "recognise", "speech", "-o", "out", "--workers", "2"]),
    Scene("long demo", ["demo", "out"]),
]


def extend(folder: Path) -> None:
    """Larger inputs, for the commands that work for seconds."""
    import rankine as rk
    from rankine.sample import judged_set, spoken_sample

    from .scenes import WORDS, slf

    rk.save_letor(judged_set(n_queries=4000), folder / "large.txt")
    rk.save_letor(judged_set(n_queries=40, seed=1), folder / "valid.txt")
    (folder / "many").mkdir()
    rng = random.Random(0)
    for i in range(3000):
        (folder / "many" / f"u{i}.slf").write_bytes(slf(*rng.choices(WORDS, k=40)))
    with spoken_sample() as sample:
        os.symlink(sample / "audio", folder / "speech")


def start(scene: Scene, folder: Path) -> subprocess.Popen:
    """The command in a process of its own, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", "from rankine.cli import program; program()", *scene.arguments],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def read_until(process: subprocess.Popen, mark: bytes, seconds: float) -> tuple[bytes, float]:
    """What the process prints until ``mark`` or its end, and how long that took."""
    began, text = time.monotonic(), b""
    while mark not in text and time.monotonic() - began < seconds:
        if select.select([process.stderr], [], [], 0.05)[0]:
            block = os.read(process.stderr.fileno(), 1 << 16)
            if not block:
                break
            text += block
    return text, time.monotonic() - began


def members(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    out = []
    for entry in os.listdir("/proc"):
        try:
            fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split() if entry.isdigit() else []
        except OSError:
            continue
        if fields and int(fields[3]) == session and fields[0] != "Z":
            out.append(int(entry))
    return out


def interrupt(scene: Scene, folder: Path, delay: float, number: int, twice: bool) -> tuple[str, float, float]:
    """Send signals to a run: what is wrong, and the seconds to the acknowledgement and to the end (nan if none)."""
    process = start(scene, folder)
    if scene.stdin:
        process.stdin.write(scene.stdin)
    process.stdin.close()
    before, _ = read_until(process, b"\x00", delay)
    if process.poll() is not None:
        return "", float("nan"), float("nan")
    began = time.monotonic()
    os.killpg(process.pid, number)  # as a terminal does
    text, seconds = read_until(process, b"rankine: stopping", 20)
    acknowledged = b"rankine: stopping" in text
    if acknowledged and twice:
        os.killpg(process.pid, number)
        began = time.monotonic()
    rest, _ = read_until(process, b"\x00", 60)
    try:
        code = process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        return f"did not end: {text!r}", seconds, 60.0
    ended = time.monotonic() - began
    process.stderr.close()
    everything = (before + text + rest).decode("utf-8", "replace")
    time.sleep(0.05)
    left = members(process.pid)
    for orphan in left:
        os.kill(orphan, signal.SIGKILL)
    return wrong(code, number, everything, acknowledged, seconds, ended if twice else 0.0, left), seconds, ended


def wrong(code, number, text, acknowledged, seconds, ended, left) -> str:
    """What is wrong with the end of a run."""
    if code == 0 and not acknowledged:
        return ""  # it had ended just before
    if code == -number and not text:
        return ""  # Python itself had not started yet
    problems = [
        (code != 128 + number, f"exit code {code}"),
        (not acknowledged, "not acknowledged"),
        (seconds > LIMIT, f"acknowledged after {seconds:.2f} s"),
        (ended > LIMIT, f"ended {ended:.2f} s after the second signal"),
        ("Traceback" in text or "Exception ignored" in text or "bug in Rankine" in text, "a traceback"),
        (bool(left), f"{len(left)} processes left"),
    ]
    what = ", ".join(words for bad, words in problems if bad)
    return f"{what}: {text[-800:]!r}" if what else ""


def attack(count: int, seed: int, names: list[str], minutes: float = 1e9) -> list[str]:
    """Send signals to ``count`` runs; print times and failures; the failures."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in the background; runs inherit it
    rng = random.Random(seed)
    failures: list[str] = []
    times: dict[str, list[float]] = defaultdict(list)
    ends: dict[str, list[float]] = defaultdict(list)
    deadline = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="rankine-signals-", dir=place()) as temporary:
        stage = Stage(Path(temporary))
        extend(stage.template)
        scenes = [s for s in selected([]) if s.run is None] + LONG
        scenes = [s for s in scenes if not names or s.name in names]
        for scene in scenes:
            if scene not in LONG:
                stage.rehearse(scene)
        for i in range(count):
            if time.monotonic() > deadline:
                break
            scene = scenes[i % len(scenes)]
            number = rng.choice([signal.SIGINT, signal.SIGINT, signal.SIGTERM])
            delay, twice = rng.uniform(0.05, 6.0 if scene in LONG else 2.0), i % 3 == 2
            folder = stage.fresh()
            problem, seconds, ended = interrupt(scene, folder, delay, number, twice)
            if seconds == seconds:
                times[scene.name].append(seconds)
                ends[f"{scene.name}{' (second signal)' if twice else ''}"].append(ended)
            if not problem and scene not in LONG:
                problem = stage.problem(scene, folder)
            if problem:
                failures.append(f"seed {seed}, run {i}, {scene.name}, {number!r} at {delay:.2f} s: {problem}")
                print(failures[-1], flush=True)
    for name, values in times.items():
        print(f"{name}: {len(values)} signals, acknowledged after at most {max(values):.3f} s")
    for name, values in ends.items():
        print(f"{name}: ended after at most {max(values):.2f} s")
    print(f"{sum(map(len, times.values()))} signals, {len(failures)} failures (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=200)
