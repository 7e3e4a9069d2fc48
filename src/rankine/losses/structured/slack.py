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

from ..base import Loss, Prepared
from . import enumerated_kernels as kn
from .enumerated import log_outputs
from .hinge import PreparedHinge, StructuredHinge
from .hinge_kernels import AVERAGE_PRECISION, RECIPROCAL_RANK
from .tight_kernels import PAIRWISE, ranking_weights

_TRIES, _FEW = 40, 2000


class SlackHinge(Loss):
    """The slack-rescaled hinge of a structural loss; convex, with values certified from both sides.

    A fit goes by the lower bounds: its planes lie below the loss, so what it certifies as the least objective holds.
    Its own objective is counted with the upper ones.

    Args:
        base: the margin-rescaled loss; its target must not depend on the scores.

    >>> loss = SlackHinge(StructuredHinge("ndcg", k=10))
    >>> loss.value_and_grad([0.0, 0.0], y=[1, 0], ptr=[0, 2])[0].round(4)
    array([0.3691])
    """

    bounds = True

    def __init__(self, base: StructuredHinge) -> None:
        self.base, self.threads = base, base.threads
        self.name = f"{base.name}:slack"

    @property
    def measure(self) -> str:
        """The measure whose complement the loss bounds."""
        return self.base.measure

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> PreparedSlack:
        """Lay the grades out once for many evaluations."""
        return PreparedSlack(self, self.base.prepare(y, ptr))


class PreparedSlack(Prepared):
    """A slack-rescaled hinge with the grades laid out; :meth:`certified` gives both bounds."""

    def __init__(self, loss: SlackHinge, base: PreparedHinge) -> None:
        super().__init__(loss, base.ptr)
        self.base, self.informative = base, base.informative
        few = log_outputs(base) <= np.log(_FEW)
        self.exact = few & (base.kind != RECIPROCAL_RANK)
        self.target = base.problem.target.copy()
        if base.mode in PAIRWISE:  # F* of a pairwise map is that of any perfect ranking
            ranking_weights(
                True, base.mode, base.table, base.k, base.problem, np.zeros(self.n), 0, len(self.ptr) - 1, self.target
            )  # fmt: skip

    def stiffness(self, grad: np.ndarray) -> np.ndarray:
        """That of the hinge it is made from."""
        return self.base.stiffness(grad)

    def part(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """The lower bounds of queries q0 to q1 − 1, and a subgradient: planes below the loss."""
        low, _, slope = self.certified(scores, q0, q1)
        values[q0:q1] = low
        grad[self.ptr[q0] : self.ptr[q1]] = slope

    def certified(
        self, scores: np.ndarray, q0: int = 0, q1: int | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
        """Lower and upper bounds on the loss of each query, and the gradient of the lower one."""
        q1 = len(self.ptr) - 1 if q1 is None else q1
        n, rows = q1 - q0, slice(self.ptr[q0], self.ptr[q1])
        first, lengths = self.ptr[q0:q1] - self.ptr[q0], np.diff(self.ptr[q0 : q1 + 1])
        low, high = np.zeros(n), np.full(n, np.inf)
        slope = np.zeros(rows.stop - rows.start)
        left, right = np.full(n, -20.0), np.full(n, 20.0)  # log c²
        values, grad, scaled = np.empty(len(self.ptr) - 1), np.empty(self.n), np.empty(self.n)
        middle = np.zeros(n)
        for _ in range(_TRIES):
            square = np.exp(middle)
            scaled[rows] = scores[rows] / np.repeat(square, lengths)
            self.base.part(q0, q1, scaled, values, grad)
            loss = values[q0:q1] - np.add.reduceat(grad[rows] * scaled[rows], first)
            margin = 1.0 + np.add.reduceat(grad[rows] * scores[rows], first)
            product = loss * margin
            u = (square * loss + margin) / np.sqrt(square)
            high = np.minimum(high, np.where(u > 0, 0.25 * u * u, 0.0))
            better = product > low
            low = np.where(better, product, low)
            slope = np.where(np.repeat(better, lengths), np.repeat(loss, lengths) * grad[rows], slope)
            more = square * loss < margin  # a larger c makes the loss count for more
            left, right = np.where(more, middle, left), np.where(more, right, middle)
            middle = 0.5 * (left + right)
            if (high - low <= 1e-12 * np.maximum(high, 1.0)).all():
                break
        b, found = self.base, np.zeros(n)
        kn.slack_over_outputs(
            b.kind == AVERAGE_PRECISION, b.mode, b.table, b.discount, b.k, b.problem, self.target, scores, self.exact,
            q0, q1, found, slope,
        )  # fmt: skip
        exact = self.exact[q0:q1]
        low[exact] = high[exact] = found[exact]
        idle = ~self.informative[q0:q1]
        low[idle] = high[idle] = 0.0
        slope[np.repeat(idle, lengths)] = 0.0
        return low, np.maximum(high, low), slope
