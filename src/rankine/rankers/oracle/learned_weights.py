"""Learning the position weight A along with w (Chapelle, Le & Smola, §6): alternating convex steps.

For fixed A the objective is convex in w. For fixed w it is convex in A too: a maximum of functions that are linear in
A, minus one. A step in A goes down a subgradient and is projected onto weights that do not increase, are not negative
and have a fixed sum (isotonic regression, then a shift and a cut); a step is taken only if the objective falls. So it
never rises. The paper's own suggestion, to choose A like a parameter of a kernel by validation, is not taken: its k
numbers are too many for a grid, and a grid of named shapes can be had with ``tune``. They are, with the defaults,
in ``losses/structured/hinge.py``.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.isotonic import isotonic_regression

from ...data.ranking_data import RankingData
from ...rounding import SAFE, gamma
from ...solvers.certificate import CertificateError, relative_gap
from ...system.parallel import thread_count
from .linear import LinearOracle

_ROUNDS, _HALVINGS = 30, 12


def learn_weights(ranker: Any, loss: Any, data: RankingData) -> tuple[Any, list[float]]:
    """A fitted copy of the ranker with the best A, and the objective after every step (it never rises)."""
    depth = int(np.diff(data.ptr).max()) if loss.k is None else loss.k
    A = (depth - np.arange(depth)).astype(np.float64)
    total = A.sum()
    model = _fitted(ranker, A, data, None)
    history = [model.objective_]
    for _ in range(_ROUNDS):
        w, before = model.coef_, history[-1]
        regular = 0.5 * float(w @ w)
        scores = np.asarray(data.X @ w, np.float64)
        slope = loss.with_options(A=A).prepare(data.y, data.ptr).position_slope(scores, depth)
        size, moved = float(np.linalg.norm(slope)), False
        step = float(np.linalg.norm(A)) / size if size > 0 else 0.0
        for _ in range(_HALVINGS):
            candidate = project(A - step * slope, total)
            values = loss.with_options(A=candidate).value_and_grad(scores, data.y, data.ptr)[0]
            height = regular + ranker.C * float(values.sum())
            if height < history[-1] * (1 - 1e-9):
                moved, A = True, candidate
                history.append(height)
                break
            step /= 2
        if not moved:
            break
        again = _fitted(ranker, A, data, w)
        if again.objective_ <= history[-1]:
            model = again
            history.append(again.objective_)
        else:  # the weights stay; what is certified is that of the new A
            _certify(model, again, loss.with_options(A=A).prepare(data.y, data.ptr), data)
        if before - history[-1] <= ranker.tol * before:
            break
    model.A_ = A
    return model, history


def _certify(model: Any, again: Any, prepared: Any, data: RankingData) -> None:
    """Certify the weights of ``model`` by the lower bound that ``again`` has for the same loss."""
    value, error = LinearOracle(data.X, prepared, None, thread_count(model.threads)).refined(model.coef_)
    square = 0.5 * float(model.coef_ @ model.coef_)
    objective = square + model.C * value
    error = SAFE * model.C * error + gamma(len(model.coef_) + 8) * objective
    if again.lower_bound_ > objective + error:
        raise CertificateError(again.lower_bound_, objective)
    model.objective_, model.lower_bound_, model.history_ = objective, again.lower_bound_, again.history_
    model.gap_ = relative_gap(objective, again.lower_bound_, error)
    model.converged_ = model.gap_ <= model.tol


def project(A: np.ndarray, total: float) -> np.ndarray:
    """The nearest non-increasing, non-negative weights with this sum.

    >>> project(np.array([1.0, 2.0, 0.0]), 3.0)
    array([1.5, 1.5, 0. ])
    """
    falling = isotonic_regression(np.asarray(A, np.float64), increasing=False)
    low, high = -float(falling.max()), total - float(falling.max())
    for _ in range(100):  # the shift after which what is above 0 has the right sum
        shift = 0.5 * (low + high)
        low, high = (shift, high) if np.maximum(falling + shift, 0).sum() < total else (low, shift)
    return np.maximum(falling + high, 0.0)


def _fitted(ranker: Any, A: np.ndarray, data: RankingData, start: np.ndarray | None) -> Any:
    model = clone(ranker)
    model.loss_options = {**(ranker.loss_options or {}), "A": A}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data) if start is None else model.fit_from(data, start)
