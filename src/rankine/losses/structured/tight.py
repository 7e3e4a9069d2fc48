r"""Tighter bounds that are not convex: differences of two convex functions of the scores.

.. math:: \xi' = \max_\pi [\Delta(\pi) + F(\pi)] - \max_{\pi \in P} F(\pi)

With P all rankings this is the tighter bound of Chapelle, Le & Smola, §4 (``svm-ndcg@10:tight``); with P the perfect
rankings it is ``target="best"``. Always :math:`0 \le \Delta(\pi_s) \le \xi'(\text{tight}) \le \xi'(\text{best}) \le
\xi(\text{mean})`. The second maximum in place of its tangent gives a convex bound above it that touches it at the
current scores: what CCCP minimises again and again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import Loss, Prepared
from . import tight_kernels as kn
from .hinge import PreparedHinge, StructuredHinge


class TightHinge(Loss):
    """The tighter hinge of a structural loss, over all rankings or (``perfect``) over perfect ones.

    Args:
        base: the convex loss, ``target="mean"``.
        perfect: compare with the best perfect ranking only.

    >>> tight = TightHinge(StructuredHinge("ndcg", k=10))
    >>> tight.value_and_grad([1.0, 0.0], y=[1, 0], ptr=[0, 2])[0]
    array([0.])
    """

    convex = False
    bounds = True

    def __init__(self, base: StructuredHinge, perfect: bool = False) -> None:
        self.base, self.perfect = base, perfect
        self.threads = base.threads
        self.name = base.name if perfect else f"{base.name}:tight"

    @property
    def measure(self) -> str:
        """The measure whose complement the loss bounds."""
        return self.base.measure

    def __repr__(self) -> str:
        return f"TightHinge({self.name!r}, A={self.base.A!r}" + (", target='best')" if self.perfect else ")")

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> PreparedTight:
        """Lay the grades out once for many evaluations."""
        return PreparedTight(self, self.base.prepare(y, ptr))


class Shifted(Prepared):
    """A prepared loss plus a fixed linear function of the scores of each query; never below 0, as the bounds are."""

    def __init__(self, base: Prepared, shift: np.ndarray) -> None:
        super().__init__(base.loss, base.ptr)
        self.base, self.shift, self.informative = base, shift, base.informative

    def part(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread."""
        self.base.part(q0, q1, scores, values, grad)
        add_linear(self.ptr, q0, q1, self.shift, scores, values, grad)


def add_linear(
    ptr: np.ndarray, q0: int, q1: int, shift: np.ndarray, scores: np.ndarray, values: np.ndarray, grad: np.ndarray
) -> None:
    """Add ⟨shift, scores⟩ to the values of queries and ``shift`` to their gradients; rounding below 0 is cut off."""
    rows = slice(ptr[q0], ptr[q1])
    grad[rows] += shift[rows]
    sums = np.add.reduceat(shift[rows] * scores[rows], ptr[q0:q1] - ptr[q0])
    values[q0:q1] = np.maximum(values[q0:q1] + sums, 0.0)


class PreparedTight(Prepared):
    """A tighter hinge with the grades laid out; it also gives convex bounds that touch it (:meth:`touching`)."""

    def __init__(self, loss: TightHinge, base: PreparedHinge) -> None:
        super().__init__(loss, base.ptr)
        self.base, self.perfect, self.informative = base, loss.perfect, base.informative
        target = base.problem.target
        if base.mode in kn.PAIRWISE:  # F* of a pairwise map is that of any perfect ranking
            target = self._weights(np.zeros(self.n), perfect=True)
        self.target = target.copy()

    def _weights(self, scores: np.ndarray, perfect: bool) -> np.ndarray:
        out = np.empty(self.n)
        b = self.base
        kn.ranking_weights(perfect, b.mode, b.table, b.k, b.problem, scores, 0, len(self.ptr) - 1, out)
        return out

    def stiffness(self, grad: np.ndarray) -> np.ndarray:
        """That of the hinge it is made from."""
        return self.base.stiffness(grad)

    def part(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread: the convex hinge, its target replaced by the maximum."""
        b = self.base
        b.part(q0, q1, scores, values, grad)
        shift = np.empty(self.n) if q1 - q0 == len(self.ptr) - 1 else np.zeros(self.n)
        kn.ranking_weights(self.perfect, b.mode, b.table, b.k, b.problem, scores, q0, q1, shift)
        rows = slice(self.ptr[q0], self.ptr[q1])
        shift[rows] = self.target[rows] - shift[rows]
        add_linear(self.ptr, q0, q1, shift, scores, values, grad)

    def touching(self, scores: np.ndarray) -> Shifted:
        """The convex bound above that equals it at these scores."""
        return Shifted(self.base, self.target - self._weights(scores, self.perfect))
