"""Metadata: importing a table, listing 100,000 recordings, and what it costs a search."""

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.search.recordings_list import RecordingsList

from .archive import blown_up, milliseconds
from .timing import goal, heading

RECORDINGS, IMPORTED = 100_000, 10_000


def tiny(place: Path) -> Archive:
    """An archive of 400 recordings of three words."""
    archive = Archive.create(place, Settings(kinds={"word": "words", "character": "characters"}))
    vocabulary = [f"word{i}" for i in range(200)]
    rng = np.random.default_rng(0)
    archive.lattices.add(
        (f"t{i}", one_best([(w, 0.4 * j, 0.4 * j + 0.4, 0.9) for j, w in enumerate(rng.choice(vocabulary, 3))]))
        for i in range(400)
    )
    return archive


def write_table(path: Path, names: list[str]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["file", "dc:title", "date", "creator", "subject", "rights", "tape"])
        rows.writerows(
            (f"{n}.wav", f"Talk {i}", f"{1 + i % 28}.{1 + i % 12}.{1950 + i % 70}" if i % 28 > 12 else 1950 + i % 70,
             f"Speaker {i % 500}; Other {i % 7}", "history; radio", "closed" if i % 50 == 0 else "open", i)
            for i, n in enumerate(names)
        )  # fmt: skip


def seconds(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def best(call, n: int = 5) -> float:
    return min(seconds(call) for _ in range(n))


def command(*arguments: str) -> float:
    """The seconds of a command in a process of its own, the best of three."""
    run = [sys.executable, "-c", "from rankine.cli import program; program()", "spoken", *arguments]
    return best(lambda: subprocess.run(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True), 3)


def main() -> None:
    heading("Metadata")
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        big = blown_up(tiny(Path(temporary, "small")), Path(temporary, "big"), RECORDINGS)
        bare = np.median(milliseconds(big.search, [f"word{i}" for i in range(60)])[20:])
        names = big.recordings.names
        table = Path(temporary, "table.csv")
        write_table(table, names[:IMPORTED])
        took = seconds(lambda: big.metadata.import_table(table))
        goal(f"importing a table of {IMPORTED:,} recordings, seconds", took, 2, at_most=True)
        goal("importing it again, seconds", seconds(lambda: big.metadata.import_table(table)), 2, at_most=True)
        write_table(table, names)
        print(f"  importing {len(names):,}: {seconds(lambda: big.metadata.import_table(table)):.1f} s", flush=True)
        size = (big.folder / "store.sqlite").stat().st_size / 1e6
        print(f"  the store has {size:.0f} MB", flush=True)

        def listed() -> None:
            columns = RecordingsList(Archive(big.folder).index, closed=True).table()
            assert len(columns["title"]) == len(names)

        goal(f"listing {len(names):,} recordings, seconds", best(listed), 0.5, at_most=True)
        took = best(
            lambda: RecordingsList(Archive(big.folder).index, closed=True).table("speaker:7 date:1960..1970", "date")
        )
        print(f"  with a filter, sorted by date: {took:.2f} s", flush=True)
        print(f"  rankine spoken list, as a command: {command('list', str(big.folder), '--format', 'tsv'):.2f} s")
        first = seconds(lambda: Archive(big.folder).search("word1"))
        warm = np.median(milliseconds(big.search, [f"word{i}" for i in range(60)])[20:])
        print(
            f"  a search: {bare:.1f} ms without a store, {warm:.1f} ms with one; the first after opening {first:.2f} s"
        )
        print(f"  undoing the import: {seconds(big.metadata.undo):.1f} s", flush=True)
