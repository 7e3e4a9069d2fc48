"""The simplex programme against an independent optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rankine.solvers.qp import solve_simplex


def random_programme(rng):
    n, rank = int(rng.integers(1, 8)), int(rng.integers(1, 5))
    B = rng.standard_normal((n, rank)) * 10.0 ** rng.integers(-2, 3)
    if n > 2:
        B[1] = B[0]  # degenerate: the same plane twice
    return B @ B.T, rng.standard_normal(n), 10.0 ** rng.integers(-2, 3)


def independent(G, b, C, start):
    """The maximum that SLSQP finds from a start."""
    return -minimize(
        lambda a: 0.5 * a @ G @ a - b @ a,
        start,
        jac=lambda a: G @ a - b,
        bounds=[(0, None)] * len(b),
        constraints={"type": "eq", "fun": lambda a: a.sum() - C, "jac": lambda a: np.ones(len(b))},
        method="SLSQP",
        tol=1e-12,
    ).fun


def test_simplex_programme_against_slsqp():
    rng = np.random.default_rng(0)
    for _ in range(300):
        G, b, C = random_programme(rng)
        n = len(b)
        alpha = rng.random(n) * (rng.random(n) < 0.7)
        alpha = C * (alpha / alpha.sum() if alpha.sum() else np.eye(n)[0])
        start = b @ alpha - 0.5 * alpha @ G @ alpha
        objective, left = solve_simplex(G, b, C, alpha, 1e-10 * C)
        assert alpha.min() >= 0
        assert alpha.sum() == pytest.approx(C)
        assert objective >= start - 1e-9 * (1 + abs(start))
        best = max(independent(G, b, C, a0) for a0 in (np.full(n, C / n), alpha))
        assert objective >= best - 1e-6 * (1 + abs(best)), (G, b, C)
        assert left <= 1e-6 * C * (1 + np.abs(b).max())
