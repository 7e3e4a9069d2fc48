r"""Subgradient descent with a backtracking line search (Chapelle, Le & Smola, §3.3.1), and its conjugate variant.

A step that lowers J is taken and the next one tried longer; one that does not is halved. The conjugate variant adds to
the direction a part of the last one (Polak & Ribière), which helps where R is nearly smooth. For a convex R every point
adds a plane, so the certificate is that of the other solvers, and the run ends at its gap. A subgradient need not be a
direction of descent: where no step helps the minimiser of the planes is tried. For an R that is not convex the end is
where the objective falls no more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .certificate import Solution
from .oracle import Oracle
from .run import Descent, Search

_HALVINGS, _LONGER, _PATIENCE = 30, 2.0, 10


def subgradient(oracle: Oracle, C: float, conjugate: bool = False, **options: Any) -> Solution:
    """Minimise ½‖w − w0‖² + C·R(w); options are those of :class:`Options`.

    >>> class Absolute:
    ...     size = 1
    ...     def value_grad(self, w):
    ...         return abs(float(w[0]) - 1), np.array([1.0 if w[0] > 1 else -1.0])
    >>> subgradient(Absolute(), C=0.5).w.round(2)
    array([0.5])
    """
    if not getattr(oracle, "convex", True):
        return _descend(oracle, C, conjugate, **options)
    search = Search(oracle, C, **options)
    try:
        w, (value, grad) = search.w, oracle.value_grad(search.w)
        search.see(w, value, grad)
        step, direction, last = 1.0, np.zeros(oracle.size), None
        while not search.finished():
            slope = search.slope(w, grad)
            direction, last = _direction(slope, direction, last, conjugate), slope
            here = search.height(w, value)
            for _ in range(_HALVINGS):
                new = w + step * direction
                value, grad = oracle.value_grad(new)
                search.see(new, value, grad)
                if search.height(new, value) < here:
                    w, step = new, step * _LONGER
                    break
                step /= 2
            else:  # no step helps: go on from the minimiser of the planes
                w, step, last = search.target, 1.0, None
                value, grad = oracle.value_grad(w)
                search.see(w, value, grad)
    except KeyboardInterrupt:
        search.stop()
    return search.solution()


def conjugate_subgradient(oracle: Oracle, C: float, **options: Any) -> Solution:
    """:func:`subgradient` with conjugate directions."""
    return subgradient(oracle, C, conjugate=True, **options)


def _direction(slope: np.ndarray, direction: np.ndarray, last: np.ndarray | None, conjugate: bool) -> np.ndarray:
    """Down the slope, plus a part of the last direction if that still goes down."""
    if not conjugate or last is None:
        return -slope
    keep = max(float(slope @ (slope - last)) / max(float(last @ last), 1e-300), 0.0)
    mixed = -slope + keep * direction
    return mixed if float(mixed @ slope) < 0 else -slope


def _descend(oracle: Oracle, C: float, conjugate: bool, **options: Any) -> Solution:
    """The same without a certificate: J never rises, and the end is where it falls no more."""
    run = Descent(oracle, C, **options)
    step, direction, last = 1.0, np.zeros(oracle.size), None
    while run.falling and len(run.history) <= run.options.max_iter and run.elapsed <= run.options.max_time:
        slope = run.slope()
        direction, last = _direction(slope, direction, last, conjugate), slope
        w = run.w
        for _ in range(_HALVINGS):
            new = w + step * direction
            if run.lower(new, *oracle.value_grad(new)) > 0:
                step *= _LONGER
                break
            step /= 2
        else:
            run.falling = False
            break
        run.record(run.objective, 0.0, 0)
        before = run.history[max(len(run.history) - 1 - _PATIENCE, 0)].objective
        run.falling = len(run.history) <= _PATIENCE + 1 or before - run.objective > run.tol * abs(run.objective)
    return run.solution()
