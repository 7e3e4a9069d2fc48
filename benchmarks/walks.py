"""How far a reader walks: the functions and files of one training, one search, and one search of the page.

Each walk is one run on tiny data, in a process of its own without compiled kernels. Functions are listed in the order
of their first calls. A hop leads from one file to another one in that list; a return leads to a file that was visited
before. Only functions of the package count, from the command or the request on.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import rankine

PACKAGE = f"{Path(rankine.__file__).parent}{os.sep}"
OPTIMIZED = 1  # flag of code that is neither a module nor a class


def is_function(code: CodeType) -> bool:
    """Return whether code has a name of its own, and is neither a module nor a class."""
    return bool(code.co_flags & OPTIMIZED) and not code.co_name.startswith("<")


class Walk(NamedTuple):
    """What one run has called."""

    functions: int
    files: int
    hops: int
    returns: int
    calls: int


class Walker:
    """Notes the functions of the package in the order of their first calls, from a first one on."""

    def __init__(self, file: str, function: str) -> None:
        self.begin = file, function
        self.first: dict[tuple[str, str, int], None] = {}
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a call, as ``sys.setprofile`` tells it."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE) or not is_function(code):
            return
        file = code.co_filename[len(PACKAGE) :].replace(os.sep, "/")
        if not self.first and (file, code.co_name) != self.begin:
            return
        self.calls += 1
        self.first.setdefault((file, code.co_qualname, code.co_firstlineno))

    def walk(self) -> Walk:
        """Return what was noted."""
        files = [file for file, _, _ in self.first]
        hops = returns = 0
        visited = set(files[:1])
        for before, file in pairwise(files):
            hops += file != before
            returns += file != before and file in visited
            visited.add(file)
        return Walk(len(files), len(visited), hops, returns, self.calls)


def noted(walker: Walker, run: Callable[[], object]) -> Walk:
    """Run a function, in all threads that it starts too, and return what was called."""
    threading.setprofile(walker)
    sys.setprofile(walker)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return walker.walk()


def command(*arguments: str) -> None:
    """Run a command in this process."""
    from rankine.cli import program

    sys.argv[1:] = arguments
    try:
        program()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"the command {' '.join(arguments)} ended with {end.code}") from None


def train(place: Path) -> Walk:
    """One training of two candidates on a table of sixty rows."""
    rows = [f"{i // 6},{i * 7 % 3},{i * 5 % 11},{i * 3 % 7}" for i in range(60)]
    (place / "data.csv").write_text("\n".join(["qid,label,a,b", *rows]) + "\n")
    options = ["--candidate", "single feature", "--candidate", "linear ranksvm-l2", "--workers", "1"]
    files = [str(place / "data.csv"), "-o", str(place / "model.json")]
    return noted(Walker("cli/train.py", "command"), lambda: command("train", *files, "-m", "nDCG@10", *options))


def archive_of_two(place: Path) -> Path:
    """An archive of two utterances."""
    from rankine.spoken.archive import create_or_open
    from rankine.spoken.lattice.formats import one_best

    archive = create_or_open(place / "archive", "en")
    for name, text in (("monday", "a railway station"), ("tuesday", "the railways of the north")):
        archive.lattices.add([(name, one_best([(word, i, i + 1.0, 0.9) for i, word in enumerate(text.split())]))])
    return place / "archive"


def search(place: Path) -> Walk:
    """One search by a command."""
    archive = str(archive_of_two(place))
    return noted(Walker("cli/spoken/search.py", "search"), lambda: command("spoken", "search", archive, "railway"))


def page(place: Path) -> Walk:
    """One search of the page."""
    from tests.web.cases import Site

    client = Site(archive_of_two(place)).client()
    return noted(
        Walker("web/security.py", "__call__"),
        lambda: client.get("/api/v1/search", params={"q": "railway"}).raise_for_status(),
    )


WALKS = {"train": train, "search": search, "page": page}


def main() -> None:
    """Print a table of all walks."""
    print(f"{'walk':<8}" + "".join(f"{name:>11}" for name in Walk._fields))
    for name in WALKS:
        with tempfile.TemporaryDirectory(prefix="rankine-walk-") as place:
            settings = {"NUMBA_DISABLE_JIT": "1", "RANKINE_SETTINGS": f"{place}/settings.json"}
            run = [sys.executable, "-m", "benchmarks.walks", name, place]
            done = subprocess.run(run, env=os.environ | settings, check=True, capture_output=True, text=True)
            print(f"{name:<8}" + "".join(f"{number:>11,}" for number in json.loads(done.stdout.splitlines()[-1])))


if __name__ == "__main__":
    print(json.dumps(WALKS[sys.argv[1]](Path(sys.argv[2]))))
