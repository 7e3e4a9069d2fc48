"""Mandarin syllables."""

import rankine as rk
from rankine.spoken.lattice.units import pinyin, to_units


def test_mandarin_syllables():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "设定", 0.0), (1, 2, "度", 0.0)], 0, 2)
    assert rk.spoken.pspl(to_units(lattice, pinyin())).best() == ["she4", "ding4", "du4"]
    assert rk.spoken.pspl(to_units(lattice, pinyin(tones=False))).best() == ["she", "ding", "du"]
