"""Places grouped by recordings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.search.grouping import COMBINATIONS, PlacesByRecording, recording_score

SCORES = st.lists(st.floats(-5, 50), min_size=1, max_size=8)


def slow_score(scores, combination):
    positive = sorted((s for s in scores if s > 0), reverse=True)
    if combination == "best":
        return max(scores)
    if combination == "log-sum":
        return math.log(1 + sum(math.exp(s) - 1 for s in positive))
    return sum(s / 2**i for i, s in enumerate(positive))


@given(SCORES, st.sampled_from(sorted(COMBINATIONS)))
def test_combinations(scores, combination):
    assert recording_score(scores, combination) == pytest.approx(slow_score(scores, combination), abs=1e-9)


@given(SCORES, st.sampled_from(sorted(COMBINATIONS)), st.integers(0, 7), st.floats(0, 10))
def test_no_recording_falls_when_a_place_rises(scores, combination, i, more):
    risen = list(scores)
    risen[i % len(scores)] += more
    assert recording_score(risen, combination) >= recording_score(scores, combination) - 1e-9


@given(SCORES, st.lists(st.floats(-5, 0), max_size=20))
def test_poor_places_change_nothing(scores, poor):
    scores = [abs(s) for s in scores]
    for combination in COMBINATIONS:
        assert recording_score(scores + poor, combination) == pytest.approx(recording_score(scores, combination))
    worse = [min(scores) - 1] * 20
    assert recording_score(scores + worse, "best") == recording_score(scores, "best")


def test_an_unknown_combination():
    with pytest.raises(rk.InputError, match=r"combination must be one of .*, got 'bset'\. Did you mean 'best'"):
        recording_score([1.0], "bset")


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, 3)), min_size=1, max_size=30), st.integers(1, 6),
       st.sampled_from(sorted(COMBINATIONS)))  # fmt: skip
def test_grouping_changes_no_score_of_a_place(rows, k, combination):
    recordings, scores = (np.array(column) for column in zip(*rows, strict=True))
    places = PlacesByRecording(np.arange(len(rows)), scores, recordings, str, combination)
    own = {recording: np.round([s for r, s in rows if r == recording], 12) for recording, _ in rows}
    assert len(places) == len(own)
    best = places.best(k)
    assert len(best) == min(k, len(own))
    for recording, score in best:
        mine = places.of(recording)
        assert [s for _, s in mine] == sorted(own[recording].tolist(), reverse=True)
        assert all(rows[place][0] == recording for place, _ in mine)
        assert score == pytest.approx(recording_score(own[recording], combination), abs=1e-9)
    values = {recording: (score, max(own[recording])) for recording, score in places.best(5)}
    assert [recording for recording, _ in best] == sorted(
        values, key=lambda r: (-values[r][0], -values[r][1], str(r))
    )[:k]  # fmt: skip


def test_nothing_is_grouped():
    nothing = PlacesByRecording(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), str, "saturating")
    assert (len(nothing), nothing.best(3)) == (0, [])
