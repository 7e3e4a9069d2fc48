"""The n-slack oracle: a point as a combination of documents' features, which are explicit or behind a kernel."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...errors import InputError
from ...losses.base import Seen
from ...rounding import SAFE, UNIT, gamma, norm_above, tiny_of
from ...solvers.oracle import Standing
from . import product_kernels as kn


class Dual:
    """What both share: the loss of one query at a time, and what rounding can do to it."""

    norms: np.ndarray  # upper bounds on the norms of documents' features, as far as they are looked at

    def __init__(self, prepared: Any, query_weight: np.ndarray | None) -> None:
        self.prepared, self.ptr = prepared, prepared.ptr
        self.n_queries = len(self.ptr) - 1
        self.weights = np.ones(self.n_queries) if query_weight is None else query_weight
        self.scratch, self.values, self.grad = np.zeros(prepared.n), np.zeros(self.n_queries), np.zeros(prepared.n)
        self.sizes = np.zeros((5, self.n_queries))

    def rows(self, q: int) -> slice:
        """The rows of a query."""
        return slice(self.ptr[q], self.ptr[q + 1])

    def scores(self, q: int) -> np.ndarray:
        """Scores of the documents of q."""
        raise NotImplementedError

    def plane(self, q: int) -> tuple[float, np.ndarray]:
        """The plane that touches the loss of q at the current point."""
        rows = self.rows(q)
        self.scratch[rows] = check_scores(self.scores(q))
        self.prepared.evaluate(q, q + 1, self.scratch, self.values, self.grad)
        kn.query_sizes(self.ptr, q, q + 1, self.scratch, self.grad, self.norms, self.sizes)
        return float(self.values[q] - self.sizes[0, q]), -self.grad[rows]

    def slips(self) -> tuple[np.ndarray, np.ndarray]:
        """What rounding can have done to the last plane of each query: to b, and for each unit of ‖w‖."""
        inner, absolute, _, steep, largest = self.sizes
        loss = self.prepared.rounding(0, self.n_queries, Seen(self.values, steep, largest, np.zeros(self.n_queries)))
        offset = loss.value + loss.grad * largest + UNIT * (np.diff(self.ptr) + 8) * absolute
        offset += 4 * UNIT * (np.abs(self.values) + np.abs(inner))
        return SAFE * offset, SAFE * loss.grad * self.furthest()

    def furthest(self) -> np.ndarray:
        """The largest norm of a document's features for each query."""
        return np.maximum.reduceat(self.norms, self.ptr[:-1])

    def losses(self, near: np.ndarray) -> tuple[float, float]:
        """The sum of all weighted losses, from above where they are known between bounds only, and its error.

        No score of a query is further than ``near`` from the true one.
        """
        for q in range(self.n_queries):
            self.scratch[self.rows(q)] = self.scores(q)
        largest = np.maximum.reduceat(np.abs(check_scores(self.scratch)), self.ptr[:-1])
        if self.prepared.exact:
            values, grad = self.prepared(self.scratch)
            steep = np.add.reduceat(np.abs(grad), self.ptr[:-1])
        else:
            values, steep = self.prepared.upper(self.scratch), np.zeros(self.n_queries)
        loss = self.prepared.rounding(0, self.n_queries, Seen(values, steep, largest, near))
        total = float(values @ self.weights)
        error = float(self.weights @ (loss.value + loss.steep * near)) + UNIT * (self.n_queries + 4) * total
        return total, SAFE * error

    def assembled(self, coefs: list[np.ndarray | None]) -> np.ndarray:
        """One coefficient for each document."""
        beta = np.zeros(self.prepared.n)
        for q, c in enumerate(coefs):
            if c is not None:
                beta[self.rows(q)] = c
        return beta


def check_scores(scores: np.ndarray) -> np.ndarray:
    """Scores as they are, unless some are too large for numbers."""
    if not np.isfinite(scores).all():
        raise InputError("scores are too large for these numbers: scale the features down, or take a smaller C")
    return scores


