"""J(z) = ½(z − z0)ᵀM(z − z0) + C·R(Sz) in exact numbers, and points far better than a solver in floats can give.

Linear rankers have S = X and M = I, kernel rankers S = M = K. Values are fractions; where a loss has exponentials they
are intervals of 300 bits, whose upper end is taken. The points need not be optimal for a check to be right (any point
bounds the minimum from above), but for maxima of planes and for squares they are the exact minimisers:

- maxima of planes: the cutting-plane method with its small quadratic programmes in fractions ends at the minimum;
- squares: Newton's steps in fractions;
- exponentials: Newton's steps with 60 digits.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from mpmath import iv, mp

from .definitions import ZERO, Largest, LogSum, Square, Term

iv.prec, mp.dps = 300, 60
_MOST_PLANES, _MOST_STEPS = 60, 40


class Whole(NamedTuple):
    """A matrix of fractions as whole numbers over one denominator."""

    numbers: np.ndarray
    over: int


def whole(rows: Any) -> Whole:
    """Fractions (a vector or a matrix) over their common denominator."""
    table = np.array(rows, dtype=object)
    over = math.lcm(*(x.denominator for x in table.ravel())) if table.size else 1
    return Whole(np.array([int(x * over) for x in table.ravel()], dtype=object).reshape(table.shape), over)


def rows_of(X: Any) -> list[list[Fraction]]:
    """Floats as fractions."""
    return [[Fraction(x) for x in row] for row in np.asarray(X, np.float64).tolist()]


class Packed(NamedTuple):
    """Planes of a maximum over whole numbers: c + ⟨v, s⟩ for the rows from ``first`` on."""

    term: Largest
    first: int
    c: np.ndarray
    v: np.ndarray
    over: int


class Objective:
    """J for given features, terms of each query with its weight, and metric."""

    def __init__(
        self, S: list[list[Fraction]], terms: list[tuple[int, Fraction, list[Term]]], C: Fraction,
        z0: list[Fraction], metric: list[list[Fraction]] | None = None,
    ) -> None:  # fmt: skip
        self.S, self.C, self.z0, self.metric = S, C, z0, metric
        self.whole_S = whole(S)
        self.maxima: list[Packed] = []
        self.squares: list[tuple[int, Square]] = []
        self.logs: list[tuple[int, LogSum]] = []
        for first, weight, of_query in terms:
            for term in of_query if weight else []:
                weighted = term._replace(weight=term.weight * weight)
                if isinstance(weighted, Largest):
                    both = whole([[c, *v] for c, v in weighted.planes])
                    self.maxima.append(Packed(weighted, first, both.numbers[:, 0], both.numbers[:, 1:], both.over))
                elif isinstance(weighted, Square):
                    self.squares.append((first, weighted))
                else:
                    self.logs.append((first, weighted))

    @property
    def convex(self) -> bool:
        """Whether no maximum is subtracted."""
        return all(p.term.weight >= 0 for p in self.maxima)

    def scores(self, z: list[Fraction]) -> Whole:
        """S z."""
        point = whole(z)
        return Whole(self.whole_S.numbers @ point.numbers, self.whole_S.over * point.over)

    def half_square(self, z: list[Fraction]) -> Fraction:
        """½(z − z0)ᵀM(z − z0)."""
        step = [a - b for a, b in zip(z, self.z0, strict=True)]
        return inner(step, self.moved(step)) / 2

    def moved(self, z: list[Fraction]) -> list[Fraction]:
        """M z."""
        return z if self.metric is None else [inner(row, z) for row in self.metric]

    def lifted(self, g: dict[int, Fraction]) -> list[Fraction]:
        """M⁻¹Sᵀg: how z has to move to go along a gradient by the scores."""
        out = [ZERO] * len(self.z0)
        if self.metric is not None:
            for row, x in g.items():
                out[row] = x
            return out
        for row, x in g.items():
            if x:
                out = [a + x * b for a, b in zip(out, self.S[row], strict=True)]
        return out

    def planes_and_squares(self, s: Whole) -> tuple[Fraction, dict[int, Fraction]]:
        """The part of R without exponentials at these scores, and a subgradient of its maxima."""
        total, g = ZERO, {}
        for p in self.maxima:
            heights = p.v @ s.numbers[p.first : p.first + p.v.shape[1]] + p.c * s.over
            best = int(np.argmax(heights))
            total += p.term.weight * Fraction(heights[best], p.over * s.over)
            for i, x in enumerate(p.term.planes[best][1]):
                if x:
                    g[p.first + i] = g.get(p.first + i, ZERO) + p.term.weight * x
        for first, q in self.squares:
            height = _height(q.plane, s, first)
            if height > 0 or not q.clipped:
                total += q.weight * height * height
        return total, g

    def value(self, z: list[Fraction]) -> Fraction:
        """J(z), or the upper end of an interval that holds it."""
        s = self.scores(z)
        total = self.half_square(z) + self.C * self.planes_and_squares(s)[0]
        if self.logs:
            part = sum((_log_sum(iv, term, s, first) for first, term in self.logs), iv.mpf(0))
            total += self.C * _fraction(part._mpi_[1])
        return total


def inner(a: list[Fraction], b: list[Fraction]) -> Fraction:
    """⟨a, b⟩."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ZERO)


