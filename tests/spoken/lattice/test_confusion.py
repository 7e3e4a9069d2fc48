"""Confusion networks: posteriors and order are those of the lattice."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from .cases import lattices


@pytest.mark.parametrize("method", ["pivot", "mangu"])
def test_confusion_networks_keep_posteriors_and_order(method):
    for rng, lattice in lattices(600):
        if rng.random() < 0.3:  # times may be missing
            lattice = rk.spoken.Lattice.from_arcs(
                [(u, v, None if w < 0 else lattice.units[w], s) for u, v, w, s in
                 zip(lattice.source, lattice.target, lattice.unit, lattice.acoustic, strict=True)],
                0, lattice.n_nodes - 1,
            )  # fmt: skip
        network = rk.spoken.confusion_network(lattice, method)
        posteriors = arc_posteriors(lattice)
        slots = np.bincount(network.position, network.posterior, network.n_positions)
        assert (slots <= 1 + 1e-9).all()
        counts = expected_counts(lattice, posteriors)
        for word, count in counts.items():
            mine = network.posterior[[network.units[u] == word for u in network.unit]].sum()
            assert mine == pytest.approx(count, abs=1e-10)
        # every path can be read off the slots from left to right
        for path in lattice.paths():
            at = -1
            for word in lattice.words(path):
                later = [p for p, u, _ in network.triples() if u == word and p > at]
                assert later
                at = min(later)


def test_clustering_arcs_that_take_no_time():
    """Equal words with equal times that stand in either order on two branches."""
    arcs = [
        (0, 1, "a", 0.0, 0.0, 0.0),
        (1, 3, "b", 0.0, 0.0, 0.0),
        (0, 2, "b", 0.0, 0.0, 0.0),
        (2, 3, "a", 0.0, 0.0, 0.0),
    ]
    for method in ("mangu", "pivot"):
        network = rk.spoken.confusion_network(rk.spoken.Lattice.from_arcs(arcs, 0, 3), method)
        assert (np.bincount(network.position, network.posterior) <= 1 + 1e-9).all()
    untimed = rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0, 0.0, 0.0), (0, 1, "b", 0.0, 0.0, 0.0)], 0, 1)
    assert rk.spoken.confusion_network(untimed).n_positions == 1


def test_long_texts_of_many_words_need_little_memory():
    n = 20_000
    arcs = [(i, i + 1, f"w{i}", 0.0, i, i + 1.0) for i in range(n)]
    lattice = rk.spoken.Lattice.from_arcs(arcs, 0, n)
    assert len(rk.spoken.confusion_network(lattice)) == n


def test_a_single_path_gives_that_path():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "a", -1.0), (1, 2, None, -2.0), (2, 3, "b", -3.0)], 0, 3)
    assert rk.spoken.confusion_network(lattice).triples() == [(0, "a", 1.0), (1, "b", 1.0)]
    assert rk.spoken.confusion_network(lattice, "mangu").triples() == [(0, "a", 1.0), (1, "b", 1.0)]
    assert rk.spoken.confusion_network(lattice).best() == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.spoken.confusion_network(
            rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1), method="x"), "method"),
    ],
)  # fmt: skip
def test_bad_method(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()


@pytest.mark.parametrize("method", ["pivot", "mangu"])
def test_large_lattices_are_done_in_ranges(monkeypatch, method):
    whole = [rk.spoken.confusion_network(lattice, method).triples() for _, lattice in lattices()]
    monkeypatch.setattr("rankine.spoken.lattice.confusion._MOST_EFFORT", 1)
    assert [rk.spoken.confusion_network(lattice, method).triples() for _, lattice in lattices()] == whole


@pytest.mark.parametrize("limit", ["_MOST_ARCS", "_MOST_NODES", "_MOST_PAIRS"])
def test_clustering_of_a_huge_lattice_is_refused(monkeypatch, limit):
    arcs = [arc for i in range(5) for arc in ((i, i + 1, f"a{i}", -1.0), (i, i + 1, None, -1.0))]
    lattice = rk.spoken.Lattice.from_arcs(arcs, 0, 5, name="huge")
    monkeypatch.setattr(f"rankine.spoken.lattice.confusion.{limit}", 4)
    with pytest.raises(rk.InputError, match="huge: clustering 5 arcs would take too long"):
        rk.spoken.confusion_network(lattice, "mangu")


def test_comparing_enormous_words_is_refused(monkeypatch):
    monkeypatch.setattr("rankine.spoken.lattice.confusion._MOST_SOUNDS", 10)
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "abcdef", 0.0), (0, 1, "ghijkl", 0.0)], 0, 1)
    with pytest.raises(rk.InputError, match="words of 12 sounds"):
        rk.spoken.confusion_network(lattice, "mangu")


def test_a_network_keeps_its_slots():
    """Times do not move words of a network to other slots, and clustering does not either; empty steps are left out."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        arcs, want, slots = [], {}, 0
        for step in range(int(rng.integers(1, 6))):
            words = [None, "a", "b", "c"][: int(rng.integers(1, 5))]
            p = rng.dirichlet(np.ones(len(words)))
            for word, x in zip(words, p, strict=True):
                begin = rng.random() * 9
                arcs.append((step, step + 1, word, np.log(x), begin, begin + rng.random()))
                if word is not None:
                    want[slots, word] = x
            slots += len(words) > 1
        lattice = rk.spoken.Lattice.from_arcs(arcs, 0, arcs[-1][1])
        assert lattice.is_network
        for method in ("pivot", "mangu"):
            network = rk.spoken.confusion_network(lattice, method)
            assert network.n_positions == max(slots, 1)
            assert {(p, u): x for p, u, x in network.triples()} == pytest.approx(want)
