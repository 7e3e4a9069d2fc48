"""English phones and syllables."""

import random
import re
import sys

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.units import splitter, to_units
from rankine.spoken.lattice.units.english import VOWELS, CmuDictionary, cmu_file, cut_syllables, pronounce, syllables
from rankine.spoken.lattice.units.letter_to_sound import ARPABET
from rankine.system.files import fingerprint

from .... import reference_units as ref


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
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "to", 0.0, 0.0, 1.0), (1, 2, "rankine", 0.0, 1.0, 2.0)], 0, 2)
    assert rk.spoken.pspl(to_units(lattice, splitter("phones"))).best()[-3:] == ["K", "AY", "N"]
    assert "T-UW" in to_units(lattice, splitter("syllables")).units


def test_a_word_without_sound_is_named():
    with pytest.raises(rk.InputError, match="no pronunciation found for '…', neither in the dictionary nor by"):
        pronounce()("…")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("1450", "fourteen fifty"), ("1,450", "one thousand four hundred and fifty"), ("$5", "five dollars"),
        ("20¢", "twenty cents"), ("5%", "five percent"), ("21st", "twenty first"), ("1480s", "fourteen eighties"),
        ("#5", "number five"), ("3.5", "three point five"), ("42-line", "forty two line"), ("km", "kilometers"),
        ("007", "zero zero seven"), ("manoeuvre", "maneuver"), ("prof", "professor"),
        ("£1450", "one thousand four hundred and fifty pounds"), ("1" * 29, "one " * 29),
        ("$" + "7" * 13, "seven " * 13 + "dollars"),
        ("covid19", "covid nineteen"), ("naïve", "naive"), ("10:30", "ten thirty"), ("x²", "x. two"),
        ("0." + "4" * 40, "zero" + " four" * 40),
    ],
)  # fmt: skip
def test_what_is_written_otherwise_sounds_as_it_is_said(written, said):
    """Also its syllables are those of the words: none goes from one word into the next."""
    for split in (pronounce(), syllables()):
        (units,) = split(written)
        assert units == [unit for word in said.split() for unit in split(word)[0]]


def test_initials_sound_as_letters():
    assert pronounce()("u.s") == pronounce()("u.s.") == [["Y", "UW", "EH", "S"]]
    assert pronounce()("x.a.q") == ["EH K S EY K Y UW".split()]


def test_a_dictionary_of_ones_own_comes_first(tmp_path):
    (tmp_path / "own.dict").write_text("1450 AA\nfifty B\ncolor K\n")
    split = pronounce(tmp_path / "own.dict")
    assert (split("1450"), split("50"), split("colour")) == ([["AA"]], [["B"]], [["K"]])


def cmu_text():
    pytest.importorskip("pocketsphinx")
    return cmu_file().read_text(encoding="utf-8")


def test_the_dictionary_is_that_of_the_cmu(monkeypatch):
    """Archives were indexed with its words and pronunciations in this order: another dictionary has other units."""
    entries = ref.lexicon(cmu_text())
    assert (len(entries), sum(map(len, entries.values()))) == (126_052, 134_860)
    assert fingerprint(repr(sorted(entries.items()))) == "ef90f6865f5ea8b225452104d6d3b3f6"
    monkeypatch.setitem(sys.modules, "pocketsphinx", None)
    with pytest.raises(rk.InputError, match="English phones need the dictionary of PocketSphinx, or another: pip inst"):
        cmu_file()


class Counting(CmuDictionary):
    """Counts the lines that it looks at."""

    lines = 0

    def word_at(self, begin):
        self.lines += 1
        return super().word_at(begin)


def test_every_word_of_the_cmu_dictionary_has_all_its_pronunciations():
    entries = ref.lexicon(cmu_text())
    assert len(entries) > 100_000
    dictionary = CmuDictionary(cmu_text().encode())
    assert {word: dictionary.get(word) for word in entries} == entries
    assert sum(len(ways) > 1 for ways in entries.values()) > 5000


