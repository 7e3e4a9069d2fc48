"""Suggestions for words that nobody heard: by letters and by sound."""

import numpy as np
import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import LANGUAGES, Settings
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.lattice.units import from_mapping
from rankine.spoken.lattice.units.mandarin import pinyin
from rankine.spoken.query.folding import fold
from rankine.spoken.query.suggestions import (
    Spellings,
    allowed,
    compared,
    nearest_words,
    suggest,
    suggestion_line,
)
from rankine.spoken.query.vocabulary import WordList

from ... import reference_queries as ref
from ..cases import SMALL, sausages


def test_distances():
    rng = np.random.default_rng(0)
    for _ in range(1500):
        n = rng.integers(0, 6)
        words = ["".join(rng.choice(list("abc"), n)) for _ in range(4)]
        sought = "".join(rng.choice(list("abc"), rng.integers(0, 7)))
        assert nearest_words(words, sought, 9) == dict(enumerate(ref.distance(sought, w) for w in words))


def test_words_by_letters():
    rng = np.random.default_rng(1)
    n = 0
    for _ in range(1500):
        some = sorted({"".join(rng.choice(list("abé-设"), rng.integers(1, 8))) for _ in range(15)})
        sought = "".join(rng.choice(list("abe设"), rng.integers(1, 8)))
        want = {w: ref.distance(fold(w), sought) for w in some}
        want = {w: d for w, d in want.items() if d <= allowed(sought) and allowed(sought) and fold(w)}
        assert Spellings(WordList(some), None).by_letters(sought) == want
        n += len(want)
    assert n > 500
    assert nearest_words([], "abc", 2) == {}
    assert compared(["", "a" * 40, "a" * 41]) == [None, "a" * 40, None]
    assert Spellings(WordList(["a" * 50, "b\nc"]), None).by_letters("b" * 50) == {}


def test_words_by_sound():
    sounds = {
        "photograph": "F OW T AH G R AE F",
        "fotograf": "F OW T AH G R AE F",
        "photo": "F OW T OW",
        "graph": "G R AE F",
    }
    split = from_mapping({word: [phones.split()] for word, phones in sounds.items()})
    spellings = Spellings(WordList(["photograph", "photo", "graph"]), split)
    assert spellings.by_sound("fotograf") == {"photograph": 0.0}
    assert spellings.by_letters("fotograf") == {}
    spellings = Spellings(WordList(["射顶", "温度", "设"]), pinyin())
    assert spellings.by_sound("设定") == {"射顶": 0.0}
    assert spellings.by_sound("设") == {}  # one syllable is no evidence


def test_the_archive_suggests(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    line = "u " + "[ printing 1 ] " * 3 + "[ painting 1 ] [ printed 0.9 ] [ print 0.3 ] [ naïve 1 ]"
    archive.lattices.index(sausages(tmp_path / "s.sausage", line))
    first, *others = suggest(archive.index, "printng")
    assert (first.word, round(first.count), first.by) == ("printing", 3, "letters")
    assert {s.word for s in others} == {"painting"} | {"printed"}
    assert [s.word for s in suggest(archive.index, "printng", most=1)] == ["printing"]
    assert [s.word for s in suggest(archive.index, "Náïwe")] == ["naïve"]
    for word in ("x", "zzzzzz", "", "设定", "a" * 100, "\ud800"):
        assert suggest(archive.index, word) == []
    assert suggestion_line("printng", [first]) == "printng: did you mean printing (3)?"
    assert suggestion_line("zzz", []) == "zzz: no such word was heard; its sound is searched for"


def test_the_archive_suggests_by_sound(tmp_path):
    archive = Archive.create(tmp_path / "a", Settings(dict(LANGUAGES["zh"])))
    archive.lattices.add([("d", one_best([("射顶", 0.0, 0.5, 0.9), ("温度", 0.5, 1.0, 0.9)]))])
    (suggestion,) = suggest(archive.index, "设定")
    assert (suggestion.word, suggestion.by) == ("射顶", "sound")
    assert suggestion.count == pytest.approx(0.9, abs=1e-3)


def test_a_number_has_no_suggestions(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(sausages(tmp_path / "s.sausage", "u [ 1456 1 ] [ 22nd 1 ] [ u2x 1 ]"))
    assert suggest(archive.index, "1455") == suggest(archive.index, "21nd") == []
    assert [s.word for s in suggest(archive.index, "u3x")] == ["u2x"]
    assert suggestion_line("1455", []) == "1455: no such number was heard; its sound is searched for"
    assert suggestion_line("zzz", [], by_sound=False) == "zzz: no such word was heard"
