"""The kernel ranker: the linear kernel is the linear ranker, others see what no line can, bad kernels are named."""

import json
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

import rankine as rk
from rankine.rankers.kernel import ApproximationWarning
from rankine.solvers import ConvergenceWarning

from .. import exact
from ..cases import normalised_sample


@pytest.fixture(scope="module")
def data():
    return normalised_sample(30)


@pytest.mark.parametrize("loss", ["svm-map", "svm-ndcg@10"])
def test_a_linear_kernel_is_the_linear_ranker(data, loss):
    options = {"A": "partial-order"} if "ndcg" in loss else {}
    want = rk.LinearRanker(loss, C=0.5, tol=1e-4, loss_options=options).fit(data)
    model = rk.KernelRanker(loss, C=0.5, kernel="linear", tol=1e-3, loss_options=options).fit(data)
    assert model.gap_ <= 1e-3
    assert model.objective_ == pytest.approx(want.objective_, rel=2e-3)
    assert model.lower_bound_ <= want.objective_ * (1 + 1e-6)
    assert np.corrcoef(model.predict(data), want.predict(data))[0, 1] > 0.99


def circles(seed, n=20, m=15):
    """Relevant is what lies near the circle of radius 1: no linear scorer can rank it."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n * m, 2))
    y = (np.abs(np.linalg.norm(X, axis=1) - 1) < 0.35).astype(float)
    return X, y, np.repeat(np.arange(n), m)


@pytest.mark.parametrize("kernel", ["rbf", "poly", lambda a, b: (1 + a @ b.T) ** 4])
def test_kernels_see_what_no_line_can(kernel):
    X, y, qid = circles(0)
    model = rk.KernelRanker("svm-map", C=10.0, kernel=kernel, degree=4, gamma=1.0, tol=0.05).fit(X, y, qid=qid)
    test, labels, queries = circles(1)
    linear = rk.LinearRanker("svm-map", C=10.0).fit(X, y, qid=qid).score(test, labels, qid=queries)
    assert model.score(test, labels, qid=queries) > linear + 0.2
    assert model.gap_ <= 0.05
    small = rk.KernelRanker(
        "svm-map", C=10.0, kernel=kernel, degree=4, gamma=1.0, max_documents=50, n_components=100
    )  # fmt: skip
    with pytest.warns(ApproximationWarning, match="Nyström"):
        small.fit(X, y, qid=qid)
    assert small.score(test, labels, qid=queries) > linear + 0.15


def test_saved_and_loaded(tmp_path):
    X, y, qid = circles(2, n=6)
    model = rk.KernelRanker("svm-map", C=1.0, normalise="zscore").fit(X, y, qid=qid)
    model.save(tmp_path / "m.json")
    np.testing.assert_allclose(rk.load(tmp_path / "m.json").predict(X), model.predict(X), rtol=1e-12)
    with pytest.raises(rk.InputError, match="cannot be saved"):
        rk.KernelRanker(kernel=lambda a, b: (a @ b.T) ** 2).fit(X, y, qid=qid).save(tmp_path / "n.json")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rbff"}, "kernel must be"),
        ({"kernel": lambda a, b: -(a @ b.T)}, "not positive semi-definite"),
        ({"kernel": lambda a, b: a[:, :1] + 2 * b[:, :1].T}, "not symmetric"),
        ({"kernel": lambda a, b: np.full((len(a), len(b)), np.nan)}, "finite number"),
        ({"C": 0}, "C must be"),
        ({"gamma": -1.0}, "gamma"),
        ({"loss": "svm-ndcg@10:tight"}, "not convex"),
        ({"max_documents": 0}, "max_documents"),
    ],
)
def test_bad_input(options, message):
    X, y, qid = circles(3, n=3)
    with pytest.raises(rk.InputError, match=message):
        rk.KernelRanker(**options).fit(X, y, qid=qid)


def test_certificates_hold_far_from_the_origin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.clip(np.round(X[:, 0] + rng.normal(size=60)), 0, 2)
    qid = np.repeat(np.arange(10), 6)
    want = rk.LinearRanker("svm-map", C=1.0, tol=1e-5).fit(X, y, qid=qid).objective_
    for offset in (0.0, 100.0):
        model = rk.KernelRanker("svm-map", C=1.0, kernel="linear", tol=1e-3).fit(X + offset, y, qid=qid)
        assert model.lower_bound_ <= want * (1 + 1e-4)
        assert model.objective_ >= want * (1 - 1e-4)
        assert model.objective_ == pytest.approx(want, rel=2e-3)


def test_the_dual_converges_for_ndcg_and_large_C():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(72, 4))
    y = np.clip(np.round(X[:, 0] + 0.5 * rng.normal(size=72)), 0, 2)
    qid = np.repeat(np.arange(12), 6)
    want = rk.LinearRanker("svm-ndcg@5", C=10.0, tol=1e-4).fit(X, y, qid=qid)
    model = rk.KernelRanker("svm-ndcg@5", C=10.0, kernel="linear", tol=1e-2).fit(X, y, qid=qid)
    assert model.gap_ <= 1e-2
    assert model.objective_ == pytest.approx(want.objective_, rel=1.1e-2)
    with pytest.raises(rk.InputError, match="positive semi-definite"):
        rk.KernelRanker(kernel=lambda a, b: -(a @ b.T), max_documents=10).fit(X, y, qid=qid)


def test_a_stored_normaliser_that_overflows_is_bad_input(tmp_path):
    X, y, qid = [[0.0], [1.0], [2.0]], [0, 1, 0], [1, 1, 1]
    rk.KernelRanker("svm-map", normalise="zscore").fit(X, y, qid=qid).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    content["normaliser"] |= {"shift": [1e308], "scale": [1e308]}
    (tmp_path / "m.json").write_text(json.dumps(content))
    with np.errstate(over="ignore"), pytest.raises(rk.InputError, match="after normalisation, row 0"):
        rk.load(tmp_path / "m.json").predict(X)


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_no_bound_lies_above_what_can_be_reached(kernel, C):
    """What is certified is the problem of the Gram matrix as it was computed."""
    rng = np.random.default_rng(int(np.log10(C)) + 20)
    for loss in ("ranksvm", "svm-map", "ranksvm-l2"):
        X, y = rng.integers(-4, 5, (6, 2)) / 4, np.array([2.0, 0.0, 1.0, 0.0, 1.0, 0.0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = rk.KernelRanker(loss, C=C, kernel=kernel, gamma=0.5, max_iter=30).fit(X, y, qid=[0, 0, 0, 1, 1, 1])
        options = {"gamma": 0.5} if kernel == "rbf" else {}
        G = [exact.fractions(row) for row in pairwise_kernels(X, X, metric=kernel, **options)]
        beta, used = np.zeros(6), 0
        for i, x in enumerate(X):  # support vectors are rows of X, in order
            if used < len(model.support_) and (model.support_[used] == x).all():
                beta[i], used = model.dual_coef_[used], used + 1
        for point in exact.nearby(beta, rng, 6):
            b = exact.fractions(point)
            scores = [sum(g * x for g, x in zip(row, b, strict=True)) for row in G]
            square = sum(x * s for x, s in zip(b, scores, strict=True)) / 2
            assert Fraction(model.lower_bound_) <= square + Fraction(C) * exact.risk(loss, scores, y, [0, 3, 6])


def test_the_best_C_is_the_same_on_any_scale(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y, qid = np.searchsorted([-1.5, -0.2], -np.abs(X[:, 0]) + 0.3 * rng.normal(size=200)), np.repeat(np.arange(20), 10)
    model = rk.KernelRanker().fit(X, y, qid=qid)
    assert model.score(X, y, qid) > rk.LinearRanker().fit(X, y, qid=qid).score(X, y, qid) + 0.05
    scale = np.array([1.0, 1e3, 1e-3])
    again = rk.KernelRanker().fit(X * scale, y, qid=qid)
    assert pytest.approx(model.C_, rel=1e-6) == again.C_
    low = rk.KernelRanker(max_documents=50, n_components=40).fit(X, y, qid=qid)  # no warning: nothing was asked for
    assert len(low.support_) == 40
    model.save(tmp_path / "m.json")
    np.testing.assert_allclose(rk.load(tmp_path / "m.json").predict(X), model.predict(X), rtol=1e-12)
