"""English phones and syllables."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.units import splitter, to_units
from rankine.spoken.lattice.units.english import ARPABET, VOWELS, cut_syllables, guess, pronounce, syllables


def test_english_units():
    assert cut_syllables("HH M".split()) == ["HH-M"]
    assert cut_syllables("P AA K AH T S F IH NG K S".split()) == ["P-AA", "K-AH-T", "S-F-IH-NG-K-S"]
    assert [s for w in ("extra", "singing", "about") for s in syllables()(w)[0]] == [
        "EH-K", "S-T-R-AH", "S-IH-NG", "IH-NG", "AH", "B-AW-T",
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    phones = sorted(set(ARPABET.values()))
    assert len(phones) == 39
    for _ in range(300):
        word = rng.choice(phones, rng.integers(1, 9)).tolist()
        cut = cut_syllables(word)
        assert "-".join(cut).split("-") == word  # nothing lost
        vowels = sum(p in VOWELS for p in word)
        assert len(cut) == max(vowels, 1)
    assert guess("pocketsphinx")[:3] == ["P", "AA", "K"]
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "to", 0.0, 0.0, 1.0), (1, 2, "rankine", 0.0, 1.0, 2.0)], 0, 2)
    assert rk.spoken.pspl(to_units(lattice, splitter("phones"))).best()[-3:] == ["K", "AY", "N"]
    assert "T-UW" in to_units(lattice, splitter("syllables")).units


def test_a_word_without_sound_is_named():
    with pytest.raises(rk.InputError, match="no pronunciation found for '…', neither in the dictionary nor by"):
        pronounce()("…")
