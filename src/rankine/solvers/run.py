"""One run of a solver: its options, clock and history, the best point so far, and what is certified of it."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..console import status
from ..errors import InputError
from ..interrupt import partial_result
from ..rounding import SAFE, gamma
from .certificate import CertificateError, ConvergenceWarning, Planes, Slip, Solution, Step, relative_gap, usual_slip
from .oracle import Oracle

_PATIENCE, _STUCK = 20, 100  # iterations without progress: where rounding is most of the gap, and in any case
ROUNDING = "rounding: C or the features are too large for these numbers"


@dataclass(frozen=True)
class Options:
    """What every solver can be told.

    Args:
        w0: the reference point, 0 by default.
        start: where to begin, w0 by default.
        planes: planes of an earlier run with the same oracle, a warm start; new ones are added to it.
        tol: the relative gap to reach.
        max_iter: the most iterations; the best point so far is returned with a warning.
        max_time: the most seconds, likewise.
        progress: called after every iteration.
        seed: of random choices, where a solver makes some.
    """

    w0: np.ndarray | None = None
    start: np.ndarray | None = None
    planes: Planes | None = None
    tol: float = 1e-3
    max_iter: int = 1000
    max_time: float = np.inf
    progress: Callable[[Step], None] | None = None
    seed: int = 0


class Run:
    """The clock and the history of a run, and why it stopped early, if it did."""

    def __init__(self, options: Options) -> None:
        self.options, self.tol = options, options.tol
        self.history: list[Step] = []
        self.stopped = ""
        self._began = time.perf_counter()
        self._gap, self._steady, self._still = np.inf, 0, 0

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self._began

    def record(self, objective: float, lower: float, planes: int, error: float = 0.0) -> Step:
        """Add an iteration to the history and report it."""
        step = Step(len(self.history), objective, lower, relative_gap(objective, lower, error), planes, self.elapsed)
        self.history.append(step)
        if self.options.progress is not None:
            self.options.progress(step)
        return step

    def out_of_bounds(self, unit: str = "iterations") -> bool:
        """Whether the limit of iterations or of time is reached."""
        if len(self.history) > self.options.max_iter:
            self.stopped = f"{self.options.max_iter} {unit}"
        elif self.elapsed > self.options.max_time:
            self.stopped = f"{self.options.max_time:g} seconds"
        return bool(self.stopped)

    def stop(self, why: str = "") -> None:
        """End before the gap is reached; without a reason, because of KeyboardInterrupt, which may be raised again."""
        if not why:
            partial_result()
        self.stopped = why or "an interrupt"

    def at_rest(self, gap: float, slip: float) -> bool:
        """Whether no progress is made any more, because rounding is most of the gap, or whatever stands in the way.

        ``gap`` lies between objective and lower bound, and ``slip`` is what rounding took of the bound.
        """
        if gap < 0.99 * self._gap:
            self._gap, self._steady, self._still = gap, 0, 0
            return False
        self._steady += slip >= 0.5 * gap
        self._still = self._still + 1 if gap >= self._gap * (1 - 1e-9) else 0
        if self._steady >= _PATIENCE or self._still >= _STUCK:
            self.stop(ROUNDING if self._steady >= _PATIENCE else "the precision of the numbers")
        return bool(self.stopped)

    def result(
        self, w: np.ndarray, objective: float, lower: float, seconds: dict[str, float], error: float = 0.0
    ) -> Solution:  # fmt: skip
        """The solution, with a warning if its gap is larger than was asked for."""
        if lower > objective + error:
            raise CertificateError(lower, objective)
        if lower > objective:  # the objective was rounded down: it cannot be so low
            objective, error = lower, objective + error - lower
        gap = relative_gap(objective, lower, error)
        if self.stopped or gap > self.tol:
            why = f"stopped by {self.stopped}" if self.stopped else "the loss is known between two bounds only: ended"
            warnings.warn(
                f"{why} at a relative gap of {gap:.2g}, {self.tol:g} was asked for", ConvergenceWarning, stacklevel=5
            )
        return Solution(w, objective, lower, tuple(self.history), seconds, not self.stopped and gap <= self.tol, error)


class Search(Run):
    """A run for a convex R: the best point so far, and the planes seen, which certify it.

    A solver shows it every evaluation (:meth:`see`) as it was made, and asks it after each iteration whether to go on
    (:meth:`finished`). An interrupt from the keyboard ends the run like a limit (:meth:`stop`).
    """

    def __init__(self, oracle: Oracle, C: float, **options: Any) -> None:
        super().__init__(Options(**options))
        o, self.oracle, self.C = self.options, oracle, C
        self.origin = np.zeros(oracle.size) if o.w0 is None else np.asarray(o.w0, np.float64)
        self.w = (self.origin if o.start is None else np.asarray(o.start, np.float64)).copy()
        self.planes = Planes(oracle.size) if o.planes is None else o.planes
        self.target = self.w
        self.objective, self.error, self.lower, self.grad = np.inf, 0.0, 0.0, np.zeros(oracle.size)
        self.exact, self.sharpened = getattr(oracle, "exact", True), False
        self.seconds: dict[str, float] = {}
        self._since = self._began
        self._refined: np.ndarray | None = None

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
        slip: Slip = self.oracle.slip(w) if hasattr(self.oracle, "slip") else usual_slip(w, value, grad)
        self.planes.add(grad, slip.offset, slip.offset_error, slip.slope_error)
        height = check_height(self.height(w, value))
        if height < self.objective:
            self.objective, self.w, self.grad = height, w, grad
            self.error = self._error(height, slip.value_error)

    def _error(self, height: float, value_error: float) -> float:
        """What rounding can have done to a J of this height, where R is off by up to ``value_error``."""
        return SAFE * self.C * value_error + gamma(len(self.origin) + 8) * height

    def finished(self) -> bool:
        """Certify the best point; whether the gap is small enough, or a limit is reached."""
        self.spent("oracle")
        slip = self._certify()
        if self._blurred(slip) and self.sharpen():
            slip = self._certify()
        self.spent("qp")
        step = self.record(self.objective, self.lower, len(self.planes.a), self.error)
        settled = self.objective == 0 or not self.slope(self.w, self.grad).any()
        # do at least one iteration, unless the start is stationary
        if step.gap <= self.tol and (len(self.history) > 1 or settled):
            return True
        return self.out_of_bounds() or self.at_rest(self.objective - self.lower, slip)

    def sharpen(self) -> bool:
        """Go on more precisely, from the best point, with planes seen anew; whether the oracle can."""
        if not hasattr(self.oracle, "sharpen") or not self.oracle.sharpen():
            return False
        self.planes.clear()
        self.objective = np.inf
        self.see(self.w, *self.oracle.value_grad(self.w))
        self.sharpened = True
        return True

    def _certify(self) -> float:
        """Raise the lower bound by what the planes prove; what rounding took of that."""
        accuracy = 0.03 * max(self.objective - self.lower, self.tol * self.objective)
        self.target, bound, slip = self.planes.solve(self.origin, self.C, accuracy, self._reached())
        self.planes.prune()
        self.lower = max(self.lower, bound)
        if self.exact and self.lower > self.objective + self.error:
            raise CertificateError(self.lower, self.objective)
        self._refine()
        return slip

    def _blurred(self, slip: float) -> bool:
        """Whether the gap is too large yet, and the greater part of it is rounding."""
        gap = self.objective - self.lower
        return gap > self.tol * self.objective and slip >= 0.5 * gap

    def _reached(self) -> float:
        """An upper bound on the minimum of J; none where R is known from below only."""
        return self.objective + self.error if self.exact else math.inf

    def _refine(self) -> None:
        """Evaluate the best point again, more precisely, where its error alone keeps the gap above what was asked."""
        near = relative_gap(self.objective, self.lower) <= self.tol
        wide = relative_gap(self.objective, self.lower, self.error) > self.tol
        if near and wide and self._refined is not self.w and hasattr(self.oracle, "refined"):
            self._refined = self.w
            value, error = self.oracle.refined(self.w)
            self.objective = self.height(self.w, value)
            self.error = self._error(self.objective, error)

    def solution(self) -> Solution:
        """The best point, certified with the upper bound of R where the oracle knows R between two bounds only."""
        upper = getattr(self.oracle, "upper", None)
        if upper is not None and (value := upper(self.w)) is not None:
            self.objective = max(self.objective, self.height(self.w, value))
            self.record(self.objective, self.lower, len(self.planes.a), self.error)
        return self.result(self.w, self.objective, self.lower, self.seconds, self.error)


def check_height(height: float) -> float:
    """An objective as it is, unless it is not a number or too large for one."""
    if not math.isfinite(height):
        raise InputError("the objective is too large a number: scale the features down, or take a smaller C")
    return height


class Descent(Run):
    """A run for an R that is not convex: the best point so far. There is no lower bound but J ≥ 0.

    The option ``planes`` is not used, for nothing lies below such an R.
    """

    def __init__(self, oracle: Oracle, C: float, **options: Any) -> None:
        super().__init__(Options(**options))
        o, self.C = self.options, C
        self.origin = np.zeros(oracle.size) if o.w0 is None else np.asarray(o.w0, np.float64)
        self.w = (self.origin if o.start is None else np.asarray(o.start, np.float64)).copy()
        value, self.grad = oracle.value_grad(self.w)
        self.objective = check_height(self.height(self.w, value))
        self.history = [Step(0, self.objective, 0.0, 1.0, 0, self.elapsed)]
        self.falling = True

    def height(self, w: np.ndarray, value: float) -> float:
        """J at w, where R is ``value``."""
        return 0.5 * float((w - self.origin) @ (w - self.origin)) + self.C * value

    def slope(self) -> np.ndarray:
        """The (sub)gradient of J at the best point."""
        return self.w - self.origin + self.C * self.grad

    def lower(self, w: np.ndarray, value: float, grad: np.ndarray) -> float:
        """Go to a point if J is smaller there; by how much J falls, or would rise (below 0)."""
        height = self.height(w, value)
        fall = self.objective - height
        if fall > 0:
            self.w, self.objective, self.grad = w, height, grad
        return fall

    def solution(self) -> Solution:
        """The best point, with a warning if a limit came before the end."""
        if self.falling:
            warnings.warn("stopped by a limit while the objective was still falling", ConvergenceWarning, stacklevel=4)
        return Solution(self.w, self.objective, 0.0, tuple(self.history), {"all": self.elapsed}, not self.falling)


def show_progress(label: str) -> Callable[[Step], None] | None:
    """A line on standard error that shows the gap closing; None where it is not a terminal."""
    if not sys.stderr.isatty():
        return None
    last = [0.0]

    def show(step: Step) -> None:
        if step.seconds - last[0] > 0.2:
            last[0] = step.seconds
            status(f"{label}: iteration {step.iteration}, objective {step.objective:.6g}, gap {step.gap:.2e}")

    return show
