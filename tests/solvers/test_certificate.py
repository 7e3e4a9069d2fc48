"""No lower bound lies above the minimum: against fractions, at extreme C and extreme scales of the features."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.solvers import TABLE
from rankine.solvers.bundle import bundle
from rankine.solvers.certificate import CertificateError, ConvergenceWarning, Planes, Slip

from .. import exact

CERTIFYING = [name for name in TABLE if name != "cccp"]
SMOOTH = ("ranksvm-l2", "preorder", "squared", "listnet")


def fitted(loss, X, y, qid=None, **options):
    """The model, and whether it warned of a larger gap than was asked for."""
    weights = options.pop("query_weight", None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = rk.LinearRanker(loss, **options).fit(X, y, qid=qid, query_weight=weights)
    return model, any(issubclass(w.category, ConvergenceWarning) for w in caught)


@pytest.mark.parametrize("C", [1e4, 1e8, 1e12])
def test_large_C_on_a_line(C):
    X, y = np.array([[-1.0], [1.0], [0.625], [-0.75]]), [2.0, 1.0, 2.0, 0.0]
    least = exact.least_on_a_line(X[:, 0].tolist(), y, C)
    if C == 1e8:
        assert float(least) == pytest.approx(471428571.59183675, abs=1e-6)
    model, warned = fitted("ranksvm", X, y, C=C)
    assert Fraction(model.lower_bound_) <= least
    assert warned == (model.gap_ > 1e-3)


@pytest.mark.parametrize("solver", ["bundle", "cutting-plane", "subgradient"])
def test_random_problems_on_a_line(solver):
    rng = np.random.default_rng(2)
    for C in (1e-12, 1.0, 1e5, 1e6, 1e8, 1e10, 1e15):
        for _ in range(4):
            n = int(rng.integers(2, 9))
            x, y = rng.integers(-8, 9, n) / 8, rng.integers(0, 3, n).astype(float)
            least = exact.least_on_a_line(x.tolist(), y.tolist(), C)
            model, warned = fitted("ranksvm", x[:, None], y, C=C, solver=solver, max_iter=200, max_time=2)
            assert Fraction(model.lower_bound_) <= least, (solver, C, x, y)
            assert least <= Fraction(model.objective_) * (1 + Fraction(model.gap_)) + Fraction(1e-300)
            assert warned == (model.gap_ > 1e-3)


def problem(rng, loss):
    """A small problem of whole numbers over 8, scaled, and the options of a fit."""
    short = loss.startswith("svm")
    sizes = rng.integers(2, 5 if short else 7, int(rng.integers(1, 3)))
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    d, scale = int(rng.integers(1, 4)), 10.0 ** int(rng.integers(-20, 21)) if rng.random() < 0.5 else 1.0
    X = (rng.integers(-8, 9, (ptr[-1], d)) / 8 * scale).astype(np.float32 if rng.random() < 0.4 else np.float64)
    X[-1] = X[0]
    y = rng.integers(0, 3, ptr[-1]).astype(float)
    weights = rng.integers(1, 4, len(sizes)) / 2 if rng.random() < 0.3 else None
    w0 = rng.integers(-4, 5, d) / 2 / scale if rng.random() < 0.3 else None
    solver = str(rng.choice([s for s in CERTIFYING if loss in SMOOTH or s not in ("newton", "lbfgs")]))
    options = {"C": 10.0 ** int(rng.integers(-12, 16)), "w0": w0, "tol": 10.0 ** -int(rng.integers(3, 10)),
               "solver": solver, "max_iter": 100, "max_time": 2}  # fmt: skip
    return X, y, ptr, weights, options


@pytest.mark.parametrize("loss", exact.LOSSES)
def test_no_bound_lies_above_what_can_be_reached(loss):
    if loss in exact.WITH_EXPONENTIALS:
        pytest.importorskip("mpmath").mp.dps = 50
    rng = np.random.default_rng(list(exact.LOSSES).index(loss))
    for _ in range(12):
        X, y, ptr, weights, options = problem(rng, loss)
        qid = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        features = sp.csr_array(X) if rng.random() < 0.25 else X
        try:
            model, warned = fitted(loss, features, y, qid, query_weight=weights, **options)
        except rk.InputError as error:
            assert "too large" in str(error)  # nothing is promised
            assert "\n" not in str(error)
            continue
        heights = [
            exact.objective(loss, X, y, ptr, w, options["C"], options["w0"], weights)
            for w in exact.nearby(model.coef_, rng, 6)
        ]
        number = Fraction if isinstance(heights[0], Fraction) else float
        bound, gap = number(model.lower_bound_), number(model.gap_ + 1e-12)
        assert bound <= min(heights), options
        assert heights[0] - bound <= gap * heights[0]
        assert model.lower_bound_ <= model.objective_
        assert warned or model.gap_ <= options["tol"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_where_rounding_is_the_limit_it_is_said(dtype):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-8, 9, (30, 3)).astype(dtype) / 8, rng.integers(0, 3, 30).astype(float)
    with pytest.warns(ConvergenceWarning, match="rounding|precision"):
        model = rk.LinearRanker("ranksvm", C=1e6, tol=1e-15).fit(X, y, qid=np.repeat(np.arange(5), 6))
    assert 1e-15 < model.gap_ < 1e-3
    assert model.n_iter_ < 1000
    assert model.gap_ >= (model.objective_ - model.lower_bound_) / model.objective_


def test_single_precision_is_certified_as_far_as_was_asked():
    """Long lists under steep weights: sums in single precision prove nothing, so double precision takes over."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((800, 10)).astype(np.float32)
    y = (X[:, 0] + rng.standard_normal(800) > 1).astype(float)
    model, warned = fitted("svm-rr", X, y, np.repeat([0, 1], 400))
    assert not warned
    assert model.gap_ <= 1e-3


