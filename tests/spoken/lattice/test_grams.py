"""Expected counts of n-grams are those over all paths."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import grams
from rankine.spoken.lattice.grams import gram_counts
from rankine.spoken.lattice.lattice import Lattice, random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts
from rankine.spoken.lattice.units import to_units

from ... import reference as ref


def by_name(lattice, counts):
    return [
        {tuple(lattice.units[u] for u in row): n for row, n in zip(c.grams.tolist(), c.counts.tolist(), strict=True)}
        for c in counts
    ]


def test_counts_are_those_over_all_paths():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        lattice = random_lattice(rng, int(rng.integers(2, 8)), int(rng.integers(1, 16)), int(rng.integers(1, 5)))
        if rng.random() < 0.3:
            lattice = to_units(lattice, lambda word: [list(word), [word[1]]])
        order = int(rng.integers(1, 5))
        counts = by_name(lattice, gram_counts(lattice, order, dropped=0.0))
        weight = lattice.acoustic + lattice.language
        for n in range(1, order + 1):
            want = ref.gram_counts(lattice, weight, n)
            assert counts[n - 1] == pytest.approx(want, abs=1e-12)


def test_counts_of_single_units_are_the_expected_counts():
    for seed in range(50):
        lattice = random_lattice(np.random.default_rng(seed), 8, 20, 5)
        want = {(u,): n for u, n in expected_counts(lattice, arc_posteriors(lattice)).items() if n > 0}
        assert by_name(lattice, gram_counts(lattice, 3))[0] == pytest.approx(want, abs=1e-12)


def test_many_histories():
    """Tables grow: 40 units in each of three slots are 64,000 grams."""
    arcs = [(i, i + 1, f"u{j}", 0.0) for i in range(3) for j in range(40)]
    lattice = Lattice.from_arcs(arcs, start=0, end=3)
    _, pairs, triples = gram_counts(lattice, 3, dropped=0.0)
    assert (len(pairs.grams), len(triples.grams)) == (1600, 64000)
    np.testing.assert_allclose(pairs.counts, 2 / 1600)
    np.testing.assert_allclose(triples.counts, 1 / 64000)
    assert np.lexsort(triples.grams.T[::-1]).tolist() == list(range(64000))


def test_rare_histories_are_left_out():
    arcs = [(0, 1, "a", np.log(0.01)), (0, 1, "b", np.log(0.99)), (1, 2, "c", 0.0), (2, 3, "d", 0.0)]
    lattice = Lattice.from_arcs(arcs, start=0, end=3)
    some = by_name(lattice, gram_counts(lattice, 3, dropped=0.02))
    assert ("a", "c", "d") not in some[2]
    assert some[2]["b", "c", "d"] == pytest.approx(0.99)
    assert some[0]["a",] == pytest.approx(0.01)


def test_empty_and_too_large(monkeypatch):
    silent = Lattice.from_arcs([(0, 1, None, 0.0)], start=0, end=1)
    assert [len(c.counts) for c in gram_counts(silent, 3)] == [0, 0, 0]
    lattice = random_lattice(np.random.default_rng(0), 8, 20, 5)
    with pytest.raises(rk.InputError, match=r"5 units: their 30-grams cannot be counted"):
        gram_counts(lattice, 30)
    monkeypatch.setattr(grams, "_MOST_HISTORIES", 3)
    with pytest.raises(rk.InputError, match="more than 3 histories of units: cut the utterance into shorter ones"):
        gram_counts(lattice, 3)
