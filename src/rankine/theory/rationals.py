"""From a linear programme's floats to exact rational numbers: solve for the vertex that the floats are close to."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Row = list[Fraction]


def vertex(equalities: list[tuple[Row, Fraction]], tight: list[tuple[Row, Fraction]], near: Sequence[float],
           zero: float = 1e-9) -> list[Fraction]:  # fmt: skip
    """The point that meets the equalities and as many of the tight rows as are independent, with 0 where ``near`` is 0.

    Rows that contradict those before them are left out, unknowns that stay free take ``near``'s value: the caller
    checks the result against everything it must hold, so that a wrong guess cannot pass.
    """
    support = [j for j, x in enumerate(near) if abs(x) > zero]
    pivots: dict[int, tuple[Row, Fraction]] = {}  # unknown → its reduced row
    for row, right in [*equalities, *tight]:
        reduced, value = [row[j] for j in support], right
        for p, (other, other_value) in pivots.items():
            if reduced[p]:
                f = reduced[p]
                reduced = [a - f * b for a, b in zip(reduced, other, strict=True)]
                value -= f * other_value
        p = next((j for j, a in enumerate(reduced) if a), None)  # type: ignore[assignment]
        if p is None:
            continue
        scale = reduced[p]
        reduced, value = [a / scale for a in reduced], value / scale
        for q, (other, other_value) in list(pivots.items()):
            if other[p]:
                f = other[p]
                pivots[q] = ([a - f * b for a, b in zip(other, reduced, strict=True)], other_value - f * value)
        pivots[p] = (reduced, value)
    values = [Fraction(near[j]).limit_denominator(10**6) for j in support]
    for p, (row, value) in pivots.items():
        values[p] = value - sum((row[j] * values[j] for j in range(len(support)) if j not in pivots), Fraction(0))
    out = [Fraction(0)] * len(near)
    for j, x in zip(support, values, strict=True):
        out[j] = x
    return out


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """The inner product."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))
