"""Lattices against the enumeration of all paths."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.lattice import LONGEST_WORD, Lattice
from rankine.spoken.lattice.posteriors import arc_posteriors

from .cases import lattices


def test_best_path_and_number_of_paths():
    for _, lattice in lattices():
        paths = list(lattice.paths())
        assert lattice.n_paths == len(paths)
        best = max(lattice.acoustic[p].sum() for p in paths)
        assert lattice.acoustic[lattice.best_path()].sum() == pytest.approx(best, abs=1e-12)


def test_trimming_and_pruning():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0), (0, 2, "dead", 0.0), (4, 1, "lost", 0.0)], 0, 1)
    assert lattice.units == ("a",)
    for _, lattice in lattices(50):
        posteriors = arc_posteriors(lattice).posterior
        pruned = lattice.prune(posteriors, 0.2)
        with np.errstate(divide="ignore"):
            best = lattice.words(lattice.best_path(np.log(posteriors)))
        stays = {lattice.units[lattice.unit[a]] for a in np.flatnonzero((posteriors > 0.2) & (lattice.unit >= 0))}
        assert stays | set(best) >= set(pruned.units)
        assert set(best) <= set(pruned.units)


def test_a_beam_keeps_the_arcs_of_the_paths_within_it():
    for rng, lattice in lattices(200):
        width = rng.uniform(0, 3)
        sums = {tuple(path): lattice.acoustic[path].sum() for path in lattice.paths()}
        best = max(sums.values())
        want = {a for path, x in sums.items() if x >= best - width for a in path}
        assert len(lattice.beam(width)) == len(want)
        assert lattice.beam(width).n_paths >= sum(x >= best - width for x in sums.values())
    with pytest.raises(rk.InputError, match="width"):
        lattice.beam(-1.0)
    with pytest.raises(rk.InputError, match="threshold"):
        lattice.prune(arc_posteriors(lattice).posterior, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.spoken.Lattice.from_arcs([], 0, 1), "at least one arc"),
        (lambda: rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0), (1, 0, "b", 0.0)], 0, 1), "in a circle"),
        (lambda: rk.spoken.Lattice.from_arcs([(0, 1, "a", np.nan)], 0, 1), "acoustic score nan"),
        (lambda: rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 5), "no path leads"),
        (lambda: rk.spoken.Lattice.from_arcs([(-1, 1, "a", 0.0)], 0, 1), "from 0"),
    ],
)  # fmt: skip
def test_bad_input(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()


def test_nodes_may_have_any_numbers(caplog):
    near = rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0), (1, 2, "b", 0.0), (0, 3, "lost", 0.0)], 0, 2)
    with caplog.at_level("INFO", logger="rankine.spoken"):
        far = rk.spoken.Lattice.from_arcs([(0, 10**6, "a", 0.0), (10**6, 7, "b", 0.0), (0, 5, "lost", 0.0)], 0, 7)
    for lattice in (near, far):
        assert (lattice.source.tolist(), lattice.target.tolist(), lattice.units) == ([0, 1], [1, 2], ("a", "b"))
    assert "1 nodes and 1 arcs are on no path" in caplog.text


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"times": np.array([[0.0, np.inf]])}, "arc 0 has the times 0.0 and inf"),
        ({"unit": np.array([1])}, "units are numbered from 0 to 0"),
        ({"language": np.array([np.inf])}, "arc 0 has the language score inf"),
    ],
)
def test_columns_are_checked(columns, message):
    arc = {
        "source": np.array([0]), "target": np.array([1]), "unit": np.array([0]), "units": ["a"],
        "acoustic": np.zeros(1), "language": np.zeros(1), "posterior": np.full(1, np.nan), "times": np.zeros((1, 2)),
    }  # fmt: skip
    assert rk.spoken.Lattice.build(**arc, start=0, end=1).units == ("a",)
    with pytest.raises(rk.InputError, match=message):
        rk.spoken.Lattice.build(**arc | columns, start=0, end=1)


def test_no_path_is_the_best_of_impossible_ones():
    with pytest.raises(rk.InputError, match="probability 0"):
        rk.spoken.Lattice.from_arcs([(0, 1, "a", -np.inf), (1, 2, "b", 0.0)], 0, 2).best_path()


def test_a_word_of_a_thousand_letters_is_the_longest():
    arc = (0, 1, "a" * LONGEST_WORD, 0.0)
    assert Lattice.from_arcs([arc], 0, 1).units == (arc[2],)
    said = r"x.slf: the word 'a{40}…' has 1,001 letters; expected at most 1,000"
    with pytest.raises(rk.InputError, match=said):
        Lattice.from_arcs([(0, 1, arc[2] + "a", 0.0)], 0, 1, where="x.slf")
