r"""What every solver reports: a point, what is certified of it, and how it got there.

A solver minimises :math:`J(w) = \tfrac12\|w - w_0\|^2 + C\,R(w)`. Whatever its steps, each (sub)gradient that it meets
is a plane below R, and the largest of the planes in place of R bounds the minimum of J from below. So all solvers give
the same certificate. (For one plane it is :math:`J - \tfrac12\|\nabla J\|^2`.)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .qp import solve_simplex

_IDLE = 30


class ConvergenceWarning(UserWarning):
    """The solver stopped before the gap that was asked for."""


@dataclass(frozen=True)
class Step:
    """One iteration: what was certified after it, and how many planes were in use."""

    iteration: int
    objective: float
    lower_bound: float
    gap: float
    planes: int
    seconds: float


@dataclass(frozen=True)
class Solution:
    """A point with its certificate: the minimum lies between ``lower_bound`` and ``objective``."""

    w: np.ndarray
    objective: float
    lower_bound: float
    history: tuple[Step, ...]
    seconds: dict[str, float]
    converged: bool

    @property
    def gap(self) -> float:
        """(objective − lower bound) / objective."""
        return relative_gap(self.objective, self.lower_bound)


def relative_gap(objective: float, lower_bound: float) -> float:
    """How far the objective may still be from the minimum, as a share of it.

    >>> relative_gap(2.0, 1.5)
    0.25
    """
    return max(objective - lower_bound, 0.0) / objective if objective > 0 else 0.0


@dataclass
class Planes:
    """Planes ⟨a, w⟩ + b below R with their Gram matrix and dual weights; the first is R ≥ 0.

    They can be handed to the next problem of a path: planes do not depend on C or w0.
    """

    size: int
    a: list[np.ndarray] = field(default_factory=list)
    b: list[float] = field(default_factory=list)
    alpha: np.ndarray = field(default_factory=lambda: np.zeros(0))
    gram: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    idle: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.a:
            self.add(np.zeros(self.size), 0.0)

    def add(self, a: np.ndarray, b: float) -> None:
        """One more plane, with dual weight 0."""
        column = np.array([other @ a for other in self.a] + [a @ a])
        n = len(self.a)
        gram = np.empty((n + 1, n + 1))
        gram[:n, :n] = self.gram
        gram[n, :] = gram[:, n] = column
        self.gram = gram
        self.a.append(a)
        self.b.append(b)
        self.alpha = np.append(self.alpha, 0.0)
        self.idle.append(0)

    def solve(self, w0: np.ndarray, C: float, tolerance: float) -> tuple[np.ndarray, float]:
        """Minimiser of the problem with the planes in place of R, and a lower bound on J."""
        b = np.array(self.b) + (np.array([a @ w0 for a in self.a]) if w0.any() else 0.0)
        total = self.alpha.sum()
        if total > 0:
            self.alpha *= C / total
        else:
            self.alpha[0] = C
        bound, _ = solve_simplex(self.gram, b, C, self.alpha, tolerance)
        w = w0.copy()
        for weight, a in zip(self.alpha.tolist(), self.a, strict=True):
            if weight > 0:
                w -= weight * a
        self.idle = [0 if x > 0 else n + 1 for x, n in zip(self.alpha.tolist(), self.idle, strict=True)]
        return w, bound

    def prune(self) -> None:
        """Forget planes that have had no weight for many iterations."""
        keep = [i for i, n in enumerate(self.idle) if i == 0 or n <= _IDLE]
        if len(keep) < len(self.a):
            self.a = [self.a[i] for i in keep]
            self.b = [self.b[i] for i in keep]
            self.idle = [self.idle[i] for i in keep]
            self.alpha = self.alpha[keep]
            self.gram = np.ascontiguousarray(self.gram[np.ix_(keep, keep)])
