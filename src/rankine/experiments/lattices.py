"""Word error rates of recogniser lattices: the best path, the confusion network's best, and the oracle."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..spoken import Lattice, arc_posteriors, confusion_network, read_archive
from ..spoken.lattice.units import characters, to_units
from ..spoken.lattice.wer import edit_distance, oracle_distance


class Rates(NamedTuple):
    """Errors over reference units, in one set of utterances."""

    utterances: int
    units: int
    best_path: float
    network: float
    oracle: float


def words_of(text: str) -> list[str]:
    """Words in lower case without punctuation.

    >>> words_of("Printing, in the only sense—that's all.")
    ['printing', 'in', 'the', 'only', 'sense', "that's", 'all']
    """
    return re.findall(r"[a-z0-9']+", text.lower())


def run(name: str, report: Callable[[int], None] = lambda done: None) -> Rates:
    """Rates of ``lj`` (English words, by the lattices' own posteriors) or ``aishell`` (Mandarin characters)."""
    place = os.environ.get("RANKINE_DATA")
    if not place:
        raise InputError("set RANKINE_DATA to the folder that holds speech/lj and speech/aishell")
    folder = Path(place, "speech", name)
    lines = (folder / "transcripts.tsv").read_text(encoding="utf-8").splitlines()
    texts = dict(line.split("\t", 1) for line in lines if line.strip())
    english = name == "lj"
    source = read_archive(folder / "lattices") if english else read_archive(
        folder / "lat.1.gz", words=folder / "words.txt.gz")  # fmt: skip
    errors, units, n = np.zeros(3), 0, 0
    for utterance, lattice in source:
        wanted = words_of(texts[utterance]) if english else list(texts[utterance].replace(" ", ""))
        errors += _errors(lattice if english else to_units(lattice, characters), wanted, 1.0 if english else 0.1)
        units += len(wanted)
        n += 1
        report(n)
    return Rates(n, units, *(float(e) for e in errors / units))


def _errors(lattice: Lattice, wanted: list[str], scale: float) -> np.ndarray:
    found = arc_posteriors(lattice, acoustic_scale=scale)
    with np.errstate(divide="ignore"):
        best = lattice.words(lattice.best_path(np.log(found.transition)))
    network = confusion_network(lattice, "pivot", found).best()
    return np.array([edit_distance(best, wanted), edit_distance(network, wanted), oracle_distance(lattice, wanted)])
