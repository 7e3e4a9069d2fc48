r"""Order-preserving losses with standardised supervision (Buffoni, Calauzènes, Gallinari & Usunier 2011).

.. math:: \Phi(s, \alpha) = \sum_i \alpha_i \sum_{j \ne i} \varphi(s_i - s_j) , \qquad \alpha = r(y)

sums over **all** pairs, each document pushed above the others by its standard form (:mod:`.standard_form`). If φ is
convex, differentiable and decreasing at 0 the minimiser of its expectation sorts by E[r(Y)] (Theorem 1), which is
optimal for the measure that r belongs to (Theorem 2). The preorder loss, over pairs of different grade, has no such
guarantee.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.ranking_data import Preferences
from ..errors import InputError
from .base import Loss, Prepared
from .pairwise import Layout, PairLoss, over_every_pair, pair_function
from .pointwise import PreparedSquares
from .standard_form import preference_balance, standard_form
from .supervision import GRADES, PREFERENCES, RANKS, check_ptr, per_row

_MEASURES = {"dcg": "DCG", "ndcg": "nDCG", "wpd": "WPD", "rank": "zero-one"}


class Consistent(PairLoss):
    """The consistent pairwise loss (eq. 6).

    Args:
        of: ``"dcg"``, ``"ndcg"``, ``"wpd"`` (supervision is a :class:`~rankine.Preferences`, consistent under low
            noise) or ``"rank"`` (supervision is the ranks 1..m, for the 0/1 error of permutations).
        k: the cutoff of DCG and nDCG; the loss for nDCG changes with it by a factor per query.
        norm: divide by m(m − 1).
        phi: ``"smooth-hinge"``, or ``"squared-hinge"``. (The plain hinge is not differentiable, and not consistent.)
        h: the width of the differentiable hinge.
        threads: by default one per core.

    >>> Consistent("dcg").value_and_grad([0.0, 0.0], y=[2, 0], ptr=[0, 2])  # 3·φ(0)
    (array([3.]), array([-3.,  3.]))
    """

    every = True

    def __init__(
        self,
        of: str,
        k: int | None = None,
        *,
        norm: bool = False,
        phi: str = "smooth-hinge",
        h: float = 0.5,
        threads: int | None = None,
    ) -> None:
        if of not in _MEASURES:
            raise InputError(f"there is no consistent loss of {of!r}, only of {', '.join(_MEASURES)}")
        if k is not None and (k < 1 or of not in ("dcg", "ndcg")):
            raise InputError(f"k must be at least 1, and only DCG and nDCG have one; got {k}")
        if phi == "hinge":
            raise InputError("the plain hinge is not differentiable at its kink, so the loss would not be consistent")
        self.of, self.k, self.norm, self.phi, self.h = of, k, norm, phi, h
        self.supervision = ({"wpd": PREFERENCES, "rank": RANKS}.get(of, GRADES),)
        cut = "" if k is None else f"@{k}"
        super().__init__(f"consistent-{of}{cut}" + (":norm" if norm else ""), pair_function(phi, h), threads)

    @property
    def measure(self) -> str:
        """The measure the loss is consistent for; Kendall's τ stands in for the 0/1 error."""
        if self.of == "rank":
            return "KendallTau"
        return _MEASURES[self.of] + ("" if self.k is None else f"@{self.k}")

    def _layout(self, y: Any, ptr: Any) -> Layout:
        ends = check_ptr(ptr)
        cut = "" if self.k is None else f"@{self.k}"
        alpha = standard_form(_MEASURES[self.of] + cut, y, ends)
        if self.norm:
            m = np.diff(ends)
            alpha = alpha * per_row(1 / np.maximum(m * (m - 1), 1), ends)
        return over_every_pair(ends, alpha)


class Duchi(Loss):
    r"""Duchi, Mackey & Jordan's (2010) linear loss with a penalty on the scores, consistent for WPD under low noise.

    .. math:: \sum_{i \to j} a_{ij} (s_j - s_i) + \frac\nu2 \sum_i s_i^2 + \text{const}

    The constant makes its least value 0: it is :math:`\frac\nu2 \sum_i (s_i - c_i/\nu)^2` with
    :math:`c_i = \sum_k (a_{ik} - a_{ki})`. Supervision is a :class:`~rankine.Preferences`, or grades, whose edges are
    the pairs of different grade at the difference of their gains 2^g − 1.

    >>> Duchi().value_and_grad([0.0, 0.0], y=[1, 0], ptr=[0, 2])
    (array([1.]), array([-1.,  1.]))
    """

    supervision = (PREFERENCES, GRADES)

    def __init__(self, *, nu: float = 1.0, threads: int | None = None) -> None:
        if not nu > 0:
            raise InputError(f"the weight nu of the penalty must be positive, got {nu!r}")
        self.name, self.nu, self.threads = "duchi", nu, threads

    @property
    def measure(self) -> str:
        """Weighted pairwise disagreement."""
        return "WPD"

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> Prepared:
        """Lay the supervision out once for many evaluations."""
        ends = check_ptr(ptr)
        if isinstance(y, Preferences):
            balance = preference_balance(y, ends)[0]
        else:
            gain = 2.0 ** self.check_grades(y, ends)[0] - 1
            m = per_row(np.diff(ends), ends)
            balance = m * gain - per_row(np.add.reduceat(gain, ends[:-1]), ends)
        return PreparedSquares(self, ends, balance / self.nu, np.full(len(balance), self.nu / 2))
