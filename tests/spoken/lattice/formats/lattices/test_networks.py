"""Confusion networks as files: meshes and sausages."""

from dataclasses import replace
from unittest.mock import ANY

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.lattice import random_lattice

from ...cases import cases


def test_round_trips_of_networks(tmp_path):
    for lattice in cases():
        network = rk.spoken.confusion_network(lattice)
        if len(network) == 0:
            continue
        for name, write in (("a.mesh", f.write_mesh), ("a.sausage", f.write_sausage)):
            (tmp_path / name).write_bytes(write(network))
            back = rk.spoken.confusion_network(rk.spoken.read_lattice(tmp_path / name))
            # slots of which nothing is said are not kept by a lattice: positions are compared by their order
            assert _ranked(back) == [(u, pytest.approx(x, abs=1e-9), ANY) for u, x, _ in _ranked(network)]
        back = rk.spoken.confusion_network(rk.spoken.read_lattice(tmp_path / "a.mesh"))
        assert [s for _, _, s in _ranked(back)] == pytest.approx([s for _, _, s in _ranked(network)], nan_ok=True)


@pytest.mark.parametrize("seed", range(40))
def test_a_mesh_of_any_times_can_be_read(seed, tmp_path):
    """Times of which only one end is known are not written."""
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, 6, 10)
    unknown = [rng.random(len(lattice)) < 0.3 for _ in range(2)]
    start, end = (np.where(no, np.nan, times) for no, times in zip(unknown, (lattice.start, lattice.end), strict=True))
    network = rk.spoken.confusion_network(replace(lattice, start=start, end=end))
    (tmp_path / "a.mesh").write_bytes(f.write_mesh(network))
    back = rk.spoken.confusion_network(rk.spoken.read_lattice(tmp_path / "a.mesh"))
    assert [u for u, _, _ in _ranked(back)] == [u for u, _, _ in _ranked(network)]


def _ranked(network):
    rows = zip(network.triples(), network.start.tolist(), strict=True)
    return [(u, x, s) for (p, u, x), s in sorted(rows, key=lambda row: (row[0][0], row[0][1]))]


def test_fillers_are_chosen_but_no_word_is_no_word(tmp_path):
    (tmp_path / "a.mesh").write_text("numaligns 1\nalign 0 a 0.5 uh 0.25 *DELETE* 0.25\n")
    assert rk.spoken.read_lattice(tmp_path / "a.mesh", nothing=["uh"]).units == ("a",)
    assert rk.spoken.read_lattice(tmp_path / "a.mesh").units == ("a", "uh")
