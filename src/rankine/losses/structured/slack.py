r"""Slack rescaling: the margin is multiplied by the loss of a ranking instead of widened by it.

.. math:: \xi = \max_\pi \Delta(\pi)\,\bigl(1 + F(\pi) - F^*\bigr)

The maximum of a product of two linear forms. For few outputs it is found by looking at all of them. Beyond that it is
certified: for any c > 0 the product is at most :math:`\tfrac14 \max_\pi (c\,\Delta + (1 + F - F^*)/c)^2`, which is one
margin-rescaled arg max at scores divided by c². That bounds it from above, the ranking found bounds it from below, and
c is halved in on until the two meet or no c is left to try.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rounding import UNIT
from ..base import Rounding, Seen
from ..constants import Constants
from . import enumerated_kernels as kn
from .enumerated import log_outputs
from .hinge import PreparedHinge, StructuredHinge
from .hinge_kernels import AVERAGE_PRECISION, RECIPROCAL_RANK
from .wrapped import PreparedWrapped, WrappedHinge

_TRIES, _FEW = 40, 2000


class PreparedSlack(PreparedWrapped):
    """A slack-rescaled hinge with the grades laid out; :meth:`certified` gives both bounds."""

    exact = False

    def __init__(self, loss: SlackHinge, base: PreparedHinge) -> None:
        super().__init__(loss, base)
        few = log_outputs(base) <= np.log(_FEW)
        self.enumerated = few & (base.solver != RECIPROCAL_RANK)
        self.target = self.fixed_target()
        self._slip = np.zeros(len(self.ptr) - 1)  # of Δ, where each query was evaluated last

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """The lower bounds of queries q0 to q1 − 1, and a subgradient: planes below the loss."""
        values[q0:q1], _, slope, self._slip[q0:q1] = self._both(scores, q0, q1)
        grad[self.ptr[q0] : self.ptr[q1]] = slope

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """That of Δ, which multiplies the margin and the slopes, and that of the margin."""
        weights, steep = (x[q0:q1] for x in self.base.reach())
        slip, margin = self._slip[q0:q1] + 8 * UNIT * (self.lengths[q0:q1] + 8), 1 + weights * seen.largest
        return Rounding(2 * slip * margin * self.informative[q0:q1], 2 * slip * weights, steep)

    def upper(self, scores: Any) -> np.ndarray:
        """The certified upper bounds."""
        return self.certified(self.checked(scores))[1]

    def constants(self) -> Constants:
        """Those of the hinge that it is made from."""
        return self.base.constants()

    def certified(
        self, scores: np.ndarray, q0: int = 0, q1: int | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
        """Lower and upper bounds on the loss of each query, and the gradient of the lower one.

        The upper bounds hold whatever rounding did; the lower ones up to :meth:`rounding`.
        """
        return self._both(scores, q0, len(self.ptr) - 1 if q1 is None else q1)[:3]

    def _both(
        self, scores: np.ndarray, q0: int, q1: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
        """Both bounds, the gradient, and how far off the Δ of the lower bound can be."""
        low, high, slope, slip = self._bisected(scores, q0, q1)
        b, exact = self.base, np.zeros(q1 - q0)
        kn.slack_over_outputs(
            b.solver == AVERAGE_PRECISION, b.mode, b.table, b.discount, b.k, b.problem, self.target, scores,
            self.enumerated, q0, q1, exact, slope,
        )  # fmt: skip
        few = self.enumerated[q0:q1]
        unit, size = self._sizes(scores, q0, q1)
        low[few], high[few], slip[few] = exact[few], (exact + 4 * unit * size)[few], unit[few]
        idle = ~self.informative[q0:q1]
        low[idle] = high[idle] = 0.0
        slope[np.repeat(idle, np.diff(self.ptr[q0 : q1 + 1]))] = 0.0
        return low, np.maximum(high, low), slope, slip

    def _sizes(self, scores: np.ndarray, q0: int, q1: int) -> tuple[np.ndarray, np.ndarray]:
        """What a sum over the documents of each query rounds off, and a bound on the size of 1 + |F| + |F*|."""
        rows = slice(self.ptr[q0], self.ptr[q1])
        largest = np.maximum.reduceat(np.abs(scores[rows]), self.ptr[q0:q1] - self.ptr[q0])
        return 8 * UNIT * (self.lengths[q0:q1] + 8), 1 + self.base.reach()[0][q0:q1] * largest

    def _bisected(
        self, scores: np.ndarray, q0: int, q1: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
        """Both bounds, the gradient and the error of Δ by bisection on log c², for all queries at once."""
        n, rows = q1 - q0, slice(self.ptr[q0], self.ptr[q1])
        first, lengths = self.ptr[q0:q1] - self.ptr[q0], np.diff(self.ptr[q0 : q1 + 1])
        low, high, sure, slip = np.zeros(n), np.full(n, np.inf), np.full(n, np.inf), np.zeros(n)
        slope = np.zeros(rows.stop - rows.start)
        left, right, middle = np.full(n, -20.0), np.full(n, 20.0), np.zeros(n)  # log c²
        values, grad, scaled = np.empty(len(self.ptr) - 1), self.scratch(0), self.scratch(1)
        unit, size = self._sizes(scores, q0, q1)
        none = np.zeros(n)
        for _ in range(_TRIES):
            square = np.exp(middle)
            scaled[rows] = scores[rows] / np.repeat(square, lengths)
            self.base.evaluate(q0, q1, scaled, values, grad)
            largest = np.maximum.reduceat(np.abs(scaled[rows]), first)
            off = self.base.rounding(q0, q1, Seen(none, none, largest, none)).value
            loss = values[q0:q1] - np.add.reduceat(grad[rows] * scaled[rows], first)
            margin = 1.0 + np.add.reduceat(grad[rows] * scores[rows], first)
            product = loss * margin
            u = (square * loss + margin) / np.sqrt(square)
            high = np.minimum(high, np.where(u > 0, 0.25 * u * u, 0.0))
            worst = np.maximum(u, 0.0) + (square * (off + unit * (1 + size / square)) + unit * size) / np.sqrt(square)
            sure = np.minimum(sure, 0.25 * worst * worst * (1 + 8 * UNIT))
            better = product > low
            low = np.where(better, product, low)
            slip = np.where(better, off + unit * (1 + size / square), slip)
            slope = np.where(np.repeat(better, lengths), np.repeat(loss, lengths) * grad[rows], slope)
            more = square * loss < margin  # a larger c makes the loss count for more
            left, right = np.where(more, middle, left), np.where(more, right, middle)
            middle = 0.5 * (left + right)
            if (high - low <= 1e-12 * np.maximum(high, 1.0)).all():
                break
        return low, sure, slope, slip


class SlackHinge(WrappedHinge):
    """The slack-rescaled hinge of a structural loss; convex, with values certified from both sides.

    A fit goes by the lower bounds: its planes lie below the loss, so what it certifies as the least objective holds.
    Its own objective is counted with the upper ones.

    Args:
        base: the margin-rescaled loss; its target must not depend on the scores.

    >>> loss = SlackHinge(StructuredHinge("ndcg", k=10))
    >>> loss.value_and_grad([0.0, 0.0], y=[1, 0], ptr=[0, 2])[0].round(4)
    array([0.3691])
    """

    prepared = PreparedSlack

    def __init__(self, base: StructuredHinge) -> None:
        super().__init__(base, f"{base.name}:slack")
