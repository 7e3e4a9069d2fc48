"""Kill -9 of four judges and a learner at any moment: every acknowledged judgment is there, and none twice.

Four processes judge places of an archive, change their minds and undo; each tells what it is about to do, and what was
acknowledged. A fifth learns, and proposes weights. All are killed after a random time, or one at a random call that
changes files. Then the database must be whole, hold each acknowledged judgment once and at most one other of each
judge, and search must use the weights that it used before. What was not acknowledged is sent once more: then it is
there once.

    python -m attacks.judging --count 300 --seed 1
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from .kills import kill_at_call
from .scenes import WORDS, command, place, slf

JUDGES = ("ann", "bob", "eve", "kim")
RANKERS = ("svm-map", "neighbours", "adarank")
_LONGEST = 1.0  # seconds until all are killed
_CALLS = 600  # that change files, of which one is the last
Message = dict[str, Any]


def build(folder: Path):
    """An archive of 24 lattices whose queries have some judgments, so that it can learn."""
    from rankine.spoken import Archive
    from rankine.spoken.index.settings import Settings

    (folder / "lattices").mkdir(parents=True)
    for i in range(24):
        words = [WORDS[(i + j * (1 + i // 6)) % len(WORDS)] for j in range(3)]
        (folder / "lattices" / f"u{i:02d}.slf").write_bytes(slf(*words))
    archive = Archive.create(folder / "archive", Settings({"word": "words"}))
    archive.lattices.index(folder / "lattices")
    for a, b in pairwise(WORDS):
        for hit in archive.search(f"{a} {b}", 4):
            archive.judgments.add(f"{a} {b}", hit, float(hit.rank % 2), "first")
    for ranker in RANKERS:  # all is loaded and compiled before processes are forked
        archive.weights.learn(ranker=ranker, folds=2, use=False)
    return archive


def forked(work: Callable[[Callable[[Message], None]], None], kill_at: int | None) -> tuple[int, int]:
    """Start a process; its number, and the end of a pipe with what it tells, a line of JSON each."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            if kill_at is not None:
                kill_at_call(kill_at)
            work(lambda message: os.write(writing, json.dumps(message).encode() + b"\n"))
        except BaseException as error:
            os.write(writing, json.dumps({"error": f"{type(error).__name__}: {error}"}).encode() + b"\n")
        finally:
            os._exit(0)
    os.close(writing)
    return child, reading


def judge(folder: Path, name: str, seed: str, tell: Callable[[Message], None]) -> None:
    """Judge without end: say what comes, do it, say that it was done."""
    from rankine.spoken import Archive

    rng, archive = random.Random(seed), Archive(folder)
    mine: list[int] = []
    while True:
        if mine and rng.random() < 0.15:
            number = mine.pop()
            tell({"undo": number})
            archive.judgments.undo(number, name)
            tell({"undone": number})
            continue
        key = [rng.choice(WORDS), f"u{rng.randrange(24):02d}", rng.choice((None, 0.0, 1.0, 2.0, 3.0))]
        tell({"about": key})
        kept = archive.judgments.add(key[0], key[1], key[2], name, rank=rng.randrange(1, 20))
        tell({"kept": key, "number": kept.number, "repeated": kept.repeated})
        if not kept.repeated:
            mine.append(kept.number)


def learn(folder: Path, tell: Callable[[Message], None]) -> None:
    """Learn without end, and propose what was learned."""
    from rankine.spoken import Archive

    for i in range(10**6):
        result = Archive(folder).weights.learn(ranker=RANKERS[i % len(RANKERS)], folds=2, propose=True, by="learner")
        if not result.unchanged:  # then there is nothing to propose
            tell({"learned": result.weights.id})


def told(reading: int) -> list[Message]:
    """What a process that has ended told; the last line may be cut off."""
    with os.fdopen(reading, "rb") as pipe:
        lines = pipe.read().split(b"\n")
    return [json.loads(line) for line in lines[:-1]]


