"""Small problems for certificates: whole numbers, scaled, repeated, constant or tied, with every loss and solver."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

import rankine as rk
from rankine import losses, solvers

from . import definitions as d
from .exact import Objective, rows_of

KERNELS = ("linear", "poly", "rbf", "integers")
_SLOW = ("cutting-plane", "subgradient", "conjugate")  # an iteration is long


@dataclass(frozen=True)
class Problem:
    """Everything a fit is told; ``edges`` (winner, loser, weight) replace grades where a loss wants preferences."""

    X: np.ndarray
    y: np.ndarray
    qid: np.ndarray
    loss: str
    C: float
    solver: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)
    tol: float = 1e-3
    max_iter: int = 100
    w0: np.ndarray | None = None
    query_weight: np.ndarray | None = None
    doc_weight: np.ndarray | None = None
    edges: np.ndarray | None = None
    sparse: bool = False
    kernel: str | None = None
    path: tuple[float, ...] = ()

    @property
    def ptr(self) -> np.ndarray:
        """Where queries begin and end."""
        return np.append(np.flatnonzero(np.append(True, np.diff(self.qid) != 0)), len(self.qid))

    def supervision(self) -> Any:
        """Grades, ranks or a preference graph."""
        if self.edges is None:
            return self.y
        return rk.Preferences(self.edges[:, 0].astype(int), self.edges[:, 1].astype(int), self.edges[:, 2])

    def fitted(self) -> list[Any]:
        """The fitted rankers: one, or one for each C of a path."""
        X = sp.csr_array(self.X) if self.sparse else self.X
        data = rk.RankingData(X, self.supervision(), self.qid)
        options = dict(self.options) or None
        if self.kernel is not None:
            own = {"gamma": 0.5, "degree": 2, "coef0": 1.0} if self.kernel != "integers" else {}
            kernel = whole_kernel if self.kernel == "integers" else self.kernel
            ranker = rk.KernelRanker(self.loss, C=self.C, kernel=kernel, loss_options=options, tol=self.tol,
                                     max_iter=self.max_iter, **own)  # fmt: skip
            return [ranker.fit(data)]
        ranker = rk.LinearRanker(
            self.loss, C=self.C, loss_options=options, solver=self.solver, tol=self.tol, w0=self.w0,
            max_iter=self.max_iter, threads=1,
        )  # fmt: skip
        weights = {"query_weight": self.query_weight, "doc_weight": self.doc_weight}
        if self.path:
            return ranker.path(self.path, data, **weights)
        return [ranker.fit(data, **weights)]

    def objective(self, model: Any) -> Objective | None:
        """J in exact numbers; None for a Gram matrix that rounding has made indefinite, which is no problem at all."""
        S, terms = self._counted(model)
        C = Fraction(float(model.C))
        if self.kernel is not None:
            gram = self._gram(model)
            if gram is None:
                return None
            return Objective(gram, terms, C, [d.ZERO] * len(gram), gram)
        z0 = [d.ZERO] * self.X.shape[1] if self.w0 is None else [Fraction(float(x)) for x in self.w0]
        return Objective(S, terms, C, z0)

    def point(self, model: Any) -> list[Fraction]:
        """Where the fit ended: weights, or a coefficient for every document."""
        if self.kernel is None:
            return [Fraction(float(x)) for x in model.coef_]
        out, at = [d.ZERO] * len(self.X), 0
        for row, beta in zip(model.support_.tolist(), model.dual_coef_.tolist(), strict=True):
            while self.X[at].tolist() != row:
                at += 1
            out[at], at = Fraction(beta), at + 1
        return out

    def _counted(self, model: Any) -> tuple[list[list[Fraction]], list[tuple[int, Fraction, list[d.Term]]]]:
        """The features of the documents that count, and each query's first row, weight and terms."""
        weights = np.ones(len(self.y)) if self.doc_weight is None else self.doc_weight
        rows, queries, first, kept = rows_of(self.X), [], 0, []
        options = dict(self.options)
        if hasattr(model, "A_"):
            options["A"] = model.A_
        by_query = [np.arange(a, b)[weights[a:b] > 0] for a, b in zip(self.ptr[:-1], self.ptr[1:], strict=True)]
        lengths = [len(own) for own in by_query if len(own)]
        n = sum(lengths)
        keys = np.random.default_rng(options.get("seed", 0)).random(n)
        heaviest = self._heaviest()
        for q, own in enumerate(by_query):
            if len(own) == 0:
                continue
            grades = self.y[own]
            if self.loss.startswith("consistent-rank"):
                grades = np.argsort(np.argsort(grades)) + 1
            edges = None if self.edges is None else [
                (int(np.flatnonzero(own == i)[0]), int(np.flatnonzero(own == j)[0]), Fraction(a))
                for i, j, a in self.edges.tolist() if i in own
            ]  # fmt: skip
            query = d.Query(
                [Fraction(float(g)) for g in grades], [Fraction(float(x)) for x in weights[own]], edges,
                keys[first : first + len(own)].tolist(), max(lengths), heaviest,
            )  # fmt: skip
            weight = Fraction(1) if self.query_weight is None else Fraction(float(self.query_weight[q]))
            queries.append((first, weight, d.terms(self.loss, options, query)))
            first += len(own)
            kept += own.tolist()
        return [rows[i] for i in kept], queries

    def _heaviest(self) -> Fraction:
        merged: dict[tuple[float, float], Fraction] = {}
        for i, j, a in [] if self.edges is None else self.edges.tolist():
            merged[i, j] = merged.get((i, j), d.ZERO) + Fraction(a)
        return max(merged.values(), default=d.ZERO)

    def _gram(self, model: Any) -> list[list[Fraction]] | None:
        """The Gram matrix as the ranker computed it, query after query; None unless symmetric and not indefinite."""
        function = model._function()
        blocks = [function(self.X[a:b], self.X) for a, b in zip(self.ptr[:-1], self.ptr[1:], strict=True)]
        gram = np.concatenate(blocks)
        if not np.isfinite(gram).all() or (gram != gram.T).any():
            return None
        exact = rows_of(gram)
        return exact if not_indefinite(exact) else None


