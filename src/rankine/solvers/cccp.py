r"""The convex–concave procedure for R = convex − convex (Yuille & Rangarajan 2003), around the bundle method.

The part that is subtracted is replaced by its tangent at the current point. That gives a convex problem whose objective
lies above J and touches it there, so its minimiser cannot be worse: J never rises. There is no lower bound but 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .bundle import bundle
from .certificate import ConvergenceWarning, Solution
from .oracle import ConcaveOracle
from .run import Descent

_MOST = 300


def cccp(oracle: ConcaveOracle, C: float, **options: Any) -> Solution:
    """Go down until J falls by less than ``tol``, relatively; options are those of :class:`Options`.

    ``oracle`` has ``value_grad(w)`` and ``touching(w)``, an oracle of a convex function above R that equals it at w.
    ``max_iter`` limits each convex problem.
    """
    run = Descent(oracle, C, **options)
    rough = 5.0  # far from the end a rough solution will do
    while run.falling and len(run.history) <= _MOST and run.elapsed <= run.options.max_time:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            inner = bundle(
                oracle.touching(run.w), C, w0=run.origin, start=run.w, tol=rough * run.tol,
                max_iter=run.options.max_iter, max_time=max(run.options.max_time - run.elapsed, 0.0),
            )  # fmt: skip
        fall = run.lower(inner.w, *oracle.value_grad(inner.w))
        run.record(run.objective, 0.0, len(inner.history))
        run.falling = rough > 1.0 or fall > run.tol * abs(run.objective)
        rough = 1.0 if fall <= 10 * run.tol * abs(run.objective) else rough
    return run.solution()


def best_of(solve: Callable[..., Solution], starts: list[np.ndarray], *args: Any, **options: Any) -> Solution:
    """The best of the solutions from several starts."""
    return min((solve(*args, start=s, **options) for s in starts), key=lambda s: s.objective)
