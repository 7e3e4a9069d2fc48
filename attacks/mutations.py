"""Mutated files of every kind: each is refused in one line that names it, or is read as a slow reader reads it.

    python -m attacks.mutations --count 20000            # over all kinds
    python -m attacks.mutations --kind slf --only 1234   # one input again

A process does the inputs of a kind one after the other, with at most 1 GB of memory beyond what it has when it begins.
It is watched from outside: an input on which it dies, or on which it works for more than 10 seconds, is a failure, and
the next process goes on behind it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from rankine.errors import InputError, in_one_line

MEMORY, SECONDS = 1 << 30, 10.0
ACCEPTED, REFUSED, TRACEBACK, WORDING, DISAGREES, DEATH, HANG, MEMORY_FAULT = (
    "accepted", "refused", "foreign exceptions", "bad wording", "unlike the slow reader", "deaths", "hangs",
    "over 1 GB",
)  # fmt: skip


class Failure(NamedTuple):
    """An input that did what must not happen."""

    kind: str
    number: int
    what: str
    text: str


def kinds() -> dict[str, Any]:
    """All kinds by name."""
    from . import kinds, kinds_archive, kinds_csv, kinds_packed, kinds_spoken, kinds_transcripts, kinds_trec

    modules = (kinds, kinds_csv, kinds_trec, kinds_spoken, kinds_transcripts, kinds_archive, kinds_packed)
    return {kind.name: kind for module in modules for kind in module.KINDS}


def generator(seed: int, kind: str, number: int) -> random.Random:
    """The random generator of one input."""
    return random.Random(f"{seed}/{kind}/{number}")


def attempt(kind: Any, rng: random.Random, folder: Path) -> tuple[str, str]:
    """Make an input and use it: what came of it, and its text."""
    path = folder
    try:
        path = kind.write(rng, folder)
        result = kind.use(path)
    except (InputError, OSError) as error:
        return _refusal(error, kind.named(path))
    except MemoryError:
        return MEMORY_FAULT, traceback.format_exc(limit=-3)
    except Exception:
        return TRACEBACK, traceback.format_exc(limit=-4)
    try:
        kind.agrees(path, result)
    except Exception:
        return DISAGREES, traceback.format_exc(limit=-3)
    return ACCEPTED, ""


def _refusal(error: Exception, name: str) -> tuple[str, str]:
    line = in_one_line(error)
    if name not in line:
        return WORDING, f"the file is not named: {line}"
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in line):
        return WORDING, f"control characters: {line!r}"
    return REFUSED, line


def work(name: str, seed: int, first: int, last: int, place: str, state: Any, queue: Any) -> None:
    """One process: inputs of a kind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # notes for the user
    kind = kinds()[name]
    folder = Path(place)
    kind.prepare(folder)
    for number in range(50):  # compile and import what is needed before memory is limited
        with suppress(Exception):
            attempt(kind, generator(-1, name, number), folder)
        if number > 2 and time.monotonic() - state[1] > 40:
            break
    _limit_memory()
    counts: Counter[str] = Counter()
    failures, began = [], time.monotonic()
    for number in range(first, last):
        state[0], state[1] = number, time.monotonic()
        what, text = attempt(kind, generator(seed, name, number), folder)
        counts[what] += 1
        if what not in (ACCEPTED, REFUSED):
            failures.append((number, what, text))
        if time.monotonic() - began > 1.0:
            queue.put((name, number, counts, failures))
            counts, failures, began = Counter(), [], time.monotonic()
    queue.put((name, last, counts, failures))
    state[0] = last
    queue.close()
    queue.join_thread()
    os._exit(0)


def _limit_memory() -> None:
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))


