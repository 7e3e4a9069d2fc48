"""Cold starts, each in a fresh process: import, help, and a first evaluation with and without compiled kernels."""

import os
import subprocess
import sys
import tempfile
import time

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


def seconds(code: str, rounds: int, **environment: str) -> float:
    """Best wall time of a fresh interpreter that runs ``code``, the interpreter's own start included."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], env=os.environ | environment, check=True, capture_output=True)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    heading("Starting up, in seconds")
    goal("import rankine", seconds("import rankine", 5), 0.5, at_most=True)
    goal(
        "rankine --help",
        seconds("import sys; sys.argv[1:] = ['--help']; from rankine.cli import main; main()", 5),
        1,
        True,
    )
    seconds(FIRST, 1)
    goal("first evaluation, kernels compiled before", seconds(FIRST, 5), 1.5, at_most=True)
    with tempfile.TemporaryDirectory() as empty:
        goal("first evaluation, nothing compiled", seconds(FIRST, 1, NUMBA_CACHE_DIR=empty), 10, at_most=True)


if __name__ == "__main__":
    main()
