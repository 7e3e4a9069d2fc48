r"""Squared losses :math:`\sum_i (s_i - \alpha_i)^2`: on grades, or on a standard form, which makes them consistent.

The regression of gains was the first loss known to be consistent for DCG (Cossock & Zhang 2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ..rounding import UNIT
from .base import Loss, Prepared, Rounding, Seen
from .standard_form import standard_form


class Squared(Loss):
    """Squared distance of the scores from grades, or from the standard form of DCG or nDCG.

    >>> Squared("dcg").value_and_grad([1.0, 0.0], y=[2, 0], ptr=[0, 2])
    (array([4.]), array([-4.,  0.]))
    """

    weighs_documents = True

    def __init__(self, of: str | None = None, k: int | None = None, *, threads: int | None = None) -> None:
        if of not in (None, "dcg", "ndcg"):
            raise InputError(f"a squared loss is of grades (None), dcg or ndcg; got {of!r}")
        if k is not None and (k < 1 or of is None):
            raise InputError(f"k must be at least 1, and only DCG and nDCG have one; got {k}")
        self.of, self.k, self.threads = of, k, threads
        self.name = "squared" + ("" if of is None else f"-{of}") + ("" if k is None else f"@{k}")

    @property
    def measure(self) -> str:
        """The measure the loss is consistent for."""
        if self.of is None:
            return "nDCG@10"
        return {"dcg": "DCG", "ndcg": "nDCG"}[self.of] + ("" if self.k is None else f"@{self.k}")

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> PreparedSquares:
        """Lay the grades out once for many evaluations."""
        grades, ends = self.check_grades(y, ptr)
        target = grades if self.of is None else standard_form(self.measure, grades, ends)
        return PreparedSquares(self, ends, target, np.ones(len(grades)) if doc_weight is None else doc_weight)


class PreparedSquares(Prepared):
    """Σ weight·(s − target)²."""

    smooth = curved = True

    def __init__(self, loss: Loss, ptr: np.ndarray, target: np.ndarray, weight: np.ndarray) -> None:
        super().__init__(loss, ptr)
        self.target, self.weight = target, weight
        self._furthest = np.maximum.reduceat(np.abs(target), ptr[:-1])
        self._total = np.add.reduceat(weight, ptr[:-1])

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1."""
        lo, hi = self.ptr[q0], self.ptr[q1]
        off = scores[lo:hi] - self.target[lo:hi]
        grad[lo:hi] = 2 * self.weight[lo:hi] * off
        values[q0:q1] = np.add.reduceat(0.5 * grad[lo:hi] * off, self.ptr[q0:q1] - lo)

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """Squares of at most the largest score plus the furthest target, summed; targets are right to a few units."""
        unit, weight, off = 8 * UNIT, self._total[q0:q1], seen.largest + self._furthest[q0:q1]
        value = unit * (self.lengths[q0:q1] + 8) * weight * off * off
        return Rounding(value, 2 * unit * weight * off, 2 * weight * (off + seen.near))

    def diagonal(self, scores: np.ndarray, grad: np.ndarray) -> np.ndarray:
        """Twice the weights, exactly."""
        return 2 * self.weight

    def curvature(
        self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray, v: np.ndarray, out: np.ndarray
    ) -> None:
        """Twice the weights."""
        lo, hi = self.ptr[q0], self.ptr[q1]
        out[lo:hi] = 2 * self.weight[lo:hi] * v[lo:hi]
