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


def test_the_record_of_posteriors_has_its_old_name_too():
    with pytest.warns(DeprecationWarning, match="UnitPosteriors"):
        assert rk.spoken.Posteriors is rk.spoken.UnitPosteriors
