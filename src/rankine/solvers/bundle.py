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

from typing import Any

import numpy as np

from .certificate import Solution
from .oracle import Line, Oracle
from .run import Search

_FLAT = 0.1  # a line search ends where the slope is this part of the first one
_NEAR = 1e-4  # the shortest step


def bundle(oracle: Oracle, C: float, **options: Any) -> Solution:
    """Minimise ½‖w − w0‖² + C·R(w) for any convex R; options are those of :class:`Options`.

    ``oracle`` has ``value_grad(w)``, and ``along(w, d)`` for the line search if it can.

    >>> class Absolute:
    ...     size = 1
    ...     def value_grad(self, w):
    ...         return abs(float(w[0]) - 1), np.array([1.0 if w[0] > 1 else -1.0])
    >>> solution = bundle(Absolute(), C=0.5)
    >>> solution.w, round(solution.objective, 6)
    (array([0.5]), 0.375)
    """
    search = Search(oracle, C, **options)
    t = 0.5
    try:
        search.see(search.w, *oracle.value_grad(search.w))
        while not search.finished():
            if hasattr(oracle, "along"):
                line = oracle.along(search.w, search.target - search.w)
                t = _line_search(line, search, t)
                search.spent("line search")
                search.see(*line.stop())
            else:
                search.see(search.target, *oracle.value_grad(search.target))
    except KeyboardInterrupt:
        search.stop()
    return search.solution()


def _line_search(line: Line, search: Search, guess: float) -> float:
    """Walk ``line``, from the best point to the target, to where J is nearly flat; the last t in (0, 1].

    What is known at t = 0 is not evaluated again. The search goes out from the guess, the t of the last search, until J
    rises, then to where the two tangents meet, the cutting-plane step in one dimension. A plane at t cuts off the
    target, where the model is as low as the lower bound, if J does not fall at t, or so little that its tangent stays
    well above: only there the search ends.
    """
    w, d, C, best, lower = (
        search.w - search.origin,
        search.target - search.w,
        search.C,
        search.objective,
        search.estimate,
    )
    linear, quadratic = float(w @ d), float(d @ d)
    low, f_low, g_low = 0.0, best - 0.5 * float(w @ w), linear + C * float(search.grad @ d)
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
