r"""Truncated Newton and L-BFGS for differentiable losses.

The Newton step solves :math:`(I + C\,H)\,d = -\nabla J` by conjugate gradients, which need only products with the
(generalised) Hessian H of R; a rough solution is enough far from the optimum (Keerthi & DeCoste 2005; Chapelle &
Keerthi 2010). The step's length is found on the line, where no feature is looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from .certificate import Solution
from .oracle import CurvedOracle, Line, Oracle
from .run import Search

_MOST_PRODUCTS = 50
_NEAR = 1e-6  # the shortest first step


def newton(oracle: CurvedOracle, C: float, **options: Any) -> Solution:
    """Minimise ½‖w − w0‖² + C·R(w) for an R with a Hessian; options are those of :class:`Options`.

    >>> class Square:
    ...     size = 1
    ...     def value_grad(self, w):
    ...         return float(w @ w) - 2 * w[0] + 1, 2 * w - 2
    ...     def hvp(self, w, v):
    ...         return 2 * v
    ...     def along(self, w, d):
    ...         return Walk(self, w, d)
    >>> class Walk:
    ...     def __init__(self, oracle, w, d):
    ...         self.oracle, self.w, self.d = oracle, w, d
    ...     def __call__(self, t):
    ...         self.at = self.w + t * self.d
    ...         value, grad = self.oracle.value_grad(self.at)
    ...         return value, float(grad @ self.d)
    ...     def stop(self):
    ...         return self.at, *self.oracle.value_grad(self.at)
    >>> newton(Square(), C=1.0).w.round(6)
    array([0.666667])
    """
    search = Search(oracle, C, **options)
    try:
        w = search.w
        value, grad = oracle.value_grad(w)
        search.see(w, value, grad)
        first = float(np.linalg.norm(search.slope(w, grad)))
        while not search.finished():
            if search.sharpened:  # what was known of w is less precise than what will be
                search.sharpened, w = False, search.w
                value, grad = oracle.value_grad(w)
            slope = search.slope(w, grad)
            size = float(np.linalg.norm(slope))
            if size == 0:
                search.stop("a gradient of 0")
                break
            d = _conjugate_gradients(oracle, w, C, slope, min(0.2, np.sqrt(size / max(first, 1e-300))) * size)
            search.spent("products")
            line = oracle.along(w, d)
            before = search.height(w, value)
            _step_length(line, search, w, d, before, float(slope @ d))
            search.spent("line search")
            w, value, grad = line.stop()
            search.see(w, value, grad)
            if search.height(w, value) >= before and not search.sharpen():
                if not search.finished():
                    search.stop("the precision of the numbers")
                break
    except KeyboardInterrupt:
        search.stop()
    return search.solution()


def _conjugate_gradients(oracle: CurvedOracle, w: np.ndarray, C: float, slope: np.ndarray, enough: float) -> np.ndarray:
    """d with (I + C·H)d ≈ −slope, to a residual of ``enough``."""
    d, residual = np.zeros_like(slope), -slope
    p, square = residual.copy(), float(residual @ residual)
    for _ in range(_MOST_PRODUCTS):
        product = p + C * oracle.hvp(w, p)
        step = square / float(p @ product)
        d += step * p
        residual = residual - step * product
        previous, square = square, float(residual @ residual)
        if np.sqrt(square) <= enough:
            break
        p = residual + square / previous * p
    return d


def _step_length(line: Line, search: Search, w: np.ndarray, d: np.ndarray, before: float, fall: float) -> None:
    """Walk to a t where J has fallen and is much flatter than at 0.

    First 1, or less where that would fall below the lower bound twice over (far from the optimum the Hessian may be 0
    in the direction of d), then the secant on the slope.
    """
    away, t = w - search.origin, min(1.0, max(2 * (before - search.lower) / abs(fall), _NEAR))
    linear, quadratic = float(away @ d), float(d @ d)
    low, g_low, high, g_high = 0.0, fall, np.inf, np.inf
    for _ in range(15):
        value, rise = line(t)
        height = 0.5 * float((away + t * d) @ (away + t * d)) + search.C * value
        g = linear + quadratic * t + search.C * rise
        if height < before and abs(g) <= 0.3 * abs(fall):
            return
        if g < 0 and height < before:
            low, g_low = t, g
        else:
            high, g_high = t, g
        if np.isinf(high):
            t *= 2.0
        else:
            cut = low - g_low * (high - low) / (g_high - g_low) if g_high > 0 else 0.5 * (low + high)
            t = min(max(cut, low + 0.1 * (high - low)), high - 0.1 * (high - low)) if low > 0 else min(cut, 0.2 * high)
    if low > 0:
        line(low)


def lbfgs(oracle: Oracle, C: float, **options: Any) -> Solution:
    """Minimise ½‖w − w0‖² + C·R(w) for a differentiable R by SciPy's L-BFGS; options are those of :class:`Options`.

    >>> class Square:
    ...     size = 1
    ...     def value_grad(self, w):
    ...         return float(w @ w) - 2 * w[0] + 1, 2 * w - 2
    >>> lbfgs(Square(), C=1.0).w.round(3)
    array([0.667])
    """
    search = Search(oracle, C, **options)

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        point = w.copy()
        value, grad = oracle.value_grad(point)
        search.see(point, value, grad)
        return search.height(point, value), search.slope(point, grad)

    def after(w: np.ndarray) -> None:
        if search.finished():
            raise StopIteration

    try:
        settings = {"maxiter": search.options.max_iter + 1, "ftol": 0.0, "gtol": 0.0, "maxls": 30}
        while True:
            minimize(objective, search.w, jac=True, method="L-BFGS-B", callback=after, options=settings)
            certified = bool(search.history) and search.history[-1].gap <= search.tol
            if certified or search.stopped or search.finished():
                break
            if not search.sharpen():
                search.stop("the precision of the numbers")
                break
    except KeyboardInterrupt:
        search.stop()
    return search.solution()
