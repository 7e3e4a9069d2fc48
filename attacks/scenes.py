"""Commands that write, in a small folder each, and what must hold of the folder whatever happens to them.

A process is forked for every run of a command: Python, NumPy and the compiled kernels are loaded once.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

WORDS = "printing press hospital river letter engine".split()


@dataclass(frozen=True)
class Scene:
    """A command in a folder.

    ``outputs`` are the files that it writes; ``adds`` and ``removes`` the recordings by which it changes the archive.
    ``refusal`` is what it says if it is run again after it was done.
    """

    name: str
    arguments: Sequence[str]
    stdin: bytes = b""
    outputs: tuple[str, ...] = ()
    adds: frozenset[str] = frozenset()
    removes: frozenset[str] = frozenset()
    run: Callable[[], None] | None = None  # instead of the command line
    archive: bool = False
    refusal: str = ""


def slf(*words: str) -> bytes:
    """A lattice of one path, in which each word has a rival."""
    n = len(words)
    lines = ["VERSION=1.0", f"N={n + 1} L={2 * n}", *(f"I={i} t={0.5 * i}" for i in range(n + 1))]
    for i, word in enumerate(words):
        lines += [f"J={2 * i} S={i} E={i + 1} W={word} a=-1", f"J={2 * i + 1} S={i} E={i + 1} W={word}s a=-2"]
    return ("\n".join(lines) + "\n").encode()


def build(folder: Path) -> None:
    """A folder with a data set, a model, lattices, recordings and an archive with judgments and weights."""
    import numpy as np
    import soundfile

    import rankine as rk
    from rankine.sample import judged_set
    from rankine.spoken import Archive
    from rankine.spoken.index.settings import Settings

    folder.mkdir(parents=True)
    data = judged_set(n_queries=6)
    rk.save_letor(data, folder / "data.txt")
    rk.LinearRanker(loss="ranksvm", normalise="zscore").fit(data).save(folder / "old.json")
    shutil.copy(folder / "old.json", folder / "model.json")
    (folder / "run.txt").write_text("1 Q0 before 1 1 x\n")
    for name, count in (("lattices", 6), ("more", 4)):
        (folder / name).mkdir()
        for i in range(count):
            words = [WORDS[(i + j) % len(WORDS)] for j in range(3)]
            (folder / name / f"{name}{i}.slf").write_bytes(slf(*words))
    (folder / "audio").mkdir()
    for i in range(3):
        soundfile.write(folder / "audio" / f"tape{i}.wav", np.full(4000 + i, 0.1), 16000)
    archive = Archive.create(folder / "archive", Settings({"word": "words"}))
    archive.lattices.index(folder / "lattices", batch=2)  # three parts
    keys = [archive.judgments.store.query(word) for word in WORDS[:4]]
    grades = [(key, f"lattices{i}", float(i % 2 == n % 2)) for n, key in enumerate(keys) for i in range(6)]
    archive.judgments.store.add_all(grades, "ann")
    build_others(folder, archive)
    (folder / "queries.tsv").write_text("n1\tletter engine\nn2\tengine printing\n")
    (folder / "qrels.txt").write_text("n1 0 lattices0 1\nn2 0 lattices1 1\n")
    (folder / "judged.csv").write_text("query,recording,grade,judge\nletter,lattices0,1,bob\nletter,lattices1,0,eve\n")


def build_others(folder: Path, archive) -> None:
    """A packed archive, and one with a damaged part whose lattices are its own."""
    from rankine.spoken import Archive
    from rankine.spoken.index.settings import Settings

    archive.pack(folder / "packed.zip", replace=True)
    broken = Archive.create(folder / "broken", Settings({"word": "words"}))
    broken.recordings.add([folder / "audio"], [Echo()])
    shutil.rmtree(folder / "broken" / "cache", ignore_errors=True)
    part = next((folder / "broken").glob("*.part"))
    part.write_bytes(part.read_bytes()[:100] + b"x" + part.read_bytes()[101:])


class Echo:
    """A recogniser without a model."""

    rate, ending = 16000, ".nbest"

    def __call__(self, samples) -> bytes:
        """An n-best list."""
        return f"-1.0 heard tape {len(samples)}\n".encode()


def _add_recordings() -> None:
    from rankine.spoken import Archive

    Archive("archive").recordings.add(["audio"], [Echo()], workers=1)


def _spoken(name: str, *arguments: str, **options) -> Scene:
    return Scene(f"spoken {name}", ["spoken", name, *arguments], archive=True, **options)


SCENES = [
    Scene(
        "train",
        ["train", "data.txt", "-o", "model.json", "--loss", "svm-ndcg@10", "--max-iter", "20"],
        outputs=("model.json",),
    ),
    Scene(
        "tune",
        ["tune", "data.txt", "--folder", "jobs", "-C", "0.1,1", "--loss", "ranksvm", "--folds", "2", "--workers", "1",
         "-o", "model.json"],
        outputs=("model.json", "jobs/tune.json", "jobs/tune.csv"),
    ),
    Scene("convert", ["convert", "data.txt", "out.arrow"], outputs=("out.arrow",)),
    Scene("convert to text", ["convert", "data.txt", "out.txt.gz"], outputs=("out.txt.gz",)),
    Scene("export", ["export", "old.json", "--to", "opensearch", "-o", "out.json"], outputs=("out.json",)),
    Scene("rank", ["rank", "old.json", "data.txt", "-o", "run.txt"], outputs=("run.txt",)),
    _spoken("index", "archive", "more", "--workers", "1", adds=frozenset(f"more{i}" for i in range(4))),
    Scene("spoken index anew", ["spoken", "index", "new", "lattices", "--workers", "1"]),
    _spoken("delete", "archive", "lattices1", "lattices4", "--yes", removes=frozenset(("lattices1", "lattices4"))),
    _spoken("merge", "archive"),
    _spoken("judge", "archive", "river", stdin=b"y\nn\n3\nu\nn\nq\n"),
    _spoken("judgments", "archive", "--queries", "queries.tsv", "--qrels", "qrels.txt", "--export", "mine",
            outputs=("mine.tsv", "mine.qrels")),
    _spoken("correct", "archive", "lattices2@0.5-1", "corrected"),
    _spoken("note", "archive", "lattices2@0.5-1", "a note"),
    _spoken("learn", "archive", "--folds", "2", "--ranker", "svm-map"),
    Scene("spoken learn --propose", ["spoken", "learn", "archive", "--folds", "2", "--propose"], archive=True),
    Scene("spoken judgments --import", ["spoken", "judgments", "archive", "--import", "judged.csv"], archive=True),
    _spoken("weights", "archive", "--use", "uniform"),
    _spoken("add", run=_add_recordings, adds=frozenset(f"tape{i}" for i in range(3))),
    _spoken("pack", "archive", "out.zip", outputs=("out.zip",), refusal="there is a file already"),
    Scene("spoken unpack", ["spoken", "unpack", "packed.zip", "new"], refusal="into a new or an empty folder"),
    Scene("spoken check --repair", ["spoken", "check", "broken", "--repair", "--workers", "1"]),
    Scene("spoken convert", ["spoken", "convert", "lattices", "out", "--to", "slf", "--workers", "1"]),
    Scene("spoken convert to a file", ["spoken", "convert", "lattices", "out.ctm", "--workers", "1"],
          outputs=("out.ctm",)),
    Scene("spoken pspl", ["spoken", "pspl", "lattices", "-o", "out.tsv", "--workers", "1"], outputs=("out.tsv",)),
    Scene("spoken subtitles", ["spoken", "subtitles", "archive", "lattices2", "-o", "out.vtt"], outputs=("out.vtt",)),
]  # fmt: skip


def perform(scene: Scene) -> int:
    """Run the command of a scene in this process and folder; its exit code."""
    from rankine.cli import main

    warnings.simplefilter("default")  # within tests they are errors
    sys.argv = ["rankine", *scene.arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(scene.stdin))
    try:
        if scene.run is not None:
            scene.run()
            return 0
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def forked(work: Callable[[], int], folder: Path, name: str) -> int:
    """Start a process that does ``work`` in ``folder``; what it prints goes to ``name.out`` and ``name.err``.

    Returns the number of the process, of which the caller waits for the end.
    """
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.chdir(folder)
        for number, ending in ((1, "out"), (2, "err")):
            file = os.open(f"{folder}.{name}.{ending}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, number)
            os.close(file)
        sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb"), encoding="utf-8", line_buffering=True)
        sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb"), encoding="utf-8", line_buffering=True)
        code = work()
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def printed(folder: Path, name: str) -> str:
    """What a forked process wrote to standard error."""
    return Path(f"{folder}.{name}.err").read_text(encoding="utf-8", errors="replace")


def place() -> str | None:
    """A folder for temporary files, in memory where there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Stage:
    """A template of the folder, from which every run gets a copy."""

    def __init__(self, place: Path) -> None:
        self.template, self.work = place / "template", place / "work"
        build(self.template)
        self.recordings = frozenset(f"lattices{i}" for i in range(6))
        self.judgments = 24
        self.whole: dict[str, dict[str, bytes]] = {}
        self.growth: dict[str, int] = {}  # bytes that each command writes, undisturbed

    def fresh(self) -> Path:
        """A new copy."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.template, self.work, symlinks=True)
        return self.work

    def rehearse(self, scene: Scene) -> None:
        """Run a command undisturbed: it must succeed; its outputs are kept for comparison, kernels are warm then."""
        folder = self.fresh()
        before = os.getcwd()
        os.chdir(folder)
        out, err, given = sys.stdout, sys.stderr, sys.stdin
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        try:
            with warnings.catch_warnings():
                code = perform(scene)
            sys.stderr.flush()
            text = sys.stderr.buffer.getvalue().decode()
        finally:
            sys.stdout, sys.stderr, sys.stdin = out, err, given
            os.chdir(before)
        assert code == 0, f"{scene.name}: exit code {code} undisturbed: {text}"
        self.whole[scene.name] = {name: (folder / name).read_bytes() for name in scene.outputs}
        old, new = (sum(p.stat().st_size for p in place.rglob("*") if p.is_file()) for place in (self.template, folder))
        self.growth[scene.name] = max(0, new - old)

    def problem(self, scene: Scene, folder: Path, relief: Callable[[], object] = lambda: None) -> str:
        """What is wrong with the folder after a run that was disturbed, and after a second one; empty if nothing.

        ``relief`` is called before the second run.
        """
        for name, work in (("check", lambda: self._check(scene, False)), ("again", lambda: perform(scene)),
                           ("final", lambda: self._check(scene, True))):  # fmt: skip
            if name == "again":
                relief()
            _, status = os.waitpid(forked(work, folder, name), 0)
            refusal = "no recording is called" if scene.removes else scene.refusal
            if name == "again" and refusal and refusal in printed(folder, name):
                continue  # it was done before
            if status:
                return f"{name}: status {status}: {printed(folder, name)[-600:]}"
        return ""

    def _check(self, scene: Scene, complete: bool) -> int:
        """In the folder: raise if something is lost or damaged; ``complete``: if the command has not done its work."""
        for name in scene.outputs:
            path = Path(name)
            if not path.exists():
                assert not complete, f"{name} is missing"
                assert not (self.template / name).exists(), f"{name} is lost"
                continue
            self._check_file(path, scene)
        if Path("archive").exists():
            self._check_archive(scene, complete)
        self._check_others(scene, complete)
        if complete and scene.name == "spoken convert":
            assert sorted(p.name for p in Path("out").glob("*.slf*")) != []
        return 0

    def _check_others(self, scene: Scene, complete: bool) -> None:
        """The archives that are made and repaired."""
        from rankine.spoken import Archive

        if Path("new").exists() and (complete or scene.name == "spoken unpack"):
            opened = Archive("new")
            opened.check()
            assert set(opened.recordings.names) == self.recordings
            assert scene.name == "spoken index anew" or opened.judgments.all().n_judgments >= self.judgments
        if complete and scene.name == "spoken check --repair":
            opened = Archive("broken")
            opened.check()
            assert set(opened.recordings.names) == {f"tape{i}" for i in range(3)}
            assert not list(Path("broken").glob("damaged-*"))

    def _check_file(self, path: Path, scene: Scene) -> None:
        import rankine as rk

        data = path.read_bytes()
        old = self.template / path
        if (old.exists() and old.read_bytes() == data) or self.whole[scene.name][str(path)] == data:
            return
        if path.name == "model.json":
            rk.load(path)
        elif path.name not in ("tune.json", "tune.csv"):  # these hold times
            raise AssertionError(f"{path} is neither the old nor the new one: {data[:80]!r}")

    def _check_archive(self, scene: Scene, complete: bool) -> None:
        from rankine.spoken import Archive

        opened = Archive("archive")
        opened.check()
        there = set(opened.recordings.names)
        assert self.recordings - scene.removes <= there, f"lost: {self.recordings - scene.removes - there}"
        assert there <= self.recordings | scene.adds, f"strange: {there - self.recordings - scene.adds}"
        if complete and scene.archive:
            assert there == (self.recordings | scene.adds) - scene.removes, f"{sorted(there)}"
        assert opened.judgments.all().n_judgments >= self.judgments, "judgments are lost"
        assert opened.search("printing")
        if complete and scene.name == "spoken correct":
            assert [hit.recording for hit in opened.search("corrected") if hit.certainty == "heard"] == ["lattices2"]
            assert opened.corrections.all()
        assert not complete or scene.name != "spoken note" or opened.notes.all()
        weights = opened.weights.learned
        assert weights is None or weights.ranker == "uniform" or weights.id in opened.weights.history


def selected(names: Sequence[str]) -> list[Scene]:
    """The scenes of these names, all without any."""
    return [scene for scene in SCENES if not names or scene.name in names]


def command(attack: Callable[..., list[str]], description: str | None, count: int, names: str = "commands") -> NoReturn:
    """The command line of an attack, with ``names`` of what is attacked; the exit code is 1 if it found something."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=count, help="how often")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many minutes")
    if names:
        parser.add_argument("names", nargs="*", metavar=names, help=f"only these {names}; default: all")
    sys.exit(bool(attack(**vars(parser.parse_args()))))
