"""Places grouped by recordings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.search.grouping import COMBINATIONS, grouped, recording_score

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
       st.integers(1, 4), st.sampled_from(sorted(COMBINATIONS)))  # fmt: skip
def test_grouping_changes_no_score_of_a_place(rows, k, per_recording, combination):
    order = sorted(range(len(rows)), key=lambda i: (-rows[i][1], i))
    ranking, recordings = [(i, rows[i][1]) for i in order], [rows[i][0] for i in order]
    groups = grouped(ranking, recordings, k, per_recording, combination)
    assert all(rows[g.place][1] == g.score for g in groups)
    own = {r: [s for q, s in rows if q == r] for r, _ in rows}
    names = list(dict.fromkeys(rows[g.place][0] for g in groups))
    assert len(names) == min(k, len(own))
    assert [g.recording_rank for g in groups] == sorted(g.recording_rank for g in groups)
    for rank, name in enumerate(names, 1):
        mine = [g for g in groups if g.recording_rank == rank]
        assert {rows[g.place][0] for g in mine} == {name}
        assert [g.score for g in mine] == sorted(own[name], reverse=True)[:per_recording]
        assert mine[0].recording_score == pytest.approx(recording_score(own[name], combination), abs=1e-9)
    values = [recording_score(own[n], combination) for n in own]
    least = min(recording_score(own[n], combination) for n in names)
    assert np.sum(np.array(values) > least + 1e-9) < max(len(names), 1)


def test_at_least_one_place():
    with pytest.raises(rk.InputError, match="per_recording must be at least 1, got 0"):
        grouped([(0, 1.0)], [0], 1, 0)
