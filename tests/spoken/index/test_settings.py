"""What is fixed when an archive is made."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.index.settings import LANGUAGES, LEVELS, Settings
from rankine.spoken.lattice.units import TABLE


def test_posteriors_as_they_are_stored():
    settings = Settings(prune=1e-3)
    p = np.geomspace(1e-3, 1.0, 1000)
    stored = settings.coded(p)
    assert stored.dtype == np.uint16
    np.testing.assert_allclose(settings.decoded()[stored], p, rtol=1e-4)
    assert settings.decoded()[[0, LEVELS]].tolist() == pytest.approx([1.0, 1e-3])
    assert settings.coded(np.array([2.0, 0.0])).tolist() == [0, LEVELS]  # out of range


def test_kinds_of_units():
    for kinds in LANGUAGES.values():
        Settings(dict(kinds)).check()
        assert set(kinds.values()) <= set(TABLE)
    assert LANGUAGES["en"] == {"word": "words", "syllable": "syllables", "phone": "phones"}
    assert LANGUAGES["zh"] == {"word": "words", "character": "characters", "syllable": "pinyin"}
    assert Settings().candidate_kinds == ["word", "syllable"]
    assert Settings(dict(LANGUAGES["zh"])).candidate_kinds == ["word", "character", "syllable"]


def test_settings_out_of_range():
    for settings, message in (
        (Settings(kinds={}), "the first kind of units must be words"),
        (Settings(kinds={"phone": "phones"}), "the first kind of units must be words"),
        (Settings(prune=1.0), "prune must be at least 0 and below 1, got 1.0"),
        (Settings(arcs=-0.1), "arcs must be"),
        (Settings(skip=float("nan")), "skip must be"),
    ):
        with pytest.raises(rk.InputError, match=message):
            settings.check()


def test_a_word_is_split_by_its_first_pronunciation(tmp_path):
    (tmp_path / "d.txt").write_text("read R IY D\nread(2) R EH D\n")
    splits = Settings().splits(str(tmp_path / "d.txt"))
    assert splits["word"] is None
    assert splits["phone"]("read") == [["R", "IY", "D"]]
    assert splits["phone"]("***") == []  # no pronunciation: no units
