"""Letter-to-sound rules: plain words directly, the others by all of gruut."""

import random
import subprocess
import sys

import pytest

import rankine as rk
from rankine.spoken.lattice.units import letter_to_sound as ls

LETTERS = "eeeaaiionnttsrrllddhhccuummppggbfvwkyxjqz"
SYLLABLES = ("pre", "ing", "ness", "tion", "qu", "sch", "ough", "el", "ar", "vs", "ph", "y", "eau", "dge", "st", "mac")


def made_up(rng):
    kind = rng.random()
    if kind < 0.3:
        return "".join(rng.choices(LETTERS, k=rng.randint(1, 10)))
    word = "".join(rng.choices(SYLLABLES, k=rng.randint(1, 4)))
    return word + "'s" if kind < 0.5 else word


def test_plain_words_sound_as_all_of_gruut_says():
    rng = random.Random(0)
    words = {made_up(rng) for _ in range(150)} | {
        "a",
        "i",
        "vs",
        "vsop",
        "dont",
        "o'clock",
        "record",
        "lead",
        "infinity",
    }
    plain = 0
    for word in sorted(words):
        sounds = ls.plain_sounds(word)
        if sounds is not None:
            plain += 1
            assert list(sounds) == [s for s in ls.sentence_sounds(word) if s not in "|‖"], word
    assert plain > 120


@pytest.mark.parametrize(
    "word", ["record", "vsop", "naïve", "o''clock", "'tis", "x-ray", "1455", "21st", "a.m.", "", "Rankine"]
)
def test_words_that_only_all_of_gruut_can_tell(word):
    """Parts of speech, abbreviations, other letters, numbers."""
    assert ls.plain_sounds(word) is None


def test_guessed_phones():
    assert ls.guess("pocketsphinx")[:3] == ["P", "AA", "K"]
    assert ls.guess("…") == []


def test_without_gruut_the_error_says_what_to_install(monkeypatch):
    for word, module in (("rankinesque", "gruut_lang_en"), ("rankinésque", "gruut")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(rk.InputError, match=f"'{word}' is not in the dictionary; letter-to-sound rules need gruut"):
            ls.guess(word)


def test_a_plain_word_does_not_import_gruut():
    code = "import sys; from rankine.spoken.lattice.units.letter_to_sound import guess; guess('zyxomat'); "
    code += "print([m for m in ('gruut', 'networkx', 'dateparser', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
