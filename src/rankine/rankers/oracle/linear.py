"""The oracle of a linear scorer: the two places where features meet a loss, X @ w and X.T @ g.

One sweep over X serves both: a block of queries is scored, its loss evaluated and its rows added up while they are in
cache. Dense and sparse X differ in a few small kernels.

What rounding can do is followed along (:meth:`LinearOracle.slip`). A plane is taken at the scores as they were
computed, so the error of X @ w does not touch it; it counts only in the value of R at w.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...errors import InputError
from ...losses.base import Seen
from ...rounding import SAFE, UNIT, gamma, norm_above, tiny_of, unit_of
from ...solvers.certificate import Slip
from ...system.parallel import query_ranges, shared_map
from . import product_kernels as kn
from .dual import LinearDual

_BLOCK_BYTES = 1_500_000
_SINGLE = 1e-30, 1e36  # scores between these can be summed in single precision


class Scored(NamedTuple):
    """Scores of a point w. No score of a row x is further than ``off``·‖x‖ + ``low`` from ⟨x, w⟩."""

    w: np.ndarray
    scores: np.ndarray
    off: float
    low: float
    size: float  # of w


class LinearOracle:
    """R(w) = Σ_q weight_q · loss_q(Xw), for any prepared loss."""

    def __init__(
        self, X: Any, prepared: Any, query_weight: np.ndarray | None, threads: int, like: LinearOracle | None = None
    ) -> None:  # fmt: skip
        self.X, self.size, self.prepared, self.threads = X, X.shape[1], prepared, threads
        self.ptr, self.query_weight = prepared.ptr, query_weight
        self.n_queries = len(self.ptr) - 1
        self.sparse, self.precision = sp.issparse(X), X.dtype
        row_bytes = (X.data.nbytes + X.indices.nbytes if self.sparse else X.nbytes) / X.shape[0]
        self.blocks = query_ranges(self.ptr, max(int(_BLOCK_BYTES / max(row_bytes, 1)), 1))
        self.values, self.grad = np.empty(len(self.ptr) - 1), np.empty(X.shape[0])
        self.last: Scored | None = None
        self.sizes = np.empty((5, len(self.ptr) - 1))
        self.norms, self.furthest, self.top = np.empty(0), np.empty(0), np.nan  # of rows; of queries; of all
        if like is not None:
            self.norms, self.furthest, self.top = like.norms, like.furthest, like.top
        self.hessian: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None  # a point and what its products need
        self.scratch: np.ndarray | None = None

    @property
    def offers(self) -> set[str]:
        """What a solver can ask for, beside ``value_grad``; see :data:`rankine.solvers.NEEDS`."""
        p = self.prepared
        flags = {"smooth": p.smooth, "hvp": p.curved, "touching": p.touches, "dual": self.convex, "minibatch": True}
        return {name for name, offered in flags.items() if offered}

    def dual(self, w0: np.ndarray | None) -> LinearDual:
        """The same problem as planes of single queries, for the n-slack solver."""
        return LinearDual(self.X, self.prepared, self.query_weight, w0)

    def upper(self, w: np.ndarray) -> float | None:
        """An upper bound on R(w), where ``value_grad`` gives a lower one; None where that is exact."""
        if self.exact:
            return None
        values = self.prepared.upper(self.scores(w))
        return float(values.sum() if self.query_weight is None else values @ self.query_weight)

    def value_grad(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """R(w) and a subgradient, in one sweep over X."""
        return self._evaluate(w, self._weights(w))

    def _evaluate(self, w: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """R(w) and a subgradient, with ``weights``, w in the precision of the scores."""
        nothing = not w.any()
        measure = nothing and not len(self.norms)
        if measure:
            self.norms = np.empty(self.X.shape[0])
        else:
            self._know_norms()
        scores = np.zeros(self.X.shape[0]) if nothing else np.empty(self.X.shape[0])

        def block(q0: int, q1: int) -> np.ndarray:
            if measure:
                self._measure(q0, q1)
            if not nothing:
                self._score(q0, q1, weights, scores)
            self._loss(q0, q1, scores)
            return self._plane(q0, q1, scores)

        grad = self._sum(block)
        if measure:
            self._measured()
        self.last = self._scored(w, weights, scores)
        return self._value(), grad

    def slip(self, w: np.ndarray) -> Slip:
        """What rounding can have done to the last evaluation, made at w."""
        if self.last is None or self.last.w is not w:
            raise ValueError("the last evaluation was made at another point")
        inner, absolute, weighted, steep, largest = self.sizes
        weight = 1.0 if self.query_weight is None else self.query_weight
        near = self.last.off * self.furthest + self.last.low
        unweighted = steep if self.query_weight is None else steep / np.where(self.query_weight > 0, weight, 1.0)
        loss = self.prepared.rounding(0, self.n_queries, Seen(self.values, unweighted, largest, near))
        value, total, n = self._value(), float(inner.sum()), len(self.norms)
        queries, longest = self.n_queries + 4, float(np.diff(self.ptr).max()) + 6
        offset = float(np.sum(weight * (loss.value + loss.grad * largest)))
        offset += longest * UNIT * float(absolute.sum()) + queries * UNIT * (abs(value) + float(np.abs(inner).sum()))
        exact = (n / 128 + len(self.blocks) + 8) * UNIT if not self.sparse else (n + len(self.blocks) + 8) * UNIT
        rounds = exact + (2 * UNIT if self.sparse else kn.SUMMED * unit_of(self.precision))
        lost = n * tiny_of(self.precision) * (math.sqrt(self.size) + self.top)
        slope = float(np.sum(weight * loss.grad * self.furthest)) + rounds * float(weighted.sum()) + lost
        wrong = float(np.sum(weight * (loss.value + loss.steep * near))) + queries * UNIT * abs(value)
        if not math.isfinite(value + total + offset + slope + wrong):
            raise InputError(
                "losses or gradients are too large for these numbers: scale the features or the grades down"
            )
        return Slip(value - total, SAFE * offset + 2 * UNIT * (abs(value) + abs(total)), SAFE * slope, SAFE * wrong)

    def sharpen(self) -> bool:
        """From here on compute in double precision where X has single; whether that is a change."""
        change = self.precision != np.float64
        self.precision, self.last, self.hessian = np.dtype(np.float64), None, None
        return bool(change)

    def refined(self, w: np.ndarray) -> tuple[float, float]:
        """R(w) from scores in double precision, whatever that of X, and its error."""
        self._know_norms()
        weights, scores = np.ascontiguousarray(w, np.float64), np.empty(self.X.shape[0])

        def block(q0: int, q1: int) -> None:
            self._score(q0, q1, weights, scores)
            self._loss(q0, q1, scores)
            kn.query_sizes(self.ptr, q0, q1, scores, self.grad, self.norms, self.sizes)

        self._each(block)
        self.last = self._scored(w, weights, scores)
        return self._value(), self.slip(w).value_error

    def hvp(self, w: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The Hessian of R at w times v, in one sweep over X; the scores of w are sorted once for all v."""
        if self.hessian is None or self.hessian[0] is not w:
            scores = self.scores(w)
            state = np.empty(self.X.shape[0], np.int64)
            self._each(lambda q0, q1: self.prepared.prepare_hessian(q0, q1, scores, state))
            self.hessian = w, scores, state
        _, scores, state = self.hessian
        weights, along = self._weights(v), np.empty(self.X.shape[0])

        def block(q0: int, q1: int) -> np.ndarray:
            self._score(q0, q1, weights, along)
            self.prepared.curvature(q0, q1, scores, state, along, self.grad)
            self._weigh(q0, q1)
            return self._add(q0, q1)

        return np.asarray(self._sum(block))

    @property
    def exact(self) -> bool:
        """Whether R is known, not only bounds of it."""
        return bool(self.prepared.exact)

    @property
    def convex(self) -> bool:
        """Whether R is convex."""
        return bool(self.prepared.loss.convex)

    def touching(self, w: np.ndarray) -> LinearOracle:
        """A convex R above this one that equals it at w."""
        return self.with_loss(self.prepared.touching(self.scores(w)))

    def with_loss(self, prepared: Any) -> LinearOracle:
        """The same features and weights under another loss."""
        self._know_norms()
        return LinearOracle(self.X, prepared, self.query_weight, self.threads, like=self)

    def minibatch(self, w: np.ndarray, q0: int, q1: int) -> tuple[float, np.ndarray]:
        """R and a subgradient over queries q0 to q1 − 1 alone, on the calling thread."""
        scores = np.empty(self.X.shape[0]) if self.scratch is None else self.scratch
        self.scratch = scores
        self._know_norms()
        ordinary = 1e-15 < self.top < 1e15
        self._score(q0, q1, np.ascontiguousarray(w, self.X.dtype if ordinary else np.float64), scores)
        self._loss(q0, q1, scores)
        values = self.values[q0:q1] if self.query_weight is None else self.values[q0:q1] * self.query_weight[q0:q1]
        return float(values.sum()), self._add(q0, q1)

    def along(self, w: np.ndarray, d: np.ndarray) -> OracleLine:
        """R on the line w + t·d: one product with X for the whole line, where w is the last point."""
        return OracleLine(self, self.scored(w), self.scored(d))

    def scores(self, w: np.ndarray) -> np.ndarray:
        """X @ w; the scores of the last point are not computed again."""
        return self.scored(w).scores

    def scored(self, w: np.ndarray) -> Scored:
        """X @ w and how exact it is; the scores of the last point are not computed again."""
        if self.last is not None and self.last.w is w:
            return self.last
        weights, scores = self._weights(w), np.empty(self.X.shape[0])
        self._each(lambda q0, q1: self._score(q0, q1, weights, scores))
        return self._scored(w, weights, scores)

    def _scored(self, w: np.ndarray, weights: np.ndarray, scores: np.ndarray) -> Scored:
        """Scores that were computed with these weights, and how exact they are."""
        size, unit, d = norm_above(w), unit_of(weights.dtype), self.size + 4
        off = (3 * unit + gamma(d)) * size if self.sparse else gamma(d, unit) * size
        return Scored(w, scores, off, d * tiny_of(weights.dtype), size)

    def _weights(self, w: np.ndarray) -> np.ndarray:
        """w in the precision of X, unless scores could be too small or too large for that."""
        if not w.any():
            return np.ascontiguousarray(w, self.precision)
        self._know_norms()
        if self.precision == np.float64:
            return np.ascontiguousarray(w, np.float64)
        size = norm_above(w)
        single = all(_SINGLE[0] < x < _SINGLE[1] for x in (size, size * self.top))
        return np.ascontiguousarray(w, self.X.dtype if single else np.float64)

    def _measure(self, q0: int, q1: int) -> None:
        """Upper bounds on the Euclidean norms of a block's rows."""
        lo, hi = self.ptr[q0], self.ptr[q1]
        if self.sparse:
            kn.sparse_norms(self.X.data, self.X.indptr, lo, hi, self.norms)
        else:
            kn.dense_norms(self.X, lo, hi, self.norms)
        norms = self.norms[lo:hi]
        norms += self.size * tiny_of(np.float64)
        np.sqrt(norms, out=norms)
        norms *= 1 + gamma(self.size + 4)

    def _measured(self) -> None:
        """What follows from the norms of all rows."""
        self.furthest = np.maximum.reduceat(self.norms, self.ptr[:-1])
        self.top = float(self.furthest.max())
        if not math.isfinite(self.top):
            raise InputError("features are too large to be squared: scale them down")

    def _know_norms(self) -> None:
        """Measure all rows, unless the first evaluation has done so on its way."""
        if not len(self.norms):
            self.norms = np.empty(self.X.shape[0])
            self._each(self._measure)
            self._measured()

    def _value(self) -> float:
        return float(self.values.sum() if self.query_weight is None else self.values @ self.query_weight)

    def _each(self, block: Callable[[int, int], Any]) -> list[Any]:
        return shared_map(lambda task: block(*task), self.blocks, self.threads)

    def _sum(self, block: Callable[[int, int], Any]) -> Any:
        """The sum of what ``block`` returns, in the order of the blocks whatever the threads do."""
        return np.sum(self._each(block), axis=0)

    def _score(self, q0: int, q1: int, w: np.ndarray, scores: np.ndarray) -> None:
        lo, hi = self.ptr[q0], self.ptr[q1]
        if self.sparse:
            kn.sparse_scores(self.X.data, self.X.indices, self.X.indptr, lo, hi, w, scores)
        else:
            kn.dense_scores(self.X, lo, hi, w, scores)
        if not kn.held(scores, lo, hi):
            raise InputError("scores are too large for these numbers: scale the features down, or take a smaller C")

    def _loss(self, q0: int, q1: int, scores: np.ndarray) -> None:
        self.prepared.evaluate(q0, q1, scores, self.values, self.grad)
        self._weigh(q0, q1)

    def _weigh(self, q0: int, q1: int) -> None:
        """Multiply the gradient of each query's rows by its weight."""
        if self.query_weight is not None:
            lengths = np.diff(self.ptr[q0 : q1 + 1])
            self.grad[self.ptr[q0] : self.ptr[q1]] *= np.repeat(self.query_weight[q0:q1], lengths)

    def _plane(self, q0: int, q1: int, scores: np.ndarray) -> np.ndarray:
        """The block's share of X.T @ grad, and the sizes that its rounding goes by."""
        kn.query_sizes(self.ptr, q0, q1, scores, self.grad, self.norms, self.sizes)
        return self._add(q0, q1)

    def _add(self, q0: int, q1: int) -> np.ndarray:
        """The block's share of X.T @ grad."""
        lo, hi, out = self.ptr[q0], self.ptr[q1], np.zeros(self.size)
        if self.sparse:
            kn.sparse_add(self.X.data, self.X.indices, self.X.indptr, lo, hi, self.grad, out)
        else:
            kn.dense_add(self.X, lo, hi, self.grad, np.empty(self.size, self.precision), out)
        return out


