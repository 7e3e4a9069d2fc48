"""Structural losses at random scores against all rankings in exact numbers.

Tiny queries (at most five documents), every svm-*, sum-* and softmax-* loss, scores of any size and with ties. The loss
is written down in fractions by going through all rankings; exponentials have 300 bits. It is wrong if

- its value differs from the exact one by more than the loss itself says that rounding can do,
- a plane that it gives lies above the loss somewhere by more than that,
- the upper bound of slack rescaling is below the exact value, or its lower bound above,
- the loss of the predicted ranking exceeds it, or an arg max (by any algorithm) is not the largest.

    python -m attacks.structural --count 1000 --seed 1
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from rankine import losses
from rankine.errors import InputError
from rankine.losses.base import Seen
from rankine.losses.structured import slack

from . import definitions as d
from .exact import Objective, inner
from .problems import Problem, judged, random_options
from .scenes import command

ENOUGH = Fraction(1, 10**300)  # what lies below the smallest normal numbers may be lost
_ROUNDING = Fraction(1, 10**12)  # of a measure
ROUTES = ("auto", "counts", "augmenting", "grid", "insertion", "sorting")


@dataclass
class Case:
    """A loss of some queries and their scores; ``certified``: slack rescaling looks at few rankings only."""

    problem: Problem
    scores: np.ndarray
    certified: bool = False
    wrong: list[str] = field(default_factory=list)

    def note(self, q: int, what: str) -> None:
        """Something is wrong with a query."""
        self.wrong.append(f"query {q}: {what}")

    def __str__(self) -> str:
        p = self.problem
        options = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in p.options.items()}
        return (
            f"get({p.loss!r}, **{options}).prepare({p.y.tolist()}, {p.ptr.tolist()})({self.scores.tolist()})"
            f"{', certified' if self.certified else ''}"
        )


def names() -> list[str]:
    """The structural losses."""
    return [name for name in losses.names() if name.startswith(("svm", "sum", "softmax"))]


def random_case(seed: int, number: int) -> Case:
    """The case of this number: the same for the same seed."""
    rng = np.random.default_rng([seed, number])
    name = names()[number % len(names())].replace("@k", f"@{rng.integers(1, 5)}")
    sizes = rng.integers(1, 6, rng.integers(1, 4))
    if name.startswith("softmax"):
        sizes = np.minimum(sizes, 4)
    qid = np.repeat(np.arange(len(sizes)), sizes)
    problem = judged(Problem(np.zeros((len(qid), 1)), np.zeros(len(qid)), qid, name, 1.0), rng)
    options = {k: v for k, v in random_options(problem, rng).items() if not (isinstance(v, str) and v == "learn")}
    problem = Problem(problem.X, problem.y, qid, name, 1.0, options=options)
    return Case(problem, random_scores(rng, len(qid)), bool(":slack" in name and rng.random() < 0.6))


def random_scores(rng: np.random.Generator, n: int) -> np.ndarray:
    """Scores of any size, with ties or without."""
    scores = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(-4, 5, n) / 8.0
    kind = rng.random()
    if kind < 0.3:
        scores = scores * 10.0 ** rng.integers(-12, 9)
    elif kind < 0.4:
        scores = scores + 10.0 ** rng.integers(3, 12)
    return scores


def exact_losses(case: Case) -> list[Objective]:
    """For each query the loss as an exact function of its scores."""
    p, out = case.problem, []
    keys = np.random.default_rng(p.options.get("seed", 0)).random(len(p.y)).tolist()
    longest = int(np.diff(p.ptr).max())
    for a, b in pairwise(p.ptr.tolist()):
        query = d.Query([Fraction(g) for g in p.y[a:b].tolist()], [d.ONE] * (b - a), None, keys[a:b], longest)
        unit = [[Fraction(i == j) for j in range(b - a)] for i in range(b - a)]
        terms = d.terms(p.loss, dict(p.options), query)
        out.append(Objective(unit, [(0, d.ONE, terms)], d.ONE, [d.ZERO] * (b - a)))
    return out


def value(loss: Objective, scores: list[Fraction]) -> Fraction:
    """The loss without the regulariser."""
    return loss.value(scores) - loss.half_square(scores)


def check(case: Case) -> Case:
    """Compare everything that the loss says with the exact one."""
    p, scores = case.problem, case.scores
    with patch.object(slack, "_FEW", 0.5 if case.certified else 2000), np.errstate(all="ignore"):
        loss = losses.get(p.loss, **p.options)
        prepared = loss.prepare(p.y, p.ptr)
        values, grad = prepared(scores)
        steep = np.add.reduceat(np.abs(grad), p.ptr[:-1])
        largest = np.maximum.reduceat(np.abs(scores), p.ptr[:-1])
        off = prepared.rounding(0, len(values), Seen(values, steep, largest, np.zeros(len(values))))
        upper = prepared.upper(scores)
        predicted = loss.bounded.values(scores, p.y, p.ptr) if p.loss.startswith("svm") else None
    for q, exact in enumerate(exact_losses(case)):
        rows = slice(p.ptr[q], p.ptr[q + 1])
        here, given = value(exact, _fractions(scores[rows])), Fraction(float(values[q]))
        slip, tilt = Fraction(float(off.value[q])) + ENOUGH, Fraction(float(off.grad[q]))
        if given > here + slip:
            case.note(q, f"{float(given)!r} is above the loss {float(here)!r} by more than {off.value[q]}")
        if ":slack" in p.loss:
            if Fraction(float(upper[q])) < here:
                case.note(q, f"the upper bound {upper[q]!r} is below the loss {float(here)!r}")
        elif given < here - slip:
            case.note(q, f"{float(given)!r} is below the loss {float(here)!r} by more than {off.value[q]}")
        if predicted is not None and Fraction(float(predicted[q])) > here + _ROUNDING:
            case.note(q, f"the predicted ranking loses {predicted[q]!r}, more than {float(here)!r}")
        if loss.convex:
            plane = Plane(_fractions(scores[rows]), given, _fractions(grad[rows]), slip, tilt)
            check_plane(case, q, plane, exact, [other[rows] for other in other_scores(case, grad)])
    if hasattr(prepared, "argmax"):
        check_routes(case, prepared, off)
    return case


class Plane(NamedTuple):
    """A plane below a loss: its height and slopes at scores, and what rounding can have done to both."""

    scores: list[Fraction]
    height: Fraction
    slopes: list[Fraction]
    slip: Fraction
    tilt: Fraction


def check_plane(case: Case, q: int, plane: Plane, exact: Objective, others: list[np.ndarray]) -> None:
    """Whether a plane lies below the loss at other scores, but for rounding."""
    for other in others:
        t = _fractions(other)
        step = [b - a for a, b in zip(plane.scores, t, strict=True)]
        height = plane.height + inner(plane.slopes, step)
        if height > value(exact, t) + plane.slip + plane.tilt * max(map(abs, step)):
            case.note(q, f"its plane lies above the loss at {other.tolist()}")


def _fractions(x: np.ndarray) -> list[Fraction]:
    return [Fraction(v) for v in np.asarray(x, np.float64).tolist()]


def other_scores(case: Case, grad: np.ndarray) -> list[np.ndarray]:
    """Scores at which planes are compared with the loss: near by, far away, where the gradient leads."""
    rng, s = np.random.default_rng(7), case.scores
    size = float(np.abs(s).max())
    return [np.zeros_like(s), s - grad, -s, s + rng.normal(size=len(s)), case.problem.y * 1.0, s[::-1] + size]


def check_routes(case: Case, prepared: Any, off: Any) -> None:
    """Whether Δ + F of the arg max, found by each algorithm, is the largest but for rounding."""
    p, keys = case.problem, [0.0] * len(case.problem.y)
    longest = int(np.diff(p.ptr).max())
    of, cut = p.loss.removeprefix("svm-").partition("@")[::2]
    o = p.options | {"k": int(cut) if cut else None, "variant": "", "family": p.loss.partition("@")[0]}
    for route in ROUTES:
        if route == "sorting" and not (of == "ndcg" and isinstance(o.get("A"), str) and o["A"] == "discount"):
            continue  # it is right only where A is the discount of Δ
        try:
            rows = prepared.argmax(case.scores, route)
        except (InputError, ValueError):
            continue  # this algorithm is not for this loss
        for q, (a, b) in enumerate(pairwise(p.ptr.tolist())):
            query = d.Query([Fraction(g) for g in p.y[a:b].tolist()], [d.ONE] * (b - a), None, keys[a:b], longest)
            rankings = d.all_rankings(of, o, query)
            if rankings is None:
                continue
            s = _fractions(case.scores[a:b])
            heights = {order: delta + inner(list(v), s) for order, delta, v in rankings.rows}
            mine = heights[tuple(int(i) - a for i in rows[a:b])]
            best = max(heights.values())
            if mine < best - 2 * Fraction(float(off.value[q])) - ENOUGH:
                case.note(q, f"the arg max by {route} has {float(mine)!r}, the best {float(best)!r}")


def attack(count: int, seed: int, names: Sequence[str] = (), minutes: float = 1e9) -> list[str]:
    """Check so many cases; print counts; the failures."""
    failures: list[str] = []
    done: Counter[str] = Counter()
    deadline, certified = time.monotonic() + 60 * minutes, 0
    for number in range(count):
        if time.monotonic() > deadline:
            break
        case = random_case(seed, number)
        if names and not case.problem.loss.startswith(tuple(names)):
            continue
        stem, colon, variant = case.problem.loss.partition(":")
        done[stem.partition("@")[0] + colon + variant] += 1
        certified += case.certified
        if check(case).wrong:
            failures.append(f"seed {seed}, number {number}: {case.wrong[0]}\n  {case}")
            print(failures[-1], flush=True)
    print(", ".join(f"{name}: {n}" for name, n in sorted(done.items())))
    print(f"{done.total()} losses, {certified} certified from both sides: {len(failures)} wrong (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=1000, names="losses")
