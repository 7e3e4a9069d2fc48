"""British and American spelling."""

import pytest

from rankine.spoken.lattice.units.dictionary import lexicon
from rankine.spoken.lattice.units.english import cmu_file
from rankine.spoken.writing.spelling import PAIRS, american, other_spelling

BRITISH = (
    "colour colours favourite neighbourhood honourable unfavourable labourer organise organisation organising realised "
    "analyse paralysed centre centres kilometres centred catalogue dialogues travelled traveller labelling counsellor "
    "mediaeval archaeology foetus grey tyre programme gaol jewellery defence"
)


@pytest.mark.parametrize("word", BRITISH.split())
def test_there_and_back(word):
    other = american(word)
    assert other != word
    assert other_spelling(word) == other
    assert other_spelling(other) == word
    assert american(other) == other


@pytest.mark.parametrize(
    "word",
    "four hour your tour pour contour for or prize size seize rise wise promise raise noise exercise advise surprise "
    "filled calling tiled check story dog over after never water color's naïve 1450".split(),
)
def test_words_with_one_spelling(word):
    assert american(word) == word
    assert other_spelling(word) is None


def test_pairs_are_no_chains():
    assert not set(PAIRS) & set(PAIRS.values())
    assert len(set(PAIRS.values())) == len(PAIRS)


def test_the_rules_join_no_two_words_of_a_dictionary_that_sound_different():
    """Vowels, r, and s for z do not count: the CMU dictionary has them in either way."""
    pytest.importorskip("pocketsphinx")

    def consonants(ways):
        phones = [[phone.replace("Z", "S") for phone in way if phone[0] not in "AEIOUR"] for way in ways]
        return {tuple(way) for way in phones}

    ways, n = dict(lexicon(cmu_file())), 0
    for word in ways:
        other = other_spelling(word)
        if other in ways and word not in PAIRS and other not in PAIRS:
            assert consonants(ways[word]) & consonants(ways[other]), (word, other)
            n += 1
    assert n > 100
