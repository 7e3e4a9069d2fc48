"""The oracle of a linear scorer: the two places where features meet a loss, X @ w and X.T @ g.

One sweep over X serves both: a block of queries is scored, its loss evaluated and its rows added up while they are in
cache. Dense and sparse X differ in two small kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..parallel import query_ranges, shared_map
from . import product_kernels as kn
from .dual import LinearDual

_BLOCK_BYTES = 1_500_000


class LinearOracle:
    """R(w) = Σ_q weight_q · loss_q(Xw), for any prepared loss."""

    def __init__(self, X: Any, prepared: Any, query_weight: np.ndarray | None, threads: int) -> None:
        self.X, self.size, self.prepared, self.threads = X, X.shape[1], prepared, threads
        self.ptr, self.query_weight = prepared.ptr, query_weight
        self.n_queries = len(self.ptr) - 1
        self.sparse = sp.issparse(X)
        row_bytes = (X.data.nbytes + X.indices.nbytes if self.sparse else X.nbytes) / X.shape[0]
        self.blocks = query_ranges(self.ptr, max(int(_BLOCK_BYTES / max(row_bytes, 1)), 1))
        self.values, self.grad = np.empty(len(self.ptr) - 1), np.empty(X.shape[0])
        self.last: tuple[np.ndarray, np.ndarray] | None = None  # a point and its scores
        self.hessian: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None  # and what products with the Hessian need
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
        if self.prepared.exact:
            return None
        values = self.prepared.upper(self.scores(w))
        return float(values.sum() if self.query_weight is None else values @ self.query_weight)

    def value_grad(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """R(w) and a subgradient, in one sweep over X."""
        weights, scores = self._weights(w), np.empty(self.X.shape[0])

        def block(q0: int, q1: int) -> np.ndarray:
            self._score(q0, q1, weights, scores)
            self._loss(q0, q1, scores)
            return self._add(q0, q1)

        grad = self._sum(block)
        self.last = w, scores
        return self._value(), grad

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
    def convex(self) -> bool:
        """Whether R is convex."""
        return bool(self.prepared.loss.convex)

    def touching(self, w: np.ndarray) -> LinearOracle:
        """A convex R above this one that equals it at w."""
        return LinearOracle(self.X, self.prepared.touching(self.scores(w)), self.query_weight, self.threads)

    def minibatch(self, w: np.ndarray, q0: int, q1: int) -> tuple[float, np.ndarray]:
        """R and a subgradient over queries q0 to q1 − 1 alone, on the calling thread."""
        scores = np.empty(self.X.shape[0]) if self.scratch is None else self.scratch
        self.scratch = scores
        self._score(q0, q1, self._weights(w), scores)
        self._loss(q0, q1, scores)
        values = self.values[q0:q1] if self.query_weight is None else self.values[q0:q1] * self.query_weight[q0:q1]
        return float(values.sum()), self._add(q0, q1)

    def along(self, w: np.ndarray, d: np.ndarray) -> OracleLine:
        """R on the line w + t·d: one product with X for the whole line, where w is the last point."""
        return OracleLine(self, w, d, self.scores(w), self.scores(d))

    def scores(self, w: np.ndarray) -> np.ndarray:
        """X @ w; the scores of the last point are not computed again."""
        if self.last is not None and self.last[0] is w:
            return self.last[1]
        weights, scores = self._weights(w), np.empty(self.X.shape[0])
        self._each(lambda q0, q1: self._score(q0, q1, weights, scores))
        return scores

    def _weights(self, w: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(w, self.X.dtype)

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

    def _loss(self, q0: int, q1: int, scores: np.ndarray) -> None:
        self.prepared.evaluate(q0, q1, scores, self.values, self.grad)
        self._weigh(q0, q1)

    def _weigh(self, q0: int, q1: int) -> None:
        """Multiply the gradient of each query's rows by its weight."""
        if self.query_weight is not None:
            lengths = np.diff(self.ptr[q0 : q1 + 1])
            self.grad[self.ptr[q0] : self.ptr[q1]] *= np.repeat(self.query_weight[q0:q1], lengths)

    def _add(self, q0: int, q1: int) -> np.ndarray:
        """The block's share of X.T @ grad."""
        lo, hi, out = self.ptr[q0], self.ptr[q1], np.zeros(self.size)
        if self.sparse:
            kn.sparse_add(self.X.data, self.X.indices, self.X.indptr, lo, hi, self.grad, out)
        else:
            kn.dense_add(self.X, lo, hi, self.grad, out)
        return out


class OracleLine:
    """R along w + t·d. It uses the oracle's arrays: one line at a time."""

    def __init__(self, oracle: LinearOracle, w: np.ndarray, d: np.ndarray, start: np.ndarray, step: np.ndarray) -> None:
        self.oracle, self.w, self.d, self.start, self.step = oracle, w, d, start, step
        self.scores, self.t = np.empty_like(start), np.nan

    def __call__(self, t: float) -> tuple[float, float]:
        """R and its slope at t, without a look at X."""
        oracle, self.t = self.oracle, t

        def block(q0: int, q1: int) -> float:
            rows = slice(oracle.ptr[q0], oracle.ptr[q1])
            np.multiply(self.step[rows], t, out=self.scores[rows])
            self.scores[rows] += self.start[rows]
            oracle._loss(q0, q1, self.scores)
            return float(oracle.grad[rows] @ self.step[rows])

        slope = float(oracle._sum(block))
        return oracle._value(), slope

    def stop(self) -> tuple[np.ndarray, float, np.ndarray]:
        """The point of the last call, R and a subgradient there; a next line may start from it."""
        point = self.w + self.t * self.d
        self.oracle.last = point, self.scores
        return point, self.oracle._value(), self.oracle._sum(self.oracle._add)
