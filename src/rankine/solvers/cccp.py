r"""The convex–concave procedure for R = convex − convex (Yuille & Rangarajan 2003), around the bundle method.

The part that is subtracted is replaced by its tangent at the current point. That gives a convex problem whose objective
lies above J and touches it there, so its minimiser cannot be worse: J never rises. There is no lower bound but 0.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .bundle import bundle
from .certificate import ConvergenceWarning, Planes, Solution, Step
from .oracle import ConcaveOracle

_MOST = 300


def cccp(
    oracle: ConcaveOracle,
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
    """Go down from ``start`` (w0 by default) until J falls by less than ``tol``, relatively; J never rises.

    ``oracle`` has ``value_grad(w)`` and ``touching(w)``, an oracle of a convex function above R that equals it at w.
    ``max_iter`` limits each convex problem. ``planes`` is not used: planes of another tangent are not below this one.
    """
    origin = np.zeros(oracle.size) if w0 is None else np.asarray(w0, np.float64)
    w = (origin if start is None else np.asarray(start, np.float64)).copy()
    began = time.perf_counter()

    def height(x: np.ndarray) -> float:
        return 0.5 * float((x - origin) @ (x - origin)) + C * oracle.value_grad(x)[0]

    objective = height(w)
    history = [Step(0, objective, 0.0, 1.0, 0, time.perf_counter() - began)]
    stopped, rough = True, 5.0  # far from the end a rough solution will do
    for iteration in range(1, _MOST + 1):
        left = max_time - (time.perf_counter() - began)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = bundle(
                oracle.touching(w), C, w0=w0, start=w, tol=rough * tol, max_iter=max_iter, max_time=max(left, 0.0)
            )
        new = height(found.w)
        fell = objective - new
        if fell > 0:
            w, objective = found.w, new
        step = Step(iteration, objective, 0.0, 1.0, len(found.history), time.perf_counter() - began)
        history.append(step)
        if progress is not None:
            progress(step)
        if fell <= tol * abs(objective) and rough == 1.0:
            stopped = False
            break
        rough = 1.0 if fell <= 10 * tol * abs(objective) else rough
        if time.perf_counter() - began > max_time:
            break
    if stopped:
        warnings.warn("CCCP stopped by a limit while the objective was still falling", ConvergenceWarning, stacklevel=3)
    return Solution(w, objective, 0.0, tuple(history), {"all": time.perf_counter() - began}, not stopped)


def best_of(solve: Callable[..., Solution], starts: list[np.ndarray], *args: Any, **options: Any) -> Solution:
    """The best of the solutions from several starts."""
    return min((solve(*args, start=s, **options) for s in starts), key=lambda s: s.objective)
