"""The likeliest different hypotheses against all paths."""

import pytest

import rankine as rk
from rankine.spoken.lattice import paths
from rankine.spoken.lattice.paths import best_hypotheses
from rankine.spoken.lattice.posteriors import arc_posteriors

from ... import reference_hypotheses as slow
from .cases import lattices


def test_best_hypotheses_are_those_of_all_paths():
    n = 0
    for _, lattice in lattices(300):
        expected = slow.best_hypotheses(lattice, arc_posteriors(lattice).transition)
        mine = best_hypotheses(lattice, 1000)
        assert [p for p, _ in mine] == pytest.approx([p for p, _ in expected])
        assert sorted(words for _, words in mine) == sorted(words for _, words in expected)
        assert mine[:3] == best_hypotheses(lattice, 3)
        n += len(mine)
    assert n > 1000


def test_many_paths_of_few_words_are_few_hypotheses():
    """A chain of slots with equal words has 2^60 paths."""
    arcs = [(i, i + 1, "a", 0.0) for i in range(60)] + [(i, i + 1, "a", -1.0) for i in range(60)]
    lattice = rk.spoken.Lattice.from_arcs(arcs, 0, 60)
    ((_, words),) = best_hypotheses(lattice, 100)
    assert words == ["a"] * 60


def test_equally_likely_hypotheses_are_found_without_following_all_beginnings(monkeypatch):
    monkeypatch.setattr(paths, "_MOST_STEPS", 10_000)
    arcs = [(i, i + 1, word, -1.0) for i in range(2000) for word in (f"a{i}", f"b{i}")]
    likeliest = best_hypotheses(rk.spoken.Lattice.from_arcs(arcs, 0, 2000), 100)
    assert len({tuple(words) for _, words in likeliest}) == 100
    assert {len(words) for _, words in likeliest} == {2000}
