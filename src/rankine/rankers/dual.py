"""The n-slack oracle: a point as a combination of documents' features, which are explicit or behind a kernel."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError


class Dual:
    """What both share: the loss of one query at a time, and the square of the point."""

    def __init__(self, prepared: Any, query_weight: np.ndarray | None) -> None:
        self.prepared, self.ptr = prepared, prepared.ptr
        self.n_queries = len(self.ptr) - 1
        self.weights = np.ones(self.n_queries) if query_weight is None else query_weight
        self.scratch, self.values, self.grad = np.empty(prepared.n), np.empty(self.n_queries), np.empty(prepared.n)
        self.half_square = 0.0

    def rows(self, q: int) -> slice:
        """The rows of a query."""
        return slice(self.ptr[q], self.ptr[q + 1])

    def scores(self, q: int) -> np.ndarray:
        """Scores of the documents of q."""
        raise NotImplementedError

    def plane(self, q: int) -> tuple[float, np.ndarray]:
        """The plane that touches the loss of q at the current point."""
        rows = self.rows(q)
        self.scratch[rows] = self.scores(q)
        self.prepared.evaluate(q, q + 1, self.scratch, self.values, self.grad)
        c = -self.grad[rows]
        return float(self.values[q] + c @ self.scratch[rows]), c

    def square(self) -> float:
        """½‖w − w0‖²."""
        return self.half_square

    def total(self) -> float:
        """The sum of all weighted losses, from above where they are known between bounds only."""
        for q in range(self.n_queries):
            self.scratch[self.rows(q)] = self.scores(q)
        return float(self.prepared.upper(self.scratch) @ self.weights)


class LinearDual(Dual):
    """Explicit features: the point is w."""

    def __init__(self, X: Any, prepared: Any, query_weight: np.ndarray | None, w0: np.ndarray | None) -> None:
        super().__init__(prepared, query_weight)
        self.X = X.tocsr() if sp.issparse(X) else X
        self.origin = np.zeros(X.shape[1]) if w0 is None else w0
        self.w = self.origin.copy()

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
        step = self.w - self.origin
        self.half_square = 0.5 * float(step @ step)

    def gram_of(self, planes: list[tuple[int, np.ndarray]]) -> np.ndarray:
        """Inner products of all these planes."""
        V = np.array([self.X[self.rows(q)].T @ c for q, c in planes], np.float64)
        return V @ V.T

    def offset(self) -> float:
        """⟨w − w0, w0⟩."""
        return float((self.w - self.origin) @ self.origin)

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
        self.cached: OrderedDict[int, np.ndarray] = OrderedDict()
        self.most = max(cache_bytes // (8 * len(X) * max(int(np.diff(self.ptr).max()), 1)), 1)

    def gram(self, q: int) -> np.ndarray:
        """Rows of the Gram matrix of a query's documents."""
        if q in self.cached:
            self.cached.move_to_end(q)
            return self.cached[q]
        rows = np.asarray(self.kernel(self.X[self.rows(q)], self.X), np.float64)
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
        own = self.gram(q)[:, self.rows(q)]
        self.half_square += float(c @ self.scores(q)) + 0.5 * float(c @ own @ c)
        self.beta[self.rows(q)] += c

    def gram_of(self, planes: list[tuple[int, np.ndarray]]) -> np.ndarray:
        """Inner products of all these planes."""
        full = np.zeros((len(planes), len(self.X)))
        for i, (q, c) in enumerate(planes):
            full[i, self.rows(q)] = c
        out = np.zeros((len(planes), len(planes)))
        for q in sorted({q for q, _ in planes}):
            out += full[:, self.rows(q)] @ (self.gram(q) @ full.T)
        return 0.5 * (out + out.T)

    def offset(self) -> float:
        """⟨w − w0, w0⟩."""
        return 0.0

    def snapshot(self) -> np.ndarray:
        """The current point."""
        return self.beta.copy()
