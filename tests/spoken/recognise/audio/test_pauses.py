"""Words keep their order and their place between pauses, whatever the times and the sound are."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankine.spoken.lattice.formats.transcripts.transcript import TranscriptWord
from rankine.spoken.recognise.audio.pauses import LEAST, NEAR, outside_pauses, pauses

RATE = 16000


def tone(seconds):
    return (np.sin(np.arange(int(seconds * RATE))) * 3000).astype(np.int16)


def silence(seconds):
    return np.zeros(int(seconds * RATE), np.int16)


@pytest.mark.parametrize(("length", "n"), [(0.05, 0), (0.1, 0), (0.2, 1), (1.0, 1)])
def test_short_pauses_do_not_count(length, n):
    assert len(pauses(np.concatenate([tone(0.5), silence(length), tone(0.5)]), RATE)) == n


def test_sound_without_contrast_has_no_pause():
    assert pauses(silence(1.0), RATE) == pauses(tone(1.0), RATE) == []


def test_a_word_that_begins_with_a_pause_begins_after_it():
    words = [TranscriptWord("bible", 0.0, 0.6), TranscriptWord("which", 0.6, 1.4)]
    assert [(w.start, w.end) for w in outside_pauses(words, [(0.7, 1.1)])] == [(0.0, 0.7), (1.1, 1.4)]


def test_a_pause_within_a_word_stays_in_it():
    words = [TranscriptWord("one", 0.0, 0.5), TranscriptWord("understandable", 0.5, 2.0)]
    assert outside_pauses(words, [(0.5 + NEAR + 0.01, 1.2)]) == words


def test_of_several_pauses_the_longest_counts():
    words = [TranscriptWord("one", 0.0, 0.6), TranscriptWord("two", 0.6, 1.5)]
    assert outside_pauses(words, [(0.4, 0.55), (0.65, 0.95)])[1].start == 0.95


@given(st.lists(st.floats(0, 10), max_size=12), st.lists(st.floats(0, 10), max_size=8))
def test_words_keep_their_order_and_length(times, edges):
    times, edges = sorted(times), sorted(edges)
    words = [TranscriptWord("w", a, b) for a, b in pairwise(times)]
    silent = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if b - a >= LEAST]
    out = outside_pauses(words, silent)
    flat = [t for w in out for t in (w.start, w.end)]
    assert flat == sorted(flat)
    assert len(out) == len(words)