class Runner:
    """Gives kinds to processes, watches them, and gathers what came of it."""

    def __init__(self, seed: int, workers: int) -> None:
        self.seed, self.workers = seed, workers
        self.counts: dict[str, Counter[str]] = {}
        self.failures: list[Failure] = []
        self.context = mp.get_context("fork")  # all is imported once, in the parent

    def run(self, wanted: dict[str, int], until: float) -> None:
        """Do so many inputs of each kind, but begin nothing after ``until``."""
        waiting = [(name, 0, n) for name, n in wanted.items()]
        running: list[Any] = []
        while waiting or running:
            while waiting and len(running) < self.workers and time.monotonic() < until:
                running.append(self._start(*waiting.pop(0)))
            if not running:
                break
            time.sleep(0.05)
            for process in list(running):
                rest = self._watch(process, time.monotonic() >= until)
                if rest is not None:
                    running.remove(process)
                    waiting[:0] = [rest] if rest[1] < rest[2] else []

    def _start(self, name: str, first: int, last: int) -> Any:
        self.counts.setdefault(name, Counter())
        place = tempfile.mkdtemp(prefix="rankine-attack-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        state, queue = self.context.Array("d", [-1.0, time.monotonic()], lock=False), self.context.Queue()
        process = self.context.Process(target=work, args=(name, self.seed, first, last, place, state, queue))
        process.start()
        return process, state, queue, name, last, place

    def _watch(self, running: Any, over: bool) -> tuple[str, int, int] | None:
        """None while a process works; else what of its inputs is left."""
        process, state, queue, name, last, place = running
        self._gather(queue)
        at, since = int(state[0]), time.monotonic() - state[1]
        dead, hangs = not process.is_alive(), at >= 0 and at < last and since > SECONDS
        if not dead and not hangs and not over and not (at < 0 and since > 180):
            return None
        if not dead:
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        self._gather(queue)
        shutil.rmtree(place, ignore_errors=True)
        if at >= last:
            return name, last, last
        if over and not hangs and process.exitcode in (0, -signal.SIGKILL):
            return name, last, last
        what = HANG if hangs else DEATH
        self.counts[name][what] += 1
        self.failures.append(Failure(name, at, what, f"exit code {process.exitcode}, {since:.1f} s"))
        if at < 0:
            return name, last, last
        return name, at + 1, last

    def _gather(self, queue: Any) -> None:
        with suppress(Exception):
            while True:
                name, _, counts, failures = queue.get_nowait()
                self.counts[name].update(counts)
                self.failures += [Failure(name, *failure) for failure in failures]


def spread(
    count: int, names: list[str], table: dict[str, Any], least: int = 0, least_archive: int = 0
) -> dict[str, int]:
    """How many inputs each kind gets: by its share, and not fewer than the least."""
    total = sum(table[n].share for n in names)
    return {n: max(round(count * table[n].share / total), least_archive if table[n].archive else least) for n in names}


def report(runner: Runner, least: float = 0.2) -> bool:
    """Print the counts and the failures; whether all is well."""
    columns = [ACCEPTED, REFUSED, TRACEBACK, WORDING, DISAGREES, DEATH, HANG, MEMORY_FAULT]
    print(f"{'kind':24s} {'inputs':>9s} " + " ".join(f"{c:>{max(len(c), 8)}s}" for c in columns))
    total: Counter[str] = Counter()
    good = True
    for name, counts in runner.counts.items():
        total.update(counts)
        n = sum(counts.values())
        note = ""
        if n >= 50 and counts[ACCEPTED] < least * n:
            note, good = f"  only {counts[ACCEPTED] / n:.0%} accepted", False
        print(f"{name:24s} {n:9,d} " + " ".join(f"{counts[c]:{max(len(c), 8)},d}" for c in columns) + note)
    print(f"{'all':24s} {sum(total.values()):9,d} " + " ".join(f"{total[c]:{max(len(c), 8)},d}" for c in columns))
    seen: Counter[Any] = Counter()
    for failure in runner.failures:
        last = failure.text.strip().splitlines()[-2:] if failure.text else []
        place = (failure.kind, failure.what, *[x for x in failure.text.splitlines() if "File" in x][-1:])
        seen[place] += 1
        if seen[place] == 1:
            print(f"\nFAILURE {failure.what}: --seed {runner.seed} --kind '{failure.kind}' --only {failure.number}")
            print(failure.text.rstrip() if len(failure.text) < 3000 else "\n".join(last))
    for place, n in seen.items():
        if n > 1:
            print(f"{n} times: {' '.join(place)}")
    return good and not runner.failures


def once(name: str, seed: int, number: int) -> None:
    """One input again, in this process; its file stays."""
    kind, folder = kinds()[name], Path(tempfile.mkdtemp(prefix="rankine-attack-"))
    kind.prepare(folder)
    what, text = attempt(kind, generator(seed, name, number), folder)
    print(json.dumps({"kind": name, "number": number, "folder": str(folder), "result": what}), text, sep="\n")


def main(arguments: list[str] | None = None) -> bool:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m attacks.mutations", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000, help="inputs over all kinds")
    parser.add_argument("--minutes", type=float, default=600.0, help="stop after so many minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", nargs="+", help="only these kinds")
    parser.add_argument("--only", type=int, help="this one input again, and keep its file")
    parser.add_argument("--least", type=int, default=0, help="at least so many of each kind")
    parser.add_argument("--least-archive", type=int, default=0, help="at least so many of each kind of an archive")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    table = kinds()
    names = options.kind or list(table)
    if options.only is not None:
        once(names[0], options.seed, options.only)
        return True
    runner = Runner(options.seed, options.workers)
    wanted = spread(options.count, names, table, options.least, options.least_archive)
    runner.run(wanted, time.monotonic() + 60 * options.minutes)
    return report(runner)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
