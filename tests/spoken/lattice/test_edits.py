"""The alignment of two sequences of words needs as few edits as any."""

import numpy as np
from rapidfuzz.distance import Levenshtein

from rankine.spoken.lattice.edits import matching_words


def edits_of(places, n_said):
    """The least edits of an alignment in which these words stand for each other: between matches, the longer side."""
    edits, heard, said = 0, -1, -1
    for i, place in [*enumerate(places), (len(places), n_said)]:
        if place >= 0:
            assert place > said
            edits += max(i - heard, place - said) - 1
            heard, said = i, place
    return edits


def test_matching_words_against_the_distance():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        a, b = (rng.choice(list("abc"), int(rng.integers(0, 7))).tolist() for _ in range(2))
        places = matching_words(a, b)
        assert all(a[i] == b[place] for i, place in enumerate(places) if place >= 0)
        assert edits_of(places, len(b)) == Levenshtein.distance(a, b)
