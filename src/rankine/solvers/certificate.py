r"""What every solver reports: a point, what is certified of it, and how it got there.

A solver minimises :math:`J(w) = \tfrac12\|w - w_0\|^2 + C\,R(w)`. Whatever its steps, each (sub)gradient that it meets
is a plane below R, and the largest of the planes in place of R bounds the minimum of J from below. So all solvers give
the same certificate. (For one plane it is :math:`J - \tfrac12\|\nabla J\|^2`.)

**In floating point** a plane is kept with what rounding can have done to it: for all w, exactly,

.. math:: R(w) \ge \langle a, w\rangle + b - e_b - e_a \|w\| .

For any weights :math:`\alpha \ge 0` with :math:`\sum_t \alpha_t \le C` (R ≥ 0 takes the rest), :math:`v` their sum of
the a and :math:`e` that of the :math:`e_a`, the minimum of J is then at least

.. math:: \sum_t \alpha_t (b_t + \langle a_t, w_0\rangle - e_{b,t} - e_{a,t}\|w_0\|)
    - \max_{\rho \le r} \bigl[\rho\,(\|v\| + e) - \tfrac12 \rho^2\bigr] ,

with r a bound on the distance of the minimiser from w0, :math:`r^2 = 2 J` for any J that was reached. The quadratic
programme only proposes α; this is evaluated afterwards, from the summed vector v, less the rounding of its own sums.
What is reported as a lower bound is never above the minimum. It may lie below the best that exact numbers would prove.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..rounding import SAFE, UNIT, gamma, norm_above
from .qp import solve_simplex

_IDLE = 30


class ConvergenceWarning(UserWarning):
    """The solver stopped before the gap that was asked for."""


class CertificateError(InputError):
    """A lower bound above what was reached: what the solver was told of the problem is not so."""

    def __init__(self, lower: float, objective: float) -> None:
        super().__init__(
            f"the certificate failed: the lower bound {lower:.10g} lies above the objective {objective:.10g} that was "
            "reached; the loss is not convex, its subgradient is none, or the kernel is not positive semi-definite"
        )


class Slip(NamedTuple):
    """What rounding can have done to one evaluation of R at a point.

    For all w, exactly, R(w) ≥ ⟨grad, w⟩ + ``offset`` − ``offset_error`` − ``slope_error``·‖w‖, and R at the point is
    within ``value_error`` of the value given.
    """

    offset: float
    offset_error: float
    slope_error: float
    value_error: float


def usual_slip(w: np.ndarray, value: float, grad: np.ndarray) -> Slip:
    """For an oracle that does not say: value and gradient are taken to be right to about twenty units."""
    size, away = norm_above(grad), norm_above(w)
    inner = gamma(len(w) + 20) * size * away
    return Slip(
        value - float(grad @ w), inner + 20 * UNIT * abs(value), 20 * UNIT * size, inner + 20 * UNIT * abs(value)
    )


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
    """A point with its certificate: the minimum lies between ``lower_bound`` and ``objective`` + ``error``.

    ``error`` bounds what rounding can have done to the objective; ``converged`` says that the gap asked for was proved.
    """

    w: np.ndarray
    objective: float
    lower_bound: float
    history: tuple[Step, ...]
    seconds: dict[str, float]
    converged: bool
    error: float = 0.0

    @property
    def gap(self) -> float:
        """(upper − lower bound) / upper, for upper = objective + error."""
        return relative_gap(self.objective, self.lower_bound, self.error)


def relative_gap(objective: float, lower_bound: float, error: float = 0.0) -> float:
    """How far the objective may still be from the minimum, as a share of it; both with the error that it may have.

    >>> relative_gap(2.0, 1.5), relative_gap(0.0, 0.0, error=1e-9)
    (0.25, 1.0)
    """
    upper = objective + error
    return max(upper - lower_bound, 0.0) / upper if upper > 0 else 0.0


def proved(linear: float, lost: float, far: float, square: float, reached: float) -> tuple[float, float]:
    """A lower bound on the minimum of J, and how much of it rounding took.

    J(w) is at least ``linear`` − ``lost`` − ‖w − w0‖·``far`` + ½‖w − w0‖², and the minimiser is no further from w0 than
    √(2·``reached``). Without rounding ``lost`` would be 0 and ½ ``far``² be ``square``.
    """
    radius = math.sqrt(2 * reached) * (1 + 4 * UNIT)
    rest = 0.5 * far * far if far <= radius else radius * (far - 0.5 * radius)
    bound = linear - lost - rest - 8 * UNIT * (abs(linear) + abs(lost) + rest)
    return (bound, max(linear - square - bound, 0.0)) if math.isfinite(bound) else (0.0, math.inf)


class Model(NamedTuple):
    """The problem with planes in place of R: its minimiser and minimum, what is proved of J, what rounding took."""

    w: np.ndarray
    minimum: float
    bound: float
    slip: float


@dataclass
class Planes:
    """Planes ⟨a, w⟩ + b below R with their Gram matrix and dual weights; the first is R ≥ 0.

    Each has the point that it was taken at, and its offset and errors (:class:`Slip`) for what is proved. They can be
    handed to the next problem of a path: planes do not depend on C or w0.
    """

    size: int
    a: list[np.ndarray] = field(default_factory=list)
    b: list[float] = field(default_factory=list)
    points: list[np.ndarray | None] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    alpha: np.ndarray = field(default_factory=lambda: np.zeros(0))
    gram: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    idle: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.a:
            self.add(np.zeros(self.size), 0.0)

    def add(self, a: np.ndarray, b: float, slip: Slip | None = None, point: np.ndarray | None = None) -> None:
        """One more plane, with dual weight 0; exact, unless there is a slip."""
        slip = Slip(b, 0.0, 0.0, 0.0) if slip is None else slip
        column = np.array([other @ a for other in self.a] + [a @ a])
        n = len(self.a)
        gram = np.empty((n + 1, n + 1))
        gram[:n, :n] = self.gram
        gram[n, :] = gram[:, n] = column
        if not (np.isfinite(column).all() and math.isfinite(b + math.fsum(slip))):
            raise InputError("the gradient is too large a number to be squared: scale the features or the grades down")
        self.gram = gram
        self.a.append(a)
        self.b.append(b)
        self.points.append(point)
        self.slips.append(slip)
        self.alpha = np.append(self.alpha, 0.0)
        self.idle.append(0)

    def solve(self, w0: np.ndarray, C: float, tolerance: float, reached: float = math.inf) -> Model:
        """Minimiser of the problem with the planes in place of R, its minimum, and a proved lower bound on J.

        ``reached`` is an upper bound on a value of J.
        """
        shift = np.array([a @ w0 for a in self.a]) if w0.any() else np.zeros(len(self.a))
        total = self.alpha.sum()
        if total > 0:
            self.alpha *= C / total
        else:
            self.alpha[0] = C
        minimum, _ = solve_simplex(self.gram, np.array(self.b) + shift, C, self.alpha, tolerance)
        w = w0.copy()
        for weight, a in zip(self.alpha.tolist(), self.a, strict=True):
            if weight > 0:
                w -= weight * a
        self.idle = [0 if x > 0 else n + 1 for x, n in zip(self.alpha.tolist(), self.idle, strict=True)]
        return Model(w, minimum, *self._proved(w, shift, w0, C, reached))

    def _proved(
        self, w: np.ndarray, shift: np.ndarray, w0: np.ndarray, C: float, reached: float
    ) -> tuple[float, float]:  # fmt: skip
        """The lower bound that the weights prove, made feasible, and what rounding took of it.

        w is w0 less the sum of planes, and ``shift`` their slope times w0.
        """
        used = np.flatnonzero(self.alpha)
        # R ≥ 0 takes what is left
        feasible = min(C / math.fsum(self.alpha.tolist()), 1.0) * (1 - 8 * UNIT)
        alpha, shift, d = self.alpha[used] * feasible, shift[used], len(w)
        offset, offset_error, slope_error, _ = np.array([self.slips[i] for i in used.tolist()]).T
        lengths = np.sqrt(np.diag(self.gram)[used]) * (1 + gamma(d + 4)) + math.sqrt(d) * 1e-160
        origin, b = norm_above(w0), offset + shift
        each = offset_error + slope_error * origin + gamma(d + 4) * lengths * origin
        each += 8 * UNIT * (np.abs(offset) + np.abs(shift))
        linear, lost = math.fsum((alpha * b).tolist()), SAFE * float(alpha @ each) + 1e-300
        summed = gamma(len(used) + 8) * (SAFE * float(alpha @ lengths) + 2 * origin)
        away = norm_above(w - w0)
        far = away + SAFE * (summed + float(alpha @ slope_error))
        return proved(linear, lost, far, 0.5 * away * away, reached)

    def clear(self) -> None:
        """Forget all planes but R ≥ 0."""
        self._keep([0])

    def prune(self) -> None:
        """Forget planes that have had no weight for many iterations."""
        keep = [i for i, n in enumerate(self.idle) if i == 0 or n <= _IDLE]
        if len(keep) < len(self.a):
            self._keep(keep)

    def _keep(self, keep: list[int]) -> None:
        for name in ("a", "b", "points", "slips", "idle"):
            setattr(self, name, [getattr(self, name)[i] for i in keep])
        self.alpha = self.alpha[keep]
        self.gram = np.ascontiguousarray(self.gram[np.ix_(keep, keep)])
