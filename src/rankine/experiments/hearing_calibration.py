"""How far the posteriors of words can be trusted: the expected calibration error of lattices.

The words of a lattice are the best ones of the slots of its confusion network, where they are likelier than no word; of
a single text they are all its words. Each is right or wrong by the alignment with what was said that needs the fewest
edits, both as they are said (:mod:`..spoken.writing.normal`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..spoken.lattice.confusion import confusion_network
from ..spoken.lattice.edits import right_words
from ..spoken.lattice.formats import read_lattice
from ..spoken.lattice.lattice import Lattice
from ..spoken.writing.normal import normal_words

BINS = 10


def best_words(lattice: Lattice, single: bool = False) -> list[tuple[str, float]]:
    """The best word of each slot with its posterior, if it is likelier than none; of a single text all of them."""
    slots: dict[int, list[tuple[float, str]]] = {}
    for slot, word, posterior in confusion_network(lattice).triples():
        slots.setdefault(slot, []).append((posterior, word))
    rows = (slots[slot] for slot in sorted(slots))
    best = (max(row) for row in rows if single or max(row)[0] >= 1 - sum(p for p, _ in row))
    return [(word, posterior) for posterior, word in best]


def word_rows(best: Sequence[tuple[str, float]], said: Sequence[str]) -> np.ndarray:
    """The posterior of each word as it is said, and whether it is right: two columns.

    >>> word_rows([("in", 0.9), ("1450", 0.5)], ["in", "fourteen", "sixty"]).tolist()
    [[0.9, 1.0], [0.5, 1.0], [0.5, 0.0]]
    """
    words = [(word, posterior) for unit, posterior in best for word in normal_words(unit)]
    right = right_words([word for word, _ in words], said)
    return np.array([(p, r) for (_, p), r in zip(words, right, strict=True)], np.float64).reshape(-1, 2)


def calibration_error(rows: np.ndarray) -> float:
    """The mean over words of the distance between the mean posterior of their bin and its share of right words."""
    number = np.minimum((rows[:, 0] * BINS).astype(int), BINS - 1)
    return sum(abs(float((rows[number == b, 0] - rows[number == b, 1]).sum())) for b in range(BINS)) / max(len(rows), 1)


def folder_rows(folder: Path, texts: Mapping[str, str], single: bool = False) -> np.ndarray:
    """The rows of all lattices of a folder, whose names are those of the texts."""
    rows = [np.zeros((0, 2))]
    for path in sorted(folder.glob("*.slf.gz")):
        said = normal_words(texts[path.name.removesuffix(".slf.gz")])
        rows.append(word_rows(best_words(read_lattice(path, lower=True), single), said))
    return np.concatenate(rows)