class LinearDual(Dual):
    """Explicit features: the point is w."""

    def __init__(self, X: Any, prepared: Any, query_weight: np.ndarray | None, w0: np.ndarray | None) -> None:
        super().__init__(prepared, query_weight)
        self.X = X.tocsr() if sp.issparse(X) else X
        self.origin = np.zeros(X.shape[1]) if w0 is None else w0
        self.w = self.origin.copy()
        squares = np.empty(X.shape[0])
        if sp.issparse(X):
            kn.sparse_norms(self.X.data, self.X.indptr, 0, len(squares), squares)
        else:
            kn.dense_norms(self.X, 0, len(squares), squares)
        d = X.shape[1]
        self.norms = np.sqrt(squares + d * tiny_of(np.float64)) * (1 + gamma(d + 4))
        check_scores(self.norms)

    def scores(self, q: int) -> np.ndarray:
        """Scores of the documents of q."""
        return np.asarray(self.X[self.rows(q)] @ self.w, np.float64)

    def inner(self, q: int, planes: list[np.ndarray], c: np.ndarray) -> np.ndarray:
        """Inner products of planes of q with c."""
        features = self.X[self.rows(q)]
        return np.asarray(np.array(planes) @ (features @ (features.T @ c)), np.float64)

    def move(self, q: int, c: np.ndarray) -> None:
        """Add the combination of q's documents with these coefficients."""
        self.w = self.w + np.asarray(self.X[self.rows(q)].T @ c, np.float64)

    def settle(self, coefs: list[np.ndarray | None], errors: list[np.ndarray | None]) -> Standing:
        """Go to w0 + Xᵀβ, summed in double precision; scores are summed in it, too."""
        beta, v, (n, d) = self.assembled(coefs), np.zeros(self.X.shape[1]), self.X.shape
        if sp.issparse(self.X):
            kn.sparse_add(self.X.data, self.X.indices, self.X.indptr, 0, n, beta, v)
        else:
            kn.dense_add(self.X, 0, n, beta, np.empty(d), v)
        rounds = gamma(n + kn.SUMMED) * float(np.abs(beta) @ self.norms) + n * tiny_of(np.float64)
        self.w = self.origin + v
        step = self.w - self.origin
        square, size, origin = 0.5 * float(step @ step), norm_above(self.w), norm_above(self.origin)
        wrong = 4 * UNIT * (size + origin)
        losses, losses_error = self.losses(gamma(d + 4) * size * self.furthest() + d * tiny_of(np.float64))
        far = norm_above(v) + SAFE * (rounds + float(self.assembled(errors) @ self.norms))
        offset = float(v @ self.origin) + (gamma(d + 4) * far + (far - norm_above(v)) + wrong) * origin
        return Standing(
            square, gamma(d + 8) * square + wrong * (norm_above(step) + wrong), losses, losses_error,
            far, offset, origin,
        )  # fmt: skip

    def gram_of(self, planes: list[tuple[int, np.ndarray]]) -> np.ndarray:
        """Inner products of all these planes."""
        V = np.array([self.X[self.rows(q)].T @ c for q, c in planes], np.float64)
        return V @ V.T

    def snapshot(self) -> np.ndarray:
        """The current point."""
        return self.w.copy()


class KernelDual(Dual):
    """Features behind a kernel: the point is a coefficient for each document; rows of the Gram matrix are kept."""

    def __init__(
        self, X: np.ndarray, prepared: Any, query_weight: np.ndarray | None,
        kernel: Callable[[np.ndarray, np.ndarray], np.ndarray], cache_bytes: int,
    ) -> None:  # fmt: skip
        super().__init__(prepared, query_weight)
        self.X, self.kernel = X, kernel
        self.beta = np.zeros(len(X))
        self.norms = np.zeros(len(X))
        self.cached: OrderedDict[int, np.ndarray] = OrderedDict()
        self.most = max(cache_bytes // (8 * len(X) * max(int(np.diff(self.ptr).max()), 1)), 1)

    def gram(self, q: int) -> np.ndarray:
        """Rows of the Gram matrix of a query's documents."""
        if q in self.cached:
            self.cached.move_to_end(q)
            return self.cached[q]
        rows = np.asarray(self.kernel(self.X[self.rows(q)], self.X), np.float64)
        self.norms[self.rows(q)] = np.sqrt(np.maximum(np.diag(rows[:, self.rows(q)]), 0.0)) * (1 + 4 * UNIT)
        self.cached[q] = rows
        if len(self.cached) > self.most:
            self.cached.popitem(last=False)
        return rows

    def scores(self, q: int) -> np.ndarray:
        """Scores of the documents of q."""
        return np.asarray(self.gram(q) @ self.beta)

    def inner(self, q: int, planes: list[np.ndarray], c: np.ndarray) -> np.ndarray:
        """Inner products of planes of q with c."""
        own = self.gram(q)[:, self.rows(q)]
        out = np.array(planes) @ (own @ c)
        if out[-1] < -1e-9 * float(np.abs(own).max()) * float(c @ c):
            raise InputError("the kernel is not positive semi-definite: a vector has a negative square")
        return np.asarray(out)

    def move(self, q: int, c: np.ndarray) -> None:
        """Add the combination of q's documents with these coefficients."""
        self.beta[self.rows(q)] += c

    def settle(self, coefs: list[np.ndarray | None], errors: list[np.ndarray | None]) -> Standing:
        """Go to these coefficients, 0 at first. The Gram matrix is taken as it was computed, for that of vectors."""
        self.beta, n = self.assembled(coefs), len(self.X)
        size = float(np.abs(self.beta) @ self.norms)
        losses, losses_error = self.losses(gamma(n + 4) * size * self.furthest())
        square = max(0.5 * float(self.beta @ self.scratch), 0.0)  # the scores of all documents
        wrong = gamma(2 * n + 8) * size * size
        far = math.sqrt(2 * (square + wrong)) + SAFE * float(self.assembled(errors) @ self.norms)
        return Standing(square, wrong, losses, losses_error, far * (1 + 4 * UNIT), 0.0, 0.0)

    def gram_of(self, planes: list[tuple[int, np.ndarray]]) -> np.ndarray:
        """Inner products of all these planes."""
        full = np.zeros((len(planes), len(self.X)))
        for i, (q, c) in enumerate(planes):
            full[i, self.rows(q)] = c
        out = np.zeros((len(planes), len(planes)))
        for q in sorted({q for q, _ in planes}):
            out += full[:, self.rows(q)] @ (self.gram(q) @ full.T)
        return 0.5 * (out + out.T)

    def snapshot(self) -> np.ndarray:
        """The current point."""
        return self.beta.copy()
