"""Overlap of rankings, depth by depth and by hand."""

import numpy as np
import pytest

from rankine.errors import InputError
from rankine.measures.compare import drift, rank_biased_overlap

from .. import reference


def test_rank_biased_overlap_depth_by_depth():
    rng = np.random.default_rng(0)
    for _ in range(500):
        m = int(rng.integers(1, 9))
        a, b = rng.permutation(m).tolist(), rng.permutation(m).tolist()
        p = float(rng.choice([0.5, 0.9, 0.98]))
        assert rank_biased_overlap(a, b, p) == pytest.approx(reference.rank_biased_overlap(a, b, p))
    with pytest.raises(InputError, match="same documents"):
        rank_biased_overlap([1, 2], [1, 3])
    with pytest.raises(InputError, match="p must lie"):
        rank_biased_overlap([1], [1], p=1.0)


def test_drift_by_hand():
    """Two queries: one reversed, one unchanged."""
    changes = drift([3, 2, 1, 5, 4], [1, 2, 3, 5, 4], [7, 7, 7, 8, 8], np.array([0, 3, 5]), p=0.5, k=1)
    assert changes.overlap.tolist() == pytest.approx([reference.rank_biased_overlap([0, 1, 2], [2, 1, 0], 0.5), 1.0])
    assert changes.turnover.tolist() == [1.0, 0.0]
    assert changes.moved.tolist() == pytest.approx([4 / 3, 0])
    assert changes.first_changed.tolist() == [True, False]
    assert changes.queries.tolist() == [7, 8]


def test_overlap_of_arrays_and_bad_scores():
    assert rank_biased_overlap(np.array([1, 2, 3]), [1, 2, 3]) == pytest.approx(1.0)
    with pytest.raises(InputError, match="finite scores"):
        drift([1.0, np.nan], [1.0, 2.0], [1, 1], np.array([0, 2]))