def _height(plane: tuple[Fraction, tuple[Fraction, ...]], s: Whole, first: int) -> Fraction:
    c, v = plane
    return c + sum((x * s.numbers[first + i] for i, x in enumerate(v) if x), ZERO) / s.over


def _fraction(raw: tuple[int, Any, int, int]) -> Fraction:
    """A number of mpmath (sign, mantissa, exponent, bits) as a fraction, exactly."""
    sign, man, exp, _ = raw
    value = Fraction(int(man)) * (Fraction(2) ** int(exp))
    return -value if sign else value


def _number(context: Any, x: Fraction) -> Any:
    return context.mpf(x.numerator) / context.mpf(x.denominator)


def _log_sum(context: Any, term: LogSum, s: Whole, first: int) -> Any:
    """A term with exponentials at exact scores, in intervals or in many digits."""
    heights = [max(_height(plane, s, first) for plane in group) for group in term.groups]
    top = max(heights)
    c, v = term.tangent(context)
    linear = c + sum((x * _number(context, Fraction(s.numbers[first + i], s.over)) for i, x in enumerate(v)), 0)
    # what is far below the top adds less than the last digit; for an upper end it is rounded up to that
    parts = [context.exp(_number(context, max(h - top, Fraction(-1000)))) for h in heights]
    return _number(context, term.weight) * (_number(context, top) + context.log(sum(parts[1:], parts[0])) - linear)


# Better points --------------------------------------------------------------------------------------------------------


class Refined(NamedTuple):
    """The best point, J there, and whether it is the exact minimiser."""

    z: list[Fraction]
    value: Fraction
    exact: bool


def refine(objective: Objective, start: list[Fraction], target: Fraction | None = None) -> Refined:
    """From a point to the minimum, or until J is below ``target``, or so many steps."""
    best = Refined(start, objective.value(start), False)
    origin = Refined(objective.z0, objective.value(objective.z0), False)
    best = min(best, origin, key=lambda x: x.value)
    if not objective.convex or (target is not None and best.value < target):
        return best
    if objective.logs:
        return newton_in_digits(objective, best, target)
    if objective.squares:
        return newton(objective, best, target)
    return cutting_planes(objective, best, target, start)


def cutting_planes(objective: Objective, best: Refined, target: Fraction | None, start: list[Fraction]) -> Refined:
    """Planes where the problem with the planes so far is least; ends where J is as small as that problem."""
    lifts: list[list[Fraction]] = [[ZERO] * len(best.z)]
    offsets, gram, share = [ZERO], [[ZERO]], [objective.C]
    points = [start, objective.z0]
    while len(lifts) < _MOST_PLANES:
        for z in points:
            s = objective.scores(z)
            value, g = objective.planes_and_squares(s)
            height = objective.half_square(z) + objective.C * value
            if height < best.value:
                best = Refined(z, height, False)
            p = objective.lifted(g)
            moved = objective.moved(p)
            away = inner(moved, [a - b for a, b in zip(z, objective.z0, strict=True)])
            offsets.append(value - away)  # the plane's height at z0
            for row, other in zip(gram, lifts, strict=True):
                row.append(inner(other, moved))
            lifts.append(p)
            gram.append([*(row[-1] for row in gram), inner(p, moved)])
            share.append(ZERO)
        if target is not None and best.value < target:
            return best
        bound = simplex(gram, offsets, objective.C, share)
        if best.value == bound:
            return best._replace(exact=True)
        step = [sum((a * p[i] for a, p in zip(share, lifts, strict=True) if a), ZERO) for i in range(len(best.z))]
        points = [[a - b for a, b in zip(objective.z0, step, strict=True)]]
    return best


