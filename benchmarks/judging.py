"""Judging and learning: how soon a judgment is on disk, what to judge next, and learning from 200 queries.

``RANKINE_DATA=… python -m benchmarks judging``: the lattices of LJ, and their segments copied to 100,000.
"""

import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np

from rankine.spoken.archive import Archive
from rankine.spoken.learn.judgments import Judged

from .archive import SEGMENTS, blown_up, lj_speech, milliseconds, two_word_queries
from .timing import goal, heading

QUERIES, JUDGED = 200, 10  # judgments of each query that are there before


def seconds(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def bare_commit(folder: Path) -> float:
    """The median milliseconds of a durable insert by SQLite alone in this folder: what the disk allows."""
    path = folder / "bare.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE IF NOT EXISTS row (x)")

    def insert(number: int) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous=FULL")
            db.execute("INSERT INTO row VALUES (?)", (number,))

    return float(np.median(milliseconds(insert, range(100))))


def judged_by_rank(archive: Archive, queries: list[str]) -> Judged:
    """The first places of each query, of which the first is relevant: what is right does not matter for the time."""
    names = {str(i): text for i, text in enumerate(queries)}
    hits = {name: archive.search(text, JUDGED) for name, text in names.items()}
    return Judged(names, {n: {h.segment: float(h.rank == 1) for h in some} for n, some in hits.items()})


def measure(archive: Archive, queries: list[str]) -> None:
    judged = judged_by_rank(archive, queries)
    archive.judgments.add_judged(judged, "ann")
    hits = [(text, hit) for text in queries[:20] for hit in archive.search(text, 10)]
    archive.judgments.add(*hits[0], 1.0, "warm")
    busy = time.process_time()
    took = milliseconds(lambda pair: archive.judgments.add(*pair, 1.0, "bob"), hits)
    busy = 1e3 * (time.process_time() - busy) / len(hits)
    bare = bare_commit(archive.folder.parent)
    print(f"  a bare insert of SQLite: {bare:.1f} ms; processor time of a judgment {busy:.1f} ms")
    print(f"  {archive.judgments.all().n_judgments:,} places judged; 99 of 100 take {np.percentile(took, 99):.1f} ms")
    goal("a judgment is on disk, median ms more than a bare insert", float(np.median(took)) - bare, 5, at_most=True)
    print(f"  what to judge next, of {len(queries)} queries: {seconds(archive.judgments.next):.1f} s", flush=True)
    busy = time.process_time()
    goal(
        f"learning from {len(queries)} queries, seconds",
        seconds(lambda: archive.weights.learn(use=False)),
        15,
        at_most=True,
    )
    print(f"  processor time of that: {time.process_time() - busy:.1f} s", flush=True)
    print(
        f"  again, from features that are kept: {seconds(lambda: archive.weights.learn(use=False)):.1f} s", flush=True
    )
    print(f"  the list of queries with AP and nDCG: {seconds(archive.judgments.measures):.1f} s", flush=True)


def main() -> None:
    heading("Judging")
    if (speech := lj_speech()) is None:
        return
    folder, texts = speech
    queries = two_word_queries(texts, QUERIES, np.random.default_rng(2))
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        small = Archive.create(Path(temporary, "small"))
        small.lattices.index(folder / "lattices")
        big = blown_up(small, Path(temporary, "big"), SEGMENTS)
        for archive in (small, big):
            print(f"  {archive.index.places_before[-1]:,} segments", flush=True)
            measure(archive, queries)
