"""ListNet and ListMLE: likelihoods of lists, for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rounding import UNIT
from . import listwise_kernels as kn
from .base import Loss, Prepared, Rounding, Seen
from .pairwise import levels_of
from .pairwise_kernels import order_by_level


class ListNet(Loss):
    r"""ListNet (Cao et al. 2007), top one: cross-entropy of the soft-max of the scores from that of the grades.

    .. math:: \log \sum_i e^{s_i} - \sum_i P_i s_i , \qquad P_i = e^{g_i} / \sum_j e^{g_j}

    less its least value, the entropy of P.

    >>> ListNet().value_and_grad([1.0, 0.0], y=[1, 0], ptr=[0, 2])[0].round(12)
    array([0.])
    """

    name = "listnet"

    def __init__(self, *, threads: int | None = None) -> None:
        self.threads = threads

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> PreparedListNet:
        """Lay the grades out once for many evaluations."""
        return PreparedListNet(self, *self.check_grades(y, ptr))


class PreparedListNet(Prepared):
    """ListNet with the grades laid out."""

    smooth = curved = True

    def __init__(self, loss: ListNet, grades: np.ndarray, ptr: np.ndarray) -> None:
        super().__init__(loss, ptr)
        self.share = np.empty(self.n)
        kn.soft_max(grades, ptr, 0, len(ptr) - 1, self.share)
        inside = np.where(self.share > 0, self.share * np.log(np.maximum(self.share, 1e-300)), 0.0)
        self.entropy = -np.add.reduceat(inside, ptr[:-1])
        self._spread = np.maximum.reduceat(grades, ptr[:-1]) - np.minimum.reduceat(grades, ptr[:-1])

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1."""
        kn.cross_entropy(scores, self.share, self.entropy, self.ptr, q0, q1, values, grad)

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """Exponentials are off by their arguments, up to where they vanish, and a few units; logarithms by a few."""
        m = self.lengths[q0:q1]
        unit = 8 * UNIT * (m + np.minimum(self._spread[q0:q1], 800) + np.minimum(2 * seen.largest, 800) + 16)
        return Rounding(unit * (1 + 2 * seen.largest + np.log(m)), 2 * unit, np.full(q1 - q0, 2.0))

    def diagonal(self, scores: np.ndarray, grad: np.ndarray) -> np.ndarray:
        """p(1 − p), exactly, for the soft-max p of the scores."""
        p = grad + self.share
        return p * (1 - p) + 1e-9

    def curvature(
        self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray, v: np.ndarray, out: np.ndarray
    ) -> None:
        """p∘v − p·(pᵀv) for the soft-max p of the scores."""
        kn.soft_max(scores, self.ptr, q0, q1, out)
        lo, hi, starts = self.ptr[q0], self.ptr[q1], self.ptr[q0:q1] - self.ptr[q0]
        mean = np.add.reduceat(out[lo:hi] * v[lo:hi], starts)
        out[lo:hi] *= v[lo:hi] - np.repeat(mean, np.diff(self.ptr[q0 : q1 + 1]))


class ListMLE(Loss):
    r"""ListMLE (Xia et al. 2008): minus the log-likelihood of the graded order under Plackett and Luce's model.

    .. math:: \sum_{i : g_i > \min g} \Big[ \log \sum_{j : g_j \le g_i} e^{s_j} - s_i \Big]

    Each document is chosen from those of its own grade or lower (for equal grades Breslow's approximation, which no
    order of the rows changes); without ties it is the likelihood of the permutation.

    >>> ListMLE().value_and_grad([0.0, 0.0], y=[1, 0], ptr=[0, 2])[0].round(4)
    array([0.6931])
    """

    name = "listmle"

    def __init__(self, *, threads: int | None = None) -> None:
        self.threads = threads

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> PreparedListMLE:
        """Lay the grades out once for many evaluations."""
        return PreparedListMLE(self, *self.check_grades(y, ptr))


class PreparedListMLE(Prepared):
    """ListMLE with the grades laid out."""

    smooth = True

    def __init__(self, loss: ListMLE, grades: np.ndarray, ptr: np.ndarray) -> None:
        super().__init__(loss, ptr)
        self.level, self.n_levels = levels_of(grades, ptr)
        self.members, below = np.empty(self.n, np.int64), np.empty(self.n, np.int64)
        order_by_level(self.level, self.n_levels, ptr, self.members, below)

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1."""
        kn.plackett_luce(scores, self.level, self.members, self.ptr, q0, q1, values, grad)

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """A logarithm of a sum for each document, each off by its terms; a slope is made of as many."""
        m = self.lengths[q0:q1].astype(np.float64)
        unit = 8 * UNIT * m * (2 * m + np.minimum(2 * seen.largest, 800) + 2 * seen.largest + np.log(m) + 16)
        chain = 8 * UNIT * m * m * (2 * seen.largest + 2 * np.log(m) + 4)  # of logarithms, from level to level
        return Rounding(unit + 4 * UNIT * m * seen.value, unit + chain, 2 * m)
