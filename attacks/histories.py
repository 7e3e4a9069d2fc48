"""Random histories of a spoken archive: whatever people do to it and to its files, it holds what a plain model says.

A sequence is a list of steps, each a row of ``STEPS`` with a seed of its own. With kills, some steps run in a process
that is killed at a random line, at a random call that changes files, or after a random time. Then the archive must open
and be whole, nothing that was typed in may be lost, and the step done again leads to the state that the model says.

    python -m attacks.histories --count 1000 --kills 300 --seed 1
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from .history_steps import FILES_ONLY, STEPS, Plan
from .history_world import World
from .kills import kill_at_call
from .scenes import place

BEGINNINGS = {"new": 8, "archive": 1, "recorded": 1}
_LENGTHS = (6, 18)  # steps of a sequence
_TRACED = ("rankine.spoken", "rankine.system.files", "rankine.spoken.recognise.journal", "rankine.system.temporary")
_USUAL = {"line": 2000.0, "call": 60.0, "time": 0.02}  # until a step of its kind was run


class Kill(NamedTuple):
    """How a step is killed: at the n-th ``line`` or ``call`` that changes files, or after some ``time`` in seconds."""

    how: str
    when: float


class Step(NamedTuple):
    """A row of ``STEPS``, the seed of its choices, and perhaps a kill."""

    name: str
    seed: int
    kill: Kill | None = None

    def __str__(self) -> str:
        kill = f" killed at {self.kill.how} {self.kill.when:.5g}" if self.kill else ""
        return f"{self.name} {self.seed}{kill}"


class History(NamedTuple):
    """How an archive begins, and the steps."""

    begin: str
    steps: tuple[Step, ...]


class Failure(Exception):
    """What is wrong, and the number of the step after which it is."""

    def __init__(self, step: int, what: str) -> None:
        super().__init__(what)
        self.step, self.what = step, what


def kill_at_line(number: int) -> list[int]:
    """Kill this process at the n-th line of the modules that write; the counter of lines."""
    seen = [0]

    def trace(frame, event, _):
        if not frame.f_globals.get("__name__", "").startswith(_TRACED):
            return None
        seen[0] += event == "line"
        if seen[0] == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    return seen


class Costs:
    """How many lines, calls and seconds each step usually takes."""

    def __init__(self) -> None:
        self.usual: dict[tuple[str, str], float] = {}

    def kill(self, step: str, rng: random.Random) -> Kill:
        """A random moment of a step."""
        how = rng.choice(("line", "line", "call", "call", "time"))
        when = rng.random() * self.usual.get((step, how), _USUAL[how])
        return Kill(how, when if how == "time" else 1 + int(when))

    def note(self, step: str, how: str, amount: float) -> None:
        """A step has taken so much."""
        self.usual[step, how] = max(amount, 0.9 * self.usual.get((step, how), 0.0))


def in_child(act: Callable[[], object], kill: Kill) -> tuple[str, float]:
    """Do something in a process that is killed: "killed", "" or an error, and how much it took if it was not killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        text = ""
        try:
            os.close(reading)
            began, seen = time.perf_counter(), [0]
            if kill.how != "time":
                seen = (kill_at_line if kill.how == "line" else kill_at_call)(int(kill.when))
            act()
            sys.settrace(None)
            sys.setprofile(None)
            text = f"{seen[0] if kill.how != 'time' else time.perf_counter() - began}"
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        finally:
            os.write(writing, text.encode()[:60000])
            os._exit(0)
    os.close(writing)
    if kill.how == "time":
        time.sleep(kill.when)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and not said:
        return "killed", 0.0
    try:
        return "", float(said)
    except ValueError:
        return said, 0.0


def perform(world: World, step: Step, plan: Plan, costs: Costs) -> bool:
    """Do what a plan says, perhaps with a kill and a second time; whether it was killed."""
    if step.kill is None or not plan.killable:
        plan.act()
        return False
    rows, before = world.rows(), set(world.model.there)
    outcome, amount = in_child(plan.act, step.kill)
    if outcome != "killed":
        if outcome:
            raise AssertionError(outcome)
        costs.note(step.name, step.kill.how, amount)
        return False
    archive = world.open()
    archive.check()
    archive.corrections.settle()
    lost = rows - world.rows()
    if lost:
        raise AssertionError(f"lost by a kill: {sorted(map(str, lost))[:3]}")
    world.slack += 1  # what was heard and not written yet is heard again
    mid = set(archive.recordings.names)
    again(plan)
    after = set(world.open().recordings.names)
    if before & after - mid:
        raise AssertionError(f"not there after a kill: {sorted(before & after - mid)}")
    return True


