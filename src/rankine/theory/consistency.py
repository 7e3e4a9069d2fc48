r"""Consistency, checked on small cases: does minimising a loss lead to rankings that are optimal for a measure?

One query, m items, a finite distribution over its supervisions. The *Bayes-optimal* rankings are those of least
expected error, found by enumeration. The minimiser s* of the expected loss is found as a linear ranker with one
feature per item and a vanishing regulariser (so where there are several minimisers it is the one of least norm). The
loss is consistent here if the order of s* is Bayes-optimal (ties counted as the mean over their orders, Buffoni et al.,
Definition 1).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np

from ..data.ranking_data import Preferences, RankingData
from ..errors import InputError
from ..losses import Loss, resolve
from ..losses.supervision import RANKS
from ..rankers.linear import LinearRanker
from ..system.progress import bar
from .exact_errors import MOST_ITEMS, Error, Label, Ranking, checked_labels, errors, rankings, spelled
from .rationals import dot

_C = 1e4
_TIE = 1e-4  # scores that differ by less, as a share of their range, may be equal
_SAME = 1e-7  # scores that differ by less are
_MOST_LABELS = 20_000


@dataclass(frozen=True)
class Optimum:
    """The least expected error and all rankings (items from 0, best first) that reach it."""

    error: Fraction
    rankings: tuple[Ranking, ...]


@dataclass(frozen=True)
class Verdict:
    """What a loss does under one distribution of supervisions.

    ``answer`` is "consistent here", "inconsistent", or "undecided" where scores are too close to tell them from a tie.
    ``regret`` is the expected error of the scores' order above the least one.
    """

    answer: str
    loss: str
    measure: str
    labels: tuple[Label, ...]
    probabilities: tuple[Fraction, ...]
    scores: tuple[float, ...]
    regret: Fraction
    optimum: Optimum

    @property
    def order(self) -> tuple[tuple[int, ...], ...]:
        """The items in the order of the scores, those that tie together."""
        return _groups(self.scores, _TIE * max(1.0, max(self.scores) - min(self.scores)))


def every_label(grades: Sequence[int], m: int) -> list[Label]:
    """All vectors of m of these grades.

    >>> len(every_label((0, 1), 3))
    8
    """
    _check_items(m)
    if len(set(grades)) ** m > _MOST_LABELS:
        raise InputError(f"{len(set(grades))} grades of {m} items are {len(set(grades)) ** m:,} supervisions: too many")
    return list(product(sorted(set(grades)), repeat=m))


def every_ranking(m: int) -> list[Label]:
    """The ranks 1 to m in all orders, for the zero-one error.

    >>> every_ranking(2)
    [(1, 2), (2, 1)]
    """
    _check_items(m)
    return list(permutations(range(1, m + 1)))


def every_edge(m: int) -> list[Label]:
    """The preference graphs of one edge of weight 1 over m items, as matrices, for WPD.

    >>> every_edge(2)
    [((0, 1), (0, 0)), ((0, 0), (1, 0))]
    """
    _check_items(m)
    ends = permutations(range(m), 2)
    return [tuple(tuple(int((i, j) == edge) for j in range(m)) for i in range(m)) for edge in ends]


def _check_items(m: int) -> None:
    if not 2 <= m <= MOST_ITEMS:
        raise InputError(f"rankings are enumerated: between 2 and {MOST_ITEMS} items are possible, got {m}")


def bayes_optimal(measure: str | Error, labels: Sequence[Any], probabilities: Sequence[Any]) -> Optimum:
    """The rankings of least expected error, by enumeration in rational numbers.

    >>> bayes_optimal("DCG", [(1, 0, 0), (0, 1, 1)], ["2/5", "3/5"]).rankings
    ((1, 2, 0), (2, 1, 0))
    """
    supervisions = checked_labels(labels)
    return _optimum(
        errors(measure, supervisions), _distribution(probabilities, len(supervisions)), len(supervisions[0])
    )


def _optimum(table: list[list[Fraction]], p: list[Fraction], m: int) -> Optimum:
    expected = [dot(row, p) for row in table]
    least = min(expected)
    return Optimum(least, tuple(o for o, e in zip(rankings(m), expected, strict=True) if e == least))


def minimiser(loss: str | Loss, labels: Sequence[Any], probabilities: Sequence[Any]) -> np.ndarray:
    """Scores that minimise the expected loss; of several, those of nearly least norm.

    >>> minimiser("squared-dcg", [(1, 0), (0, 1)], [0.75, 0.25]).round(3)
    array([0.75, 0.25])
    """
    supervisions = checked_labels(labels)
    return _minimise(loss, supervisions, _distribution(probabilities, len(supervisions)))[0]


def _minimise(loss: str | Loss, supervisions: list[Label], p: list[Fraction]) -> tuple[np.ndarray, float]:
    """The scores, and how far they can be from those that they stand for: ½‖w − w*‖² ≤ objective − lower bound."""
    loss = resolve(loss)
    if not loss.convex:
        raise InputError(f"{loss.name} is not convex: its minimiser cannot be certified")
    used = [k for k, x in enumerate(p) if x > 0]
    m = len(supervisions[0])
    data = RankingData(
        np.tile(np.eye(m), (len(used), 1)), _supervision([supervisions[k] for k in used], m), np.repeat(used, m)
    )
    ranker = LinearRanker(loss, C=_C, tol=1e-10, max_iter=2000, threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # near the limit of rounding the gap may stay above tol
        ranker.fit(data, query_weight=np.array([float(p[k]) for k in used]))
    return ranker.coef_, float(np.sqrt(2 * max(ranker.objective_ - ranker.lower_bound_, 0.0)))


def _supervision(labels: list[Label], m: int) -> Any:
    """Grades of all rows, or one preference graph over them."""
    if not isinstance(labels[0][0], tuple):
        return np.array([[float(g) for g in label] for label in labels]).ravel()
    weights = np.array([[[float(a) for a in row] for row in label] for label in labels])
    k, i, j = np.nonzero(weights)
    return Preferences(k * m + i, k * m + j, weights[k, i, j])


def check(loss: str | Loss, measure: str | Error, labels: Sequence[Any], probabilities: Sequence[Any]) -> Verdict:
    """Whether the minimiser of the expected loss sorts optimally for the measure under this distribution.

    >>> check("consistent-dcg", "DCG", [(2, 0, 0), (0, 1, 0), (0, 0, 1)], [0.3, 0.5, 0.2]).answer
    'consistent here'
    """
    supervisions = checked_labels(labels)
    return _check(
        loss, measure, supervisions, _distribution(probabilities, len(supervisions)), errors(measure, supervisions)
    )


def _check(
    loss: str | Loss, measure: str | Error, supervisions: list[Label], p: list[Fraction], table: list[list[Fraction]]
) -> Verdict:
    measure = spelled(measure)
    scores, off = _minimise(loss, _as_grades(loss, supervisions) if measure == "zero-one" else supervisions, p)
    optimum = _optimum(table, p, len(supervisions[0]))
    expected = dict(zip(rankings(len(supervisions[0])), (dot(row, p) for row in table), strict=True))
    near = max(_TIE * max(1.0, float(np.ptp(scores))), min(off, 0.01))
    possible = _orders_of(_groups(scores, near), expected)
    regret = sum(possible, Fraction(0)) / len(possible) - optimum.error
    if regret == 0:
        answer = "consistent here"
    elif min(possible) > optimum.error or _groups(scores, near) == _groups(scores, _SAME):
        answer = "inconsistent"  # whatever the order of what may tie, or it does tie (Definition 1)
    else:
        answer = "undecided"
    return Verdict(
        answer,
        loss if isinstance(loss, str) else loss.name,
        measure if isinstance(measure, str) else getattr(measure, "__name__", "measure"),
        tuple(supervisions),
        tuple(p),
        tuple(scores.tolist()),
        regret,
        optimum,
    )


def _as_grades(loss: str | Loss, supervisions: list[Label]) -> list[Label]:
    """Ranks (1 is best) as they are for a loss on ranks, turned round for a loss on grades."""
    m = len(supervisions[0])
    return supervisions if RANKS in resolve(loss).supervision else [tuple(m + 1 - x for x in y) for y in supervisions]


def search(
    loss: str | Loss, measure: str | Error, labels: Sequence[Any], *, tries: int = 200, seed: int = 0
) -> Verdict | None:
    """A distribution under which the loss misleads, among random ones over two to four supervisions; None if none did.

    Probabilities are multiples of 1/20, so that what is found can be read.
    """
    if not (isinstance(tries, int) and tries >= 1):
        raise InputError(f"tries must be a whole number, at least 1; got {tries!r}")
    supervisions = checked_labels(labels)
    table, rng = errors(measure, supervisions), np.random.default_rng(seed)
    with bar("distributions", tries) as update:
        for done in range(tries):
            update(done)
            some = rng.choice(len(supervisions), size=min(int(rng.integers(2, 5)), len(supervisions)), replace=False)
            shares = rng.multinomial(20 - len(some), np.full(len(some), 1 / len(some))) + 1
            p = [Fraction(0)] * len(supervisions)
            for k, share in zip(some.tolist(), shares.tolist(), strict=True):
                p[k] = Fraction(share, 20)
            verdict = _check(loss, measure, supervisions, p, table)
            if verdict.answer == "inconsistent":
                return verdict
    return None


def low_noise(labels: Sequence[Any], probabilities: Sequence[Any]) -> bool:
    """Duchi et al.'s condition on preference matrices: with D = E[a − aᵀ], D_ik, D_kj > 0 ⇒ D_ij ≥ D_ik + D_kj.

    (As printed, "for all i, j, k", it would force equality.)
    """
    supervisions = checked_labels(labels)
    if not all(isinstance(row, tuple) for y in supervisions for row in y):
        raise InputError("low noise is a property of preferences: give an m × m matrix of weights for each supervision")
    p = _distribution(probabilities, len(supervisions))
    m = range(len(supervisions[0]))
    D = [[sum(x * (y[i][j] - y[j][i]) for x, y in zip(p, supervisions, strict=True)) for j in m] for i in m]
    return all(D[i][j] >= D[i][k] + D[k][j] for i in m for j in m for k in m if D[i][k] > 0 and D[k][j] > 0)


def order_preserving(probabilities: dict[Ranking, Fraction], i: int, j: int) -> bool:
    """Xia et al.'s condition for one pair: putting i before j never makes a permutation less likely.

    ``probabilities`` are of rank vectors; those left out are 0.
    """
    for ranks, p in probabilities.items():
        if not (0 <= i < len(ranks) and 0 <= j < len(ranks)):
            raise InputError(f"items are numbered from 0 to {len(ranks) - 1}, got {i} and {j}")
        swapped = list(ranks)
        swapped[i], swapped[j] = ranks[j], ranks[i]
        other = probabilities.get(tuple(swapped), Fraction(0))
        better, worse = (p, other) if ranks[i] < ranks[j] else (other, p)
        if not (better > worse or better == worse == 0):
            return False
    return True


def _distribution(probabilities: Sequence[Any], n: int) -> list[Fraction]:
    """Fractions that sum to 1; floats (and only they) are taken as the nearest fraction with a small denominator."""
    try:
        p = [Fraction(x).limit_denominator(10**6) if isinstance(x, float) else Fraction(x) for x in probabilities]
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise InputError(f"expected probabilities, got {probabilities!r:.60}") from None
    if len(p) != n:
        raise InputError(f"expected a probability for each of the {n} supervisions, got {len(p)}")
    total = sum(p, Fraction(0))
    if min(p) < 0 or abs(total - 1) > Fraction(1, 10**5):
        raise InputError(f"probabilities must not be negative and sum to 1; they sum to {float(total):g}")
    return [x / total for x in p]


def _groups(scores: Any, near: float) -> tuple[tuple[int, ...], ...]:
    """Items by descending score; those whose scores differ by at most ``near`` together."""
    order = np.argsort(-np.asarray(scores), kind="stable").tolist()
    groups = [[order[0]]]
    for a, b in pairwise(order):
        if scores[a] - scores[b] <= near:
            groups[-1].append(b)
        else:
            groups.append([b])
    return tuple(tuple(sorted(g)) for g in groups)


def _orders_of(groups: tuple[tuple[int, ...], ...], expected: dict[Ranking, Fraction]) -> list[Fraction]:
    """The expected errors of all orders of what may tie."""
    place = {item: g for g, group in enumerate(groups) for item in group}
    return [e for order, e in expected.items() if all(place[a] <= place[b] for a, b in pairwise(order))]


__all__ = [
    "MOST_ITEMS", "Optimum", "Verdict", "bayes_optimal", "check", "every_edge", "every_label", "every_ranking",
    "low_noise", "minimiser", "order_preserving", "search",
]  # fmt: skip
