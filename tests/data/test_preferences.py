"""Preference graphs: checked, and kept together with their rows."""

import numpy as np
import pytest

import rankine as rk


def test_preferences_follow_their_rows():
    graph = rk.Preferences([0, 3], [2, 1], [1.0, 2.0])
    data = rk.RankingData(np.arange(4.0)[:, None], graph, ["a", "b", "a", "b"])
    x = data.X.ravel()
    edges = set(zip(x[data.y.winner_row], x[data.y.loser_row], data.y.weight, strict=True))
    assert edges == {(0.0, 2.0, 1.0), (3.0, 1.0, 2.0)}
    assert data.subset([1]).y.winner_row.tolist() == [1]
    both = rk.concatenate([data.subset([0]), data.subset([1])])
    assert len(both.y) == 2
    assert data.query(1).y.loser_row.tolist() == [0]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (([0], [1, 2], None), "one length"),
        (([0], [0], None), "preferred to itself"),
        (([0], [1], [-1.0]), "weight ≥ 0, got -1"),
        (([0], [1], [np.nan]), "weight ≥ 0, got nan"),
        (([0.5], [1], None), "row numbers"),
    ],
)
def test_bad_preferences(edges, message):
    with pytest.raises(rk.InputError, match=message):
        rk.Preferences(*edges)


def test_preferences_beyond_rows_or_across_queries():
    X, qid = np.ones((3, 1)), [1, 1, 2]
    with pytest.raises(rk.InputError, match="different queries"):
        rk.RankingData(X, rk.Preferences([0], [2]), qid)
    with pytest.raises(rk.InputError, match="but there are 3"):
        rk.RankingData(X, rk.Preferences([0], [7]), [1, 1, 1])