def again(plan: Plan) -> None:
    """Do what a plan says a second time; it may say that it has been done."""
    from rankine.errors import InputError

    try:
        (plan.again or plan.act)()
    except InputError as error:
        if not any(text in str(error) for text in plan.refusals):
            raise


class Tally(NamedTuple):
    """How often each step was taken and killed."""

    taken: Counter[str]
    killed: Counter[str]

    @classmethod
    def empty(cls) -> Tally:
        """No step was taken yet."""
        return cls(Counter(), Counter())


def play(sequence: History, folder: Path, costs: Costs, tally: Tally) -> Failure | None:
    """Play a sequence in a new folder; the first failure."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    world = World(folder, sequence.begin)
    for name in ("a", "b", "deep/c"):
        (world.audio / name).parent.mkdir(exist_ok=True)
        world.record(world.audio / f"{name}.wav")
    for number, step in enumerate(sequence.steps):
        try:
            plan = STEPS[step.name][0](world, random.Random(step.seed))
            if plan is None:
                continue
            tally.taken[step.name] += 1
            if plan is FILES_ONLY:
                continue
            tally.killed[step.name] += perform(world, step, plan, costs)
            plan.effect()
            wrong = world.differences()
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            wrong = [f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"]
        if wrong:
            return Failure(number, "; ".join(wrong))
    return None


def shortened(sequence: History, failure: Failure, folder: Path) -> tuple[History, Failure]:
    """The sequence without the steps that the failure does not need."""
    sequence = sequence._replace(steps=sequence.steps[: failure.step + 1])
    for begin in dict.fromkeys(("new", sequence.begin)):
        shorter = sequence._replace(begin=begin)
        if begin != sequence.begin and (other := play(shorter, folder, Costs(), Tally.empty())):
            sequence, failure = shorter, other
    smaller = True
    while smaller:
        smaller = False
        for i in reversed(range(len(sequence.steps))):
            shorter = sequence._replace(steps=sequence.steps[:i] + sequence.steps[i + 1 :])
            other = play(shorter, folder, Costs(), Tally.empty())
            if other is not None:
                sequence, failure, smaller = shorter._replace(steps=shorter.steps[: other.step + 1]), other, True
                break
    return sequence, failure


def random_sequence(rng: random.Random, share: float, costs: Costs) -> History:
    """A sequence in which this share of the steps is killed."""
    names, often = list(STEPS), [weight for _, weight in STEPS.values()]
    begin = rng.choices(list(BEGINNINGS), list(BEGINNINGS.values()))[0]
    steps = [Step("add", 0)]
    for name in rng.choices(names, often, k=rng.randint(*_LENGTHS)):
        kill = costs.kill(name, rng) if rng.random() < share else None
        steps.append(Step(name, rng.randrange(1 << 30), kill))
    return History(begin, (*steps, Step("add", 0)))


def attack(
    count: int, kills: int, seed: int, minutes: float = 1e9, short: bool = True, only: Sequence[int] = ()
) -> list[str]:
    """Play so many sequences with about so many kills; print counts; the failures."""
    failures: list[str] = []
    tally, costs = Tally.empty(), Costs()
    began, done = time.monotonic(), 0
    share = min(0.9, kills / max(count, 1) / 5)
    with tempfile.TemporaryDirectory(prefix="rankine-histories-", dir=place()) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in only or range(count):
            if time.monotonic() - began > 60 * minutes:
                break
            done += 1
            rest = share if tally.killed.total() < kills else 0.0
            sequence = random_sequence(random.Random(f"{seed}/{number}"), rest, costs)
            failure = play(sequence, Path(folder, "world"), costs, tally)
            if failure is not None:
                if short:
                    sequence, failure = shortened(sequence, failure, Path(folder, "world"))
                steps = "; ".join(map(str, sequence.steps))
                failures.append(f"seed {seed}, sequence {number}, {sequence.begin}: {steps}\n  {failure.what}")
                print(failures[-1], flush=True)
    print(", ".join(f"{name} {n}" + f" ({tally.killed[name]} killed)" * bool(tally.killed[name])
                    for name, n in tally.taken.items()))  # fmt: skip
    print(
        f"{done} sequences, {tally.taken.total()} steps, {tally.killed.total()} kills, {len(failures)} failures "
        f"(seed {seed}, {time.monotonic() - began:.0f} s)"
    )
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="sequences")
    parser.add_argument("--kills", type=int, default=300, help="about so many steps are killed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many minutes")
    parser.add_argument("--only", type=int, nargs="+", default=[], help="only these sequences")
    sys.exit(bool(attack(**vars(parser.parse_args()))))
