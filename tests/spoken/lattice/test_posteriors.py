"""Posteriors of arcs against the enumeration of all paths, also on real lattices."""

from dataclasses import replace

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.posteriors import arc_posteriors, as_scores, expected_counts

from ... import reference as ref
from .cases import lattices


def test_posteriors_are_those_of_all_paths():
    for rng, lattice in lattices():
        scale, penalty = rng.uniform(0.1, 2), rng.normal()
        posteriors = arc_posteriors(lattice, acoustic_scale=scale, penalty=penalty)
        weight = lattice.acoustic * scale + penalty * (lattice.unit >= 0)
        want, counts = np.zeros(len(lattice)), {}
        for path, p in ref.path_probabilities(lattice, weight):
            want[path] += p
            for word in lattice.words(path):
                counts[word] = counts.get(word, 0) + p
        np.testing.assert_allclose(posteriors.posterior, want, atol=1e-10)
        got = expected_counts(lattice, posteriors)
        assert got == pytest.approx({w: counts.get(w, 0.0) for w in got}, abs=1e-10)
        for cut in range(lattice.n_nodes - 1):  # through any cut the posteriors sum to 1
            through = (lattice.source <= cut) & (lattice.target > cut)
            assert posteriors.posterior[through].sum() == pytest.approx(1, abs=1e-10)
        leaving = np.bincount(lattice.source, posteriors.transition, lattice.n_nodes)
        np.testing.assert_allclose(leaving[:-1], 1, atol=1e-10)


def test_pruning_given_posteriors_is_pruning_scores():
    for rng, lattice in lattices(100):
        posteriors = arc_posteriors(lattice)
        given = as_scores(replace(lattice, posterior=posteriors.posterior))
        kept = rng.random(len(lattice)) < 0.7
        kept[lattice.best_path()] = True
        want = expected_counts(lattice.keep(kept), arc_posteriors(lattice.keep(kept)))
        got = expected_counts(given.keep(kept), arc_posteriors(given.keep(kept)))
        assert got == pytest.approx(want, abs=1e-9)


def test_all_real_lattices(real_data):
    place = real_data / "speech"
    worst, n = [], 0
    for name, lattice in rk.spoken.read_archive(place / "lj" / "lattices"):
        posteriors = arc_posteriors(lattice)
        worst.append(np.abs(posteriors.posterior - lattice.posterior).max())
        assert np.isfinite(posteriors.posterior).all(), name
        n += 1
    assert n == 385
    assert np.median(worst) < 1e-3
    assert max(worst) < 2e-3  # the files' own p= have six digits and are not quite consistent
    kaldi = list(rk.spoken.read_archive(place / "aishell" / "lat.1.gz", words=place / "aishell" / "words.txt.gz"))
    assert len(kaldi) == 1000
    small = [lattice for _, lattice in kaldi if lattice.n_paths <= 200][:200]
    for lattice in small:
        posteriors = arc_posteriors(lattice, acoustic_scale=0.1)
        weight = lattice.acoustic * 0.1 + lattice.language
        want = np.zeros(len(lattice))
        for path, p in ref.path_probabilities(lattice, weight):
            want[path] += p
        np.testing.assert_allclose(posteriors.posterior, want, atol=1e-10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arc_posteriors(rk.spoken.Lattice.from_arcs([(0, 1, "a", -np.inf)], 0, 1)), "probability 0"),
        (lambda: arc_posteriors(rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1), use="given"), "not give"),
    ],
)  # fmt: skip
def test_bad_input(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()


@pytest.mark.parametrize("size", [1e8, 1e12, 1e16, 1e30, 1e99])
def test_probabilities_of_enormous_scores(size):
    """Sums over paths are rounded by more than 1: probabilities made from them were anything up to infinity."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        arcs = [(u, u + 1, f"w{i}", size * rng.normal()) for u in range(6) for i in range(3)]
        arcs += [(0, 2, "skip", size), (0, 6, "all", -size)]
        lattice = rk.spoken.Lattice.from_arcs(arcs, 0, 6)
        p = arc_posteriors(lattice)
        for node in range(1, 6):
            across = (lattice.source < node) & (lattice.target >= node)
            assert p.posterior[across].sum() == pytest.approx(1, abs=1e-5)
        leaving = np.bincount(lattice.source, p.transition, lattice.n_nodes)[:-1]
        assert leaving == pytest.approx(np.ones(6), abs=1e-5)


def test_the_usual_and_the_careful_way_agree(monkeypatch):
    for _, lattice in lattices():
        usual = arc_posteriors(lattice)
        with monkeypatch.context() as change:
            change.setattr("rankine.spoken.lattice.posteriors._ROUNDS_FROM", -1.0)
            careful = arc_posteriors(lattice)
        assert careful.posterior == pytest.approx(usual.posterior, abs=1e-12)
        assert careful.transition == pytest.approx(usual.transition, abs=1e-12)


def test_scores_of_no_scale_and_of_no_probability():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "a", -np.inf), (0, 1, "b", -1e300), (0, 1, "c", -1.0)], 0, 1)
    assert arc_posteriors(lattice).posterior.tolist() == [0.0, 0.0, 1.0]
    assert arc_posteriors(lattice, acoustic_scale=0.0).posterior == pytest.approx([1 / 3] * 3)
    with pytest.raises(rk.InputError, match=r"arc 0 has the acoustic score 1e.300"):
        rk.spoken.Lattice.from_arcs([(0, 1, "a", 1e300)], 0, 1)
    with pytest.raises(rk.InputError, match="too large: their sums overflow"):
        arc_posteriors(rk.spoken.Lattice.from_arcs([(0, 1, "a", 1e99)], 0, 1), acoustic_scale=1e300)
    low = rk.spoken.Lattice.from_arcs([(0, 1, "a", -1e308), (1, 2, "b", -1e308)], 0, 2)
    for call in (arc_posteriors, lambda x: x.beam(1.0), lambda x: x.best_path()):
        with pytest.raises(rk.InputError, match="probability 0"):
            call(low)
