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
from .certificate import ConvergenceWarning, Descent, Solution
from .oracle import ConcaveOracle

_MOST = 300


def cccp(oracle: ConcaveOracle, C: float, **options: Any) -> Solution:
    """Go down until J falls by less than ``tol``, relatively; options are those of :class:`Search`.

    ``oracle`` has ``value_grad(w)`` and ``touching(w)``, an oracle of a convex function above R that equals it at w.
    ``max_iter`` limits each convex problem.
    """
    run = Descent(oracle, C, **options)
    rough = 5.0  # far from the end a rough solution will do
    while run.falling and len(run.history) <= _MOST and run.seconds <= run.max_time:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = bundle(
                oracle.touching(run.w), C, w0=run.origin, start=run.w, tol=rough * run.tol, max_iter=run.max_iter,
                max_time=max(run.max_time - run.seconds, 0.0),
            )  # fmt: skip
        fell = run.lower(found.w, *oracle.value_grad(found.w))
        run.tell(len(found.history))
        run.falling = rough > 1.0 or fell > run.tol * abs(run.objective)
        rough = 1.0 if fell <= 10 * run.tol * abs(run.objective) else rough
    return run.solution()


def best_of(solve: Callable[..., Solution], starts: list[np.ndarray], *args: Any, **options: Any) -> Solution:
    """The best of the solutions from several starts."""
    return min((solve(*args, start=s, **options) for s in starts), key=lambda s: s.objective)
