"""Kill -9 ``rankine spoken add`` with real recognisers: nothing is lost, and in the end the archive is the same.

Every recogniser that is here (PocketSphinx, Whisper, Vosk) hears bundled recordings, cut into segments, in one process
or two. Half of the kills come at a call that changes files, half after a random time. After
each kill everything that was committed is there (recordings, a judgment, a correction, a note), each lattice is whole,
and no process stays. A run that comes to its end leaves an archive like one that was let be: lattices, table, hits.

    python -m attacks.recognition --count 100 --seed 0
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree, rmtree
from unittest.mock import patch

from .kills import kill_at_call
from .scenes import Echo, Scene, command, forked, perform, place, printed

FILES, JOINED, LONGEST = 2, 1, 2.0
SECONDS = 0.5  # between commits of a run; usually 30
QUERIES = ("railway", "water", "village", "hospital", "night", "engines")
MODELS = {"pocketsphinx": "", "whisper": "tiny.en", "vosk": "vosk-small-en"}
MODULES = {"pocketsphinx": ("pocketsphinx",), "whisper": ("ctranslate2", "tokenizers"), "vosk": ("vosk",)}
FLAGS = {name: ("--recogniser", name) for name in MODELS}


def write_recordings(folder: Path, first: int, count: int, joined: int) -> None:
    """Some recordings, each of several bundled ones, of which the shortest are taken."""
    import numpy as np
    import soundfile

    from rankine.sample import spoken_sample

    folder.mkdir()
    with spoken_sample() as sample:
        paths = sorted((sample / "audio").glob("*.ogg"), key=lambda path: (path.stat().st_size, path.name))[first:]
        for i in range(count):
            parts = [soundfile.read(path, dtype="int16")[0] for path in paths[i * joined : (i + 1) * joined]]
            soundfile.write(folder / f"{folder.name}{i}.wav", np.concatenate(parts), 16000)


def is_here(recogniser: str) -> bool:
    """Whether a recogniser and its model are on this machine."""
    from rankine.spoken.recognise.models import models

    model = MODELS.get(recogniser, "")
    return all(map(find_spec, MODULES.get(recogniser, ()))) and (not model or models.is_here(model))


def warm(folder: Path) -> None:
    """Load in this process what forked ones need: modules, compiled kernels, dictionaries."""
    import rankine.cli  # noqa: F401
    from rankine.spoken import Archive

    write_recordings(folder, 0, 1, 1)
    opened = Archive.create(folder / "archive")
    opened.recordings.add([folder], [Echo()], workers=1)
    opened.check()
    for query in (*QUERIES, "Wollstonecraft"):
        opened.search(query)


def wait_for(child: int) -> int:
    """The status of a process at its end."""
    return os.waitpid(child, 0)[1]


def gone(group: int, seconds: float = 20.0) -> bool:
    """Whether all processes of a group end within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


class Archives:
    """Archives of one recogniser: one to begin with, one that was let be, and the one that is attacked."""

    def __init__(self, folder: Path, audio: Path, flags: Sequence[str], queries: Sequence[str] = QUERIES) -> None:
        self.folder, self.audio, self.flags, self.queries = folder, audio, flags, queries
        folder.mkdir()
        self.begun, self.whole, self.work = (folder / name for name in ("begun", "whole", "work"))
        write_recordings(folder / "first", 0, 1, 1)
        assert wait_for(self.add(self.begun, folder / "first")) == 0, printed(folder, "add")
        assert wait_for(self.child(self._begin)) == 0, printed(folder, "child")
        copytree(self.begun, self.whole)
        began = time.monotonic()
        assert wait_for(self.add(self.whole, workers=1)) == 0, printed(folder, "add")
        self.seconds = time.monotonic() - began
        copytree(self.begun, self.work)
        assert wait_for(self.add(self.work, workers=1, number=-1)) == 0, printed(folder, "add")
        self.events = int((folder / "events").read_text())
        assert wait_for(self.child(lambda: self._describe(self.whole))) == 0, printed(folder, "child")
        self.lattices = lattices(self.whole)
        self.expected = (folder / "described").read_text()
        self.fresh()

    def fresh(self) -> None:
        """Begin anew, from the archive to begin with."""
        rmtree(self.work)
        copytree(self.begun, self.work)
        self.committed: frozenset[str] = frozenset(("first0",))

    def child(self, work: Callable[[], object], name: str = "child") -> int:
        """A process that does ``work``; the leader of its group."""

        def begin() -> int:
            os.setpgid(0, 0)
            return int(bool(work()))

        return forked(begin, self.folder, name)

    def add(self, archive: Path, audio: Path | None = None, *, workers: int = 1, number: int | None = None) -> int:
        """A process that adds recordings to an archive; it kills itself at an event of this number, if one is given.

        Number −1 counts the events.
        """

        def work() -> int:
            from rankine.spoken.recognise import run

            run._WORTH_PROCESSES = 0.0
            begin = run._Commits.__init__
            run._Commits.__init__ = lambda self, journal, commit, every: begin(self, journal, commit, SECONDS)
            seen = kill_at_call(number) if number is not None else []
            arguments = ["spoken", "add", str(archive), str(audio or self.audio), "--longest", str(LONGEST)]
            code = perform(Scene("spoken add", [*arguments, "--workers", str(workers), *self.flags]))
            if number == -1:
                (self.folder / "events").write_text(str(seen[0]))
            return code

        return self.child(work, "add")

    def _begin(self) -> None:
        """What people added: it must never be lost."""
        from rankine.spoken import Archive

        opened = Archive(self.begun)
        opened.judgments.store.add_all([(opened.judgments.store.query("railway"), "first0", 1.0)], "ann")
        opened.corrections.add("first0@0.2-0.6", "Wollstonecraft")
        opened.notes.add("first0@0.2-0.6", "a note")

    def kept(self) -> int:
        """In a process: raise if something committed is lost, or something is damaged or half-written."""
        from rankine.spoken import Archive
        from rankine.system.files import is_temporary

        opened = Archive(self.work)
        opened.check()
        there = frozenset(opened.recordings.names)
        assert self.committed <= there, f"lost: {sorted(self.committed - there)}"
        assert opened.judgments.all().n_judgments == 1, "a judgment is lost"
        assert [c.written for c in opened.corrections.all()] == ["Wollstonecraft"], "a correction is lost"
        assert [n.text for n in opened.notes.all()] == ["a note"], "a note is lost"
        assert any(hit.recording == "first0" for hit in opened.search("Wollstonecraft")), "it is not found any more"
        now = {name: data for name, data in lattices(self.work).items() if not is_temporary(Path(name))}
        wrong = [name for name, data in now.items() if self.lattices.get(name) != data]
        assert not wrong, f"other lattices than without kills, or half of them: {wrong}"
        (self.folder / "committed").write_text("\n".join(sorted(there)))
        return 0

    def _describe(self, archive: Path) -> None:
        """What an archive holds, and what it finds, as text."""
        from rankine.spoken import Archive
        from rankine.system.files import is_temporary

        opened = Archive(archive)
        opened.check()
        table = (archive / "recognised" / "recordings.tsv").read_text().splitlines()
        lines = [*sorted(opened.recordings.names), *sorted(table)]
        hits = [(query, hit) for query in self.queries for hit in opened.search(query)]
        assert hits, "nothing is found"
        lines += [f"{q}: {h.recording} {h.start} {h.end} {h.certainty} {h.score:.9f} {h.snippet}" for q, h in hits]
        left = [str(path.relative_to(archive)) for path in archive.rglob("*") if is_temporary(path)]
        assert not left, f"temporary files are left: {left}"
        (self.folder / "described").write_text("\n".join(lines))

    def problem(self, ended: bool) -> str:
        """What is wrong after a run that was killed, or (``ended``) that came to its end."""
        if wait_for(self.child(self.kept)):
            return printed(self.folder, "child")[-600:]
        self.committed = frozenset((self.folder / "committed").read_text().splitlines())
        if not ended:
            return ""
        if wait_for(self.child(lambda: self._describe(self.work))):
            return printed(self.folder, "child")[-600:]
        if lattices(self.work).keys() != self.lattices.keys():
            return f"other lattices than without kills: {sorted(lattices(self.work).keys() ^ self.lattices.keys())}"
        described = (self.folder / "described").read_text()
        return "" if described == self.expected else f"another archive than without kills:\n{described}\n"


