"""The weight of a further hearing, from scores and grades alone."""

import numpy as np
import pytest

from rankine.data.ranking_data import RankingData
from rankine.spoken.learn.hearings import COLUMNS, GRID, choose_weight
from rankine.spoken.learn.learning import Examples


def examples(queries):
    """Of (own score, further score, grade) rows for each query."""
    rows = [row for query in queries for row in query]
    qid = [str(q) for q, query in enumerate(queries) for _ in query]
    ids = [f"{i}" for query in queries for i in range(len(query))]
    data = RankingData(
        np.array([r[:2] for r in rows]), [r[2] for r in rows], qid, doc_ids=ids, feature_names=list(COLUMNS)
    )
    relevant = np.array([sum(r[2] > 0 for r in query) for query in queries])
    return Examples(data, relevant, np.ones(len(queries), np.bool_))


def test_the_least_weight_that_is_best_is_taken():
    test = choose_weight(examples([[(0.5, 0.0, 0), (0.3, 1.0, 1)]] * 12))
    assert test[:4] == (0.25, 12, 0.5, 1.0)
    assert test.p == pytest.approx(2 / 2**12)


@pytest.mark.parametrize(
    "queries",
    [
        [[(0.5, 0.0, 0), (0.3, 1.0, 1)]] * 3,  # too few
        [[(0.5, 0.0, 1), (0.3, 1.0, 0)]] * 12,  # it harms
        [[(0.5, 0.0, 0), (0.3, 1.0, 1)]] * 6 + [[(0.5, 0.0, 1), (0.3, 1.0, 0)]] * 6,  # as often as it helps
    ],
)
def test_a_hearing_that_does_not_help_counts_nothing(queries):
    assert choose_weight(examples(queries)).weight == GRID[0] == 0
