"""Where solvers begin. It matters for losses that are not convex: descents from several points, the best end is taken.

By default these are the optimum of the convex bound and a regression on the grades, scaled by the power of ten that
gives the least objective; and further ones at random. Chapelle, Le & Smola (§5.3) begin at the regression as it is, and
nowhere else: ``start="regression"``.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...data.ranking_data import Preferences, RankingData
from ...errors import InputError, nearest
from ...solvers import SolverRow
from ...solvers.bundle import bundle
from ...solvers.cccp import best_of
from ...solvers.certificate import Solution
from ..baselines import regression_weights
from .linear import LinearOracle

NAMES = ("zero", "regression", "w0", "random", "convex")
DEFAULT_COUNT = 2
_POWERS = range(-2, 5)


def start_names(start: Any, n_starts: int | None) -> tuple[str, ...] | None:
    """The starts that are asked for, checked; None where they are left open.

    >>> start_names("regression", None), start_names(["zero", "w0"], 3), start_names(None, 4)
    (('regression',), ('zero', 'w0', 'random'), None)
    """
    if start is None:
        return None
    names = [start] if isinstance(start, str) else list(start) if isinstance(start, (list, tuple)) else [start]
    for name in names or [start]:
        if not isinstance(name, str) or name not in NAMES:
            hint = nearest(name, NAMES) if isinstance(name, str) else ""
            raise InputError(f"start must be one of {', '.join(NAMES)}, or a list of them; got {start!r:.60}.{hint}")
    if n_starts is not None and n_starts < len(names):
        raise InputError(f"start names {len(names)} points, n_starts is {n_starts}: leave n_starts out")
    return (*names, *["random"] * ((n_starts or 0) - len(names)))


class StartingPoints:
    """The points by name, for one problem: each is computed when it is first needed."""

    def __init__(
        self, oracle: LinearOracle, data: RankingData, w0: np.ndarray | None, C: float, options: dict[str, Any]
    ) -> None:
        self.oracle, self.data, self.C = oracle, data, C
        self.w0 = np.zeros(oracle.size) if w0 is None else w0
        self.options, self.quiet = options, {**options, "planes": None, "progress": None}
        self.rng = np.random.default_rng(options["seed"])

    def solve(
        self, row: SolverRow, names: tuple[str, ...] | None, count: int | None, warm: np.ndarray | None, schedule: Any
    ) -> Solution:
        """The solution from the points of these names, by default from ``count`` points and a warm start."""
        if not self.oracle.convex:
            points = self.default(count or DEFAULT_COUNT) if names is None else self.of(names)
            points += [] if warm is None or names is not None else [warm]
            return best_of(row.run, points, self.oracle, self.C, **self.options)
        if "dual" in row.needs:
            problem = self.oracle.dual(self.options["w0"])
            return row.run(problem, self.C, schedule=schedule or "query", **self.options)
        return row.run(self.oracle, self.C, start=warm if names is None else self.of(names)[0], **self.options)

    def of(self, names: tuple[str, ...]) -> list[np.ndarray]:
        """The points of these names; random ones have the length of the last other one, or of the regression."""
        fixed = {
            "zero": lambda: np.zeros(self.oracle.size),
            "w0": lambda: self.w0,
            "regression": lambda: regression_weights(self.data),
            "convex": self.convex,
        }
        points = {name: fixed[name]() for name in dict.fromkeys(names) if name != "random"}
        last = next((points[name] for name in reversed(names) if name != "random"), None)
        if last is None:
            last = self.w0 if isinstance(self.data.y, Preferences) else regression_weights(self.data)
        return [self.random(last) if name == "random" else points[name] for name in names]

    def default(self, count: int) -> list[np.ndarray]:
        """The convex optimum, where it is known; a scaled regression, where there are grades; others at random."""
        points = [self.convex()] if self.oracle.prepared.touches else []
        if not isinstance(self.data.y, Preferences):
            points.append(self.scaled(regression_weights(self.data)))
        points = points or [self.w0]
        last = points[-1]
        points += [self.random(last) for _ in range(count - len(points))]
        return points[:count]

    def convex(self) -> np.ndarray:
        """The optimum of the convex bound."""
        problem = self.oracle.with_loss(self.oracle.prepared.convex_bound())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bundle(problem, self.C, **self.quiet).w

    def scaled(self, weights: np.ndarray) -> np.ndarray:
        """These weights times the power of ten that gives the least objective."""
        points = [weights * 10.0**e for e in _POWERS]
        return min(points, key=self.height)

    def height(self, w: np.ndarray) -> float:
        """The objective."""
        off = w - self.w0
        return 0.5 * float(off @ off) + self.C * self.oracle.value_grad(w)[0]

    def random(self, like: np.ndarray) -> np.ndarray:
        """A point at random, as far from 0 as another."""
        w = self.rng.normal(size=self.oracle.size)
        return w * max(float(np.linalg.norm(like)), 1e-3) / np.linalg.norm(w)
