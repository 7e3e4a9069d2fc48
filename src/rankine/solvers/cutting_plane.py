r"""The n-slack cutting plane in the dual (Chapelle, Le & Smola, Algorithm 1): a slack variable for every query.

Every query q has planes :math:`b_j - \langle v_j, w\rangle` below its loss, found one at a time where the current point
violates them most. The dual of the problem with the planes found so far,

.. math:: \max_\alpha \sum_j \alpha_j b_j - \tfrac12 \Bigl\|\sum_j \alpha_j v_j\Bigr\|^2
    \quad\text{with}\quad \alpha \ge 0,\ \sum_{j \in q} \alpha_j \le C_q ,

needs only inner products of features, so kernels come for free. Its tricks are the paper's: it starts from the last
solution; planes that have carried no weight for some passes are dropped; a new plane is taken in by an update of a
single variable, which moves weight to it from the slack or from the query's worst plane; and the dual is improved
further after every query, after every few, or after every pass. The dual is a lower bound on the minimum, the objective
at a point an upper one. After every pass both are evaluated afresh from the dual weights, made feasible, and what
rounding can have done to them is taken off (:mod:`.certificate`). Behind a kernel, what is certified is the problem of
the Gram matrix as it was computed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError
from ..rounding import SAFE, UNIT, gamma
from .certificate import CertificateError, Solution, proved
from .oracle import DualOracle
from .run import Options, Run, check_height

_IDLE, _STEPS, _SWEEPS, _ENOUGH = 20, 10, 10, 0.003
_JOINT, _ITERATIONS = 1000, 300  # planes that are improved all at once, and how often


@dataclass
class _Block:
    """The planes of one query: offsets b, coefficients c over its documents, errors, Gram matrix, dual weights."""

    b: list[float] = field(default_factory=list)
    errors: list[tuple[float, float]] = field(default_factory=list)  # of b, and for each unit of ‖w‖
    c: list[np.ndarray] = field(default_factory=list)
    gram: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    alpha: np.ndarray = field(default_factory=lambda: np.zeros(0))
    idle: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, b: float, c: np.ndarray, column: np.ndarray) -> None:
        n = len(self.b)
        gram = np.empty((n + 1, n + 1))
        gram[:n, :n] = self.gram
        gram[n, :], gram[:, n] = column, column
        self.gram = gram
        self.b.append(b)
        self.errors.append((0.0, 0.0))
        self.c.append(c)
        self.alpha, self.idle = np.append(self.alpha, 0.0), np.append(self.idle, 0)

    def drop(self) -> None:
        keep = np.flatnonzero((self.alpha > 0) | (self.idle <= _IDLE))
        if len(keep) < len(self.b):
            self.b, self.c = [self.b[i] for i in keep], [self.c[i] for i in keep]
            self.errors = [self.errors[i] for i in keep]
            self.gram, self.alpha, self.idle = self.gram[np.ix_(keep, keep)], self.alpha[keep], self.idle[keep]


def check_schedule(schedule: Any) -> None:
    """Raise unless a schedule is one.

    >>> check_schedule("queries")
    Traceback (most recent call last):
    rankine.errors.InputError: schedule must be query, pass, or a number of queries; got 'queries'
    """
    whole = isinstance(schedule, (int, np.integer)) and not isinstance(schedule, bool) and schedule >= 1
    if not whole and not (isinstance(schedule, str) and schedule in ("query", "pass")):
        raise InputError(f"schedule must be query, pass, or a number of queries; got {schedule!r}")


def cutting_plane(oracle: DualOracle, C: float, *, schedule: str | int = "query", **options: Any) -> Solution:
    """Minimise ½‖w − w0‖² + C·Σ_q weight_q·loss_q; ``schedule`` is ``"query"``, ``"pass"``, or a number of queries.

    Further options are those of :class:`Options`; ``w0``, ``start`` and ``planes`` are not used: the oracle knows w0.
    The solution's ``w`` is what the oracle makes of its state: weights, or coefficients of documents.
    """
    check_schedule(schedule)
    run = Run(Options(**options))
    limits = C * oracle.weights
    blocks = [_Block() for _ in range(oracle.n_queries)]
    best, objective, error, lower = oracle.snapshot(), np.inf, 0.0, 0.0
    every = 1 if schedule == "query" else oracle.n_queries if schedule == "pass" else int(schedule)
    try:
        while True:
            height, wrong, dual, slip = _certify(oracle, blocks, limits, C, objective + error)
            if height < objective:
                best, objective, error = oracle.snapshot(), height, wrong
            lower = max(lower, dual)
            if lower > objective + error:
                raise CertificateError(lower, objective)
            step = run.record(objective, lower, sum(len(k.b) for k in blocks), error)
            if (step.gap <= run.tol and len(run.history) > 1) or run.out_of_bounds("passes"):
                break
            if run.at_rest(objective + error - lower, slip + error):
                break
            _visit(oracle, blocks, limits, every)
            _sweep(oracle, blocks, limits, _ENOUGH * (objective - lower))
            for k in blocks:
                k.idle = np.where(k.alpha > 0, 0, k.idle + 1)
                k.drop()
    except KeyboardInterrupt:
        run.stop()
    return run.result(best, objective, lower, {"all": run.elapsed}, error)


def _certify(
    oracle: DualOracle, blocks: list[_Block], limits: np.ndarray, C: float, reached: float
) -> tuple[float, float, float, float]:
    """J at the point of the dual weights with its error, a lower bound on J, and what rounding took of that.

    The weights are made feasible, and the point is made anew from them.
    """
    coefs: list[np.ndarray | None] = [None] * len(blocks)
    errors = coefs.copy()
    linear, lost, slope = [], [], []
    for q, k in enumerate(blocks):
        total = math.fsum(k.alpha.tolist())
        if total > 0:
            k.alpha = np.minimum(limits[q] / total, 1.0) * (1 - 8 * UNIT) * k.alpha
            planes = np.array(k.c)
            coefs[q], errors[q] = k.alpha @ planes, gamma(len(k.b) + 4) * (k.alpha @ np.abs(planes))
            linear += [a * b for a, b in zip(k.alpha.tolist(), k.b, strict=True)]
            lost += [a * e for a, (e, _) in zip(k.alpha.tolist(), k.errors, strict=True)]
            slope += [a * e for a, (_, e) in zip(k.alpha.tolist(), k.errors, strict=True)]
    s = oracle.settle(coefs, errors)
    height = check_height(s.square + C * s.losses)
    error = SAFE * (s.square_error + C * s.losses_error) + 8 * UNIT * height
    reached = min(reached, height + error)
    off, away = SAFE * math.fsum(slope), SAFE * math.fsum(lost) + 4 * UNIT * math.fsum(map(abs, linear))
    dual, slip = proved(
        math.fsum(linear), away + s.offset + off * s.origin, s.far + off, s.square + s.offset, reached
    )  # fmt: skip
    return height, error, dual, slip


def _visit(oracle: DualOracle, blocks: list[_Block], limits: np.ndarray, every: int) -> None:
    """Give each query the plane that its current point violates most; improve the weights after so many queries."""
    pending: list[int] = []
    fresh: list[int] = []
    for q in np.flatnonzero(limits).tolist():
        block, (b, c) = blocks[q], oracle.plane(q)
        scores = oracle.scores(q)
        height = max((bj - float(cj @ scores) for bj, cj in zip(block.b, block.c, strict=True)), default=0.0)
        if b - float(c @ scores) > max(height, 0.0) + 1e-12:
            block.add(b, c, oracle.inner(q, [*block.c, c], c))
            fresh.append(q)
        pending.append(q)
        if len(pending) >= every:
            for p in pending:
                _improve(oracle, p, blocks[p], limits[p], _STEPS)
            pending = []
    for p in pending:
        _improve(oracle, p, blocks[p], limits[p], _STEPS)
    offset, slope = oracle.slips()
    for q in fresh:
        blocks[q].errors[-1] = float(offset[q]), float(slope[q])


def _sweep(oracle: DualOracle, blocks: list[_Block], limits: np.ndarray, enough: float) -> None:
    """Improve the weights of all queries, until a sweep gains no more than ``enough``; then all at once, if few."""
    for _ in range(_SWEEPS):
        if sum(_improve(oracle, q, k, limits[q], _STEPS) for q, k in enumerate(blocks) if len(k.b)) <= enough:
            break
    if sum(len(k.b) for k in blocks) <= _JOINT:
        _together(oracle, blocks, limits)


def _improve(oracle: DualOracle, q: int, block: _Block, limit: float, steps: int) -> float:
    """Move weight between the planes of a query, or to and from its slack, by pairs of variables; the dual's gain."""
    n = len(block.b)
    if n == 0:
        return 0.0
    b, C = np.array(block.b), np.array(block.c)
    slope = b - C @ oracle.scores(q)
    change, gained = np.zeros(n), 0.0
    for _ in range(steps):
        up = int(np.argmax(slope))
        free = limit - block.alpha.sum()
        used = np.flatnonzero(block.alpha > 0)
        down = int(used[np.argmin(slope[used])]) if len(used) else -1
        if slope[up] > 0 and free > 1e-12 * limit:  # from the slack
            length, most, step = block.gram[up, up], free, _unit(n, up)
            gain = slope[up]
        elif down >= 0 and slope[down] < 0:  # back to the slack
            length, most, step = block.gram[down, down], block.alpha[down], -_unit(n, down)
            gain = -slope[down]
        elif down >= 0 and down != up and slope[up] - slope[down] > 1e-12:
            length = block.gram[up, up] + block.gram[down, down] - 2 * block.gram[up, down]
            most, step, gain = block.alpha[down], _unit(n, up) - _unit(n, down), slope[up] - slope[down]
        else:
            break
        t = most if length <= 1e-300 else min(gain / length, most)
        if t <= 0:
            break
        gained += t * gain - 0.5 * t * t * max(length, 0.0)
        block.alpha = np.maximum(block.alpha + t * step, 0.0)
        change += t * step
        slope -= t * (block.gram @ step)
    if change.any():
        oracle.move(q, change @ C)
    return gained