def test_numbers_too_large_are_one_line():
    y = [0.0, 1.0, 2.0]
    for X in (np.array([[1e300], [-1e300], [1.0]]), np.array([[3e38], [-3e38], [1.0]], np.float32)):
        for solver in ("bundle", "cutting-plane"):
            try:
                model, _ = fitted("ranksvm-l2" if solver == "bundle" else "ranksvm", X, y, C=1e15, solver=solver)
            except rk.InputError as error:
                assert "too large" in str(error)
                assert "\n" not in str(error)
            else:
                assert math.isfinite(model.lower_bound_)


class Wrong:
    """|w − 1| with a gradient that points the wrong way."""

    size = 1

    def value_grad(self, w):
        return abs(float(w[0]) - 1), np.array([-1.0 if w[0] > 1 else 1.0])


def test_a_bound_above_the_objective_is_an_error():
    with pytest.raises(CertificateError, match=r"the lower bound [\d.]+ lies above the objective [\d.]+"):
        bundle(Wrong(), 0.5)


def test_weights_are_feasible_before_the_bound_is_evaluated():
    planes = Planes(2)
    planes.add(np.array([1.0, 0.0]), 1.0)
    planes.add(np.array([0.0, -1.0]), 0.5, Slip(0.5, 0.25, 0.125, 0.0))
    model = planes.solve(np.zeros(2), 3.0, 1e-12)
    alpha = [Fraction(a) for a in planes.alpha.tolist()]
    alpha = [a * min(1, 3 / sum(alpha)) for a in alpha]
    assert all(a >= 0 for a in alpha)
    v = [-alpha[1], alpha[2]]
    exactly = alpha[1] + alpha[2] * (Fraction(1, 2) - Fraction(1, 4)) - (v[0] ** 2 + v[1] ** 2) / 2
    assert Fraction(model.bound) < exactly  # and less for the slope's error
    assert model.slip > 0.0
