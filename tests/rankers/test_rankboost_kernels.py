"""Kernels of RankBoost."""

import numpy as np

from rankine.rankers.rankboost_kernels import place


def test_bins_by_search():
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 5, 254, 255):
        cuts = np.unique(np.round(rng.standard_normal(n), 3))
        column = np.concatenate([rng.standard_normal(500), cuts, [-9.0, 9.0]])
        bins = np.empty((1, len(column)), np.uint8)
        place(column, cuts, bins, 0)
        assert np.array_equal(bins[0], np.searchsorted(cuts, column, side="left"))
