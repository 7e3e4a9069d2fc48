"""Corrections: how soon a corrected word is found in an archive of 100,000 segments, and in one long recording."""

import tempfile
import time
from pathlib import Path

import numpy as np

from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About

from .archive import SEGMENTS, blown_up, lj_speech, two_word_queries
from .timing import goal, heading

CORRECTIONS = 30


def correct(archive: Archive, name: str, number: int) -> tuple[float, float, int]:
    """Milliseconds to write a correction and until a search finds its word; the number of the change."""
    words = [w for w in archive.corrections.words(name) if w.end - w.start > 0.1]
    word = words[number * 7 % len(words)]
    new = f"zyx{'abcdefghij'[number % 10]}{'aeiou'[number // 10 % 5]}wick"
    began = time.perf_counter()
    done = archive.corrections.add(f"{name}@{word.start:.2f}-{word.end:.2f}", new)
    written = time.perf_counter()
    hits = archive.search(new)
    took = time.perf_counter() - began
    assert hits[0].recording == name
    assert hits[0].certainty == "heard"
    return 1e3 * (written - began), 1e3 * took, done.change


def measured(archive: Archive, names: list[str], texts: dict[str, list[str]], what: str, most: float) -> None:
    """Correct words of these recordings one after the other, as a page does: the archive stays open."""
    for query in two_word_queries(texts, 20, np.random.default_rng(1)):
        archive.search(query)
    rows = np.array([correct(archive, name, i) for i, name in enumerate(names)])
    print(f"  {what}: the first {rows[0, 1]:.0f} ms; then, median, writing {np.median(rows[1:, 0]):.0f} ms", flush=True)
    goal(f"{what}, writing and finding it, median ms", np.median(rows[1:, 1]), most, at_most=True)
    began = time.perf_counter()
    archive.corrections.undo(int(rows[-1, 2]))
    print(f"  undoing one: {1e3 * (time.perf_counter() - began):.0f} ms", flush=True)


def main() -> None:
    heading("Corrections")
    if (speech := lj_speech()) is None:
        return
    folder, texts = speech
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        small = Archive.create(Path(temporary, "small"))
        small.lattices.index(folder / "lattices")
        big = blown_up(small, Path(temporary, "big"), SEGMENTS)
        names = [big.recordings.names[i] for i in rng.choice(len(big), CORRECTIONS, replace=False)]
        measured(big, names, texts, f"a correction among {big.index.n_stretches:,} segments", 200)
        long = Archive.create(Path(temporary, "long"))
        utterances = small.recordings.names
        about = {name: About("hour", {}, "", 8.0 * i) for i, name in enumerate(utterances)}
        long.lattices.index(folder / "lattices", about)
        part = f"a correction in one recording of {long.index.n_stretches:,} segments"
        measured(long, ["hour"] * CORRECTIONS, texts, part, 200)
