r"""Structural max-margin losses: convex upper bounds on 1 − measure (Chapelle, Le & Smola; Yue et al.).

For scores s and a prediction loss :math:`\Delta(\pi) \in [0, 1]` the arg-max hinge of a query is

.. math:: \xi = \max_\pi [\Delta(\pi) + F(\pi)] - F^*, \qquad F(\pi) = \sum_i A(\pi_i)\, s_i ,

with a non-increasing position weight A and F* the score of a perfect ranking. It bounds the loss of the predicted
ranking: :math:`\Delta(\pi_s) \le \xi`. A query for which every ranking has the same Δ contributes exactly 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import check_finite
from ...errors import InputError, nearest
from ..base import Loss, Prepared
from . import hinge_kernels as kn
from .hinge_kernels import EVERYTHING, Problem

_WEIGHTS = {"linear": kn.LINEAR, "inverse-sqrt": kn.TABLE, "discount": kn.TABLE, "partial-order": kn.PARTIAL_ORDER}
_TARGETS = {"mean": kn.MEAN, "random": kn.RANDOM, "best": kn.BEST}
_ROUTES = {
    "auto": kn.AUTO,
    "counts": kn.COUNTS,
    "sorting": kn.SORTING,
    "augmenting": kn.AUGMENTING,
    "grid": kn.GRID,
    "insertion": kn.INSERTION,
}
_PAIRWISE = (kn.PARTIAL_ORDER, kn.YUE)
_NO_RANKINGS = np.empty(0, np.int64)


class _Family(NamedTuple):
    """What a prediction loss is made of."""

    measure: str
    kind: int
    binary: bool
    default_weights: str


_FAMILIES = {
    "ndcg": _Family("nDCG", kn.ASSIGNMENT, False, "linear"),
    "p": _Family("P", kn.ASSIGNMENT, True, "linear"),
    "map": _Family("AP", kn.AVERAGE_PRECISION, True, "yue"),
    "rr": _Family("RR", kn.RECIPROCAL_RANK, True, "linear"),
}


class StructuredHinge(Loss):
    """The arg-max hinge of one minus nDCG@k, P@k, AP or RR; convex unless the target is the best one.

    Args:
        of: ``"ndcg"``, ``"p"``, ``"map"`` or ``"rr"``.
        k: the cutoff of nDCG and P, and of A; None means all documents.
        A: position weights: ``"linear"`` (k + 1 − r), ``"inverse-sqrt"``, ``"discount"``, ``"partial-order"`` (counts
            pairs of different grade), ``"yue"`` (the same for two grades, over rel·nrel; default for ``"map"``), or a
            non-increasing array, 0 beyond its end.
        target: which perfect ranking F* scores: ``"mean"`` of all of them (convex), one at ``"random"`` per query
            (convex), or the ``"best"`` at the current scores (not convex).
        gain: of nDCG: ``"exp"`` is 2^g − 1, ``"linear"`` is g.
        rel: the lowest grade that is relevant, for P, AP and RR.
        seed: of the random target.
        threads: by default one per core.

    >>> loss = StructuredHinge("ndcg", k=10)
    >>> values, gradient = loss.value_and_grad([0.0, 0.0], y=[1, 0], ptr=[0, 2])
    >>> values.round(4), gradient
    (array([0.3691]), array([-1.,  1.]))
    """

    def __init__(
        self,
        of: str,
        k: int | None = None,
        *,
        A: Any = None,
        target: str = "mean",
        gain: str = "exp",
        rel: float = 1.0,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        if of not in _FAMILIES:
            raise InputError(f"there is no structural loss of {of!r}.{nearest(of, _FAMILIES)}")
        if k is not None and k < 1:
            raise InputError(f"k must be at least 1, got {k}")
        if k is None and of == "p":
            raise InputError("P needs a cutoff: svm-p@10")
        if target not in _TARGETS:
            raise InputError(f"target must be one of {', '.join(_TARGETS)}; got {target!r}")
        if gain not in ("exp", "linear"):
            raise InputError(f"gain must be exp or linear, got {gain!r}")
        self.of, self.k, self.target, self.gain, self.rel, self.seed = of, k, target, gain, rel, seed
        self.A = _FAMILIES[of].default_weights if A is None else A
        self.threads = threads
        self.name = f"svm-{of}" + ("" if k is None else f"@{k}")
        self._mode, self._table = self._weights()
        self.convex = target != "best" or self._mode in _PAIRWISE

    bounds = True

    @property
    def measure(self) -> str:
        """The measure whose complement the loss bounds."""
        family = _FAMILIES[self.of]
        inside = "(dcg='log2')" if self.gain == "linear" and self.of == "ndcg" else ""
        if family.binary and self.rel != 1:
            inside = f"(rel={self.rel:g})"
        cut = f"@{self.k}" if self.k is not None and self.of in ("ndcg", "p") else ""
        return f"{family.measure}{inside}{cut}"

    def __repr__(self) -> str:
        return f"StructuredHinge({self.name!r}, A={self.A!r}, target={self.target!r})"

    def _weights(self) -> tuple[int, np.ndarray]:
        """How A is made (a code for the kernels) and its table, if it is one."""
        nothing = np.empty(0)
        if not isinstance(self.A, str):
            table = np.asarray(self.A, np.float64)
            if table.ndim != 1 or len(table) == 0:
                raise InputError("A must be a name or an array of one dimension")
            check_finite(table, "A")
            if (np.diff(np.append(table, 0.0 if self._cut else table[-1])) > 0).any():
                raise InputError("A must not increase from one rank to the next")
            return kn.TABLE, table if self.k is None else table[: self.k].copy()
        if self.A == "yue":
            if not _FAMILIES[self.of].binary:
                raise InputError("A='yue' counts pairs of two grades: use 'partial-order' for graded nDCG")
            return kn.YUE, nothing
        if self.A not in _WEIGHTS:
            known = [*_WEIGHTS, "yue"]
            raise InputError(
                f"unknown position weight A={self.A!r}.{nearest(self.A, known)} There are: {', '.join(known)}"
            )
        return _WEIGHTS[self.A], nothing

    @property
    def _cut(self) -> bool:
        return self.k is not None

    def _tabulated(self, longest: int) -> np.ndarray:
        """The table of A for the longest list, where A is given by a formula that does not depend on the list."""
        if not isinstance(self.A, str):
            return self._table
        ranks = np.arange(1, (longest if self.k is None else min(self.k, longest)) + 1)
        if self.A == "inverse-sqrt":
            return 1 / np.sqrt(ranks)
        return 1 / np.log2(1 + ranks) if self.A == "discount" else np.empty(0)

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> PreparedHinge:
        """Lay the grades out once for many evaluations.

        >>> StructuredHinge("map").prepare([1, 0], [0, 2])([0.1, 0.0])[0].round(3)
        array([0.3])
        """
        return PreparedHinge(self, *self._grades(y, ptr))

    def argmax(self, scores: Any, y: Any, ptr: Any, route: str = "auto") -> np.ndarray:
        """The most violated ranking of each query: row numbers, best rank first, query after query.

        >>> StructuredHinge("ndcg", k=10).argmax([0.03, 0.02, 0.01], y=[2, 1, 0], ptr=[0, 3])
        array([2, 1, 0])
        """
        return self.prepare(y, ptr).argmax(scores, route)


class PreparedHinge(Prepared):
    """A structural hinge with the grades laid out; call it with scores."""

    def __init__(self, loss: StructuredHinge, y: np.ndarray, ptr: np.ndarray) -> None:
        super().__init__(loss, ptr)
        self.loss: StructuredHinge = loss
        family = _FAMILIES[loss.of]
        self.kind, self.mode = family.kind, loss._mode
        self.k = EVERYTHING if loss.k is None else loss.k
        longest = int(np.diff(ptr).max())
        self.table = loss._tabulated(longest)
        if not isinstance(loss.A, str) and loss.k is None and longest > len(self.table) and self.table[-1] < 0:
            raise InputError(
                f"A has {len(self.table)} weights and is 0 beyond them, more than its last, {self.table[-1]:g}; "
                f"the longest query has {longest} documents"
            )
        depth = min(self.k, longest)
        graded = loss.of == "ndcg"
        self.discount = 1 / np.log2(2 + np.arange(depth)) if graded else np.ones(depth if loss.of == "p" else 1)
        if graded and y.min() < 0:
            raise InputError(f"{loss.measure} needs grades ≥ 0, got {y.min():g}")
        members, level_ptr = np.empty(self.n, np.int64), np.empty(len(ptr), np.int64)
        level_first, gain = np.empty(self.n, np.int64), np.empty(self.n)
        informative = np.empty(len(ptr) - 1, np.bool_)
        kn.lay_out(
            y, ptr, family.binary, loss.rel, loss.gain == "exp", self.discount,
            self.k if family.kind == kn.ASSIGNMENT else 1, loss.of == "p",
            members, level_ptr, level_first, gain, informative,
        )  # fmt: skip
        target = np.zeros(self.n)  # the best perfect ranking is found along with the arg max
        self.informative = informative
        used = level_ptr[-1]
        self.problem = Problem(
            ptr, members, level_ptr, level_first[:used].copy(), gain[:used].copy(), informative, target
        )
        # with a pairwise map all targets coincide
        random = loss.target == "random" and self.mode not in _PAIRWISE
        keys = np.random.default_rng(loss.seed).random(self.n) if random else np.empty(0)
        if loss.convex:
            kn.lay_target(self.mode, self.table, self.k, self.problem, keys, target)

    def stiffness(self, grad: np.ndarray) -> np.ndarray:
        """Σ|g|: while every score moves by δ against its slope the target gains δ·Σ|g|, and Δ is at most 1."""
        return np.add.reduceat(np.abs(grad), self.ptr[:-1])

    def argmax(self, scores: Any, route: str = "auto") -> np.ndarray:
        """The most violated ranking of each query; ``route`` names the algorithm, for comparison."""
        if route not in _ROUTES:
            raise InputError(f"route must be one of {', '.join(_ROUTES)}; got {route!r}")
        values, grad, rankings = np.empty(len(self.ptr) - 1), np.empty(self.n), np.empty(self.n, np.int64)
        s = self.checked(scores)
        for q0, q1 in self.tasks:
            self.part(q0, q1, s, values, grad, rankings, _ROUTES[route])
        return rankings

    def part(
        self,
        q0: int,
        q1: int,
        scores: np.ndarray,
        values: np.ndarray,
        grad: np.ndarray,
        rankings: np.ndarray = _NO_RANKINGS,
        route: int = kn.AUTO,
    ) -> None:
        """Queries q0 to q1 − 1 on the calling thread; writes their parts of ``values`` and ``grad`` (and more)."""
        kn.hinge(
            self.kind, self.mode, _TARGETS[self.loss.target], route, self.table, self.discount, self.k, scores,
            self.problem, q0, q1, values, grad, rankings,
        )  # fmt: skip