class Scene:
    """An archive, and what was acknowledged to each judge."""

    def __init__(self, folder: Path) -> None:
        self.folder = build(folder).folder
        self.kept: dict[str, dict[int, list[Any]]] = {name: {} for name in JUDGES}
        self.undone: set[int] = set()
        self.rows = self._rows()
        self.counts: Counter[str] = Counter()

    def _rows(self) -> dict[int, Any]:
        from rankine.spoken import Archive

        archive = Archive(self.folder)
        texts = archive.judgments.queries()
        return {row.number: row._replace(query=texts[row.query]) for row in archive.judgments.store.rows()}

    def round(self, rng: random.Random) -> list[str]:
        """Let all work, kill them, and compare; what is wrong."""
        from rankine.spoken import Archive

        weights, candidates = Archive(self.folder).weights.learned, Archive(self.folder).weights.kept
        victim = rng.randrange(-5, 5)  # of which one is killed at a call, in half of the rounds
        works = [partial(judge, self.folder, name, f"{rng.random()}") for name in JUDGES]
        works.append(partial(learn, self.folder))
        at = 1 + rng.randrange(_CALLS)
        started = [forked(work, at if i == victim else None) for i, work in enumerate(works)]
        time.sleep(rng.uniform(0.0, _LONGEST))
        for child, _ in started:
            os.kill(child, signal.SIGKILL)
        for child, _ in started:
            os.waitpid(child, 0)
        messages = [told(reading) for _, reading in started]
        wrong = [message["error"] for some in messages for message in some if "error" in message]
        for name, some in zip(JUDGES, messages, strict=False):
            wrong += self._compare(name, some)
        self.rows = self._rows()
        wrong += self._check_archive(weights, {c.id for c in candidates}, messages[-1])
        return wrong

    def _check_archive(self, weights: Any, candidates: set[str], messages: list[Message]) -> list[str]:
        from rankine.spoken import Archive

        archive, wrong = Archive(self.folder), []
        archive.check()
        db = sqlite3.connect(self.folder / "store.sqlite")
        (answer,) = db.execute("PRAGMA integrity_check").fetchone()
        db.close()
        wrong += [f"integrity_check: {answer}"] if answer != "ok" else []
        if archive.weights.learned != weights:
            wrong.append("a learning that only proposes has changed the weights in use")
        learned = {message["learned"] for message in messages if "learned" in message}
        self.counts["learned"] += len([message for message in messages if "learned" in message])
        lost = (candidates | learned) - {kept.id for kept in archive.weights.kept}
        return wrong + ([f"candidates are lost: {sorted(lost)}"] if lost else [])

    def _compare(self, name: str, messages: list[Message]) -> list[str]:
        """What is wrong with one judge's rows; afterwards what was not acknowledged is sent once more."""
        from rankine.spoken import Archive

        for message in messages:
            if "kept" in message and not message["repeated"]:
                self.kept[name][message["number"]] = message["kept"]
                self.counts["judged"] += 1
            self.undone |= {message["undone"]} if "undone" in message else set()
        rows = {number: row for number, row in self._rows().items() if row.judge == name}
        wrong = [
            f"{name}: the acknowledged judgment {number} {key} is {rows.get(number)}"
            for number, key in self.kept[name].items()
            if number not in rows or [rows[number].query, rows[number].recording, rows[number].grade] != key
        ]
        wrong += [f"{name}: {n} was undone and counts" for n in self.undone if n in rows and rows[n].counts]
        extra = set(rows) - set(self.kept[name])
        open_ = messages[-1] if messages and ("about" in messages[-1] or "undo" in messages[-1]) else {}
        if len(extra) > ("about" in open_):
            wrong.append(f"{name}: {len(extra)} rows that nobody acknowledged, {open_} was under way")
        if "undo" in open_ and not rows[open_["undo"]].counts:
            self.undone.add(open_["undo"])
        if "about" in open_:
            key = open_["about"]
            sent = Archive(self.folder).judgments.add(key[0], key[1], key[2], name)
            self.counts["sent again, there already"] += sent.repeated
            again = {n for n, row in self._rows().items() if row.judge == name} - set(self.kept[name])
            if len(again) > 1:
                wrong.append(f"{name}: {key} is there {len(again)} times")
            for number in again:
                self.kept[name][number] = key
        return wrong


def attack(count: int, seed: int, minutes: float = 1e9) -> list[str]:
    """Kill ``count`` times; print counts; the failures."""
    rng, failures, done = random.Random(seed), list[str](), 0
    deadline = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="rankine-judging-", dir=place()) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scene = Scene(Path(folder, "0"))
        while done < count and time.monotonic() < deadline and not failures:
            if done and done % 25 == 0:  # a new archive, so that rows stay few
                counts = scene.counts
                scene = Scene(Path(folder, str(done)))
                scene.counts = counts
            failures += [f"seed {seed}, round {done}: {what}" for what in scene.round(rng)]
            done += 1
    for failure in failures:
        print(failure, flush=True)
    told_counts = ", ".join(f"{n} {what}" for what, n in scene.counts.items())
    print(f"{done} rounds of five kills; {told_counts}; {len(failures)} failures (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=300, names="")
