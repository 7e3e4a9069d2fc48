"""Position-specific posteriors against the enumeration of all paths."""

import pytest

import rankine as rk

from ... import reference as ref
from .cases import lattices


def test_pspl_is_enumeration():
    for _, lattice in lattices():
        positions = rk.spoken.pspl(lattice)
        want = ref.pspl(lattice, lattice.acoustic)
        got = {(p, u): x for p, u, x in positions.triples()}
        assert got == pytest.approx({k: v for k, v in want.items() if v > 0}, abs=1e-10)
        lengths = [(len(lattice.words(path)), p) for path, p in ref.path_probabilities(lattice, lattice.acoustic)]
        for position in range(positions.n_positions):
            at_least = sum(p for n, p in lengths if n > position)
            assert sum(x for (at, _), x in got.items() if at == position) == pytest.approx(at_least, abs=1e-10)
        pruned = rk.spoken.pspl(lattice, prune=0.1)
        assert {(p, u) for p, u, _ in pruned.triples()} == {k for k, v in got.items() if v > 0.1}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.spoken.pspl(rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1), prune=1), "prune"),
    ],
)  # fmt: skip
def test_bad_threshold(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()


def test_a_single_path_gives_that_path():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "a", -1.0), (1, 2, None, -2.0), (2, 3, "b", -3.0)], 0, 3)
    assert rk.spoken.pspl(lattice).triples() == [(0, "a", 1.0), (1, "b", 1.0)]


def test_long_texts_of_many_words_need_little_memory():
    n = 20_000
    arcs = [(i, i + 1, f"w{i}", 0.0, i, i + 1.0) for i in range(n)]
    assert len(rk.spoken.pspl(rk.spoken.Lattice.from_arcs(arcs, 0, n))) == n


def test_words_that_come_back_much_later_need_little_memory():
    """Positions between the two occurrences of a word took room for each word."""
    n = 20_000
    arcs = [(i, i + 1, f"w{i % (n // 2)}", 0.0, i, i + 1.0) for i in range(n)]
    positions = rk.spoken.pspl(rk.spoken.Lattice.from_arcs(arcs, 0, n))
    assert positions.position.tolist() == list(range(n))
    assert positions.best() == [f"w{i % (n // 2)}" for i in range(n)]


def test_long_lattices_are_done_in_ranges(monkeypatch):
    whole = [rk.spoken.pspl(lattice, prune=prune) for _, lattice in lattices() for prune in (0.0, 0.1)]
    for effort in (1, 2, 7):
        monkeypatch.setattr("rankine.spoken.lattice.positions._MOST_EFFORT", effort)
        parts = [rk.spoken.pspl(lattice, prune=prune) for _, lattice in lattices() for prune in (0.0, 0.1)]
        assert [p.triples() for p in parts] == [p.triples() for p in whole]


@pytest.mark.parametrize("limit", ["_MOST_MASS", "_MOST_CELLS"])
def test_what_needs_too_much_memory_is_refused(monkeypatch, limit):
    arcs = [arc for i in range(30) for arc in ((i, i + 1, "a", -1.0), (i, i + 1, None, -1.0))]
    lattice = rk.spoken.Lattice.from_arcs(arcs, 0, 30, name="long")
    assert len(rk.spoken.pspl(lattice)) == 30
    monkeypatch.setattr(f"rankine.spoken.lattice.positions.{limit}", 20)
    with pytest.raises(rk.InputError, match=r"long: .* cut the utterance into shorter ones"):
        rk.spoken.pspl(lattice)
