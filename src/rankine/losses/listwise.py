"""ListNet and ListMLE: likelihoods of lists, for comparison."""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel import kernel
from .base import Loss, Prepared
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
        soft_max(grades, ptr, 0, len(ptr) - 1, self.share)
        inside = np.where(self.share > 0, self.share * np.log(np.maximum(self.share, 1e-300)), 0.0)
        self.entropy = -np.add.reduceat(inside, ptr[:-1])

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1."""
        cross_entropy(scores, self.share, self.entropy, self.ptr, q0, q1, values, grad)

    def diagonal(self, scores: np.ndarray, grad: np.ndarray) -> np.ndarray:
        """p(1 − p), exactly, for the soft-max p of the scores."""
        p = grad + self.share
        return p * (1 - p) + 1e-9

    def curvature(
        self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray, v: np.ndarray, out: np.ndarray
    ) -> None:
        """p∘v − p·(pᵀv) for the soft-max p of the scores."""
        soft_max(scores, self.ptr, q0, q1, out)
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
        plackett_luce(scores, self.level, self.members, self.ptr, q0, q1, values, grad)


@kernel
def soft_max(scores, ptr, q0, q1, out):
    """exp(s)/Σexp(s) of each query."""
    for q in range(q0, q1):
        lo, hi = ptr[q], ptr[q + 1]
        top = scores[lo:hi].max()
        total = 0.0
        for i in range(lo, hi):
            out[i] = np.exp(scores[i] - top)
            total += out[i]
        for i in range(lo, hi):
            out[i] /= total


@kernel
def cross_entropy(scores, share, entropy, ptr, q0, q1, values, grad):
    """log Σ exp(s) − Σ share·s − entropy, and its gradient."""
    for q in range(q0, q1):
        lo, hi = ptr[q], ptr[q + 1]
        top = scores[lo:hi].max()
        total = inner = 0.0
        for i in range(lo, hi):
            grad[i] = np.exp(scores[i] - top)
            total += grad[i]
            inner += share[i] * (scores[i] - top)
        for i in range(lo, hi):
            grad[i] = grad[i] / total - share[i]
        values[q] = max(np.log(total) - inner - entropy[q], 0.0)


@kernel
def plackett_luce(scores, level, members, ptr, q0, q1, values, grad):
    """Σ over rows above the lowest level of log Z − s, Z = Σ_{not better} exp(s), from the lowest level up. O(m).

    With n_l the size of level l and Z_l the sum up to it, row i has the gradient Σ_{l ≥ level(i)} n_l·exp(s_i)/Z_l,
    less 1 where its level is not the lowest. Exponentials are taken relative to the largest score so far.
    """
    for q in range(q0, q1):
        lo, hi = ptr[q], ptr[q + 1]
        log_z = np.empty(hi - lo)  # where a level ends
        size = np.zeros(hi - lo)
        values[q] = 0.0
        start, top, total = lo, -np.inf, 0.0
        while start < hi:
            end = start
            while end < hi and level[members[end]] == level[members[start]]:
                s = scores[members[end]]
                if s > top:
                    total *= np.exp(top - s)
                    top = s
                total += np.exp(s - top)
                end += 1
            if start > lo:
                log_z[end - 1 - lo], size[end - 1 - lo] = top + np.log(total), end - start
                for i in range(start, end):
                    values[q] += log_z[end - 1 - lo] - scores[members[i]]
            start = end
        log_above = -np.inf  # log Σ n_l/Z_l over the levels from here up
        for i in range(hi - 1, lo - 1, -1):
            row = members[i]
            if size[i - lo] > 0:
                new = np.log(size[i - lo]) - log_z[i - lo]
                high = max(new, log_above)
                log_above = high + np.log(np.exp(new - high) + np.exp(log_above - high))
            grad[row] = np.exp(scores[row] + log_above) - (level[row] > 0)
