"""Cold starts, each in a fresh process: import, help, first evaluations (kernels compiled before or not), searches."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .timing import goal, heading

FIRST = """
import time
start = time.perf_counter()
import numpy as np, rankine as rk
rng = np.random.default_rng(0)
y, s, qid = rng.integers(0, 5, 10_000), rng.random(10_000), np.repeat(np.arange(100), 100)
rk.evaluate(["nDCG@10", "AP", "RR", "P@10", "ERR@20"], y, s, qid)
print(time.perf_counter() - start)
"""

COMMAND = "import sys; sys.argv[1:] = {!r}; from rankine.cli import program; program()"
ENGLISH, MANDARIN = "the printing press was a matter of type and paper", "设定 温度 二十 度"


def seconds(code: str, rounds: int, **environment: str) -> float:
    """Best wall time of a fresh interpreter that runs ``code``, the interpreter's own start included."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], env=os.environ | environment, check=True, capture_output=True)
        best = min(best, time.perf_counter() - start)
    return best


def cpu_seconds(code: str, rounds: int) -> float:
    """Least CPU time of a fresh interpreter that runs ``code``: others that use the machine count little."""
    best = float("inf")
    for _ in range(rounds):
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best, used)
    return best


def archive(folder: Path, language: str, text: str) -> str:
    """The folder of a small archive in a language."""
    from rankine.spoken.archive import create_or_open
    from rankine.spoken.lattice.formats import one_best

    words = [(w, i, i + 1.0, 0.9) for i, w in enumerate(text.split())]
    create_or_open(folder / language, language).lattices.add([("talk", one_best(words))])
    return str(folder / language)


def searches(folder: Path) -> None:
    """Rows of cold searches; the first run, which compiles what was never compiled, does not count."""
    english, mandarin = archive(folder, "en", ENGLISH), archive(folder, "zh", MANDARIN)
    for name, place, query in (
        ("cold English search", english, "printing press"),
        ("cold English search of an unknown word", english, "zyxomat press"),
        ("cold Mandarin search", mandarin, "温度"),
    ):
        code = COMMAND.format(["spoken", "search", place, query])
        seconds(code, 1)
        goal(f"{name}, seconds of CPU", cpu_seconds(code, 5), 1.5, at_most=True)


def main() -> None:
    heading("Starting up, in seconds")
    goal("import rankine", seconds("import rankine", 5), 0.5, at_most=True)
    goal("rankine --help", seconds(COMMAND.format(["--help"]), 5), 1, at_most=True)
    goal("rankine spoken --help", seconds(COMMAND.format(["spoken", "--help"]), 5), 1, at_most=True)
    seconds(FIRST, 1)
    goal("first evaluation, kernels compiled before", seconds(FIRST, 5), 1.5, at_most=True)
    with tempfile.TemporaryDirectory() as empty:
        goal("first evaluation, nothing compiled", seconds(FIRST, 1, NUMBA_CACHE_DIR=empty), 10, at_most=True)
    with tempfile.TemporaryDirectory() as folder:
        searches(Path(folder))


if __name__ == "__main__":
    main()
