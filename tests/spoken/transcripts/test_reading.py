"""Transcripts with alternatives against the arrays of the index."""

import pytest

from rankine.errors import InputError
from rankine.spoken.transcripts.reading import LEAST, MOST, transcript_piece
from rankine.spoken.transcripts.subtitles import best_words

from ..cases import cells


def test_words_are_those_of_the_likeliest_reading(several):
    for name in several.recordings.names:
        piece = transcript_piece(several.index, name)
        assert [(w.word.text, w.word.start) for w in piece.words] == [
            (w.text, pytest.approx(w.start)) for w in best_words(several.index, name)
        ]
        assert piece.next is None


def test_alternatives_are_the_other_words_of_the_slot(several):
    """Each set of alternatives is what is left of one slot of the network; the slots of a segment's words rise."""
    networks = cells(several, "word", "cn")
    n = 0
    for name in several.recordings.names:
        piece = transcript_piece(several.index, name)
        for number, network in enumerate(networks[name]):
            slots: dict = {}
            for (position, unit), posterior in network.items():
                slots.setdefault(position, {})[unit] = posterior
            last = -1
            for word in (w for w in piece.words if w.segment == number):
                told = {a.text: a.posterior for a in word.alternatives}
                fitting = [
                    position for position, units in slots.items() if position > last
                    and abs(units.get(word.word.text, 9) - word.word.posterior) < 2e-3
                    and told == dict(sorted(((u, p) for u, p in units.items() if u != word.word.text and p >= LEAST),
                                            key=lambda pair: (-pair[1], pair[0]))[:MOST])
                ]  # fmt: skip
                assert fitting, (name, word)
                last = min(fitting)
                n += len(told)
    assert n > 50


def test_pieces_follow_each_other(several):
    name = several.recordings.names[3]
    whole, words, start = transcript_piece(several.index, name), [], 0.0
    while start is not None:
        piece = transcript_piece(several.index, name, start, start + 5.0)
        words += piece.words
        start = piece.next
    assert words == whole.words


def test_rights_and_times(several):
    several.metadata.set("d00", {"rights": "on request"})
    with pytest.raises(InputError, match="on request"):
        transcript_piece(several.index, "d00")
    assert transcript_piece(several.index, "d00", closed=True).words
    for start, end in ((-1.0, 2.0), (3.0, 2.0), (float("nan"), 2.0)):
        with pytest.raises(InputError):
            transcript_piece(several.index, "d01", start, end)
