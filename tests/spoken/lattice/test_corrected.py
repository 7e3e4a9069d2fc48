"""Corrected lattices against all paths of small ones."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.confusion import confusion_network
from rankine.spoken.lattice.corrected import corrected
from rankine.spoken.lattice.lattice import Lattice, random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors

from ... import reference as ref


def sequences(lattice):
    """Unit sequences of all paths with their probabilities."""
    posteriors = arc_posteriors(lattice)
    out = {}
    for path in lattice.paths():
        p = float(np.prod(posteriors.transition[path]))
        key = tuple((lattice.units[lattice.unit[a]], round(lattice.start[a], 9)) for a in path if lattice.unit[a] >= 0)
        out[key] = out.get(key, 0.0) + p
    return out


def agree(one, other):
    for key in {*one, *other}:
        assert one.get(key, 0.0) == pytest.approx(other.get(key, 0.0), abs=1e-9), key


def test_random_lattices_against_all_paths():
    rng = np.random.default_rng(0)
    replaced = kept = 0
    for _ in range(600):
        lattice = random_lattice(rng, int(rng.integers(3, 8)), int(rng.integers(4, 14)))
        start, end = np.sort(rng.uniform(-0.5, lattice.n_nodes + 0.5, 2))
        words = [f"new{i}" for i in range(rng.integers(0, 4))]
        arcs = [
            (int(s), int(t), None if u < 0 else lattice.units[u], float(p), float(b), float(e))
            for s, t, u, p, b, e in zip(
                lattice.source, lattice.target, lattice.unit, arc_posteriors(lattice).transition, lattice.start,
                lattice.end, strict=True,
            )
        ]  # fmt: skip
        expected = ref.corrected_sequences(arcs, lattice.n_nodes - 1, start, end, words)
        fixed = corrected(lattice, start, end, words)
        agree(sequences(fixed), expected)
        posterior = arc_posteriors(fixed).posterior
        for word in words:
            (arc,) = np.flatnonzero(fixed.unit == fixed.units.index(word))
            assert posterior[arc] == pytest.approx(1.0, abs=1e-9)
        replaced += len(words) > 0
        kept += any(len(key) > len(words) for key in expected)
    assert replaced > 300
    assert kept > 300


def test_arcs_outside_keep_their_posteriors():
    arcs = [(0, 1, "a", 0.0, 0, 1), (0, 1, "b", -1.0, 0, 1), (1, 2, "x", 0.0, 1, 2), (1, 2, "y", 0.0, 1, 2),
            (2, 3, "c", 0.0, 2, 3), (2, 3, "d", -2.0, 2, 3)]  # fmt: skip
    heard = Lattice.from_arcs(arcs, 0, 3)
    fixed = corrected(heard, 1.0, 2.0, ["wollstonecraft"])
    before, after = confusion_network(heard), confusion_network(fixed)
    said = {unit: x for _, unit, x in after.triples()}
    assert said.keys() == {"a", "b", "c", "d", "wollstonecraft"}
    assert said["wollstonecraft"] == pytest.approx(1.0)
    for _, unit, x in before.triples():
        if unit not in "xy":
            assert said[unit] == pytest.approx(x)
    (arc,) = np.flatnonzero(fixed.unit == fixed.units.index("wollstonecraft"))
    assert (fixed.start[arc], fixed.end[arc]) == (1.0, 2.0)


def test_corrections_one_after_the_other_and_on_each_other():
    heard = Lattice.from_arcs([(i, i + 1, w, 0.0, i, i + 1) for i, w in enumerate("abcdef")], 0, 6)
    both = corrected(corrected(heard, 1, 2, ["one"]), 3, 5, ["two", "three"])
    assert both.words(both.best_path()) == ["a", "one", "c", "two", "three", "f"]
    later = corrected(corrected(heard, 1, 4, ["one", "two", "six"]), 1.9, 3.1, ["deux"])
    assert later.words(later.best_path()) == ["a", "one", "deux", "six", "e", "f"]
    nothing = corrected(heard, 0, 6, [])
    assert nothing.words(nothing.best_path()) == []


def test_arcs_without_times_lie_between_their_neighbours():
    arcs = [(0, 1, "a", 0.0, 0.0, 1.0), (1, 2, None, 0.0), (2, 3, "b", 0.0, 1.0, 2.0), (3, 4, None, 0.0)]
    heard = Lattice.from_arcs([(*a, np.nan, np.nan) if len(a) == 4 else a for a in arcs], 0, 4)
    fixed = corrected(heard, 1.1, 2.0, ["bee"])
    assert fixed.words(fixed.best_path()) == ["a", "bee"]


def test_what_cannot_be_corrected():
    with pytest.raises(rk.InputError, match="needs times, and this lattice has none"):
        corrected(Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1), 0, 1, ["b"])
    with pytest.raises(rk.InputError, match="from a time to a later one, got 2 to 1"):
        corrected(Lattice.from_arcs([(0, 1, "a", 0.0, 0, 1)], 0, 1), 2, 1, ["b"])
