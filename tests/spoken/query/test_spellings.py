"""Every way of writing, through an archive: what is written in one way is found in the other."""

from string import ascii_lowercase

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.query.parser import parse
from rankine.spoken.query.spellings import Writings
from rankine.spoken.query.vocabulary import WordList
from rankine.spoken.writing.table import TABLE
from rankine.spoken.writing.tokens import clean, written_words

WORDS = Settings(kinds={"word": "words"})
HYPHENS = (("well-known", "well known"), ("mother-in-law", "mother in law"), ("e-mail", "e mail"))
POSSESSIVES = (("Gutenberg's", "Gutenberg"),)


def talk(text, change=str.lower):
    words = [change(clean(word)) for word in written_words(text)]
    return one_best([(word, i / 2, i / 2 + 0.5, 0.99) for i, word in enumerate(words)])


def archive_of(place, texts, change=str.lower):
    archive = Archive.create(place, WORDS)
    archive.lattices.add([(name, talk(text, change)) for name, text in texts.items()])
    return archive


def recordings(archive, query):
    return {hit.recording for hit in archive.search(query, k=1000)}


@pytest.mark.parametrize("kind", [*TABLE, "hyphens", "possessives"])
@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_either_form_finds_either_form_alone_and_in_a_phrase(tmp_path, kind, change):
    examples = {"hyphens": HYPHENS, "possessives": POSSESSIVES}.get(kind) or TABLE[kind].examples
    around = [f"beside{letter}" for letter in ascii_lowercase[: len(examples)]]
    texts = {}
    for (one, other), beside in zip(examples, around, strict=True):
        texts |= {
            f"{beside} {one} press": f"{beside} {one} press",
            f"{beside} {other} press": f"{beside} {other} press",
        }
        texts[beside] = f"{beside} with nothing press"
    archive = archive_of(tmp_path / "a", texts, change)
    for pair, beside in zip(examples, around, strict=True):
        both = {f"{beside} {form} press" for form in pair}
        for form in pair:
            assert both <= recordings(archive, form), form
            assert recordings(archive, f'"{beside} {form} press"') == both, form
            assert recordings(archive, f'{beside} -"{form}"') == {beside}, form


def test_what_was_written_is_shown(tmp_path):
    archive = archive_of(tmp_path / "a", {"x": "for $5 in 1450"})
    (hit,) = archive.search('"five dollars in fourteen fifty"')
    assert "$5 in 1450" in hit.snippet.replace("[", "").replace("]", "")


def ask(text, *words):
    query = parse(text, {"word": None}, set(words))
    return {term.text: [" ".join(some.words) for some in term.alternatives] for term in query.terms}


def test_a_number_finds_it_with_a_sign():
    assert ask("5", "$5", "5%", "£5") == {"5": ["$5", "£5", "5%", "5"]}
    assert ask("five", "five", "$5") == {"five": ["five", "$5"]}
    assert ask("three million", "three", "£3", "million")["three"] == ["three", "£3 million"]


def test_where_signs_are_left_out_the_number_is_found():
    assert ask("$5", "5", "five", "dollars") == {"$5": ["five dollars", "5 dollars", "5"]}
    assert ask("$5", "5") == {"$5": ["5"]}
    assert ask("$5", "five") == {"5": ["five", "5"]}
    assert ask("$5", "5", "$6") == {"5": ["5"]}  # nothing else was heard


def test_a_wrong_rewriting_costs_nothing():
    assert ask("four hour promise", "for", "four", "hour", "promise") == {
        "four": ["four"], "hour": ["hour"], "promise": ["promise"],
    }  # fmt: skip
    assert ask("colour", "colour") == {"colour": ["colour"]}
    assert ask("it us", "it", "it's", "us", "u.s") == {"it": ["it"], "us": ["us"]}
    assert ask("US", "us", "u.s") == {"US": ["us", "u.s"]}


def test_stop_words_stay_stop_words():
    query = parse("no one and", {"word": None}, {"no", "one", "and", "number", "&"})
    assert all(term.stop for term in query.terms)


def test_plain_words_are_looked_up_a_few_times():
    class Counted(WordList):
        looked_up = 0

        def __contains__(self, word):
            self.looked_up += 1
            return super().__contains__(word)

    words = Counted(["printing", "press", "it's", "well-known", "$5"])
    writings = Writings(words)
    assert writings.of_word("printing") == []
    assert list(writings.runs(["printing", "press"])) == []
    assert words.looked_up <= 2  # printing's, printing-press
