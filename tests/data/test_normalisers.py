"""Normalisers: features are shifted and scaled, per query or over the training data."""

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.data.normaliser_table import TABLE


@pytest.mark.parametrize("kind", TABLE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normalisers(kind, dtype):
    rng = np.random.default_rng(3)
    X = (rng.standard_normal((50, 3)) * [1, 100, 0] + [0, 5, 7]).astype(dtype)
    data = rk.RankingData(X, np.zeros(50), np.sort(rng.integers(0, 5, 50)))
    out = rk.Normaliser(kind).fit(data).apply(data)
    assert out.X.dtype == dtype
    want = np.zeros((50, 3))
    parts = (
        [slice(0, 50)]
        if not TABLE[kind].by_query
        else [slice(a, b) for a, b in zip(data.ptr, data.ptr[1:], strict=False)]
    )
    for part in parts:
        x = data.X[part].astype(float)
        shift, scale = (x.min(0), np.ptp(x, 0)) if kind == "query-minmax" else (x.mean(0), x.std(0))
        want[part] = np.divide(x - shift, scale, out=np.zeros_like(x), where=scale > 1e-9)
    np.testing.assert_allclose(out.X, want, atol=2e-6)
    again = rk.Normaliser.from_dict(rk.Normaliser(kind).fit(data).to_dict()).apply(data)
    assert np.array_equal(again.X, out.X)


def test_normaliser_errors():
    X = np.random.default_rng(4).standard_normal((30, 4))
    data = rk.RankingData(X, np.zeros(30), np.arange(30) // 6)
    with pytest.raises(rk.InputError, match="Did you mean 'query-minmax'"):
        rk.Normaliser("query-minmaxx")
    with pytest.raises(rk.InputError, match="has not been fitted"):
        rk.Normaliser("zscore").apply(data)
    with pytest.raises(rk.InputError, match="fitted to 4 features, the data has 1"):
        rk.Normaliser("zscore").fit(data).apply(data.select([0]))
    with pytest.raises(rk.InputError, match=r"data\.dense"):
        rk.Normaliser("zscore").fit(rk.RankingData(sp.csr_array(X), data.y, data.qid))


def test_letor_query_norm_is_query_minmax(real_data):
    """LETOR 3.0's QueryLevelNorm of OHSUMED lies in [0, 1] and is a fixed point of the normaliser."""
    data = rk.load_letor(real_data / "letor" / "ohsumed" / "S1.txt.xz", dtype="float64")
    out = rk.Normaliser("query-minmax").fit(data).apply(data)
    assert out.X.min() == 0
    assert out.X.max() == 1
    moved = np.abs(out.X - data.X).max()
    assert moved < 1e-6


def test_an_unknown_one_lists_the_table():
    with pytest.raises(rk.InputError, match=f"Did you mean 'zscore'.*There are: {', '.join(TABLE)}"):
        rk.Normaliser("zscor")
