"""Lattices of segments that overlap: each word counts once, and posteriors stay."""

import gzip
from math import inf

import numpy as np
import pytest

from rankine.spoken import read_lattice
from rankine.spoken.lattice.formats import write_slf
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors
from rankine.spoken.recognise.cutting import ALL, windows
from rankine.spoken.recognise.pocketsphinx import PocketSphinx
from rankine.spoken.recognise.trimming import trimmed, without_outer_words

from .cases import heard


def mass(lattice):
    """(word, start, end) with the posterior of all its arcs together."""
    posterior, out = arc_posteriors(lattice).posterior, {}
    for u, p, s, e in zip(lattice.unit, posterior, lattice.start, lattice.end, strict=True):
        if u >= 0:
            key = (lattice.units[u], round(s, 6), round(e, 6))
            out[key] = out.get(key, 0.0) + p
    return out


@pytest.mark.parametrize("seed", range(50))
def test_inner_words_keep_their_posteriors(seed, tmp_path):
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, n_nodes=7, n_arcs=14)
    inner = tuple(np.sort(rng.random(2) * 7))
    expected = {key: p for key, p in mass(lattice).items() if inner[0] <= (key[1] + key[2]) / 2 < inner[1]}
    assert mass(without_outer_words(lattice, inner)) == pytest.approx(expected)
    content = trimmed(gzip.compress(write_slf(lattice)), ".slf.gz", inner)
    assert (content is None) == (not expected)
    if content is not None:
        (tmp_path / "x.slf.gz").write_bytes(content)
        assert mass(read_lattice(tmp_path / "x.slf.gz")) == pytest.approx(expected)


def test_what_stays_as_it_is():
    assert trimmed(b"anything", ".slf.gz", ALL) == b"anything"
    assert trimmed(None, ".slf.gz", (0.0, 1.0)) is None
    for ending in (".nbest", ".json", ".own"):
        assert trimmed(b"-1.0 some words\n", ending, (0.0, 1.0)) == b"-1.0 some words\n"


def test_a_lattice_of_pocketsphinx(tmp_path):
    content = PocketSphinx()(heard("tape-70"))
    (tmp_path / "a.slf.gz").write_bytes(content)
    (tmp_path / "b.slf.gz").write_bytes(trimmed(content, ".slf.gz", (1.0, inf)))
    expected = {key: p for key, p in mass(read_lattice(tmp_path / "a.slf.gz")).items() if (key[1] + key[2]) / 2 >= 1.0}
    assert len(expected) > 5
    assert mass(read_lattice(tmp_path / "b.slf.gz")) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_words_of_overlapping_windows_count_once(seed):
    """Words wherever they are: a recogniser that hears every word that is whole in a window, with its times."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(rng.uniform(0.05, 0.9, size=200))
    words = list(zip(np.append(0, ends[:-1]), ends, strict=True))
    samples = np.rint(rng.normal(0, 1000, int(ends[-1] * 1000) + 1)).astype(np.int16)
    heard = []
    for window in windows(samples, 1000, 10.0):
        start, stop = window.start, window.start + len(window.samples) / 1000
        for a, b in words:
            if start <= a and b <= stop and window.inner[0] <= (a + b) / 2 - start < window.inner[1]:
                heard.append((a, b))
    assert heard == words