def lattices(archive: Path) -> dict[str, bytes]:
    """All lattices of an archive, by name."""
    names = ("*.slf.gz", "*.nbest*")
    return {str(p.relative_to(archive)): p.read_bytes() for name in names for p in (archive / "recognised").rglob(name)}


def one_kill(archives: Archives, rng: random.Random) -> tuple[bool, str]:
    """Add and kill; whether it was killed before its end, and what is wrong."""
    number = rng.randint(1, archives.events) if rng.random() < 0.5 else None
    workers, delay = rng.choice((1, 1, 2)), rng.uniform(0, archives.seconds)
    child = archives.add(archives.work, workers=workers, number=number)
    if number is None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    status = wait_for(child)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    problem = "" if gone(child) else "processes go on after the kill"
    if not killed and status:
        problem = f"it ended with status {status}: {printed(archives.folder, 'add')[-600:]}"
    problem = problem or archives.problem(ended=not killed)
    if killed and not problem and rng.random() < 0.2:  # let it come to its end now
        if wait_for(archives.add(archives.work, workers=workers)):
            problem = f"it does not go on: {printed(archives.folder, 'add')[-600:]}"
        problem = problem or archives.problem(ended=True)
        return_to_begin = True
    else:
        return_to_begin = not killed
    if return_to_begin or problem:
        archives.fresh()
    how = f"event {number}" if number is not None else f"delay {delay:.3f}"
    return killed, f"{workers} processes, {how}: {problem}" if problem else ""


def attack(count: int, seed: int, names: Sequence[str] = (), minutes: float = 1e9) -> list[str]:
    """Kill so often, the recognisers in turn; print counts; the failures."""
    rng = random.Random(seed)
    failures: list[str] = []
    killed: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory(prefix="rankine-recognition-", dir=place()) as temporary,
        patch.dict(os.environ, {"RANKINE_SETTINGS": str(Path(temporary, "settings.json"))}),
    ):
        folder, here = Path(temporary), [name for name in names or MODELS if is_here(name)]
        warm(folder / "warm")
        write_recordings(folder / "tape", JOINED, FILES, JOINED)
        archives = {name: Archives(folder / name, folder / "tape", FLAGS[name]) for name in here[: max(count, 1)]}
        deadline = time.monotonic() + 60 * minutes
        while killed.total() < count and time.monotonic() < deadline:
            name = min(archives, key=lambda name: killed[name])
            was_killed, problem = one_kill(archives[name], rng)
            killed[name] += was_killed
            ended[name] += not was_killed
            if was_killed and killed.total() % 20 == 0:
                print(f"{killed.total()} kills", flush=True)
            if problem:
                at = f"run {killed.total() + ended.total()}"
                failures.append(f"seed {seed}, {at}, {name}, {problem}")
                print(failures[-1], flush=True)
        sizes = {name: len(own.lattices) for name, own in archives.items()}
    for name in sizes:
        print(f"{name}: {sizes[name]} lattices, {killed[name]} kills, {ended[name]} runs came to their end")
    print(f"{killed.total()} kills, {len(failures)} failures (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=50, names="recognisers")
