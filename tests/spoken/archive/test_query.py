"""Queries: words as they are written, phrases, Mandarin."""

import pytest

import rankine as rk
from rankine.spoken.archive.archive import Archive
from rankine.spoken.archive.query import parse
from rankine.spoken.archive.readings import longest_words
from rankine.spoken.index.settings import LANGUAGES, Settings
from rankine.spoken.lattice.formats import one_best

from ..cases import SMALL, sausages


def test_mandarin(tmp_path):
    words = [("设定", 0.0, 0.5, 0.9), ("温度", 0.5, 1.0, 0.8), ("二十九", 1.0, 2.0, 1.0)]
    archive = Archive.create(tmp_path / "a", Settings(dict(LANGUAGES["zh"])))
    archive.add_lattices([("a", one_best(words)), ("b", one_best([("射顶", 0.0, 0.5, 0.9)]))])
    assert archive.parse("设定温度").words == ("设定", "温度")
    assert [h.document for h in archive.search("设定温度")] == ["a"]
    hits = archive.search("设顶")  # unknown: found by its sound
    assert {h.document for h in hits} == {"b"}
    assert hits[0].kind in ("syllable", "character")
    assert archive.ranker_names[17] == "syllable-cn-3"
    assert len(archive.ranker_names) == 63


def test_words_as_they_are_written(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add(sausages(tmp_path / "s.sausage", "u [ 'cause 1 ] [ u.s. 1 ] [ caf\u00e9 1 ] [ b 1 ]"))
    assert archive.parse("'cause U.S.").words == ("'cause", "u.s.")
    assert archive.parse("cafe\u0301!").words == ("caf\u00e9",)
    assert archive.parse("\u201cu.s. caf\u00e9\u201d b").phrases[0].place == (0, 2)
    with pytest.raises(rk.InputError, match="at most 100"):
        archive.parse("b " * 101)


def test_what_is_no_query():
    for text, message in (
        ("", "has no words"),
        ("  ?! ", "has no words"),
        ('"w0', "this quotation mark is not closed"),
    ):
        with pytest.raises(rk.InputError, match=message):
            parse(text, {"word": None}, {"w0"})


def test_longest_words():
    assert longest_words("设定温度二", {"设", "设定", "温度"}) == ["设定", "温度", "二"]
    assert longest_words("二十温", {"温"}) == ["二十", "温"]


def test_units_word_by_word():
    query = parse('ab "c"', {"word": None, "character": lambda word: [list(word)]}, {"ab", "c"})
    assert query.units("character") == ["a", "b", "c"]
    assert query.units("character", query.phrases[0].place) == ["c"]
