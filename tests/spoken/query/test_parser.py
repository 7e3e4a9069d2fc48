"""Queries: words as they are written, terms with alternatives, what is required and excluded, Mandarin."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import LANGUAGES, Settings
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.lattice.units.mandarin import pinyin
from rankine.spoken.query.parser import parse
from rankine.spoken.query.terms import FieldFilter
from rankine.spoken.query.vocabulary import WordList

from ..cases import SMALL, sausages
from .test_grammar import FRAGMENTS

ENGLISH = {"word": None, "character": lambda word: [list(word)]}
MANDARIN = {"word": None, "character": lambda word: [list(word)], "syllable": pinyin()}
TONES = {"syllable": ["she4", "she2", "ding4", "ding3", "wen1", "du4"]}


def ask(text, *words):
    return parse(text, ENGLISH, set(words))


def ask_in_mandarin(text, *words):
    return parse(text, MANDARIN, WordList(words, TONES), "zh")


def alternatives(query):
    return {term.text: [" ".join(some.words) for some in term.alternatives] for term in query.terms}


def is_han(text):
    return all("㐀" <= c <= "鿿" or "豈" <= c <= "﫿" for c in text)


def test_a_word_beside_itself_is_a_pair_in_chinese_characters():
    assert parse("三三", {"word": None}, {"三"}, "zh").neighbours == ((0, 0),)
    assert parse("press press", {"word": None}, {"press"}).neighbours == ()


def test_mandarin(tmp_path):
    words = [("设定", 0.0, 0.5, 0.9), ("温度", 0.5, 1.0, 0.8), ("二十九", 1.0, 2.0, 1.0)]
    archive = Archive.create(tmp_path / "a", Settings(dict(LANGUAGES["zh"])))
    archive.lattices.add([("a", one_best(words)), ("b", one_best([("射顶", 0.0, 0.5, 0.9)]))])
    assert archive.parse("设定温度").words == ("设定", "温度")
    assert [h.recording for h in archive.search("设定温度")] == ["a", "b"]  # b sounds like one of the words
    hits = archive.search("设顶")  # unknown: found by its sound
    assert {h.recording for h in hits} >= {"b"}
    assert hits[0].kind in ("syllable", "character")
    assert archive.ranker_names[17] == "syllable-cn-3"
    assert len(archive.ranker_names) == 63
    for text in ("shè dìng", "she4 ding4", "shèdìng"):
        assert archive.search(text)[0].recording == "a"
        assert archive.parse(text).units("syllable") == ["she4", "ding4"]
    for text in ("sheding", "she ding", "SHE DING"):
        assert {h.recording for h in archive.search(text)} == {"a", "b"}
    news = [("新闻", float(i), i + 1.0, 0.9) for i in range(5)]
    archive.lattices.add([("c", one_best(news))])  # wén is said more often, but never before dù
    assert archive.parse("wendu").units("syllable") == ["wen1", "du4"]
    assert archive.parse("29").words == ("二十九",)
    assert archive.search("２９")[0].recording == "a"


def test_words_as_they_are_written(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(sausages(tmp_path / "s.sausage", "u [ 'cause 1 ] [ u.s. 1 ] [ caf\u00e9 1 ] [ b 1 ]"))
    assert archive.parse("'cause U.S.").words == ("'cause", "u.s.")
    assert archive.parse("cafe\u0301!").words == archive.parse("CAFE").words == ("caf\u00e9",)
    assert archive.parse("\u201cu.s. caf\u00e9\u201d b").phrases[0].place == (0, 2)
    with pytest.raises(rk.InputError, match="a query of 101 words; at most 100"):
        archive.parse("b " * 101)
    assert len(archive.parse("b " * 100).words) == 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the query '' has no words"),
        ("  ?! ", "has no words"),
        ("\U0001f600", "has no words"),
        ('"w0', "this quotation mark is not closed"),
        ("-w0", "the query '-w0' only excludes: expected a word to look for as well"),
        ("speaker:ann", "the query 'speaker:ann' only chooses recordings: expected a word to look for as well"),
        ("-w0 speaker:ann", "only excludes"),
        ("w0 " * 1000, "a query of 1000 words; at most 100 can be asked for"),
        ("-w0 " * 900, "a query of 900 words"),
        ("设" * 900 + " w0 " * 101, "a query of 102 words"),
        ('"' + "w0-" * 1300 + 'w0"', "a query of 1301 words"),
        ("w0 " * 10000, "a query of 10,000 words and 30,000 characters"),
    ],
)
def test_what_is_no_query(text, message):
    with pytest.raises(rk.InputError, match=message):
        parse(text, {"word": None}, {"w0"})


def test_units_word_by_word():
    query = ask('ab "c"', "ab", "c")
    assert query.units("character") == ["a", "b", "c"]
    assert query.units("character", query.phrases[0].place) == ["c"]
    assert query.by_word == {"word": (("ab",), ("c",)), "character": (("a", "b"), ("c",))}
    assert query.terms[0].alternatives[0].units("character") == ["a", "b"]
    with pytest.raises(KeyError):
        query.units("phone")


def test_units_are_made_when_they_are_asked_for():
    asked = []
    query = parse(
        "press prin*", {"word": None, "phone": lambda word: asked.append(word) or [["P"]]}, {"press", "print"}
    )
    assert query.units("word") == ["press", "print"]
    assert asked == []
    assert query.units("phone") == ["P", "P"]
    assert asked == ["press", "print"]


def test_terms_stand_once():
    query = ask("press Press paper press", "press", "paper")
    assert query.words == ("press", "press", "paper", "press")
    assert [term.text for term in query.terms] == ["press", "paper"]
    assert query.neighbours == ((0, 1), (1, 0))


def test_folded_words_are_alternatives():
    query = ask("cafe naïve E-mail dont", "café", "cafe", "naive", "email", "don't")
    assert alternatives(query) == {
        "cafe": ["cafe", "café"], "naïve": ["naive"], "E-mail": ["email"], "dont": ["don't"],
    }  # fmt: skip
    assert query.words == ("cafe", "naive", "email", "don't")


def test_a_hyphen_is_a_blank_where_nothing_with_it_was_heard():
    for hyphen in "-‐—":
        query, blank = ask(f"well{hyphen}known", "well"), ask("well known", "well")
        assert (query.terms, query.neighbours, query.words) == (blank.terms, blank.neighbours, blank.words)
    assert query.neighbours == ((0, 1),)
    for heard in ("well-known", "wellknown"):
        assert alternatives(ask("well-known", heard, "well", "known")) == {"well-known": [heard, "well known"]}
        traces = WordList([heard, "well", "known"])
        traces.number[heard] = 0.4
        whole = [heard] if "-" in heard else []
        assert alternatives(parse("well-known", ENGLISH, traces)) == {
            "well": ["well", *whole], "known": ["known", *whole],
        }  # fmt: skip
    assert alternatives(ask("half-heard/e-mail", "email")) == {
        "half": ["half"], "heard": ["heard"], "e-mail": ["email"],
    }  # fmt: skip
    assert [some.words for some in ask('x -"a well-known fact"', "x").excluded] == [("a", "well", "known", "fact")]


def test_numbers():
    said = ("fourteen", "fifty", "five", "one", "thousand", "four", "hundred")
    assert alternatives(ask("1455", *said)) == {
        "1455": [
            "fourteen fifty five", "one thousand four hundred fifty five", "fourteen hundred fifty five", "1455",
        ]
    }  # fmt: skip
    assert alternatives(ask("1,455", "1455")) == {"1,455": ["1455"]}
    assert ask("1455", *said).words == ("fourteen", "fifty", "five")
    assert ask("1455", "1455", *said).words == ("1455",)
    assert ask("1455").words == ("1455",)
    assert alternatives(ask("fourteen fifty-five", "1455", "14", *said)) == {
        word: [word, "one thousand four hundred fifty five", "fourteen hundred fifty five", "1455"]
        for word in ("fourteen", "fifty", "five")
    }
    assert alternatives(ask("fourteen fifty five", "14", "fourteen")) == {  # 1455 is nowhere, and 14 is not meant
        "fourteen": ["fourteen"], "fifty": ["fifty"], "five": ["five"],
    }  # fmt: skip
    phrase = ask('"in fourteen fifty five"', "in", "1455", *said).phrases[0]
    ways = [" ".join(some.words) for some in phrase.alternatives]
    assert ways == [
        "in fourteen fifty five", "in one thousand four hundred fifty five", "in fourteen hundred fifty five",
        "in 1455",
    ]  # fmt: skip
    assert [some.words for some in ask('"in 5"', "in", "five").phrases[0].alternatives] == [("in", "five"), ("in", "5")]
    assert alternatives(ask_in_mandarin("二十九", "29", "二十", "九")) == {"二十": ["二十", "29"], "九": ["九", "29"]}
    assert alternatives(ask_in_mandarin("29", "二十", "九")) == {"29": ["二十 九", "29"]}


def test_a_number_that_was_heard_in_part():
    query = ask("press 1455", "press", "fourteen", "fifty", "and", "hundred")
    assert alternatives(query) == {"press": ["press"], "fourteen": ["fourteen"], "fifty": ["fifty"], "five": ["five"]}
    assert query.neighbours == ((0, 1), (1, 2), (2, 3))
    assert query.notes == ("1455: read as fourteen fifty five; not heard: five",)
    assert [term.of_number for term in query.terms] == [False, True, True, True]
    most = ask("1455", "fourteen", "one", "thousand", "four", "hundred", "and", "fifty")
    assert most.words == ("one", "thousand", "four", "hundred", "fifty", "five")
    assert ask("1455", "and").words == ("1455",)  # nothing of it was heard
    assert ask("1455", "1455", "fourteen").words == ("1455",)
    assert ask("1455-1460", "fourteen").words == ("fourteen", "fifty", "five", "fourteen", "sixty")
    (phrase,) = ask('"in 1455"', "in", "fourteen").phrases
    assert [some.words for some in phrase.alternatives] == [("in", "fourteen", "fifty", "five")]
    assert alternatives(ask_in_mandarin("29", "二十")) == {"二十": ["二十"], "九": ["九"]}
    assert len(ask(" ".join(["123456789012"] * 100), "one").terms) == 10  # a hundred words were typed
    assert len(ask(" ".join(f"14{i}" for i in range(21, 40)), "fourteen").notes) == 5
    with pytest.raises(rk.InputError, match="a query of 101 words"):
        ask("1455 " * 101, "fourteen")


def test_phrases_are_required():
    query = ask('find "spoken words" here', "find", "spoken", "words", "here")
    assert [term.text for term in query.terms] == ["find", "spoken", "words", "here"]
    assert query.phrases[0].text == '"spoken words"'
    assert [some.words for some in query.phrases[0].alternatives] == [("spoken", "words")]
    assert query.phrases[0].place == (1, 3)


def test_or_makes_one_term():
    query = ask("press OR paper | prin* more", "press", "paper", "print", "prince", "more")
    assert alternatives(query) == {
        "press OR paper OR prin*": ["press", "paper", "prince", "print"], "more": ["more"],
    }  # fmt: skip
    assert query.phrases == ()
    assert query.words == ("press", "paper", "prince", "print", "more")
    query = ask('"a b" OR c', "a", "b", "c")
    assert alternatives(query) == {'"a b" OR c': ["a b", "c"]}
    assert [some.words for some in query.phrases[0].alternatives] == [("a", "b"), ("c",)]


def test_prefixes():
    query = ask("prin*", "print", "prince", "press", "Príncipe")
    assert alternatives(query) == {"prin*": ["Príncipe", "prince", "print"]}
    assert query.notes == ()
    query = ask("prin*", *(f"prin{i:03d}" for i in range(150)))
    assert len(query.terms[0].alternatives) == 100
    assert query.notes == ("prin*: the 100 most frequent of 150 words",)
    query = ask("Zzx*", "print")
    assert alternatives(query) == {"Zzx*": ["zzx"]}
    assert query.notes == ("Zzx*: no word of this archive begins so; Zzx is searched for",)


def test_near_and_exclusions():
    query = ask('x "a b" near/5 c OR d -e -"f g" -pre*', *"abcdefgx", "press", "presto")
    (near,) = query.nears
    assert near.distance == 5
    assert [some.words for some in near.left] == [("a", "b")]
    assert [some.words for some in near.right] == [("c",), ("d",)]
    assert [some.words for some in query.excluded] == [("e",), ("f", "g"), ("press",), ("presto",)]
    assert query.words == ("x", "a", "b", "c", "d")
    assert [term.text for term in query.terms] == ["x", "a", "b", "c OR d"]


def test_fields():
    query = ask('press speaker:"ann lee" -title:x speaker:a OR speaker:b', "press")
    assert query.fields == (
        FieldFilter("speaker", ("ann lee",)), FieldFilter("title", ("x",), True), FieldFilter("speaker", ("a", "b")),
    )  # fmt: skip
    assert query.words == ("press",)


def test_stop_words():
    query = ask("the press", "the", "press")
    assert [term.stop for term in query.terms] == [True, False]
    assert query.notes == ()
    assert ask("the of and", "the").notes == ("all words of the query are stop words, which occur nearly everywhere",)
    assert ask_in_mandarin("的", "的").terms[0].stop


def test_words_that_are_operators_elsewhere():
    query = ask("a AND b NOT c")
    assert query.notes == (
        "AND is not needed: places with all words mostly come first", "NOT is a word here: -word excludes one",
    )  # fmt: skip
    assert (query.words, query.neighbours) == (("a", "b", "not", "c"), ((0, 1), (1, 2), (2, 3)))
    for text in ('"a b" AND c', "a near/5 AND b", "a OR AND b", "a AND -AND"):
        assert ask(text).terms == ask(text.replace(" AND ", " ")).terms
    phrase = ask('"rock AND roll"')
    assert (phrase.words, phrase.notes) == (("rock", "and", "roll"), ())
    with pytest.raises(rk.InputError, match="the query 'AND' has no words"):
        ask("AND")
    assert ask("mouse and not man").notes == ()


def test_pinyin():
    for text in ("she4ding4", "shèdìng", "she4 ding4", "shè dìng"):
        (term,) = ask_in_mandarin(text).terms
        assert [some.units("syllable") for some in term.alternatives] == [["she4", "ding4"]]
        assert term.alternatives[0].units("character") == []
        assert term.sounds
    (term,) = ask_in_mandarin("sheding").terms
    ways = {tuple(some.units("syllable")) for some in term.alternatives}
    assert ways == {(a, b) for a in ("she4", "she2") for b in ("ding4", "ding3")}
    assert [term.text for term in ask_in_mandarin("she ding wen du shì").terms] == ["she ding", "wen du shì"]
    assert ask_in_mandarin("ok sheding", "ok").words == ("ok", "sheding")
    assert not ask_in_mandarin("sheding", "sheding").terms[0].sounds  # a word of the archive
    assert not ask("sheding").terms[0].sounds  # English
    toneless = parse("she4ding", MANDARIN | {"syllable": pinyin(tones=False)}, WordList([]), "zh")
    assert toneless.units("syllable") == ["she", "ding"]


@pytest.mark.parametrize(("language", "splits"), [("en", ENGLISH), ("zh", MANDARIN)])
def test_any_text_is_a_query_or_an_input_error(language, splits):
    words = WordList(["press", "naïve", "don't", "设定", "温度", "fourteen", "five", "14", "29", "the", "u.s."], TONES)
    accepted = set()

    @settings(max_examples=1000)
    @given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=8).map("".join) | st.text())
    def check(text):
        try:
            query = parse(text, splits, words, language)
        except rk.InputError:
            return
        assert query.words
        assert all(term.alternatives and term.text for term in query.terms)
        assert all(some.words for term in query.terms for some in term.alternatives)
        assert all(0 <= a < len(query.terms) and 0 <= b < len(query.terms) for a, b in query.neighbours)
        assert all(a != b or is_han(query.terms[a].text) for a, b in query.neighbours)
        for kind in splits:
            assert len(query.by_word[kind]) == len(query.words)
        for phrase in query.phrases:
            assert phrase.alternatives
            assert 0 <= phrase.place[0] < phrase.place[1] <= len(query.words)
        for near in query.nears:
            assert near.left
            assert near.right
        accepted.add(text)

    check()
    assert len(accepted) > 200
