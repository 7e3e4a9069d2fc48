"""The words of an archive: by their folded form, by how they begin, with their expected counts."""

import gc

import numpy as np
import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.query.folding import fold
from rankine.spoken.query.vocabulary import WordList, words_of

from ... import reference_queries as ref
from ..cases import SMALL, cells, filled, lattice, sausages

LETTERS = ["a", "b", "A", "é", "e", "'", "’", "-", "ß", "设", "1"]


def test_words_by_their_folded_form():
    rng = np.random.default_rng(0)
    matches = 0
    for _ in range(2000):
        some = ["".join(rng.choice(LETTERS, rng.integers(1, 4))) for _ in range(12)]
        words = WordList(some)
        for word in ("".join(rng.choice(LETTERS, rng.integers(1, 4))) for _ in range(5)):
            assert set(words.same(word)) == ref.same(some, word, fold)
            assert set(words.beginning(word)) == ref.beginning(some, word, fold)
            matches += len(words.same(word))
    assert matches > 1000


def test_the_typed_word_comes_first():
    words = WordList(["cafe", "Café", "café", "we'll", "don't"])
    assert words.same("Café") == ["café", "Café", "cafe"]
    assert words.same("CAFE")[0] == "cafe"
    assert words.same("well") == ["we'll"]  # nothing else is written so
    assert WordList(["well", "we'll"]).same("well") == ["well"]
    assert words.same("dont") == ["don't"]
    heard = WordList(["debtors'", "debtors", "books", "Books", "well"])
    assert heard.same("debtors'") == ["debtors'", "debtors"]
    assert heard.same("book's") == ["Books", "books"]
    assert heard.same("debtors") == ["debtors"]
    assert words.same("zzz") == words.same("-") == []


@pytest.mark.parametrize("parts", [1, 3])
def test_counts_are_sums_of_posteriors(tmp_path, parts):
    archive = filled(tmp_path / "a", [f"d{i}" for i in range(8)])
    for i in range(1, parts):
        archive.lattices.add([(f"e{i}{j}", lattice(100 * i + j)) for j in range(5)])
    words, counts, recordings = words_of(archive.index), {}, cells(archive, "word", "cn")
    for segments in recordings.values():
        for segment in segments:
            for (_, unit), p in segment.items():
                counts[unit] = counts.get(unit, 0.0) + p
    assert sorted(words.all()) == sorted(counts)
    for word, count in counts.items():
        assert words.count(word) == pytest.approx(count)
    assert words.beginning("w") == pytest.approx(counts)
    assert list(words.beginning("w").values()) == sorted(words.beginning("w").values(), reverse=True)
    for pair in (("w0", "w1"), ("w1", "w1"), ("w2", "nobody")):
        want = sum(
            p * s.get((at + 1, pair[1]), 0.0)
            for segments in recordings.values() for s in segments for (at, unit), p in s.items() if unit == pair[0]
        )  # fmt: skip
        assert words.together(pair) == pytest.approx(want)
    assert words.count("nobody") == 0
    assert words.beginning("nobody") == {}
    assert sorted(words.of_kind("character").all()) == sorted({c for word in counts for c in word})


def test_words_of_an_archive_are_those_of_a_list(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    some = ["press", "naïve", "Naïve", "e-mail", "it's", "设定", "U.S.", "１", "prints"]
    archive.lattices.index(
        sausages(tmp_path / "s.sausage", "u " + " ".join(f"[ {w} 1 ]" for w in some)), scoring=Scoring()
    )
    words, listed = words_of(archive.index), WordList(words_of(archive.index).all())
    assert set(words.special()) == set(listed.special()) == set(words.all()) - {"press", "prints", "设定"}
    for word in ("naive", "NAÏVE", "email", "its", "it’s", "设", "u.s.", "1", "press"):
        assert words.same(word) == listed.same(word)
        assert words.beginning(word) == pytest.approx(listed.beginning(word))
    assert set(words.some(100)) == set(words.all())


def test_words_are_kept_as_long_as_the_index(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    assert words_of(archive.index) is words_of(archive.index)
    before = words_of(archive.index)
    archive.lattices.add([("e", lattice(7, 30))])
    assert words_of(archive.index) is not before
    del before
    gc.collect()
    assert len(words_of(archive.index).all()) > 6
