r"""The bundle method (one-slack cutting plane) with an exact line search.

Minimise :math:`J(w) = \tfrac12\|w - w_0\|^2 + C\,R(w)`. Every evaluation of R at a point :math:`w_t` with subgradient
:math:`a_t` gives a plane below R, :math:`R(w) \ge \langle a_t, w\rangle + b_t`; R ≥ 0 is one more. The largest of the
planes in place of R gives a smaller problem whose minimum is a lower bound on the minimum of J: its dual is a quadratic
programme over the simplex with one variable per plane (Chapelle, Le & Smola, §3.3.2; Teo et al. 2007). The minimiser of
the small problem overshoots where there are few planes, so the next plane is taken where J is nearly smallest on the
segment from the best point so far to it (Franc & Sonnenburg 2008). The gap between the best J and the lower bound is
the certificate.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .oracle import Oracle
from .qp import solve_simplex

_IDLE = 30
_FLAT = 0.1  # a line search ends where the slope is this part of the first one
_NEAR = 1e-4  # the shortest step


class ConvergenceWarning(UserWarning):
    """The solver stopped before the gap that was asked for."""


@dataclass(frozen=True)
class Step:
    """One iteration: what was certified after it, and how many planes were in use."""

    iteration: int
    objective: float
    lower_bound: float
    gap: float
    planes: int
    seconds: float


@dataclass(frozen=True)
class Solution:
    """A point with its certificate: the minimum lies between ``lower_bound`` and ``objective``."""

    w: np.ndarray
    objective: float
    lower_bound: float
    history: tuple[Step, ...]
    seconds: dict[str, float]
    converged: bool

    @property
    def gap(self) -> float:
        """(objective − lower bound) / objective."""
        return relative_gap(self.objective, self.lower_bound)


def relative_gap(objective: float, lower_bound: float) -> float:
    """How far the objective may still be from the minimum, as a share of it.

    >>> relative_gap(2.0, 1.5)
    0.25
    """
    return max(objective - lower_bound, 0.0) / objective if objective > 0 else 0.0


@dataclass
class Planes:
    """Planes ⟨a, w⟩ + b below R with their Gram matrix and dual weights; the first is R ≥ 0.

    They can be handed to the next problem of a path: planes do not depend on C or w0.
    """

    size: int
    a: list[np.ndarray] = field(default_factory=list)
    b: list[float] = field(default_factory=list)
    alpha: np.ndarray = field(default_factory=lambda: np.zeros(0))
    gram: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    idle: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.a:
            self.add(np.zeros(self.size), 0.0)

    def add(self, a: np.ndarray, b: float) -> None:
        """One more plane, with dual weight 0."""
        column = np.array([other @ a for other in self.a] + [a @ a])
        n = len(self.a)
        gram = np.empty((n + 1, n + 1))
        gram[:n, :n] = self.gram
        gram[n, :] = gram[:, n] = column
        self.gram = gram
        self.a.append(a)
        self.b.append(b)
        self.alpha = np.append(self.alpha, 0.0)
        self.idle.append(0)

    def solve(self, w0: np.ndarray, C: float, tolerance: float) -> tuple[np.ndarray, float]:
        """Minimiser of the problem with the planes in place of R, and a lower bound on J."""
        b = np.array(self.b) + (np.array([a @ w0 for a in self.a]) if w0.any() else 0.0)
        total = self.alpha.sum()
        if total > 0:
            self.alpha *= C / total
        else:
            self.alpha[0] = C
        bound, _ = solve_simplex(self.gram, b, C, self.alpha, tolerance)
        w = w0.copy()
        for weight, a in zip(self.alpha.tolist(), self.a, strict=True):
            if weight > 0:
                w -= weight * a
        self.idle = [0 if x > 0 else n + 1 for x, n in zip(self.alpha.tolist(), self.idle, strict=True)]
        return w, bound

    def prune(self) -> None:
        """Forget planes that have had no weight for many iterations."""
        keep = [i for i, n in enumerate(self.idle) if i == 0 or n <= _IDLE]
        if len(keep) < len(self.a):
            self.a = [self.a[i] for i in keep]
            self.b = [self.b[i] for i in keep]
            self.idle = [self.idle[i] for i in keep]
            self.alpha = self.alpha[keep]
            self.gram = np.ascontiguousarray(self.gram[np.ix_(keep, keep)])


def bundle(
    oracle: Oracle,
    C: float,
    *,
    w0: np.ndarray | None = None,
    start: np.ndarray | None = None,
    planes: Planes | None = None,
    tol: float = 1e-3,
    max_iter: int = 1000,
    max_time: float = np.inf,
    progress: Callable[[Step], None] | None = None,
) -> Solution:
    """Minimise ½‖w − w0‖² + C·R(w) to a relative gap of ``tol``.

    Args:
        oracle: ``value_grad(w)``, and ``along(w, d)`` for the line search if it has one.
        C: the weight of R.
        w0: the reference point, 0 by default.
        start: where to begin, w0 by default.
        planes: planes of an earlier run with the same oracle, a warm start; new ones are added to it.
        tol: the relative gap to reach.
        max_iter: the most iterations; the best point so far is returned with a warning.
        max_time: the most seconds, likewise; so does an interrupt from the keyboard.
        progress: called after every iteration.

    >>> class Absolute:
    ...     size = 1
    ...     def value_grad(self, w):
    ...         return abs(float(w[0]) - 1), np.array([1.0 if w[0] > 1 else -1.0])
    >>> solution = bundle(Absolute(), C=0.5, tol=1e-9)
    >>> solution.w, round(solution.objective, 6)
    (array([0.5]), 0.375)
    """
    origin = np.zeros(oracle.size) if w0 is None else np.asarray(w0, np.float64)
    best_w = (origin if start is None else np.asarray(start, np.float64)).copy()
    planes = Planes(oracle.size) if planes is None else planes
    clock = {"oracle": 0.0, "line search": 0.0, "qp": 0.0}
    began = time.perf_counter()
    history: list[Step] = []

    def height(w: np.ndarray, value: float) -> float:
        return 0.5 * float((w - origin) @ (w - origin)) + C * value

    since = time.perf_counter()
    value, grad = oracle.value_grad(best_w)
    planes.add(grad, value - float(grad @ best_w))
    clock["oracle"] += time.perf_counter() - since
    best, best_grad, lower, stopped, t = height(best_w, value), grad, 0.0, "", 0.5
    try:
        while True:
            since = time.perf_counter()
            target, bound = planes.solve(origin, C, 0.03 * max(best - lower, tol * best))
            lower = min(max(lower, bound), best)
            clock["qp"] += time.perf_counter() - since
            gap = relative_gap(best, lower)
            step = Step(len(history), best, lower, gap, len(planes.a), time.perf_counter() - began)
            history.append(step)
            if progress is not None:
                progress(step)
            if gap <= tol:
                break
            if len(history) > max_iter or step.seconds > max_time:
                stopped = f"{max_iter} iterations" if len(history) > max_iter else f"{max_time:g} seconds"
                break
            planes.prune()
            since = time.perf_counter()
            if hasattr(oracle, "along"):
                line = oracle.along(best_w, target - best_w)
                t = _line_search(line, best_w - origin, target - best_w, C, best, lower, best_grad, t)
                clock["line search"] += time.perf_counter() - since
                since = time.perf_counter()
                w, value, grad = line.stop()
            else:
                w = target
                value, grad = oracle.value_grad(w)
            planes.add(grad, value - float(grad @ w))
            clock["oracle"] += time.perf_counter() - since
            if height(w, value) < best:
                best, best_w, best_grad = height(w, value), w, grad
    except KeyboardInterrupt:
        stopped = "an interrupt"
    if stopped:
        gap = relative_gap(best, lower)
        warnings.warn(
            f"stopped by {stopped} at a relative gap of {gap:.2g}, {tol:g} was asked for",
            ConvergenceWarning,
            stacklevel=3,
        )
    return Solution(best_w, best, lower, tuple(history), clock, not stopped)


def _line_search(
    line: Any, w: np.ndarray, d: np.ndarray, C: float, best: float, lower: float, grad: np.ndarray, guess: float
) -> float:
    """Walk ``line`` to where J(w + t·d) is nearly flat, t in (0, 1]; the last t, a guess for the next search.

    ``w`` is taken relative to the reference point. What is known at t = 0 is not evaluated again. The search goes out
    from the guess until J rises, then to where the two tangents meet, the cutting-plane step in one dimension. A plane
    at t cuts off the target, where the model is as low as ``lower``, if J does not fall at t, or so little that its
    tangent stays well above: only there the search ends.
    """
    linear, quadratic = float(w @ d), float(d @ d)
    low, f_low, g_low = 0.0, best - 0.5 * float(w @ w), linear + C * float(grad @ d)
    high = f_high = g_high = np.inf
    flat, slack = _FLAT * abs(g_low), 0.5 * (best - lower)
    t = min(max(guess, _NEAR), 1.0) if g_low < 0 else _NEAR
    for _ in range(8):
        value, rise = line(t)
        f, g = 0.5 * quadratic * t * t + linear * t + C * value, linear + quadratic * t + C * rise
        if (abs(g) <= flat and g >= -slack) or (t == 1.0 and g < 0) or (g >= 0 and t <= _NEAR):
            return t
        if g < 0:
            low, f_low, g_low = t, f, g
        else:
            high, f_high, g_high = t, f, g
        if np.isinf(high):
            t = min(1.0, 2.5 * t)
        else:
            t = (f_high - f_low + g_low * low - g_high * high) / (g_low - g_high)
            t = min(max(t, low + 0.05 * (high - low)), high - 0.05 * (high - low))
    t = high if np.isfinite(high) else 1.0
    if g < 0:
        line(t)
    return t


def show_progress(label: str) -> Callable[[Step], None] | None:
    """A line on standard error that shows the gap closing; None where it is not a terminal."""
    if not sys.stderr.isatty():
        return None
    last = [0.0]

    def show(step: Step) -> None:
        if step.seconds - last[0] > 0.2:
            last[0] = step.seconds
            line = f"{label}: iteration {step.iteration}, objective {step.objective:.6g}, gap {step.gap:.2e}"
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    return show
