"""Cutting: at pauses, with overlap where there is none, the same however the audio comes, and with little memory."""

import tracemalloc
from itertools import chain, repeat

import numpy as np
import pytest

from rankine.spoken.recognise.audio.cutting import ALL, cut, windows

RATE = 2000


def speech(rng, seconds, level=3000):
    """Noise in syllables of 0.2 s with 0.1 s between them."""
    n = int(seconds * RATE)
    loud = (np.arange(n) % (3 * RATE // 10)) < RATE // 5
    return np.rint(rng.normal(0, 1, n) * np.where(loud, level, 30)).astype(np.int16)


def hiss(rng, seconds, level=20):
    return np.rint(rng.normal(0, level, int(seconds * RATE))).astype(np.int16)


def spans(segments):
    return [(s.start, s.start + len(s.samples) / RATE) for s in segments]


def test_cuts_are_in_pauses():
    """A pause of two seconds ends a segment; shorter ones do if it becomes too long."""
    rng = np.random.default_rng(0)
    sound = np.concatenate([
        hiss(rng, 3), speech(rng, 4.1), hiss(rng, 0.8), speech(rng, 6.2), hiss(rng, 5), speech(rng, 3.2), hiss(rng, 3)
    ])  # fmt: skip
    for longest, expected in ((30.0, [(2.5, 14.5), (18.7, 22.7)]), (10.0, [(2.5, 7.5), (7.5, 14.5), (18.7, 22.7)])):
        got = list(cut([sound], RATE, longest))
        np.testing.assert_allclose(spans(got), expected, atol=0.15)
        assert all(s.inner == ALL for s in got)
        for s in got:
            at = round(s.start * RATE)
            assert (s.samples == sound[at : at + len(s.samples)]).all()


def test_the_longest_pause_of_the_second_half():
    rng = np.random.default_rng(9)
    pauses = [0.9, 0.7, 1.2, 0.7, 0.7, 0.9]
    sound = np.concatenate([x for pause in pauses for x in (speech(rng, 5), hiss(rng, pause))])
    first, *_ = spans(cut([sound], RATE, 30.0))
    assert first == (0.0, pytest.approx(5.9 + 5.7 + 5 + 0.5, abs=0.15))


def test_speech_in_noise():
    """10 decibels of noise hide the quiet parts of speech, and not its pauses."""
    rng = np.random.default_rng(1)
    sound = np.concatenate([x for _ in range(5) for x in (speech(rng, 4.1), hiss(rng, 2.5))])
    sound = np.rint(sound + rng.normal(0, 900, len(sound))).astype(np.int16)
    got = spans(cut([sound], RATE, 30.0))
    np.testing.assert_allclose(got, [(max(6.6 * i - 0.5, 0), 6.6 * i + 4.6) for i in range(5)], atol=0.2)


@pytest.mark.parametrize("longest", [2.0, 10.0, 30.0])
def test_blocks_do_not_matter(longest):
    rng = np.random.default_rng(2)
    sound = np.concatenate([x for i in range(12) for x in (speech(rng, rng.uniform(0.5, 12)), hiss(rng, i % 3))])
    whole = list(cut([sound], RATE, longest))
    assert max(len(s.samples) for s in whole) <= longest * RATE
    for size in (777, RATE, 11 * RATE):
        parts = list(cut((sound[i : i + size] for i in range(0, len(sound), size)), RATE, longest))
        assert [(p.start, p.inner, p.samples.tobytes()) for p in parts] == [
            (w.start, w.inner, w.samples.tobytes()) for w in whole
        ]


@pytest.mark.parametrize("longest", [2.0, 8.0, 30.0])
def test_inner_parts_follow_each_other(longest):
    """Where there is no pause, nothing is left out and nothing counts twice, and the cut is well inside of both."""
    rng = np.random.default_rng(3)
    got = list(cut([speech(rng, 100)], RATE, longest))
    assert len(got) > 100 / longest
    shared = min(1.0, longest / 8)
    inner = [(max(a, 0) + s.start, min(b, len(s.samples) / RATE) + s.start) for s in got for a, b in [s.inner]]
    assert inner[0][0] == 0
    assert inner[-1][1] == 100
    for (_, end), (start, _), left, right in zip(inner, inner[1:], got, got[1:], strict=False):
        assert end == pytest.approx(start)
        assert spans([left])[0][1] - end == pytest.approx(shared, abs=0.011)
        assert start - right.start == pytest.approx(shared, abs=0.011)


def test_a_forced_cut_is_at_the_quietest_moment():
    rng = np.random.default_rng(4)
    sound = speech(rng, 50)
    sound[RATE * 22 : RATE * 22 + RATE // 5] = 0
    first, second = cut([sound], RATE, 30.0)
    assert first.inner[1] == pytest.approx(22.1, abs=0.06)
    assert second.start + second.inner[0] == pytest.approx(first.inner[1])


@pytest.mark.parametrize("level", [0, 1, 100, 10000])
def test_steady_noise_is_no_speech(level):
    assert list(cut([hiss(np.random.default_rng(5), 90, level)], RATE, 30.0)) == []
    assert list(cut([], RATE, 30.0)) == []


def test_a_word_in_a_long_silence_is_heard_and_a_click_is_not():
    rng = np.random.default_rng(6)
    word = speech(rng, 0.2)
    sound = np.concatenate([hiss(rng, 100), word, hiss(rng, 100), np.full(10, 9000, np.int16), hiss(rng, 100)])
    ((start, end),) = spans(cut([sound], RATE, 30.0))
    assert (start, end) == (pytest.approx(99.5, abs=0.05), pytest.approx(100.7, abs=0.05))


def test_windows_hold_all_samples():
    rng = np.random.default_rng(7)
    sound = speech(rng, 70)
    got = list(windows(sound, RATE, 30.0))
    held = np.zeros(len(sound), np.bool_)
    for w in got:
        at = round(w.start * RATE)
        assert (sound[at : at + len(w.samples)] == w.samples).all()
        held[at : at + len(w.samples)] = True
    assert held.all()
    assert max(len(w.samples) for w in got) <= 30 * RATE
    (only,) = windows(sound[:100], RATE, 30.0)
    assert only.inner == ALL


def test_memory_does_not_grow_with_the_recording():
    """Ten hours of speech with and without pauses, in blocks of a minute."""
    rng = np.random.default_rng(8)
    minute = np.concatenate([speech(rng, 40), hiss(rng, 1), speech(rng, 18), hiss(rng, 1)])
    peaks = []
    for minutes in (6, 600):
        tracemalloc.start()
        length = sum(len(s.samples) for s in cut(chain.from_iterable(repeat([minute], minutes)), RATE, 30.0))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert length > minutes * 55 * RATE
    assert peaks[1] < 1.2 * peaks[0]
