"""The error of every ranking under every supervision, in rational numbers: small, exact, by enumeration.

Supervisions are grades, ranks 1..m (for the 0/1 error of permutations) or m × m matrices of preference weights (WPD):
a[i][j] is what it costs to rank i below j. Irrational discounts stand for the fractions that their floats are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any, NamedTuple

from ..errors import InputError, unknown
from ..measures import parse

MOST_ITEMS = 7
_MOST_VALUES = 600_000
Label = tuple[Any, ...]
Ranking = tuple[int, ...]  # items, best first
Error = Callable[[Ranking, Label], Fraction]
_ZERO_ONE = ("zero-one", "0-1", "0/1", "zero–one")


def spelled(measure: str | Error) -> str | Error:
    """The name of a measure as this room has it; the zero-one error may be written ``0-1``.

    >>> spelled("0-1"), spelled("AP")
    ('zero-one', 'AP')
    """
    return "zero-one" if isinstance(measure, str) and measure.lower() in _ZERO_ONE else measure


@lru_cache(maxsize=8)
def rankings(m: int) -> list[Ranking]:
    """All rankings of m items."""
    return list(permutations(range(m)))


def checked_labels(labels: Sequence[Any]) -> list[Label]:
    """Supervisions as tuples of fractions (or of tuples of them), all of one length, at most seven items."""
    if not isinstance(labels, Sequence):
        raise InputError(f"expected a list of supervisions, got {labels!r:.60}")
    out = [_fractions(label) for label in labels]
    if not out:
        raise InputError("expected at least one supervision, got none")
    m = len(out[0])
    for i, label in enumerate(out):
        if len(label) != m:
            raise InputError(f"supervision {i}: expected {m} items like the first one, got {len(label)}")
    if not 2 <= m <= MOST_ITEMS:
        raise InputError(f"rankings are enumerated: between 2 and {MOST_ITEMS} items are possible, got {m}")
    if len(set(out)) < len(out):
        raise InputError("a supervision is given twice: give it once, with the sum of the probabilities")
    return out


def _fractions(label: Any) -> Label:
    try:
        values = label.tolist() if hasattr(label, "tolist") else list(label)
        return tuple(tuple(map(Fraction, v)) if isinstance(v, (list, tuple)) else Fraction(v) for v in values)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise InputError(f"expected grades, ranks or a matrix of weights, all finite; got {label!r:.60}") from None


def errors(measure: str | Error, labels: list[Label]) -> list[list[Fraction]]:
    """The error of each ranking (rows, as :func:`rankings` has them) under each supervision.

    >>> labels = checked_labels([(1, 0), (0, 1)])
    >>> [[str(e) for e in row] for row in errors("AP", labels)]
    [['0', '1/2'], ['1/2', '0']]
    """
    measure = spelled(measure)
    if not (callable(measure) or isinstance(measure, str)):
        raise InputError(f"expected the name of a measure, or a function of a ranking and a label; got {measure!r}")
    if math.factorial(len(labels[0])) * len(labels) > _MOST_VALUES:
        raise InputError(f"{len(labels):,} supervisions of {len(labels[0])} items are too many to be enumerated")
    error = measure if callable(measure) else _error(measure, labels)
    try:
        return [[Fraction(error(order, label)) for label in labels] for order in rankings(len(labels[0]))]
    except (TypeError, OverflowError) as problem:
        raise InputError(f"the error of a ranking must be a number that is not too large: {problem}") from None


def _error(name: str, labels: list[Label]) -> Error:
    if name == "zero-one":
        return _zero_one
    try:
        parsed = parse(name)
    except ValueError:
        raise unknown("measure", name, names()) from None
    if parsed.name == "WPD":
        return _disagreement
    if parsed.name not in _MEASURES:
        raise InputError(f"consistency cannot be checked for {parsed}; supported: {', '.join(names())}")
    for label in labels:
        if any(isinstance(g, tuple) or g < 0 for g in label):
            raise InputError(f"{parsed} needs grades ≥ 0, got {[str(g) for g in label]}")
    if dict(parsed.params).get("dcg") == "letor":
        raise InputError("consistency cannot be checked for the LETOR tool's DCG; supported: DCG and nDCG")
    top = max(g for label in labels for g in label)
    options = {**dict(parsed.params), "k": parsed.cutoff or len(labels[0]), "top": top}
    value = _MEASURES[parsed.name].function
    return lambda order, label: 1 - value([label[i] for i in order], options)


def _gain(grade: Fraction, o: dict[str, Any]) -> Fraction:
    return grade if o.get("dcg") == "log2" else Fraction(2**grade) - 1


def _rel(o: dict[str, Any]) -> Any:
    """The lowest grade that is relevant."""
    return 1 if o.get("rel") is None else o["rel"]


def _dcg(grades: list[Fraction], o: dict[str, Any]) -> Fraction:
    gains = (_gain(g, o) * Fraction(1 / math.log2(1 + r)) for r, g in enumerate(grades[: o["k"]], 1))
    return sum(gains, Fraction(0))


def _ndcg(grades: list[Fraction], o: dict[str, Any]) -> Fraction:
    best = _dcg(sorted(grades, reverse=True), o)
    return _dcg(grades, o) / best if best else Fraction(0)


def _ap(grades: list[Fraction], o: dict[str, Any]) -> Fraction:
    relevant, total = 0, Fraction(0)
    for r, g in enumerate(grades, 1):
        if g >= _rel(o):
            relevant += 1
            total += Fraction(relevant, r) if r <= o["k"] else 0
    return total / relevant if relevant else total


def _err(grades: list[Fraction], o: dict[str, Any]) -> Fraction:
    on, total = Fraction(1), Fraction(0)
    for r, g in enumerate(grades[: o["k"]], 1):
        stop = (Fraction(2**g) - 1) / Fraction(2 ** Fraction(o.get("gmax") or o["top"]))
        total += on * stop / r
        on *= 1 - stop
    return total


def _rr(grades: list[Fraction], o: dict[str, Any]) -> Fraction:
    hits = (Fraction(1, r) for r, g in enumerate(grades[: o["k"]], 1) if g >= _rel(o))
    return next(hits, Fraction(0))


def _p(grades: list[Fraction], o: dict[str, Any]) -> Fraction:
    return Fraction(sum(g >= _rel(o) for g in grades[: o["k"]]), o["k"])


class ExactMeasure(NamedTuple):
    """A measure of grades: how it is written, and its value in rational numbers for a list of grades, best first."""

    form: str
    function: Callable[[list[Fraction], dict[str, Any]], Fraction]


_MEASURES = {
    "DCG": ExactMeasure("DCG@k", _dcg),
    "nDCG": ExactMeasure("nDCG@k", _ndcg),
    "AP": ExactMeasure("AP", _ap),
    "ERR": ExactMeasure("ERR", _err),
    "RR": ExactMeasure("RR", _rr),
    "P": ExactMeasure("P@k", _p),
}


def names() -> list[str]:
    """The measures and errors that consistency can be checked for."""
    return [*(row.form for row in _MEASURES.values()), "WPD", "zero-one"]


def _zero_one(order: Ranking, label: Label) -> Fraction:
    """1 unless the ranking is that of the label's ranks. (Printed as an accuracy in the paper: erratum of eq. 13.)"""
    if sorted(label) != list(range(1, len(label) + 1)):
        raise InputError(f"zero-one needs the ranks 1 to {len(label)}, each once; got {[str(g) for g in label]}")
    return Fraction(any(label[i] != r for r, i in enumerate(order, 1)))


def _disagreement(order: Ranking, label: Label) -> Fraction:
    """Σ a_ij over the pairs in which i ends up below j. (Erratum of eq. 12, which charges the satisfied edge.)"""
    if any(not isinstance(row, tuple) or len(row) != len(label) for row in label):
        raise InputError("WPD needs an m × m matrix of weights for each supervision")
    if any(a < 0 for row in label for a in row):
        raise InputError("WPD needs weights that are not negative")
    place = {i: r for r, i in enumerate(order)}
    m = range(len(label))
    return sum((label[i][j] for i in m for j in m if place[i] > place[j]), Fraction(0))
