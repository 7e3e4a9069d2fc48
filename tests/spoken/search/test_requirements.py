"""What a query requires of a place, against trying every way through the slots."""

import numpy as np
import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index import occurrences as runs
from rankine.spoken.search.requirements import mask, why_nothing
from rankine.spoken.writing.numerals import english_numbers

from ... import reference_places as ref
from ..cases import SMALL, recordings, sausages, spoken


def all_places(archive):
    return np.arange(int(archive.index.places_before[-1]))


def query_text(rng):
    word = lambda: f"w{rng.integers(4)}"  # noqa: E731
    phrase = lambda n: '"' + " ".join(word() for _ in range(n)) + '"'  # noqa: E731
    forms = (
        lambda: phrase(int(rng.integers(1, 4))),
        lambda: f"{phrase(2)} OR {phrase(int(rng.integers(1, 4)))}",
        lambda: f"{word()} near/{rng.integers(1, 4)} {word()}",
        lambda: f"{phrase(2)} near/{rng.integers(1, 3)} {word()}",
        lambda: f"{word()} -{word()}",
        lambda: f"{word()} -{phrase(2)} {phrase(1)}",
        lambda: f"{word()} -{word()}{word()}",  # nobody said it
        lambda: f'"{word()}{word()}"',  # by characters
        lambda: f"{word()} near/2 {word()}{rng.integers(4)}",
    )
    return forms[rng.integers(len(forms))]()


@pytest.mark.parametrize("seed", range(20))
def test_all_that_is_required(tmp_path, seed):
    archive = recordings(tmp_path, seed)
    rng = np.random.default_rng(seed)
    some = 0
    for _ in range(60):
        text = query_text(rng)
        query = archive.parse(text)
        want = ref.mask(archive.index, query)
        assert mask(archive.index, query, all_places(archive)).tolist() == want, text
        few = np.flatnonzero(rng.random(len(want)) < 0.5)  # a place's answer does not depend on the others
        assert mask(archive.index, query, few).tolist() == [want[i] for i in few]
        assert bool(why_nothing(archive.index, query, all_places(archive))) != any(want)
        some += any(want)
    assert some > 5


@pytest.mark.parametrize("text", ["a roman type b", "a roman | type b", "a | roman | type | b"])
def test_a_phrase_across_a_cut_is_a_place_once_where_it_begins(tmp_path, text):
    archive = spoken(tmp_path / "a", text)
    assert archive.index.places_before[-1] == 1 + text.count("|")
    keep = mask(archive.index, archive.parse('"roman type"'), all_places(archive))
    begins = text[: text.index("roman")].count("|")
    assert np.flatnonzero(keep).tolist() == [begins]


def test_a_phrase_that_repeats_a_word_needs_it_twice(tmp_path):
    """The word stands in the first position of one path and in the second of another: it is said once."""
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(
        sausages(tmp_path / "s.sausage", "one [ x 0.5 *DELETE* 0.5 ] [ a 1 ] [ b 1 ]", "two [ a 1 ] [ a 0.5 b 0.5 ]")
    )
    assert mask(archive.index, archive.parse('"a a"'), all_places(archive)).tolist() == [False, True]
    assert mask(archive.index, archive.parse('"a b"'), all_places(archive)).tolist() == [True, True]


def test_a_long_phrase_of_numbers_is_looked_for_as_far_as_it_goes(tmp_path, monkeypatch):
    numbers = [str(n) for n in range(1401, 1491)]
    words = [word for number in numbers for word in english_numbers(number)[0]]
    archive = spoken(tmp_path / "a", " ".join([*words, "|", *words[:60]]))
    query = archive.parse(f'"{" ".join(numbers)}"')
    assert len(query.phrases[0].alternatives) == 100
    looked_up = []
    monkeypatch.setattr(runs, "occurrences", lambda *of, really=runs.occurrences: looked_up.append(of) or really(*of))
    keep = mask(archive.index, query, all_places(archive))
    assert np.flatnonzero(keep).tolist() == [0]
    assert len(looked_up) < 100 * len(words) / 4


def test_near_words_are_counted_between_across_cuts_in_either_order(tmp_path):
    archive = spoken(tmp_path / "a", "press x y | z paper")
    for text, want in (
        ("press near/3 paper", True), ("press near/2 paper", False), ("paper near/3 press", True),
        ('"press x" near/2 "z paper"', True), ('"press x" near/1 "z paper"', True), ("x near/1 z", True),
    ):  # fmt: skip
        keep = mask(archive.index, archive.parse(text), all_places(archive))
        assert keep.tolist() == [want, False], text


def test_what_is_excluded_leaves_out_its_own_segment_only(tmp_path):
    archive = spoken(tmp_path / "a", "a b | a c | a")
    assert mask(archive.index, archive.parse("a -b"), all_places(archive)).tolist() == [False, True, True]
    assert mask(archive.index, archive.parse('a -"b a"'), all_places(archive)).tolist() == [False, True, True]
    unlikely = Archive.create(tmp_path / "b", SMALL)
    unlikely.lattices.index(sausages(tmp_path / "s.sausage", "u [ a 1 ] [ b 0.4 c 0.6 ]"))
    assert mask(unlikely.index, unlikely.parse("a -b"), all_places(unlikely)).tolist() == [True]
    assert mask(unlikely.index, unlikely.parse("a -c"), all_places(unlikely)).tolist() == [False]


def test_what_nobody_said_excludes_nothing(tmp_path):
    archive = spoken(tmp_path / "a", "abba ab")  # its characters were heard
    query = archive.parse("abba -ba -ab")
    assert query.notes == ("-ba: nobody said it, nothing is excluded",)
    assert mask(archive.index, archive.parse("abba -ba"), all_places(archive)).tolist() == [True]
    assert mask(archive.index, query, all_places(archive)).tolist() == [False]
    assert archive.parse('abba -"ab ba"').notes == ('-"ab ba": nobody said it, nothing is excluded',)


def test_what_leaves_nothing_is_named(tmp_path):
    archive = spoken(tmp_path / "a", "a b x x c")
    for text, reason in (
        ('a "c b"', 'no place holds the phrase "c b"'),
        ("a near/1 b b near/1 zz", "no place has b and zz with at most 1 word between them"),
        ("a -b", "all places hold b, which the query excludes"),
        ('a "x c"', ""),
    ):
        assert why_nothing(archive.index, archive.parse(text), all_places(archive)) == reason
