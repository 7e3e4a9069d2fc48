"""Lattices of smaller units against the enumeration of split paths."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.units import characters, from_mapping, lexicon, to_units

from .... import reference as ref


def test_units_of_words_equal_enumeration_over_split_paths():
    rng = np.random.default_rng(5)
    ways = {"w0": [["x", "y"], ["z"]], "w1": [["y"]], "w2": [["x", "x", "z"]], "w3": [["z", "y"], ["y", "z"], ["x"]]}
    for _ in range(150):
        lattice = random_lattice(rng, int(rng.integers(2, 6)), int(rng.integers(2, 9)), 4)
        small = to_units(lattice, from_mapping(ways))
        want = {}
        for path, p in ref.path_probabilities(lattice, lattice.acoustic):
            sequences = [([], p)]
            for word in lattice.words(path):
                sequences = [(s + w, q / len(ways[word])) for s, q in sequences for w in ways[word]]
            for sequence, q in sequences:
                for position, unit in enumerate(sequence):
                    want[position, unit] = want.get((position, unit), 0.0) + q
        got = {(p, u): x for p, u, x in rk.spoken.pspl(small).triples()}
        assert got == pytest.approx(want, abs=1e-10)
        assert (rk.spoken.confusion_network(small).posterior <= 1 + 1e-9).all()
    whole = to_units(lattice, lambda word: [[word]])
    assert len(whole) == len(lattice)


def test_units_from_a_dictionary_and_characters(tmp_path):
    (tmp_path / "d.txt").write_text(";;; a dictionary\nto T UW1\nto(2) T AH0\ngo G OW1\n")
    split = from_mapping(lexicon(tmp_path / "d.txt"), "the dictionary")
    assert split("TO") == [["T", "UW"], ["T", "AH"]]
    with pytest.raises(rk.InputError, match="'fro' is not in the dictionary"):
        split("fro")
    (tmp_path / "e.txt").write_text("to\n")
    with pytest.raises(rk.InputError, match="has no units"):
        lexicon(tmp_path / "e.txt")
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "to", 0.0, 0.0, 1.0), (1, 2, "go", 0.0, 1.0, 1.5)], 0, 2)
    phones = rk.spoken.pspl(to_units(lattice, split))
    assert [(p, u) for p, u, _ in phones.triples()] == [(0, "T"), (1, "UW"), (1, "AH"), (2, "G"), (3, "OW")]
    assert phones.start.tolist() == pytest.approx([0, 0.5, 0.5, 1.0, 1.25])
    assert to_units(lattice, characters).units == ("t", "o", "g")
    with pytest.raises(rk.InputError, match="no units"):
        to_units(lattice, lambda word: [])


def test_words_without_units_are_empty_arcs_if_asked():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "to", 0.0), (1, 2, "go", 0.0)], 0, 2)
    split = {"to": [["T"]], "go": []}.__getitem__
    assert rk.spoken.pspl(to_units(lattice, split, silent=True)).triples() == [(0, "T", 1.0)]


def test_one_long_word_on_many_arcs_is_refused(monkeypatch):
    monkeypatch.setattr("rankine.spoken.lattice.units.chains._MOST_ARCS", 50)
    lattice = rk.spoken.Lattice.from_arcs([(i, i + 1, "a" * 10, 0.0) for i in range(6)], 0, 6)
    with pytest.raises(rk.InputError, match="60 arcs of smaller units"):
        to_units(lattice, lambda word: [list(word)])
