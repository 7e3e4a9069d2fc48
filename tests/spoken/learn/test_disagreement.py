"""Ranks of places and how much rankers disagree, against loops."""

import statistics

import numpy as np
import pytest

from rankine.spoken.learn.disagreement import committee, disagreement, ranks_of
from rankine.spoken.learn.neighbours import STEPS, multiplied


def test_ranks_and_their_spread():
    rng = np.random.default_rng(0)
    for _ in range(200):
        scores = rng.integers(0, 6, (int(rng.integers(1, 6)), int(rng.integers(1, 9)))).astype(float)
        ranks = ranks_of(scores)
        for row, got in zip(scores.tolist(), ranks.tolist(), strict=True):
            order = sorted(range(len(row)), key=lambda i: (-row[i], i))
            assert [order.index(i) + 1 for i in range(len(row))] == got
        spread = disagreement(ranks, depth=2)
        for column, value in zip(ranks.T.tolist(), spread.tolist(), strict=True):
            want = statistics.pstdev([1 / rank for rank in column]) if min(column) <= 2 else -1.0
            assert value == pytest.approx(want, abs=1e-12)


def test_no_places():
    assert disagreement(ranks_of(np.zeros((6, 0)))).tolist() == []


def test_the_committee_is_what_learning_can_end_at():
    names, start = ["heard-several-word", "heard-several-word-pair"], np.array([1.0, 0.5])
    rows = committee(names, start)
    assert len(rows) == len(STEPS)
    for row, step in zip(rows, STEPS, strict=True):
        assert row.tolist() == multiplied(names, start, step).tolist()
    assert start.tolist() in rows.tolist()
