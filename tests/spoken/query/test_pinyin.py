"""Pinyin: which texts are syllables, and their tones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypinyin import Style, pinyin

from rankine.spoken.query.pinyin import SYLLABLES, read_pinyin

from ... import reference_queries as ref


def written(text):
    return [" ".join("".join(syllable) for syllable in way) for way in read_pinyin(text)]


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("sheding", ["she ding"]), ("shèdìng", ["she4 ding4"]), ("she4ding4", ["she4 ding4"]), ("SHE4", ["she4"]),
        ("lǜ", ["lv4"]), ("lü4", ["lv4"]), ("lv4", ["lv4"]), ("xi'an", ["xi an"]), ("xian", ["xian"]),
        ("fangan", ["fan gan", "fang an"]), ("nǚ", ["nv3"]), ("de5", ["de5"]), ("press", []), ("", []), ("'", []),
        ("she6", []), ("shéì", []), ("she 4", []), ("设", []), ("a" * 60, []), ("4", []), ("\u0301", []),
    ],
)  # fmt: skip
def test_readings(text, ways):
    assert sorted(written(text)) == ways


def test_the_syllables_are_those_of_the_characters():
    characters = "".join(map(chr, range(0x4E00, 0x9FA6)))
    readings = {way for c in characters for way in pinyin(c, style=Style.NORMAL, heteronym=True)[0]}
    assert {r for r in readings if r.isascii() and r.isalpha() and set(r) & set("aeiouv")} == SYLLABLES


def test_cuts_are_the_shortest_of_all():
    rng = np.random.default_rng(0)
    some = sorted(SYLLABLES)
    for _ in range(1000):
        text = "".join(rng.choice(some, rng.integers(1, 4)))[:12]
        want = ref.pinyin_cuts(text, SYLLABLES)
        assert {tuple(s.base for s in way) for way in read_pinyin(text)} == want


@given(st.text("aeiounghsx1234'’ \u0301\u0304\u0308üǜ设", max_size=30) | st.text())
def test_any_text(text):
    for way in read_pinyin(text):
        assert all(s.base in SYLLABLES and s.tone in ("", *"12345") for s in way)
