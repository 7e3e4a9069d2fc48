"""Networks of n-best lists against the slow version, and against what SRILM printed."""

import os
from pathlib import Path

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputNote
from rankine.spoken.lattice.formats import files, pieces
from rankine.spoken.lattice.hypotheses import aligned, is_list, network_of_list
from rankine.spoken.lattice.lattice import Lattice, random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors
from rankine.spoken.lattice.scoring import Scoring

from ... import reference_hypotheses as slow


def drawn(rng):
    """A few hypotheses that resemble each other, with posteriors of which some are equal or 0."""
    n, n_units = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    sentence = rng.integers(0, n_units, int(rng.integers(0, 6))).tolist()
    hypotheses = []
    for _ in range(n):
        words = [w if rng.random() < 0.7 else int(rng.integers(n_units)) for w in sentence if rng.random() < 0.8]
        if rng.random() < 0.3:
            words.insert(int(rng.integers(len(words) + 1)), int(rng.integers(n_units)))
        hypotheses.append(words)
    p = rng.choice([0.0, 1.0, 1.0, 2.0, 3.0], n) if rng.random() < 0.7 else rng.random(n)
    p[int(rng.integers(n))] += 1.0
    return hypotheses, p / p.sum(), n_units


def test_networks_are_those_of_the_slow_version():
    rng = np.random.default_rng(0)
    slots_made = 0
    for _ in range(4000):
        hypotheses, p, n_units = drawn(rng)
        first = np.cumsum([0, *map(len, hypotheses)])
        words = np.array([w for h in hypotheses for w in h], np.int64)
        mine = aligned(words, first, p, n_units)
        theirs = slow.network(list(zip(p.tolist(), hypotheses, strict=True)))
        assert len(theirs) == len(mine.nothing)
        for i, slot in enumerate(theirs):
            expected = [slot.get(w, 0.0) for w in range(n_units)]
            np.testing.assert_allclose([*mine.words[i], mine.nothing[i]], [*expected, slot.get(None, 0.0)], atol=1e-12)
        np.testing.assert_allclose(mine.words.sum(axis=1) + mine.nothing, 1.0)
        slots_made += len(theirs)
    assert slots_made > 10_000


def test_the_order_of_words_of_every_hypothesis_is_kept():
    rng = np.random.default_rng(1)
    for _ in range(300):
        hypotheses, p, n_units = drawn(rng)
        first = np.cumsum([0, *map(len, hypotheses)])
        slots = aligned(np.array([w for h in hypotheses for w in h], np.int64), first, p, n_units)
        for words, mass in zip(hypotheses, p, strict=True):
            at = -1
            for word in words if mass else []:
                at = next(i for i in range(at + 1, len(slots.words)) if slots.words[i, word] > 0)


def test_paths_beside_each_other():
    rng = np.random.default_rng(2)
    lattice = Lattice.from_arcs([(0, 2, "a", 0.0), (2, 1, "b", 0.0), (0, 1, "a", -1.0), (0, 1, None, -2.0)], 0, 1)
    assert is_list(lattice)
    network = network_of_list(lattice, arc_posteriors(lattice))
    assert network.is_network
    assert network.n_nodes == 3
    assert not all(is_list(random_lattice(rng)) for _ in range(20))
    other = Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", 0.0), (1, 2, "c", 0.0)], 0, 2)
    with pytest.raises(rk.InputError, match="expected the paths of an n-best list"):
        network_of_list(other, arc_posteriors(other))


def test_nothing_but_empty_hypotheses():
    lattice = Lattice.from_arcs([(0, 1, None, 0.0), (0, 1, None, -1.0)], 0, 1)
    network = network_of_list(lattice, arc_posteriors(lattice))
    assert (network.unit.tolist(), network.posterior.tolist()) == ([-1], [1.0])


def test_lists_that_are_too_large_are_refused():
    n = 20_000
    words = np.zeros(2 * n, np.int64)
    with pytest.raises(rk.InputError, match="x: 2 hypotheses of up to 20,000 words, 1 different ones, are too many"):
        aligned(words, np.array([0, n, 2 * n]), np.array([0.5, 0.5]), 1, "x")


@pytest.mark.skipif("RANKINE_DATA" not in os.environ, reason="needs RANKINE_DATA")
def test_srilm_prints_the_same_words_and_posteriors():
    folder = Path(os.environ["RANKINE_DATA"], "speech", "srilm-nbest")
    rows = {
        name: {line.split()[0]: line.split()[1:] for line in (folder / name).read_text().splitlines()}
        for name in ("consensus.txt", "posteriors.txt")
    }
    n = 0
    with pytest.warns(InputNote, match="2 files"):
        lists = files(folder, "nbest")
    for file in lists:
        (piece,) = pieces(file)
        network = rk.spoken.confusion_network(Scoring().open(piece))
        best = network.best_entries()
        assert network.best() == rows["consensus.txt"][piece.name]
        printed = [float(p) for p in rows["posteriors.txt"][piece.name]]
        assert network.posterior[best].tolist() == pytest.approx(printed, abs=0.001)
        n += len(best)
    assert n == 67