def simplex(G: list[list[Fraction]], b: list[Fraction], C: Fraction, share: list[Fraction]) -> Fraction:
    """Maximise bᵀα − ½αᵀGα over α ≥ 0, Σα = C, exactly; improves ``share`` in place and returns the maximum."""
    support = [i for i, a in enumerate(share) if a > 0]
    while True:
        x, direction = _on_support(G, b, C, support)
        if direction is not None:
            if sum((b[i] * d for i, d in zip(support, direction, strict=True)), ZERO) < 0:
                direction = [-d for d in direction]
            x = [share[i] + d for i, d in zip(support, direction, strict=True)]
        steps = {i: share[i] / (share[i] - v) for i, v in zip(support, x, strict=True) if v < share[i]}
        reach = min(steps.values(), default=None)
        if reach is None or (direction is None and reach >= 1):
            reach = Fraction(1)
        for i, v in zip(support, x, strict=True):
            share[i] += reach * (v - share[i])
        if direction is not None or reach < 1:
            support = [i for i in support if share[i] > 0]
            continue
        support = [i for i in support if share[i] > 0]
        slopes = [b[t] - sum((G[t][i] * share[i] for i in support), ZERO) for t in range(len(b))]
        enter = max(range(len(b)), key=lambda t: slopes[t])
        if slopes[enter] <= max(slopes[i] for i in support):
            linear = sum((b[i] * share[i] for i in support), ZERO)
            return (linear + sum((slopes[i] * share[i] for i in support), ZERO)) / 2
        support.append(enter)


def _on_support(
    G: list[list[Fraction]], b: list[Fraction], C: Fraction, support: list[int]
) -> tuple[list[Fraction], list[Fraction] | None]:
    """The maximum with Σα = C and signs free; where it is not unique a direction that G does not see."""
    n = len(support)
    system = [[G[i][j] for j in support] + [Fraction(1), b[i]] for i in support]
    system.append([Fraction(1)] * n + [ZERO, C])
    pivots = eliminate(system, n + 1)
    free = [j for j in range(n + 1) if j not in pivots]
    if free:
        direction = [ZERO] * (n + 1)
        direction[free[0]] = Fraction(1)
        for j, row in pivots.items():
            direction[j] = -system[row][free[0]]
        return [], direction[:n]
    return [system[pivots[j]][-1] for j in range(n)], None


def eliminate(system: list[list[Fraction]], columns: int) -> dict[int, int]:
    """Gauss and Jordan in place; the row that holds the pivot of each column that has one."""
    pivots: dict[int, int] = {}
    row = 0
    for j in range(columns):
        pivot = next((i for i in range(row, len(system)) if system[i][j]), None)
        if pivot is None:
            continue
        system[row], system[pivot] = system[pivot], system[row]
        scale = system[row][j]
        system[row] = [x / scale if x else x for x in system[row]]
        for i in range(len(system)):
            if i != row and system[i][j]:
                f = system[i][j]
                system[i] = [x - f * y if y else x for x, y in zip(system[i], system[row], strict=True)]
        pivots[j] = row
        row += 1
    return pivots


def rounded(z: list[Fraction], digits: int = 40) -> list[Fraction]:
    """About the same point with short numbers."""
    out = []
    for x in z:
        e = digits * 10 // 3 - (abs(x.numerator).bit_length() - x.denominator.bit_length()) if x else 0
        scale = Fraction(2) ** e
        out.append(Fraction(round(x * scale)) / scale)
    return out


