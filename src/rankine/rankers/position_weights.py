"""Learning the position weight A along with w (Chapelle, Le & Smola, §6): alternating convex steps.

For fixed A the objective is convex in w. For fixed w it is convex in A too: a maximum of functions that are linear in
A, minus one. A step in A goes down a subgradient and is projected onto weights that do not increase, are not negative
and have a fixed sum (isotonic regression, then a shift and a cut); a step is taken only if the objective falls. So it
never rises. The paper's own suggestion, to choose A like a parameter of a kernel by validation, is not taken: its k
numbers are too many for a grid, and a grid of named shapes can be had with ``tune``.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.isotonic import isotonic_regression

from ..data import RankingData
from ..losses.structured.hinge import StructuredHinge
from ..solvers.certificate import relative_gap

_ROUNDS, _HALVINGS = 30, 12


def learn_weights(ranker: Any, loss: StructuredHinge, data: RankingData, features: Any) -> tuple[Any, list[float]]:
    """A fitted copy of the ranker with the best A found, and the objective after every step (it never rises)."""
    depth = int(np.diff(data.ptr).max()) if loss.k is None else loss.k
    A = (depth - np.arange(depth)).astype(np.float64)
    total = A.sum()
    model = _fitted(ranker, A, features, None)
    history = [model.objective_]
    for _ in range(_ROUNDS):
        w, before = model.coef_, history[-1]
        regular = 0.5 * float(w @ w)
        scores = np.asarray(data.X @ w, np.float64)
        slope = _slope(loss, A, scores, data)
        size, moved = float(np.linalg.norm(slope)), None
        step = float(np.linalg.norm(A)) / size if size > 0 else 0.0
        for _ in range(_HALVINGS):
            tried = project(A - step * slope, total)
            height = regular + ranker.C * float(_loss(loss, tried).value_and_grad(scores, data.y, data.ptr)[0].sum())
            if height < history[-1] * (1 - 1e-9):
                moved, A = tried, tried
                history.append(height)
                break
            step /= 2
        if moved is None:
            break
        again = _fitted(ranker, A, features, w)
        if again.objective_ <= history[-1]:
            model = again
            history.append(again.objective_)
        else:  # the weights stay; what is certified is that of the new A
            model.objective_, model.lower_bound_ = history[-1], min(again.lower_bound_, history[-1])
            model.gap_, model.history_ = relative_gap(model.objective_, model.lower_bound_), again.history_
        if before - history[-1] <= ranker.tol * before:
            break
    model.A_ = A
    return model, history


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


def _loss(loss: StructuredHinge, A: np.ndarray) -> StructuredHinge:
    return StructuredHinge(
        loss.of, loss.k, A=A, target=loss.target, gain=loss.gain, rel=loss.rel, seed=loss.seed, threads=loss.threads
    )


def _fitted(ranker: Any, A: np.ndarray, features: Any, start: np.ndarray | None) -> Any:
    model = clone(ranker)
    model.loss_options = {**(ranker.loss_options or {}), "A": A}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(features) if start is None else model._fit_from(features, start)


def _slope(loss: StructuredHinge, A: np.ndarray, scores: np.ndarray, data: RankingData) -> np.ndarray:
    """Of the sum of losses in A: scores at the ranks of the arg max minus those of perfect rankings, on average."""
    prepared = _loss(loss, A).prepare(data.y, data.ptr)
    rankings = prepared.argmax(scores)
    problem, out = prepared.problem, np.zeros(len(A))
    for q in np.flatnonzero(prepared.informative).tolist():
        lo, hi = data.ptr[q], data.ptr[q + 1]
        n = min(len(A), hi - lo)
        firsts = problem.level_first[problem.level_ptr[q] : problem.level_ptr[q + 1]].tolist()
        perfect = np.empty(hi - lo)
        for a, b in zip(firsts, [*firsts[1:], hi], strict=True):
            perfect[a - lo : b - lo] = scores[problem.members[a:b]].mean()
        out[:n] += scores[rankings[lo : lo + n]] - perfect[:n]
    return out
