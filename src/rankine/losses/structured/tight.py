r"""Tighter bounds that are not convex: differences of two convex functions of the scores.

.. math:: \xi' = \max_\pi [\Delta(\pi) + F(\pi)] - \max_{\pi \in P} F(\pi)

With P all rankings this is the tighter bound of Chapelle, Le & Smola, §4 (``svm-ndcg@10:tight``); with P the perfect
rankings it is ``target="best"``. Always :math:`0 \le \Delta(\pi_s) \le \xi'(\text{tight}) \le \xi'(\text{best}) \le
\xi(\text{mean})`. The second maximum in place of its tangent gives a convex bound above it that touches it at the
current scores: what CCCP minimises again and again.
"""

from __future__ import annotations

import numpy as np

from ...rounding import UNIT
from ..base import Prepared, Rounding, Seen
from ..constants import Constants
from .hinge import PreparedHinge, StructuredHinge
from .wrapped import PreparedWrapped, WrappedHinge


class Shifted(Prepared):
    """A prepared loss plus a fixed linear function of the scores of each query; never below 0, as the bounds are."""

    def __init__(self, base: Prepared, shift: np.ndarray) -> None:
        super().__init__(base.loss, base.ptr)
        self.base, self.shift, self.informative = base, shift, base.informative
        self._total = np.add.reduceat(np.abs(shift), base.ptr[:-1])

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread."""
        self.base.evaluate(q0, q1, scores, values, grad)
        add_linear(self.ptr, q0, q1, self.shift, scores, values, grad)

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """That of the loss, and of the linear function."""
        base, shift = self.base.rounding(q0, q1, seen), self._total[q0:q1]
        unit = 4 * UNIT * (self.lengths[q0:q1] + 8) * shift
        return Rounding(base.value + unit * seen.largest, base.grad + unit, base.steep + shift)


def add_linear(
    ptr: np.ndarray, q0: int, q1: int, shift: np.ndarray, scores: np.ndarray, values: np.ndarray, grad: np.ndarray
) -> None:
    """Add ⟨shift, scores⟩ to the values of queries and ``shift`` to their gradients; rounding below 0 is cut off."""
    rows = slice(ptr[q0], ptr[q1])
    grad[rows] += shift[rows]
    sums = np.add.reduceat(shift[rows] * scores[rows], ptr[q0:q1] - ptr[q0])
    values[q0:q1] = np.maximum(values[q0:q1] + sums, 0.0)


class PreparedTight(PreparedWrapped):
    """A tighter hinge with the grades laid out; it also gives convex bounds that touch it (:meth:`touching`)."""

    touches = True

    def __init__(self, loss: TightHinge, base: PreparedHinge) -> None:
        super().__init__(loss, base)
        self.perfect, self.target = loss.perfect, self.fixed_target()

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread: the convex hinge, its target replaced by the maximum."""
        self.base.evaluate(q0, q1, scores, values, grad)
        shift = self.ranking_weights(scores, self.perfect, self.scratch(), q0, q1)
        rows = slice(self.ptr[q0], self.ptr[q1])
        shift[rows] = self.target[rows] - shift[rows]
        add_linear(self.ptr, q0, q1, shift, scores, values, grad)

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """That of the hinge, and of the best ranking's score, which is subtracted instead of the target's."""
        base, weights = self.base.rounding(q0, q1, seen), self.base.reach()[0][q0:q1]
        unit = 4 * UNIT * (self.lengths[q0:q1] + 8) * weights
        return Rounding(base.value + unit * seen.largest, base.grad + unit, base.steep + weights)

    def touching(self, scores: np.ndarray) -> Shifted:
        """The convex bound above that equals it at these scores."""
        return Shifted(self.base, self.target - self.ranking_weights(scores, self.perfect, np.empty(self.n)))

    def convex_bound(self) -> PreparedHinge:
        """The hinge that it is made from."""
        return self.base

    def constants(self) -> Constants:
        """Those of the hinge with a free target; over all rankings the loss is at most 1."""
        constants = self.base.constants_for(free_target=True)
        return constants if self.perfect else constants._replace(l1=np.zeros_like(constants.l1))


class TightHinge(WrappedHinge):
    """The tighter hinge of a structural loss, over all rankings or (``perfect``) over perfect ones.

    Args:
        base: the convex loss, ``target="mean"``.
        perfect: compare with the best perfect ranking only.

    >>> tight = TightHinge(StructuredHinge("ndcg", k=10))
    >>> tight.value_and_grad([1.0, 0.0], y=[1, 0], ptr=[0, 2])[0]
    array([0.])
    """

    convex = False
    prepared = PreparedTight

    def __init__(self, base: StructuredHinge, perfect: bool = False) -> None:
        super().__init__(base, base.name if perfect else f"{base.name}:tight")
        self.perfect = perfect

    def __repr__(self) -> str:
        return f"TightHinge({self.name!r}, A={self.base.A!r}" + (", target='best')" if self.perfect else ")")