def test_words_that_the_cmu_dictionary_does_not_have():
    entries = ref.lexicon(cmu_text())
    dictionary = CmuDictionary(cmu_text().encode())
    rng = random.Random(0)
    words, missing = list(entries), 0
    for _ in range(300):
        word = rng.choice(words)
        i = rng.randrange(len(word))
        changed = word[:i] + rng.choice("aez'(2) é\n") + word[i + 1 :]
        assert dictionary.get(changed) == entries.get(changed), changed
        missing += changed not in entries
    assert missing > 100
    for word in ("", "(", "to(2)", "to T", "to ", "\n", "To", "\ud800", "'", "zzzz", "\U0010ffff"):
        assert dictionary.get(word) is None


def test_a_dictionary_in_any_order_is_looked_through():
    """Halving may miss a word that is out of order: then the whole text is looked through."""
    rng = random.Random(1)
    for _ in range(2000):
        words = sorted({"".join(rng.choices("ab'", k=rng.randint(1, 4))) for _ in range(rng.randint(1, 12))})
        for _ in range(rng.randint(0, 3)):
            i, j = rng.randrange(len(words)), rng.randrange(len(words))
            words[i], words[j] = words[j], words[i]
        lines = [
            f"{w}{n} {rng.choice('PTK')} AH{i}" for w in words for i, n in enumerate(["", "(2)"][: rng.randint(1, 2)])
        ]
        text = "\n".join(lines) + rng.choice(["", "\n"])
        dictionary, entries = CmuDictionary(text.encode()), ref.lexicon(text)
        for word in {*words, "a", "b", "ab", "zz"}:
            assert dictionary.get(word) == entries.get(word), (word, text)


def test_a_word_is_found_without_reading_the_dictionary():
    dictionary = Counting(cmu_text().encode())
    for word in ("printing", "press", "a", "zywicki"):
        before = dictionary.lines
        assert dictionary.get(word)
        assert dictionary.lines - before < 40  # of more than 100,000
    assert pronounce()("Printing") == pronounce()("printing")
    assert pronounce()("printing")[0] == ["P", "R", "IH", "N", "T", "IH", "NG"]


class Content(bytes):
    """Counts how often it is looked through from its beginning."""

    looks = 0

    def find(self, what, *place):
        Content.looks += not place
        return super().find(what, *place)


def test_the_dictionary_is_not_looked_through_for_words_that_it_lacks(monkeypatch):
    """Their first letters are: one look for each."""
    looks = []
    findall = re.findall
    monkeypatch.setattr(re, "findall", lambda *arguments: looks.append(arguments[0]) or findall(*arguments))
    dictionary = CmuDictionary(Content(cmu_text().encode()))
    for i in range(1000):
        assert dictionary.get(f"{'wz'[i % 2]}q{i}") is None
    assert (len(looks), Content.looks) == (2, 0)
    assert dictionary.get("stilted")  # which is out of order


def test_an_abbreviation_of_many_letters_is_said_letter_by_letter():
    assert pronounce()(".".join("a" * 400)) == [["EY"] * 400]


def test_a_dictionary_of_ones_own(tmp_path):
    (tmp_path / "d.txt").write_text("zeal Z IY1 L\nPrinting P AA0\nzeal(2) Z EH1\n")
    split = pronounce(tmp_path / "d.txt")
    assert split("ZEAL") == [["Z", "IY", "L"], ["Z", "EH"]]
    assert split("printing") == [["P", "AA"]]
    assert split("rankine") == [["R", "AE", "NG", "K", "AY", "N"]]  # by letter-to-sound rules
    (tmp_path / "d.txt").write_text("zeal\n")
    with pytest.raises(rk.InputError, match=re.escape(f"{tmp_path / 'd.txt'}, line 1: the word 'zeal' has no units")):
        pronounce(tmp_path / "d.txt")