def not_indefinite(K: list[list[Fraction]]) -> bool:
    """Whether xᵀKx ≥ 0 for all x: symmetric elimination meets no negative pivot."""
    A = [row[:] for row in K]
    left = list(range(len(A)))
    while left:
        pivot = next((i for i in left if A[i][i]), None)
        if pivot is None:
            return not any(A[i][j] for i in left for j in left)
        if A[pivot][pivot] < 0:
            return False
        left.remove(pivot)
        for i in left:
            f = A[i][pivot] / A[pivot][pivot]
            for j in left:
                A[i][j] -= f * A[pivot][j]
    return True


def whole_kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A kernel without rounding for small whole numbers: (1 + ⟨x, y⟩)²."""
    return (1.0 + a @ b.T) ** 2


def random_problem(seed: int, number: int) -> Problem:
    """The problem of this number: the same for the same seed."""
    rng = np.random.default_rng([seed, number])
    names = losses.names()
    name = names[number % len(names)] if rng.random() < 0.7 else str(rng.choice(names))
    name = name.replace("@k", f"@{rng.integers(1, 5)}")
    kernel = str(rng.choice(KERNELS)) if rng.random() < 0.12 else None
    enumerated = name.startswith(("svm", "sum", "softmax"))
    longest = (4 if name.startswith("softmax") or rng.random() < 0.7 else 5) if enumerated else 8
    sizes = rng.integers(1 if rng.random() < 0.1 else 2, longest + 1, rng.integers(1, 5 if longest < 8 else 4))
    qid = np.repeat(np.arange(len(sizes)), sizes)
    features = int(rng.integers(1, 5))
    X = rng.integers(-3, 4, (len(qid), features)).astype(float)
    if rng.random() < 0.2:
        X[rng.integers(0, len(X), len(X) // 2)] = X[0]
    if rng.random() < 0.15:
        X[:, rng.integers(0, features)] = rng.integers(-2, 3)
    problem = Problem(X, np.zeros(len(qid)), qid, name, 1.0, kernel=kernel)
    problem = judged(problem, rng)
    problem = replace(problem, options=random_options(problem, rng))
    return _conditions(problem, rng)


def judged(problem: Problem, rng: np.random.Generator) -> Problem:
    """Grades, ranks or preferences, as the loss wants them."""
    n, name = len(problem.qid), problem.loss
    ranges = list(zip(problem.ptr[:-1], problem.ptr[1:], strict=True))
    if name.startswith("consistent-rank"):
        return replace(problem, y=np.concatenate([rng.permutation(b - a) + 1.0 for a, b in ranges]))
    if name.startswith("consistent-wpd") or (name == "duchi" and rng.random() < 0.5):
        edges = []
        for a, b in ranges:
            order = rng.permutation(np.arange(a, b))
            pairs = [(order[i], order[j]) for i in range(b - a) for j in range(i + 1, b - a) if rng.random() < 0.5]
            edges += [(i, j, float(rng.integers(1, 4))) for i, j in pairs]
        if edges:
            return replace(problem, edges=np.array(edges, float))
        return replace(problem, loss="ranksvm", y=rng.integers(0, 3, n).astype(float))
    y = rng.integers(0, int(rng.integers(2, 5)), n).astype(float)
    if rng.random() < 0.06:
        y[:] = rng.integers(0, 2)
    return replace(problem, y=y)


def random_options(problem: Problem, rng: np.random.Generator) -> dict[str, Any]:
    """Options of the loss, often none."""
    name, options = problem.loss, {}
    if name.startswith("svm"):
        binary = not name.startswith("svm-ndcg")
        weights = ["linear", "inverse-sqrt", "discount", "partial-order", *(["yue"] if binary else [])]
        if rng.random() < 0.6:
            options["A"] = str(rng.choice(weights))
        elif rng.random() < 0.2:
            options["A"] = np.sort(rng.integers(0, 5, 6))[::-1].astype(float)
        if rng.random() < 0.3:
            options["target"] = "random" if ":" in name or rng.random() < 0.7 else "best"
        if not binary and rng.random() < 0.3:
            options["gain"] = "linear"
        if binary and rng.random() < 0.2:
            options["rel"] = 2.0
        plain = problem.kernel is None and ":" not in name and set(options) <= {"gain", "rel"}
        if plain and rng.random() < 0.1:
            options["A"] = "learn"
    if name.startswith(("preorder", "consistent")) and rng.random() < 0.4:
        choices = ["squared-hinge", "smooth-hinge"] + (["hinge"] if name.startswith("preorder") else [])
        options["phi"] = str(rng.choice(choices))
    if name == "duchi" and rng.random() < 0.5:
        options["nu"] = float(rng.choice([0.5, 3.0]))
    return options


def _conditions(problem: Problem, rng: np.random.Generator) -> Problem:
    """Scales, C, weights, w0, precision, solver."""
    X, n, learned = problem.X, len(problem.qid), problem.options.get("A") is not None
    learned = learned and isinstance(problem.options["A"], str) and problem.options["A"] == "learn"
    loss = losses.get(problem.loss, **{k: v for k, v in problem.options.items() if not (learned and k == "A")})
    prepared = loss.prepare(problem.supervision(), problem.ptr)
    if problem.kernel is not None and not loss.convex:
        problem = replace(problem, kernel=None)
    C = float(10.0 ** rng.integers(-12, 16)) if rng.random() < 0.5 else float(10.0 ** rng.integers(-3, 7))
    if rng.random() < 0.5:
        C *= float(rng.integers(1, 10))
    tol = float(rng.choice([1e-1, 1e-3, 1e-6, 1e-9], p=[0.1, 0.5, 0.2, 0.2]))
    problem = replace(problem, C=C, tol=tol, max_iter=int(rng.choice([2, 8, 30])))
    if problem.kernel is not None:
        return replace(problem, solver="cutting-plane", max_iter=min(problem.max_iter, 12))
    if rng.random() < 0.45:
        base = 2.0 ** rng.integers(-66, 67) if rng.random() < 0.5 else 10.0 ** rng.integers(-20, 21)
        each = 2.0 ** rng.integers(-8, 9, X.shape[1]) if rng.random() < 0.3 else 1.0
        X = X * base * each
    if rng.random() < 0.3:
        X = X.astype(np.float32)
    offers = {"dual", "minibatch"} if loss.convex else set()
    offers |= {name for name, has in (("smooth", prepared.smooth), ("hvp", prepared.curved)) if has}
    offers |= {"touching"} if prepared.touches else set()
    fitting = [s for s, row in solvers.TABLE.items() if set(row.needs) <= offers and (loss.convex or row.not_convex)]
    solver = str(rng.choice([*fitting, "auto"]))
    change: dict[str, Any] = {"X": X, "solver": solver, "sparse": bool(rng.random() < 0.2)}
    change["max_iter"] = min(problem.max_iter, 12) if solver in _SLOW else problem.max_iter
    if learned:
        return replace(problem, **(change | {"solver": "auto"}))
    if rng.random() < 0.2:
        change["w0"] = rng.integers(-2, 3, X.shape[1]) * float(10.0 ** rng.integers(-3, 4))
    if rng.random() < 0.2:
        change["query_weight"] = rng.choice([0.0, 0.5, 0.1, 1.0, 3.0], len(problem.ptr) - 1)
    if rng.random() < 0.2 and problem.edges is None:
        kinds = [0.0, 1.0, 0.5, 0.3, 2.0] if loss.weighs_documents else [0.0, 1.0, 1.0]
        weight = rng.choice(kinds, n)
        change["doc_weight"] = weight if weight.any() else np.ones(n)
    if rng.random() < 0.1:
        change["path"] = tuple(sorted({problem.C, problem.C * 10, problem.C * 1000}))
    return replace(problem, **change)
