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
from ...measures import evaluate
from ...rounding import SAFE, UNIT
from ..base import Bounded, Loss, Prepared, Rounding, Seen
from ..constants import Constants, reach_of_levels, reach_of_weights
from ..supervision import check_ptr, per_row
from . import hinge_kernels as kn
from .hinge_kernels import EVERYTHING, Problem

POSITION_WEIGHTS = {  # how the kernels make A, by name
    "linear": kn.LINEAR,
    "inverse-sqrt": kn.TABLE,
    "discount": kn.TABLE,
    "partial-order": kn.PARTIAL_ORDER,
    "yue": kn.YUE,
}
_TARGETS = {"mean": kn.MEAN, "random": kn.RANDOM, "best": kn.BEST}
_ROUTES = {
    "auto": kn.AUTO,
    "counts": kn.COUNTS,
    "sorting": kn.SORTING,
    "augmenting": kn.AUGMENTING,
    "grid": kn.GRID,
    "insertion": kn.INSERTION,
}
PAIRWISE = (kn.PARTIAL_ORDER, kn.YUE)  # position weights that count pairs of different grade
_NO_RANKINGS = np.empty(0, np.int64)


class _Prediction(NamedTuple):
    """What a prediction loss is made of: the measure, its kernel, whether grades are made binary, the usual A."""

    measure: str
    solver: int
    binary: bool
    default_weights: str