def _together(oracle: DualOracle, blocks: list[_Block], limits: np.ndarray) -> None:
    """Improve all weights at once, where there are few: query by query goes slowly where queries pull at each other.

    Accelerated projected gradient ascent (Beck & Teboulle 2009) on the dual with the Gram matrix of all planes.
    """
    where = [(q, c) for q, k in enumerate(blocks) for c in k.c]
    if not where:
        return
    owner = np.array([q for q, _ in where])
    G, b = oracle.gram_of(where), np.array([x for k in blocks for x in k.b])
    alpha = np.concatenate([k.alpha for k in blocks if len(k.b)])
    free = b - G @ alpha  # at the state of the oracle: scores include w0
    offset = np.concatenate(
        [np.array(k.b) - np.array(k.c) @ oracle.scores(q) for q, k in enumerate(blocks) if len(k.b)]
    )
    linear = b + (offset - free)  # b less what w0 alone scores
    rate = 1.0 / max(float(np.linalg.norm(G, 2)), 1e-300)
    edges = np.concatenate([[0], np.cumsum([len(k.b) for k in blocks if len(k.b)])])
    caps = limits[owner[edges[:-1]]]
    now, ahead, t = alpha.copy(), alpha.copy(), 1.0
    height = float(linear @ alpha - 0.5 * alpha @ G @ alpha)
    for _ in range(_ITERATIONS):
        new = _feasible(ahead + rate * (linear - G @ ahead), edges, caps)
        following = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
        ahead, now, t = new + ((t - 1) / following) * (new - now), new, following
    if float(linear @ now - 0.5 * now @ G @ now) <= height:
        return
    mine = iter(np.split(now - alpha, edges[1:-1]))
    fresh = iter(np.split(now, edges[1:-1]))
    for q, k in enumerate(blocks):
        if len(k.b):
            change, k.alpha = next(mine), next(fresh).copy()
            oracle.move(q, change @ np.array(k.c))


def _feasible(alpha: np.ndarray, edges: np.ndarray, caps: np.ndarray) -> np.ndarray:
    """The nearest weights that are not negative and whose sums over queries are within their limits."""
    out = np.maximum(alpha, 0.0)
    sums = np.add.reduceat(out, edges[:-1])
    for i in np.flatnonzero(sums > caps).tolist():
        own = alpha[edges[i] : edges[i + 1]]
        falling = np.sort(own)[::-1]
        level = (np.cumsum(falling) - caps[i]) / np.arange(1, len(own) + 1)
        above = np.flatnonzero(falling > level)
        if len(above):
            out[edges[i] : edges[i + 1]] = np.maximum(own - level[above[-1]], 0.0)
        else:  # beside weights so large the limit is lost to rounding
            out[edges[i] : edges[i + 1]] = np.where(np.arange(len(own)) == np.argmax(own), caps[i], 0.0)
    return out


def _unit(n: int, i: int) -> np.ndarray:
    out = np.zeros(n)
    out[i] = 1.0
    return out
