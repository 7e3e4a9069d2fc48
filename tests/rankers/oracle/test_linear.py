"""The oracle of a linear scorer is the loss of the scores, dense or sparse, in blocks, along lines."""

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.losses import get
from rankine.rankers.oracle import linear as oracle_module

from ...cases import linear_problem


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_oracle_is_the_loss_of_the_scores(dtype, sparse, weighted, monkeypatch):
    monkeypatch.setattr(oracle_module, "_BLOCK_BYTES", 2000)
    rng = np.random.default_rng(1)
    ptr = np.concatenate([[0], np.cumsum(rng.integers(1, 30, 40))])
    X = (rng.standard_normal((ptr[-1], 7)) * (rng.random((ptr[-1], 7)) < 0.5)).astype(dtype)
    y = rng.integers(0, 4, ptr[-1]).astype(float)
    weight = rng.random(40) if weighted else np.ones(40)
    prepared = rk.losses.get("svm-ndcg@5").prepare(y, ptr)
    oracle = oracle_module.LinearOracle(
        sp.csr_array(X) if sparse else X, prepared, weight if weighted else None, threads=2
    )
    assert len(oracle.blocks) > 5

    def plain(w):
        values, grad = prepared(X.astype(np.float64) @ w)
        return values @ weight, X.T.astype(np.float64) @ (grad * np.repeat(weight, np.diff(ptr)))

    close = {"rtol": 2e-5 if dtype == np.float32 else 1e-10, "atol": 1e-4 if dtype == np.float32 else 1e-9}
    w, d = 0.1 * rng.standard_normal(7), 0.1 * rng.standard_normal(7)
    for got, want in zip(oracle.value_grad(w), plain(w), strict=True):
        np.testing.assert_allclose(got, want, **close)
    line = oracle.along(w, d)
    for t in (0.0, 0.3, 1.0, 0.45):
        value, slope = line(t)
        want, grad = plain(w + t * d)
        np.testing.assert_allclose([value, slope], [want, grad @ d], **close)
    point, value, grad = line.stop()
    np.testing.assert_allclose(point, w + 0.45 * d)
    for got, want in zip((value, grad), plain(point), strict=True):
        np.testing.assert_allclose(got, want, **close)
    np.testing.assert_allclose(oracle.along(point, d)(0.5)[0], plain(point + 0.5 * d)[0], **close)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_hessian_products_in_w(dtype, sparse, monkeypatch):
    monkeypatch.setattr(oracle_module, "_BLOCK_BYTES", 2000)
    X, y, _ = linear_problem(n=10, m=30)
    X = (X * (np.abs(X) > 0.5)).astype(dtype)
    weight = np.random.default_rng(0).random(10)
    prepared = get("preorder").prepare(y, np.arange(11) * 30)
    oracle = oracle_module.LinearOracle(sp.csr_array(X) if sparse else X, prepared, weight, threads=2)
    w, v = 0.3 * np.ones(6), np.arange(6.0)
    product = oracle.hvp(w, v)
    difference = (oracle.value_grad(w + 1e-4 * v)[1] - oracle.value_grad(w - 1e-4 * v)[1]) / 2e-4
    np.testing.assert_allclose(product, difference, rtol=0.02, atol=0.02 * np.abs(difference).max())
    np.testing.assert_allclose(oracle.hvp(w, v), product, rtol=1e-6)
    value, grad = oracle.minibatch(w, 2, 5)
    parts = [oracle.minibatch(w, q, q + 1) for q in (2, 3, 4)]
    assert value == pytest.approx(sum(p[0] for p in parts))
    np.testing.assert_allclose(grad, sum(p[1] for p in parts), rtol=1e-5, atol=1e-4)
