"""Reading 200,000 × 136 LETOR text: Rankine on one and two threads, fastrank, scikit-learn; memory; and CSV."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import rankine as rk

from .timing import best_times, goal, heading

FOLDER = Path("bench-output")
ROWS, COLUMNS, PER_QUERY = 200_000, 136, 100
# The peak of this process alone (Linux); getrusage would count what the parent held before the process began.
PEAK = """
def peak(reset=False):
    if reset:
        open("/proc/self/clear_refs", "w").write("5")
    return int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) / 1024
"""


def make_file(path: Path, seed: int = 0) -> None:
    """Values as in MSLR-WEB30K: six decimals, every seventh column whole numbers."""
    rng = np.random.default_rng(seed)
    path.parent.mkdir(exist_ok=True)
    with open(path, "w") as file:
        for start in range(0, ROWS, 5000):
            X = rng.random((5000, COLUMNS))
            X[:, ::7] = np.floor(1000 * X[:, ::7])
            grades = rng.integers(0, 5, 5000)
            for i, row in enumerate(X.tolist()):
                cells = " ".join(f"{j + 1}:{v:.6f}" if j % 7 else f"{j + 1}:{v:.0f}" for j, v in enumerate(row))
                file.write(f"{grades[i]} qid:{(start + i) // PER_QUERY + 1} {cells}\n")


def peak_memory(path: Path, threads: int) -> tuple[float, float]:
    """Peak resident memory while reading, beyond the loaded program, and the size of the finished arrays, in MB."""
    code = f"""
import rankine as rk, io
{PEAK}
rk.load_letor(io.BytesIO(b"1 qid:1 1:1.5\\n" * 9), threads={threads})
base = peak(reset=True)
data = rk.load_letor({str(path)!r}, threads={threads})
print(peak() - base, (data.X.nbytes + data.y.nbytes + data.qid.nbytes) / 2**20)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    peak, size = map(float, done.stdout.split())
    return peak, size


def main() -> None:
    import fastrank
    from sklearn.datasets import load_svmlight_file

    path = FOLDER / "letor-200000x136.txt"
    if not path.exists():
        make_file(path)
    megabytes = path.stat().st_size / 1e6
    heading(f"Reading LETOR text, {ROWS:,} × {COLUMNS}, {megabytes:.0f} MB")
    rk.load_letor(path)
    times = best_times(
        {
            "rankine, 1 thread": lambda: rk.load_letor(path, threads=1),
            "rankine, 2 threads": lambda: rk.load_letor(path, threads=2),
            "fastrank": lambda: fastrank.CDataset.open_ranksvm(str(path)),
        },
        rounds=4,
        repeat=3,
    )
    times |= best_times({"scikit-learn": lambda: load_svmlight_file(str(path), query_id=True)}, rounds=1)
    for name, seconds in times.items():
        print(f"  {name:<20} {seconds:7.3f} s   {megabytes / seconds:7.0f} MB/s")
    goal("one thread against fastrank", times["fastrank"] / times["rankine, 1 thread"], 4)
    goal("two threads against fastrank", times["fastrank"] / times["rankine, 2 threads"], 7)
    print(f"  one thread against scikit-learn {times['scikit-learn'] / times['rankine, 1 thread']:33.0f} ×")
    for threads in (1, 2):
        peak, size = peak_memory(path, threads)
        print(f"  memory, {threads} thread(s): peak {peak:.0f} MB beyond the program, finished arrays {size:.0f} MB")
        goal(f"memory beyond a constant of 64 MB, {threads} thread(s)", (peak - 64) / size, 1.5, at_most=True)
    arrow_reopening()
    csv_reading()


def csv_reading(columns: int = 46) -> None:
    """Reading CSV to a float32 matrix, against pyarrow's reader, which leaves float64 columns; and memory."""
    from pyarrow import csv

    path = FOLDER / f"csv-{ROWS}x{columns}.csv"
    if not path.exists():
        rng = np.random.default_rng(0)
        X = rng.random((ROWS, columns)).round(6)
        path.parent.mkdir(exist_ok=True)
        rk.save_csv(rk.RankingData(X, rng.integers(0, 5, ROWS), np.arange(ROWS) // PER_QUERY), path)
    megabytes = path.stat().st_size / 1e6
    heading(f"Reading CSV, {ROWS:,} × {columns}, {megabytes:.0f} MB")
    times = best_times(
        {
            "rankine": lambda: rk.load_csv(path),
            "pyarrow.csv": lambda: csv.read_csv(path),
            "rankine, 1 thread": lambda: rk.load_csv(path, threads=1),
            "pyarrow.csv, 1 thread": lambda: csv.read_csv(path, csv.ReadOptions(use_threads=False)),
        },
        rounds=4,
        repeat=3,
    )
    for name, seconds in times.items():
        print(f"  {name:<24} {seconds:7.3f} s   {megabytes / seconds:7.0f} MB/s")
    goal("CSV against pyarrow.csv", times["pyarrow.csv"] / times["rankine"], 0.5)
    goal("CSV against pyarrow.csv, one thread", times["pyarrow.csv, 1 thread"] / times["rankine, 1 thread"], 0.5)


def arrow_reopening(gigabytes: float = 5) -> None:
    """Reopening a memory-mapped Arrow file of 5 GB, in a fresh process."""
    path = FOLDER / "large.arrow"
    if not path.exists():
        rows = int(gigabytes * 1e9 / (4 * COLUMNS))
        X = np.ones((rows, COLUMNS), np.float32)
        qid = np.arange(rows) // PER_QUERY
        rk.save_table(rk.RankingData.from_valid(X, np.zeros(rows), qid), path)
    code = f"""
import time, pyarrow, rankine as rk
{PEAK}
rk.load_table
base = peak(reset=True)
start = time.perf_counter()
data = rk.load_table({str(path)!r})
print(time.perf_counter() - start, peak() - base)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, memory = map(float, done.stdout.split())
    size = path.stat().st_size / 1e9
    print(f"  reopening {size:.1f} GB of Arrow: {seconds:.2f} s, {memory:.0f} MB of memory")
    goal("reopening 5 GB, seconds", seconds, 1, at_most=True)
    path.unlink()


if __name__ == "__main__":
    main()
