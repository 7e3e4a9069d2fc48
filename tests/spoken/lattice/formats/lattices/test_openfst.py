"""OpenFst's text."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts


def test_costs_are_negative_logarithms(tmp_path):
    (tmp_path / "f.fst").write_text(f"0 1 a a {-np.log(0.25)}\n0 1 b b {-np.log(0.75)}\n1 2 <eps> <eps>\n2\n")
    lattice = rk.spoken.read_lattice(tmp_path / "f.fst")
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx({"a": 0.25, "b": 0.75})


@pytest.mark.parametrize(
    ("text", "message"),
    [("0 1 a\n", "no final state"), ("q 1 a\n1\n", "number of a state"), ("0 1 a a 1 2\n1\n", "at most 5 columns")],
)
def test_bad_files(tmp_path, text, message):
    (tmp_path / "x.fst").write_text(text)
    with pytest.raises(rk.InputError, match=message):
        rk.spoken.read_lattice(tmp_path / "x.fst")


@pytest.mark.parametrize("word", ["new york", "1e3"])
def test_words_that_the_text_cannot_hold(word):
    with pytest.raises(rk.InputError, match="OpenFst's text cannot hold the word"):
        f.write_openfst(rk.spoken.Lattice.from_arcs([(0, 1, word, 0.0)], 0, 1))
