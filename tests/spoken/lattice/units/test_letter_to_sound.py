"""Letter-to-sound rules, for plain words."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

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


def gruut_sounds(text):
    """The sounds of any text by all of gruut, which finds numbers, dates and parts of speech."""
    from gruut import sentences

    tokens = (token for sentence in sentences(text, lang="en-us", espeak=False) for token in sentence)
    return [sound for token in tokens for sound in token.phonemes or () if sound not in "|‖"]


def test_plain_words_sound_as_all_of_gruut_says():
    """But for those that begin with vs, which gruut takes for versus."""
    rng = random.Random(0)
    words = {made_up(rng) for _ in range(150)} | {"a", "i", "dont", "o'clock", "infinity", "record"}
    words = sorted(word for word in words if not word.startswith("vs"))
    assert len(words) > 120
    for word in words:
        assert ls.word_sounds(word) == gruut_sounds(word), word


def test_a_word_that_sounds_by_its_part_of_speech_has_its_first_pronunciation():
    assert ls.word_sounds("lead") == ["l", "ˈi", "d"]
    assert ls.guess("pasty")


def test_only_plain_words_are_guessed():
    for text in ("naïve", "o''clock", "'tis", "x-ray", "1455", "21st", "a.m.", "", "Rankine", "…", "1" * 29):
        assert ls.guess(text) == [], text


def test_the_lexicon_is_read_once_for_each_letter(monkeypatch):
    asked = []

    def connect(*arguments, **options):
        asked.append(arguments)
        return ls_connect(*arguments, **options)

    ls_connect = ls.sqlite3.connect
    monkeypatch.setattr(ls.sqlite3, "connect", connect)
    ls._listed.cache_clear()
    for i in range(200):
        assert ls.word_sounds(f"{'wz'[i % 2]}{made_up(random.Random(i))}q")
    assert len(asked) == 2


def test_two_threads_guess_the_same():
    words = [made_up(random.Random(i)) for i in range(60)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ls.word_sounds, words)) == [ls.word_sounds(word) for word in words]


def test_guessed_phones():
    assert ls.guess("pocketsphinx")[:3] == ["P", "AA", "K"]


def test_without_gruut_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gruut_lang_en", None)
    with pytest.raises(rk.InputError, match="'rankinesque' is not in the dictionary; letter-to-sound rules need gruut"):
        ls.guess("rankinesque")


def test_a_plain_word_does_not_import_gruut():
    code = "import sys; from rankine.spoken.lattice.units.letter_to_sound import guess; guess('zyxomat'); "
    code += "print([m for m in ('gruut', 'networkx', 'dateparser', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