_PREDICTIONS = {
    "ndcg": _Prediction("nDCG", kn.ASSIGNMENT, False, "linear"),
    "p": _Prediction("P", kn.ASSIGNMENT, True, "linear"),
    "map": _Prediction("AP", kn.AVERAGE_PRECISION, True, "yue"),
    "rr": _Prediction("RR", kn.RECIPROCAL_RANK, True, "linear"),
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
        if of not in _PREDICTIONS:
            raise InputError(f"there is no structural loss of {of!r}.{nearest(of, _PREDICTIONS)}")
        if k is not None and k < 1:
            raise InputError(f"k must be at least 1, got {k}")
        if k is None and of == "p":
            raise InputError("P needs a cutoff: svm-p@10")
        if target not in _TARGETS:
            raise InputError(f"target must be one of {', '.join(_TARGETS)}; got {target!r}")
        if gain not in ("exp", "linear"):
            raise InputError(f"gain must be exp or linear, got {gain!r}")
        self.of, self.k, self.target, self.gain, self.rel, self.seed = of, k, target, gain, rel, seed
        self.A = _PREDICTIONS[of].default_weights if A is None else A
        self.threads = threads
        self.name = f"svm-{of}" + ("" if k is None else f"@{k}")
        self.mode, self._table = self._weights()
        self.convex = self.has_constants = self.learns_weights = target != "best" or self.mode in PAIRWISE

    advice = "Try the position weights A='partial-order', or svm-map"

    @property
    def measure(self) -> str:
        """The measure whose complement the loss bounds."""
        family = _PREDICTIONS[self.of]
        inside = "(dcg='log2')" if self.gain == "linear" and self.of == "ndcg" else ""
        if family.binary and self.rel != 1:
            inside = f"(rel={self.rel:g})"
        cut = f"@{self.k}" if self.k is not None and self.of in ("ndcg", "p") else ""
        return f"{family.measure}{inside}{cut}"

    @property
    def bounded(self) -> Bounded:
        """One minus the measure of the predicted ranking; for P@k, of its share of the best possible P@k."""
        best = f" / best possible {self.measure}" if self.of == "p" else ""
        return Bounded(f"1 − {self.measure}{best}", self._prediction_loss)

    def _prediction_loss(self, scores: Any, y: Any, ptr: Any) -> np.ndarray:
        """Δ of the predicted ranking, its mean where scores tie; 0 for queries whose ranking does not matter."""
        ends = check_ptr(ptr)
        query = per_row(np.arange(len(ends) - 1), ends)
        value = evaluate(self.measure, y, scores, query, empty="one").per_query[self.measure]
        if self.of == "p" and self.k is not None:
            relevant = np.add.reduceat(np.asarray(y) >= self.rel, ends[:-1])
            value = value * self.k / np.clip(relevant, 1, self.k)
        return np.where(self.prepare(y, ends).informative, 1.0 - value, 0.0)

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
        if self.A not in POSITION_WEIGHTS:
            names = f"{', '.join(POSITION_WEIGHTS)}, and learn (LinearRanker only)"
            raise InputError(
                f"unknown position weight A={self.A!r}.{nearest(self.A, POSITION_WEIGHTS)} There are: {names}"
            )
        if self.A == "yue" and not _PREDICTIONS[self.of].binary:
            raise InputError("A='yue' counts pairs of two grades: use 'partial-order' for graded nDCG")
        return POSITION_WEIGHTS[self.A], nothing

    @property
    def _cut(self) -> bool:
        return self.k is not None

    def tabulated(self, longest: int) -> np.ndarray:
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
        return PreparedHinge(self, *self.check_grades(y, ptr))

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
        prediction = _PREDICTIONS[loss.of]
        self.solver, self.mode = prediction.solver, loss.mode
        self.k = EVERYTHING if loss.k is None else loss.k
        longest = int(np.diff(ptr).max())
        self.table = loss.tabulated(longest)
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
            y, ptr, prediction.binary, loss.rel, loss.gain == "exp", self.discount,
            self.k if prediction.solver == kn.ASSIGNMENT else 1, loss.of == "p",
            members, level_ptr, level_first, gain, informative,
        )  # fmt: skip
        target = np.zeros(self.n)  # the best perfect ranking is found along with the arg max
        self.informative = informative
        used = level_ptr[-1]
        if not np.isfinite(gain[:used].sum()):
            raise InputError(f"{loss.measure} of a grade {y.max():g}: its gain is too large a number")
        self.problem = Problem(
            ptr, members, level_ptr, level_first[:used].copy(), gain[:used].copy(), informative, target
        )
        # with a pairwise map all targets coincide
        random = loss.target == "random" and self.mode not in PAIRWISE
        keys = np.random.default_rng(loss.seed).random(self.n) if random else np.empty(0)
        if loss.convex:
            kn.lay_target(self.mode, self.table, self.k, self.problem, keys, target)
        self._reach: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def best_sizes(self) -> np.ndarray:
        """How many documents of each query have its best grade."""
        levels, first = self.problem.level_ptr, self.problem.level_first
        second = np.where(np.diff(levels) > 1, first[np.minimum(levels[:-1] + 1, len(first) - 1)], self.ptr[1:])
        return second - self.ptr[:-1]

    def reach(self) -> tuple[np.ndarray, np.ndarray]:
        """For each query the sum of all |weights| that its slopes are made of, and the largest sum of |slopes|."""
        if self._reach is None:
            m = self.lengths.astype(np.float64)
            if self.mode in PAIRWISE:
                best = self.best_sizes.astype(np.float64)
                pairs = best * (m - best) if self.mode == kn.YUE else m * (m - 1) / 2
                weights, steep = 2 * m * m / np.maximum(pairs, 1), np.full(len(m), 4.0)
            else:
                weights = np.add.reduceat(np.abs(self.problem.target), self.ptr[:-1])
                if self.mode == kn.LINEAR:
                    top = m if self.k >= EVERYTHING else np.full(len(m), float(self.k))
                    ranks = np.minimum(top, m)
                    weights += ranks * top - ranks * (ranks - 1) / 2
                else:
                    summed = np.concatenate([[0.0], np.cumsum(np.abs(self.table))])
                    weights += summed[np.minimum(self.lengths, len(self.table))]
                steep = weights
            self._reach = SAFE * weights * self.informative, SAFE * steep * self.informative
        return self._reach

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """Δ and Σ weight·score, whatever ranking is taken: each gives a plane below the loss.

        How far the ranking is from the arg max adds to the value. An assignment over K ranks goes through up to K
        exchanges of K prices; where a document of AP finds its place by harmonic numbers, those of all add up.
        """
        m, counts = self.lengths[q0:q1], self.informative[q0:q1]
        weights, steep = (x[q0:q1] for x in self.reach())
        steps, fixed = m + 8.0, np.ones(q1 - q0)
        if self.solver == kn.ASSIGNMENT:
            steps = steps + np.minimum(self.k, m).astype(np.float64) ** 2
        elif self.solver == kn.AVERAGE_PRECISION:
            fixed = fixed + m / self.best_sizes[q0:q1] * (1 + np.log(m))
            weights = 8.0 * counts if self.mode in PAIRWISE else weights
        value = 16 * UNIT * steps * (fixed + weights * seen.largest) * counts
        return Rounding(value, 4 * UNIT * (m + 8) * weights, steep)

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
            self.evaluate(q0, q1, s, values, grad, rankings, _ROUTES[route])
        return rankings

    def position_slope(self, scores: np.ndarray, depth: int) -> np.ndarray:
        """The slope of the sum of losses in the first ``depth`` position weights A.

        It is the scores at the ranks of the arg max less those at the ranks of perfect rankings, on average.
        """
        rankings, problem, out = self.argmax(scores), self.problem, np.zeros(depth)
        for q in np.flatnonzero(self.informative).tolist():
            lo, hi = self.ptr[q], self.ptr[q + 1]
            n = min(depth, hi - lo)
            firsts = self.level_starts(q)
            perfect = np.empty(hi - lo)
            for a, b in zip(firsts, [*firsts[1:], hi], strict=True):
                perfect[a - lo : b - lo] = scores[problem.members[a:b]].mean()
            out[:n] += scores[rankings[lo : lo + n]] - perfect[:n]
        return out

    def level_starts(self, q: int) -> list[int]:
        """Where the grades of a query begin among the rows sorted by grade, best first."""
        problem = self.problem
        return problem.level_first[problem.level_ptr[q] : problem.level_ptr[q + 1]].tolist()

    def level_sizes(self, q: int) -> list[int]:
        """How many documents of a query have each grade, best first; one level where its ranking does not matter."""
        lo, hi = int(self.ptr[q]), int(self.ptr[q + 1])
        return np.diff([*self.level_starts(q), hi]).tolist() if self.informative[q] else [hi - lo]

    def constants(self) -> Constants:
        """Those of A(π) against the target's A."""
        return self.constants_for(free_target=False)

    def constants_for(self, free_target: bool) -> Constants:
        """Those of A(π) against the target's A, which may be (``free_target``) that of any ranking."""
        if not self.loss.has_constants:
            return super().constants()
        queries = len(self.ptr) - 1
        sizes, reach = [self.level_sizes(q) for q in range(queries)], np.zeros((2, queries))
        for q in np.flatnonzero(self.informative).tolist():
            lo, hi = int(self.ptr[q]), int(self.ptr[q + 1])
            A = np.empty(hi - lo)
            norm = kn.fill_weights(self.mode, self.table, self.k, hi - lo, sizes[q][0], hi - lo, A)
            if norm > 0:
                reach[:, q] = reach_of_levels(sizes[q], norm, free_target)
            else:
                target = None if free_target else self.problem.target[lo:hi].tolist()
                reach[:, q] = reach_of_weights(A.tolist(), target)
        return Constants(reach[0], reach[1], np.ones(queries), np.zeros(queries), sizes)

    def evaluate(
        self,
        q0: int,
        q1: int,
        scores: np.ndarray,
        values: np.ndarray,
        grad: np.ndarray,
        rankings: np.ndarray = _NO_RANKINGS,
        route: int = kn.AUTO,
    ) -> None:
        """Queries q0 to q1 − 1 on the calling thread; writes their ``values`` and ``grad``, and rankings if asked."""
        bad = kn.hinge(
            self.solver, self.mode, _TARGETS[self.loss.target], route, self.table, self.discount, self.k, scores,
            self.problem, q0, q1, values, grad, rankings,
        )  # fmt: skip
        if bad:
            raise InputError("the scores of a query are not finite, or too large to be added up: scale the features")
