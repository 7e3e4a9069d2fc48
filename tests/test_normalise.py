"""The table of normalisers: every row normalises as it says, and the command line lists it."""

import numpy as np
import pytest

import rankine as rk
from rankine.normalise import TABLE


@pytest.mark.parametrize("kind", TABLE)
def test_every_row_shifts_and_scales_queries_or_all_rows(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3)) * [1.0, 100.0, 0.0] + 5  # the last feature is constant
    data = rk.RankingData(X, np.zeros(30), np.repeat([1, 2, 3], 10))
    out = rk.Normaliser(kind).fit(data).apply(data).X
    assert (out[:, 2] == 0).all()
    groups = np.split(out[:, :2], 3) if TABLE[kind].by_query else [out[:, :2]]
    for rows in groups:
        if kind == "query-minmax":
            np.testing.assert_allclose([rows.min(0), rows.max(0)], [[0, 0], [1, 1]], atol=1e-12)
        else:
            np.testing.assert_allclose([rows.mean(0), rows.std(0)], [[0, 0], [1, 1]], atol=1e-12)
    assert rk.Normaliser(kind).by_query == kind.startswith("query-")


def test_an_unknown_one_lists_the_table():
    with pytest.raises(rk.InputError, match=f"Did you mean 'zscore'.*There are: {', '.join(TABLE)}"):
        rk.Normaliser("zscor")
