r"""What every solver reports: a point, what is certified of it, and how it got there.

A solver minimises :math:`J(w) = \tfrac12\|w - w_0\|^2 + C\,R(w)`. Whatever its steps, each (sub)gradient that it meets
is a plane below R, and the largest of the planes in place of R bounds the minimum of J from below. So all solvers give
the same certificate. (For one plane it is :math:`J - \tfrac12\|\nabla J\|^2`.)
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .oracle import Oracle
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


class Search:
    """One run of a solver: the best point so far, the planes seen, the history.

    A solver shows it every evaluation (:meth:`see`) and asks it after each iteration whether to go on
    (:meth:`finished`). An interrupt from the keyboard ends the run like a limit (:meth:`stop`).

    Args:
        oracle: the problem; only its ``size`` is looked at here.
        C: the weight of R.
        w0: the reference point, 0 by default.
        start: where to begin, w0 by default.
        planes: planes of an earlier run with the same oracle, a warm start; new ones are added to it.
        tol: the relative gap to reach.
        max_iter: the most iterations; the best point so far is returned with a warning.
        max_time: the most seconds, likewise.
        progress: called after every iteration.
    """

    def __init__(
        self,
        oracle: Oracle,
        C: float,
        *,
        w0: np.ndarray | None = None,
        start: np.ndarray | None = None,
        planes: Planes | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        max_time: float = np.inf,
        progress: Callable[[Step], None] | None = None,
    ) -> None:
        self.C, self.progress = C, progress
        self.tol, self.max_iter, self.max_time = tol, max_iter, max_time
        self.origin = np.zeros(oracle.size) if w0 is None else np.asarray(w0, np.float64)
        self.w = (self.origin if start is None else np.asarray(start, np.float64)).copy()
        self.planes = Planes(oracle.size) if planes is None else planes
        self.target = self.w
        self.objective, self.lower, self.grad = np.inf, 0.0, np.zeros(oracle.size)
        self.history: list[Step] = []
        self.seconds: dict[str, float] = {}
        self.stopped = ""
        self._began = self._since = time.perf_counter()

    def spent(self, on: str) -> None:
        """Book the time since the last call."""
        now = time.perf_counter()
        self.seconds[on] = self.seconds.get(on, 0.0) + now - self._since
        self._since = now

    def height(self, w: np.ndarray, value: float) -> float:
        """J at w, where R is ``value``."""
        return 0.5 * float((w - self.origin) @ (w - self.origin)) + self.C * value

    def slope(self, w: np.ndarray, grad: np.ndarray) -> np.ndarray:
        """The (sub)gradient of J at w, where that of R is ``grad``."""
        return w - self.origin + self.C * grad

    def see(self, w: np.ndarray, value: float, grad: np.ndarray) -> None:
        """A point with R and a subgradient of it: one more plane, perhaps the best point."""
        self.planes.add(grad, value - float(grad @ w))
        height = self.height(w, value)
        if height < self.objective:
            self.objective, self.w, self.grad = height, w, grad

    def finished(self) -> bool:
        """Certify what is known by now; whether that is enough, or a limit is reached."""
        self.spent("oracle")
        wanted = 0.03 * max(self.objective - self.lower, self.tol * self.objective)
        self.target, bound = self.planes.solve(self.origin, self.C, wanted)
        self.planes.prune()
        self.lower = min(max(self.lower, bound), self.objective)
        self.spent("qp")
        gap, seconds = relative_gap(self.objective, self.lower), self._since - self._began
        step = Step(len(self.history), self.objective, self.lower, gap, len(self.planes.a), seconds)
        self.history.append(step)
        if self.progress is not None:
            self.progress(step)
        settled = self.objective == 0 or not self.slope(self.w, self.grad).any()
        if gap <= self.tol and (len(self.history) > 1 or settled):  # a start that is good enough is still not a result
            return True
        if len(self.history) > self.max_iter:
            self.stopped = f"{self.max_iter} iterations"
        elif seconds > self.max_time:
            self.stopped = f"{self.max_time:g} seconds"
        return bool(self.stopped)

    def stop(self, why: str = "an interrupt") -> None:
        """End before the gap is reached."""
        self.stopped = why

    def solution(self) -> Solution:
        """What was found, with a warning if it is less than was asked for."""
        gap = relative_gap(self.objective, self.lower)
        if self.stopped:
            warnings.warn(
                f"stopped by {self.stopped} at a relative gap of {gap:.2g}, {self.tol:g} was asked for",
                ConvergenceWarning,
                stacklevel=4,
            )
        return Solution(self.w, self.objective, self.lower, tuple(self.history), self.seconds, not self.stopped)


class Descent:
    """One run of a solver whose R is not convex: the best point so far and the history. There is no bound but J ≥ 0.

    Options are those of :class:`Search`; ``planes`` is not used, for nothing lies below such an R.
    """

    def __init__(
        self,
        oracle: Oracle,
        C: float,
        *,
        w0: np.ndarray | None = None,
        start: np.ndarray | None = None,
        planes: Planes | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        max_time: float = np.inf,
        progress: Callable[[Step], None] | None = None,
    ) -> None:
        self.C, self.progress = C, progress
        self.tol, self.max_iter, self.max_time = tol, max_iter, max_time
        self.origin = np.zeros(oracle.size) if w0 is None else np.asarray(w0, np.float64)
        self.w = (self.origin if start is None else np.asarray(start, np.float64)).copy()
        self._began = time.perf_counter()
        value, self.grad = oracle.value_grad(self.w)
        self.objective = self.height(self.w, value)
        self.history = [Step(0, self.objective, 0.0, 1.0, 0, self.seconds)]
        self.falling = True

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.perf_counter() - self._began

    def height(self, w: np.ndarray, value: float) -> float:
        """J at w, where R is ``value``."""
        return 0.5 * float((w - self.origin) @ (w - self.origin)) + self.C * value

    def slope(self) -> np.ndarray:
        """The (sub)gradient of J at the best point."""
        return self.w - self.origin + self.C * self.grad

    def lower(self, w: np.ndarray, value: float, grad: np.ndarray) -> float:
        """Go to a point if J is smaller there; by how much J falls, or would rise (below 0)."""
        height = self.height(w, value)
        fell = self.objective - height
        if fell > 0:
            self.w, self.objective, self.grad = w, height, grad
        return fell

    def tell(self, planes: int = 0) -> None:
        """Write an iteration down."""
        step = Step(len(self.history), self.objective, 0.0, 1.0, planes, self.seconds)
        self.history.append(step)
        if self.progress is not None:
            self.progress(step)

    def solution(self) -> Solution:
        """What was found, with a warning if a limit came before the end."""
        if self.falling:
            warnings.warn("stopped by a limit while the objective was still falling", ConvergenceWarning, stacklevel=4)
        return Solution(self.w, self.objective, 0.0, tuple(self.history), {"all": self.seconds}, not self.falling)


def show_progress(label: str) -> Callable[[Step], None] | None:
    """A line on standard error that shows the gap closing; None where it is not a terminal."""
    if not sys.stderr.isatty():
        return None
    last = [0.0]

    def show(step: Step) -> None:
        if step.seconds - last[0] > 0.2:
            last[0] = step.seconds
            line = f"{label}: iteration {step.iteration}, objective {step.objective:.6g}, gap {step.gap:.2e}"
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    return show
