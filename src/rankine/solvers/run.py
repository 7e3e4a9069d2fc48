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

from ..errors import InputError
from ..rounding import SAFE, gamma
from ..system.console import status
from ..system.signals import partial_result
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
        self.objective, self.error, self.grad = np.inf, 0.0, np.zeros(oracle.size)
        self.lower, self.estimate = 0.0, 0.0  # what is proved, and what steps go by
        self.exact, self.sharpened = getattr(oracle, "exact", True), False
        self._trusted = True
        self.seconds: dict[str, float] = {}
        self._since = self._began

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
        slip = self._slip(w, value, grad)
        self.planes.add(grad, value - float(grad @ w), slip, w)
        height = check_height(self.height(w, value))
        if height < self.objective:
            self.objective, self.w, self.grad = height, w, grad
            self.error = self._error(height, slip.value_error)

    def _slip(self, w: np.ndarray, value: float, grad: np.ndarray) -> Slip:
        return self.oracle.slip(w) if hasattr(self.oracle, "slip") else usual_slip(w, value, grad)

    def _error(self, height: float, value_error: float) -> float:
        """What rounding can have done to a J of this height, where R is off by up to ``value_error``."""
        return SAFE * self.C * value_error + gamma(len(self.origin) + 8) * height

    def finished(self) -> bool:
        """Certify the best point; whether the gap is small enough, or a limit is reached.

        Steps go by an estimate of the lower bound. Where that is good enough it is to be proved, at the point that is
        best now.
        """
        self.spent("oracle")
        slip = self._certify()
        settled = self.objective == 0 or not self.slope(self.w, self.grad).any()
        # do at least one iteration, unless the start is stationary
        enough = relative_gap(self.objective, self.estimate) <= self.tol and (len(self.history) > 0 or settled)
        proof = enough and self._prove(slip)
        self.spent("qp")
        self.record(self.objective, self.lower, len(self.planes.a), self.error)
        if proof or self.out_of_bounds():
            return True
        if not self.at_rest(self.objective - self.lower, slip):
            return False
        if not self.sharpen():
            self._refine()
            return True
        self.stopped, self._gap, self._steady, self._still = "", np.inf, 0, 0
        return False

    def _certify(self) -> float:
        """Raise the lower bound by what the planes prove; what rounding took of that."""
        accuracy = 0.03 * max(self.objective - self.estimate, self.tol * self.objective)
        self.target, minimum, bound, slip = self.planes.solve(self.origin, self.C, accuracy, self._reached())
        self.planes.prune()
        self.lower = max(self.lower, bound)
        self.estimate = min(max(self.estimate, minimum), self.objective) if self._trusted else self.lower
        if self.exact and self.lower > self.objective + self.error:
            raise CertificateError(self.lower, self.objective)
        return slip

    def _prove(self, slip: float) -> bool:
        """Whether the gap asked for can be proved at the best point, if need be more precisely.

        If not, steps go by what is proved from here on.
        """
        if self._gap_is_proved():
            return True
        self._refine()
        if not self._gap_is_proved() and slip >= 0.5 * self.tol * self.objective and self.sharpen():
            self._certify()
        if self._gap_is_proved():
            return True
        self._trusted, self.estimate = False, self.lower
        return False

    def _refine(self) -> None:
        """Evaluate the best point again, more precisely, if the oracle can."""
        if hasattr(self.oracle, "refined"):
            value, error = self.oracle.refined(self.w)
            self.objective = self.height(self.w, value)
            self.error = self._error(self.objective, error)

    def _gap_is_proved(self) -> bool:
        return relative_gap(self.objective, self.lower, self.error) <= self.tol

    def sharpen(self) -> bool:
        """Evaluate the planes in use and the best point again, and all that follows, more precisely, if possible."""
        if not hasattr(self.oracle, "sharpen") or not self.oracle.sharpen():
            return False
        points = [p for p, alpha in zip(self.planes.points, self.planes.alpha.tolist(), strict=True) if alpha > 0]
        self.planes.clear()
        for w in points:
            if w is not None and w is not self.w:
                value, grad = self.oracle.value_grad(w)
                self.planes.add(grad, value - float(grad @ w), self._slip(w, value, grad), w)
        self.objective, self.sharpened = np.inf, True
        self.see(self.w, *self.oracle.value_grad(self.w))
        return True

    def _reached(self) -> float:
        """An upper bound on the minimum of J; none where R is known from below only."""
        return self.objective + self.error if self.exact else math.inf

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
