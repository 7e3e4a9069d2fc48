"""The lattice of a transcript: confidences, alternatives and empty segments."""

import numpy as np
import pytest

from rankine.spoken.lattice.formats.reading import Reading
from rankine.spoken.lattice.formats.transcripts.lattice import lattice_of
from rankine.spoken.lattice.formats.transcripts.transcript import Alternative, TranscriptSegment, TranscriptWord
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts


def words(text, confidence=1.0, start=0.0):
    return tuple(TranscriptWord(w, start + i, start + i + 1, confidence) for i, w in enumerate(text.split()))


def counts(lattice):
    return expected_counts(lattice, arc_posteriors(lattice))


def test_alternatives_are_parallel_paths():
    one = TranscriptSegment(0, 3, words("a b c"), alternatives=(Alternative(0.3, words("a d")), Alternative(0.1, ())))
    two = TranscriptSegment(3, 4, words("e", 0.5, 3.0))
    lattice = lattice_of([one, two], 0.0, "u", "x", Reading())
    assert lattice.n_paths == 6
    assert counts(lattice) == pytest.approx({"a": 0.9, "b": 0.6, "c": 0.6, "d": 0.3, "e": 0.5})
    assert np.nanmax(lattice.end) == 4


def test_words_that_consist_of_several():
    word = TranscriptWord("New York—city", 0.0, 11.0, 0.5)
    lattice = lattice_of([TranscriptSegment(0, 11, (word,))], 1.0, "u", "x", Reading())
    rows = [
        (lattice.units[u], s, e) for u, s, e in zip(lattice.unit, lattice.start, lattice.end, strict=True) if u >= 0
    ]
    assert rows == [("new", -1.0, 2.0), ("york", 2.0, 6.0), ("city", 6.0, 10.0)]
    assert counts(lattice) == pytest.approx({"new": 0.5, "york": 0.5, "city": 0.5})


def test_tokens_that_are_ignored_take_no_position():
    lattice = lattice_of([TranscriptSegment(0, 2, words("sil A"))], 0.0, "u", "x", Reading(lower=False))
    assert lattice.units == ("A",)
    assert lattice.unit.tolist() == [-1, 0]