class OracleLine:
    """R along w + t·d. It uses the oracle's arrays: one line at a time."""

    def __init__(self, oracle: LinearOracle, start: Scored, step: Scored) -> None:
        self.oracle, self.start, self.step = oracle, start, step
        self.scores, self.t = np.empty_like(start.scores), np.nan

    def __call__(self, t: float) -> tuple[float, float]:
        """R and its slope at t, without a look at X."""
        oracle, self.t, start, step = self.oracle, t, self.start.scores, self.step.scores

        def block(q0: int, q1: int) -> float:
            rows = slice(oracle.ptr[q0], oracle.ptr[q1])
            np.multiply(step[rows], t, out=self.scores[rows])
            self.scores[rows] += start[rows]
            oracle._loss(q0, q1, self.scores)
            return float(oracle.grad[rows] @ step[rows])

        slope = float(oracle._sum(block))
        return oracle._value(), slope

    def stop(self) -> tuple[np.ndarray, float, np.ndarray]:
        """The point of the last call, R and a subgradient there; a next line may start from it."""
        start, step, t, oracle = self.start, self.step, self.t, self.oracle
        point = start.w + t * step.w
        size = start.size + t * step.size
        off = SAFE * (start.off + t * step.off + 8 * UNIT * (size + start.off + t * step.off))
        oracle.last = Scored(point, self.scores, off, SAFE * (start.low + t * step.low), SAFE * size)
        grad = oracle._sum(lambda q0, q1: oracle._plane(q0, q1, self.scores))
        return point, oracle._value(), grad


def first_step(oracle: LinearOracle) -> float:
    """The C at which w = −C·gradient at 0 gives scores with deviation 1 within queries; 1 where the gradient is 0."""
    slope = oracle.value_grad(np.zeros(oracle.size))[1]
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.asarray(oracle.X @ slope, np.float64)
        lengths = np.diff(oracle.ptr)
        centred = scores - np.repeat(np.add.reduceat(scores, oracle.ptr[:-1]) / lengths, lengths)
        spread = float(np.sqrt(np.mean(centred**2)))
    return 1 / spread if 1e-100 < spread < 1e100 else 1.0