def newton(objective: Objective, best: Refined, target: Fraction | None) -> Refined:
    """Where the clipped squares that are active stay the same, one step is exact."""
    n, C, z = len(best.z), objective.C, best.z
    for _ in range(_MOST_STEPS):
        s = objective.scores(z)
        active = [(f, q) for f, q in objective.squares if not q.clipped or _height(q.plane, s, f) > 0]
        system = [[Fraction(i == j) for j in range(n)] + [objective.z0[i]] for i in range(n)]
        for first, q in active:
            p = objective.lifted({first + i: x for i, x in enumerate(q.plane[1]) if x})
            slope = objective.moved(p)  # Sᵀv
            for i in range(n):
                f = 2 * C * q.weight * p[i]
                if f:
                    system[i] = [a + f * b for a, b in zip(system[i], [*slope, -q.plane[0]], strict=True)]
        pivots = eliminate(system, n)
        new = [system[pivots[j]][-1] for j in range(n)]
        s = objective.scores(new)
        still = [(f, q) for f, q in objective.squares if not q.clipped or _height(q.plane, s, f) > 0]
        height = objective.value(new)
        if len(still) == len(active) and all(a is b for (_, a), (_, b) in zip(still, active, strict=True)):
            return Refined(new, height, True) if height <= best.value else best
        halvings = 0
        while height >= best.value and halvings < 20:
            halvings += 1
            new = rounded([a + (b - a) / 2 for a, b in zip(z, new, strict=True)])
            height = objective.value(new)
        if height >= best.value:
            return best
        best, z = Refined(new, height, False), new
        if target is not None and height < target:
            return best
    return best


def newton_in_digits(objective: Objective, best: Refined, target: Fraction | None) -> Refined:
    """Newton's method with 60 digits; the value of the end is rounded up by intervals."""
    for _ in range(_MOST_STEPS):
        step = _step_in_digits(objective, best.z)
        scale, better = Fraction(1), None
        for _ in range(12):
            new = rounded([a + scale * b for a, b in zip(best.z, step, strict=True)])
            height = objective.value(new)
            if height < best.value:
                better = Refined(new, height, False)
                break
            scale /= 4
        if better is None:
            return best
        gain, best = best.value - better.value, better
        if (target is not None and best.value < target) or gain <= Fraction(1, 10**30) * abs(best.value):
            return best
    return best


def _step_in_digits(objective: Objective, z: list[Fraction]) -> list[Fraction]:
    """(I + C·M⁻¹SᵀHS) d = −(z − z0 + C·M⁻¹Sᵀg), solved with 60 digits."""
    n, s = len(z), objective.scores(z)
    slope: dict[int, Any] = {}
    curve: list[tuple[Any, dict[int, Any]]] = []  # weight, vector
    for first, term in objective.logs:
        tops = [max(group, key=lambda plane: _height(plane, s, first)) for group in term.groups]
        heights = [_height(plane, s, first) for plane in tops]
        top = max(heights)
        parts = [mp.exp(_number(mp, max(h - top, Fraction(-1000)))) for h in heights]
        shares = [p / sum(parts) for p in parts]
        weight, m = _number(mp, term.weight), len(tops[0][1])
        vectors = [[_number(mp, x) for x in v] for _, v in tops]
        mean = [sum(p * v[i] for p, v in zip(shares, vectors, strict=True)) for i in range(m)]
        linear = term.tangent(mp)[1]
        for i in range(m):
            slope[first + i] = slope.get(first + i, mp.mpf(0)) + weight * (mean[i] - linear[i])
        curve += [
            (weight * p, {first + i: v[i] - mean[i] for i in range(m)}) for p, v in zip(shares, vectors, strict=True)
        ]
    S = [[_number(mp, x) for x in row] for row in objective.S]
    C = _number(mp, objective.C)
    matrix = mp.eye(n)
    for weight, v in curve:
        down = [sum(x * S[row][i] for row, x in v.items()) for i in range(n)]
        up = down if objective.metric is None else [v.get(i, mp.mpf(0)) for i in range(n)]
        for i in range(n):
            for j in range(n):
                matrix[i, j] += C * weight * up[i] * down[j]
    if objective.metric is None:
        pull = [sum(x * S[row][i] for row, x in slope.items()) for i in range(n)]
    else:
        pull = [slope.get(i, mp.mpf(0)) for i in range(n)]
    right = mp.matrix([-(_number(mp, z[i] - objective.z0[i]) + C * pull[i]) for i in range(n)])
    d = mp.lu_solve(matrix, right)
    return [_fraction(x._mpf_) for x in d]
