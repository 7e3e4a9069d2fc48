"""Word error rates of recogniser lattices: the best path, the confusion network's best, and the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from rankine.spoken import Lattice, arc_posteriors, confusion_network, read_archive
from rankine.spoken.lattice.units import characters, to_units
from rankine.system.progress import bar
from rankine.system.report import Section

from ..collections import speech_folder, transcripts, words_of
from ..table import Results
from .wer import oracle_distance


class Rates(NamedTuple):
    """Errors over reference units, in one set of utterances."""

    utterances: int
    units: int
    best_path: float
    network: float
    oracle: float


def run(name: str, report: Callable[[int], None] = lambda done: None) -> Rates:
    """Rates of ``lj`` (English words, by the lattices' own posteriors) or ``aishell`` (Mandarin characters)."""
    folder, texts = speech_folder(name), transcripts(name)
    english = name == "lj"
    source = read_archive(folder / "lattices") if english else read_archive(
        folder / "lat.1.gz", words=folder / "words.txt.gz")  # fmt: skip
    errors, units, n = np.zeros(3), 0, 0
    for utterance, lattice in source:
        reference = words_of(texts[utterance]) if english else list(texts[utterance].replace(" ", ""))
        errors += _errors(lattice if english else to_units(lattice, characters), reference, 1.0 if english else 0.1)
        units += len(reference)
        n += 1
        report(n)
    return Rates(n, units, *(float(e) for e in errors / units))


def _errors(lattice: Lattice, reference: list[str], scale: float) -> np.ndarray:
    """Edit distances to the reference: of the best path, of the confusion network's best words, of the oracle."""
    posteriors = arc_posteriors(lattice, acoustic_scale=scale)
    with np.errstate(divide="ignore"):
        best = lattice.words(lattice.best_path(np.log(posteriors.transition)))
    network = confusion_network(lattice, "pivot", posteriors).best()
    return np.array(
        [
            Levenshtein.distance(best, reference),
            Levenshtein.distance(network, reference),
            oracle_distance(lattice, reference),
        ]
    )


def experiment() -> Results:
    """Error rates of both sets."""
    rows = []
    for name, unit in (("lj", "words"), ("aishell", "characters")):
        with bar(name, total=None) as update:
            rates = run(name, update)
        shares = (f"{100 * r:.1f} %" for r in (rates.best_path, rates.network, rates.oracle))
        rows.append((name, rates.utterances, f"{rates.units} {unit}", *shares))
    columns = ("set", "utterances", "reference", "best path", "confusion network", "oracle")
    return Results([Section("Error rates", columns=columns, rows=rows)])
