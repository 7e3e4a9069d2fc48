"""The bundle method against an independent optimiser."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize

from rankine.losses import get
from rankine.solvers.bundle import bundle
from rankine.solvers.certificate import ConvergenceWarning, Planes

from .. import reference as ref


class LinearOracle:
    """Scores X @ w into a loss: what the rankers will do, written plainly."""

    def __init__(self, X, y, ptr, loss, lines):
        self.X, self.size, self.prepared = X, X.shape[1], loss.prepare(y, ptr)
        if lines:
            self.along = self.walk

    def value_grad(self, w):
        values, grad = self.prepared(self.X @ w)
        return float(values.sum()), self.X.T @ grad

    def walk(self, w, d):
        return PlainLine(self, w, d)


class PlainLine:
    def __init__(self, oracle, w, d):
        self.oracle, self.w, self.d = oracle, w, d

    def __call__(self, t):
        self.at = self.w + t * self.d
        value, grad = self.oracle.value_grad(self.at)
        return value, float(grad @ self.d)

    def stop(self):
        return self.at, *self.oracle.value_grad(self.at)


def enumerated_minimum(X, y, ptr, name, k, A, C, w0):
    """min ½‖w − w0‖² + CΣξ with every ranking of every query as a constraint, by SLSQP."""
    rows, sides, owner = [], [], []
    informative = []
    for q, (lo, hi) in enumerate(itertools.pairwise(ptr)):
        grades = y[lo:hi].tolist()
        orders = list(itertools.permutations(range(hi - lo)))
        deltas = [ref.prediction_loss(name, k, grades, o) for o in orders]
        if deltas[0] is None or max(deltas) - min(deltas) < 1e-12:
            continue
        informative.append(q)
        levels = grades if name == "ndcg" else [int(g >= 1) for g in grades]
        columns = [
            np.array([ref.ranking_score(A, k, levels, np.eye(hi - lo)[i], o) for i in range(hi - lo)]) for o in orders
        ]
        perfect = [
            c for c, o in zip(columns, orders, strict=True)
            if all(levels[o[r]] >= levels[o[r + 1]] for r in range(len(o) - 1))
        ]  # fmt: skip
        star = np.mean(perfect, axis=0)
        for c, delta in zip(columns, deltas, strict=True):
            rows.append((star - c) @ X[lo:hi])
            sides.append(delta)
            owner.append(len(informative) - 1)
    V, b, n, d = np.array(rows), np.array(sides), len(informative), X.shape[1]
    slack = np.eye(n)[owner]
    M = np.hstack([V, slack])
    start = np.concatenate([w0, np.ones(n)])
    optimum = minimize(
        lambda z: 0.5 * (z[:d] - w0) @ (z[:d] - w0) + C * z[d:].sum(),
        start,
        jac=lambda z: np.concatenate([z[:d] - w0, np.full(n, C)]),
        constraints={"type": "ineq", "fun": lambda z: M @ z - b, "jac": lambda z: M},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return optimum.fun


@pytest.mark.parametrize(
    ("name", "k", "A"),
    [("ndcg", 2, "linear"), ("ndcg", None, "inverse-sqrt"), ("ndcg", None, "partial-order"), ("map", None, "yue"),
     ("map", None, "linear"), ("p", 2, "linear"), ("rr", None, "linear")],
)  # fmt: skip
@pytest.mark.parametrize("lines", [True, False])
def test_optimum_equals_a_programme_with_all_constraints(name, k, A, lines):
    rng = np.random.default_rng(3)
    loss = get(f"svm-{name}" + (f"@{k}" if k else ""), A=A)
    for C in (0.1, 3.0):
        ptr = np.array([0, 4, 7, 12])
        y = rng.integers(0, 3, 12).astype(float)
        y[[0, 4, 7]], y[[1, 5, 8]] = 1, 0
        X = rng.standard_normal((12, 3)) + 0.5 * y[:, None]
        w0 = rng.standard_normal(3) * rng.integers(0, 2)
        solution = bundle(LinearOracle(X, y, ptr, loss, lines), C, w0=w0, tol=1e-8)
        want = enumerated_minimum(X, y, ptr, name, k, A, C, w0)
        assert solution.objective == pytest.approx(want, rel=1e-6)
        assert solution.lower_bound <= want * (1 + 1e-7)
        assert solution.gap <= 1e-8
        assert solution.converged


def problem(seed=0, n=40, loss="svm-ndcg@10"):
    rng = np.random.default_rng(seed)
    ptr = np.arange(n + 1) * 20
    y = rng.integers(0, 4, 20 * n).astype(float)
    X = rng.standard_normal((20 * n, 10)) + 0.3 * y[:, None]
    return LinearOracle(X, y, ptr, get(loss), True)


def test_history_is_a_certificate():
    solution = bundle(problem(), 0.1, tol=1e-6)
    steps = solution.history
    assert all(s.lower_bound <= s.objective for s in steps)
    assert all(a.lower_bound <= b.lower_bound for a, b in itertools.pairwise(steps))
    assert all(a.objective >= b.objective for a, b in itertools.pairwise(steps))
    assert all(s.objective >= steps[-1].lower_bound for s in steps)
    assert steps[-1].gap <= 1e-6
    assert set(solution.seconds) == {"oracle", "line search", "qp"}


def test_planes_carry_over_along_a_path():
    oracle = problem(loss="svm-map")
    planes = Planes(oracle.size)
    warm, start = 0, None
    for C in (0.01, 0.1, 1.0):
        cold = bundle(oracle, C, tol=1e-5)
        solution = bundle(oracle, C, planes=planes, start=start, tol=1e-5)
        start = solution.w
        warm += len(solution.history) < len(cold.history)
        assert solution.objective == pytest.approx(cold.objective, rel=2e-5)
    assert warm >= 1


@pytest.mark.parametrize("options", [{"max_iter": 3}, {"max_time": 0.0}])
def test_limits_keep_the_best_point_and_warn(options):
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        solution = bundle(problem(), 1.0, tol=1e-9, **options)
    assert not solution.converged
    value, _ = problem().value_grad(solution.w)
    assert solution.objective == pytest.approx(0.5 * float(solution.w @ solution.w) + value)
    assert solution.lower_bound <= bundle(problem(), 1.0, tol=1e-6).objective <= solution.objective
    assert solution.gap > 1e-9


def test_an_interrupt_keeps_the_best_point():
    oracle = problem()
    calls = [0]
    inner = oracle.value_grad

    def value_grad(w):
        calls[0] += 1
        if calls[0] == 6:
            raise KeyboardInterrupt
        return inner(w)

    oracle.value_grad = value_grad
    with pytest.warns(ConvergenceWarning, match="an interrupt"):
        solution = bundle(oracle, 1.0, tol=1e-9)
    assert solution.objective <= min(s.objective for s in solution.history)


def test_nothing_to_learn_ends_at_once():
    rng = np.random.default_rng(0)
    oracle = LinearOracle(rng.standard_normal((6, 2)), np.zeros(6), np.array([0, 3, 6]), get("svm-map"), True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = bundle(oracle, 1.0)
    assert solution.objective == 0
    assert not solution.w.any()
