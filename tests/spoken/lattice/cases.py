"""Lattices that several tests use: random ones, one in HTK's format, and what is compared of two."""

from dataclasses import replace

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors

SLF = """# made by hand
VERSION=1.0
start=3
end=0
N=4\tL=4
I=0\tt=1.00\tW=!SENT_END\tv=1
I=1\tt=0.50\tW=b(2)\tv=1
I=2\tt=0.40\tW=!NULL\tv=1
I=3\tt=0.00\tW=a\tv=1
J=0\tS=3\tE=1\ta=-1.5\tp=0.75
J=1\tS=3\tE=2\ta=-2.5e0\tp=0.25
J=2\tS=1\tE=0\ta=-1\tp=0.75
J=3\tS=2\tE=0\ta=-1\tp=0.25
"""


def lattices(n=300):
    rng = np.random.default_rng(0)
    for i in range(n):
        yield rng, random_lattice(rng, int(rng.integers(2, 7)), int(rng.integers(2, 14)), 1 + i % 4)


def posteriors(lattice, **scales):
    """What is compared: expected counts and PSPL with times, whatever the graph's shape."""
    entries = rk.spoken.pspl(lattice, arc_posteriors(lattice, **scales))
    cells = {(p, u): x for p, u, x in entries.triples()}
    when = dict(zip(cells, zip(entries.start.tolist(), entries.end.tolist(), strict=True), strict=True))
    return cells, when


def same(one, other, times=True, tolerance=1e-10, **scales):
    (cells, when), (cells2, when2) = posteriors(one, **scales), posteriors(other, **scales)
    assert cells == pytest.approx(cells2, abs=tolerance)
    if times:
        for key in cells:
            assert when[key] == pytest.approx(when2[key], abs=1e-5, nan_ok=True)


def cases():
    rng = np.random.default_rng(1)
    for i in range(60):
        lattice = random_lattice(rng, int(rng.integers(2, 7)), int(rng.integers(2, 14)), 3)
        if i % 3 == 1:
            lattice = replace(lattice, posterior=arc_posteriors(lattice).posterior)
        if i % 3 == 2:  # arcs at one node that disagree about the time
            lattice = replace(lattice, start=lattice.start + rng.random(len(lattice)))
            lattice = replace(lattice, end=np.maximum(lattice.end, lattice.start))
        yield replace(lattice, name=f"u{i}", language=rng.normal(size=len(lattice)))
