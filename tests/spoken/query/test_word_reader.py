"""How text is cut into words, and how words that nobody heard are sounded."""

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.query.vocabulary import WordList
from rankine.spoken.query.word_reader import WordReader, cut_words, longest_words

from ..cases import SMALL


def talk(text):
    return one_best([(word, i / 2, i / 2 + 0.5, 0.9) for i, word in enumerate(text.split())])


def test_longest_words():
    assert longest_words("设定温度二", {"设", "设定", "温度"}) == ["设定", "温度", "二"]
    assert longest_words("二十温", {"温"}) == ["二十", "温"]


def test_words_of_a_text_without_blanks():
    assert cut_words("printing,press") == ["printing", "press"]
    assert cut_words("'don’t'") == ["don’t"]
    assert cut_words("well‑known-") == ["well‑known"]
    assert cut_words("a_b/c") == ["a", "b", "c"]
    assert cut_words("हिन्दी") == ["हिन्दी"]  # marks belong to their letters
    assert cut_words("שָׁלוֹם") == ["שָׁלוֹם"]
    assert cut_words("2温b") == ["2", "温", "b"]
    assert cut_words("?!…") == []


def heard(archive, text):
    return [(hit.recording, hit.score, hit.start, hit.end, hit.matches) for hit in archive.search(text)]


def test_a_word_that_nobody_heard_sounds_as_its_folded_form(tmp_path):
    archive = Archive.create(tmp_path / "a")
    archive.lattices.add([("x", talk("in the cuff fey at night")), ("y", talk("nigh eve and calm"))])
    for typed, plain in (
        ("café", "cafe"), ("CAFE\u0301", "cafe"), ("naïve", "naive"), ("ｃａｆｅ", "cafe"), ("don’t", "don't"),
        ("“naïve café”", '"naive cafe"'), ("café*", "cafe*"),
    ):  # fmt: skip
        one, other = archive.parse(typed), archive.parse(plain)
        for kind in ("syllable", "phone"):
            assert one.units(kind) == other.units(kind) != []
        assert heard(archive, typed) == heard(archive, plain)
    assert heard(archive, "café")
    assert heard(archive, "naïve")


def test_a_listed_word_sounds_as_it_is_written(tmp_path):
    dictionary = tmp_path / "own.dict"
    dictionary.write_text("côte K OW T\ncote K AA T\n", encoding="utf-8")
    archive = Archive.create(tmp_path / "a", dictionary=dictionary)
    archive.lattices.add([("x", talk("a b"))])
    assert archive.parse("CÔTE").units("phone") == ["K", "OW", "T"]
    assert archive.parse("cöte").units("phone") == ["K", "AA", "T"]
    letters = Archive.create(tmp_path / "b", SMALL)
    letters.lattices.add([("x", talk("cafes"))])
    assert heard(letters, "café") == heard(letters, "cafe") != []


def test_what_hyphens_divide_may_be_one_listed_word(tmp_path):
    archive = Archive.create(tmp_path / "a")
    archive.lattices.add([("x", talk("coop her eight"))])
    query = archive.parse("co-operate")
    ways = [[some.words for some in term.alternatives] for term in query.terms]
    assert ways == [[("co",), ("cooperate",)], [("operate",), ("cooperate",)]]
    assert query.terms[0].alternatives[1].units("phone") == archive.parse("cooperate").units("phone")
    (phrase,) = archive.parse('"we co-operate"').phrases
    assert [some.words for some in phrase.alternatives] == [("we", "co", "operate"), ("we", "cooperate")]
    assert len(archive.parse("well-known").terms[0].alternatives) == 1  # wellknown is no word


@pytest.mark.parametrize("text", ["́", "ـ", "a-́-b"])
def test_a_word_with_an_empty_folded_form_stays(text):
    words = WordReader({"word": None}, WordList([]), "en").read([text])
    assert all(some.words[0] for word in words for some in word.alternatives)


def test_alternatives_of_a_phrase_in_order_and_at_most_so_many():
    reader = WordReader({"word": None}, WordList(["café", "cafe", "x"]), "en")
    ways = [some.words for some in reader.sequences(reader.read(["cafe", "x", "cafe"]))]
    assert ways == [("cafe", "x", "cafe"), ("cafe", "x", "café"), ("café", "x", "cafe"), ("café", "x", "café")]
    assert len(reader.sequences(reader.read(["cafe"] * 90))) == 100
    assert [len(some.words) for some in reader.sequences(reader.read(["x"] * 3000))] == [3000]
    assert reader.sequences([]) == ()
