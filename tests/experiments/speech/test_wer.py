"""Word error rates: the oracle of a lattice is the best of all its paths."""

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

import rankine as rk
from experiments.speech.wer import oracle_distance
from rankine.spoken.lattice.lattice import random_lattice


def test_error_rates():
    rng = np.random.default_rng(6)
    for _ in range(200):
        lattice = random_lattice(rng, int(rng.integers(2, 6)), int(rng.integers(2, 10)), 3)
        reference = [f"w{rng.integers(4)}" for _ in range(rng.integers(0, 6))]
        want = min(Levenshtein.distance(lattice.words(path), reference) for path in lattice.paths())
        assert oracle_distance(lattice, reference) == want


def test_too_many_nodes_and_words_are_refused(monkeypatch):
    monkeypatch.setattr("experiments.speech.wer._MOST", 5)
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1)
    assert oracle_distance(lattice, ["a"]) == 0
    with pytest.raises(rk.InputError, match="2 nodes against 2 words"):
        oracle_distance(lattice, ["a", "b"])
