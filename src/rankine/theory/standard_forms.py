r"""Whether a measure has a standard form on a finite set of supervisions: linear programmes, answers in rationals.

A standard form r (Buffoni et al., Definition 4) makes sorting by :math:`E_p[r]` optimal for every distribution p. Call
:math:`L_\sigma(y)` the error of ranking σ. Where σ alone is optimal, at some :math:`\hat p_\sigma` inside the simplex,
E[r] must be in σ's order; so for items i, j that follow each other in σ, :math:`E_p[r_i - r_j] \ge 0` wherever σ is
optimal, and > 0 at :math:`\hat p_\sigma`. By Farkas' lemma that is

.. math:: r_i(y) - r_j(y) \ge \sum_\tau \lambda_\tau (L_\tau - L_\sigma)(y) \;\forall y, \quad \lambda \ge 0, \qquad
    E_{\hat p_\sigma}[r_i - r_j] \ge 1 ,

a linear programme. If it has no solution, none exists: the multipliers that prove it are distributions at which σ is
optimal, and whose differences :math:`r_i - r_j` add up to nothing though each must be positive. A solution is necessary
only; then the r found is verified: wherever :math:`E_p[r]` is in σ's order, σ is optimal, for every σ.

Rankings with the same errors throughout (P@k, NDCG@k) are one; then only pairs that all of them order alike are
constrained. If items can be renamed without changing anything (all grade vectors, say), r may be taken to be symmetric,
and one σ stands for all: the constraints form a convex set that is closed under averaging over the renamings.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

from ..errors import InputError
from .exact_errors import Error, Label, Ranking, checked_labels, errors, rankings
from .rationals import dot, vertex

_MOST_ITEMS = {True: 6, False: 4}  # with and without symmetry
_MOST_UNKNOWNS = 400
_EPS = 1e-9


@dataclass(frozen=True)
class StandardForm:
    """``answer`` is "yes", "no" or "undecided"; ``why`` gives the reason.

    ``r``: for "yes", the standard form found, one tuple for each label. ``certificate``: for "no", distributions (not
    normalised) in each of which the ranking given is optimal, so that E[r_i − r_j] must not be negative there (and is
    positive in one of them), though all of these differences add up to 0 for every r (for every symmetric r, where
    items can be renamed: averaging any r over the renamings gives one).
    """

    answer: str
    why: str
    labels: tuple[Label, ...]
    r: tuple[tuple[Fraction, ...], ...] | None = None
    certificate: tuple[tuple[Ranking, int, int, tuple[Fraction, ...]], ...] | None = None


@dataclass(frozen=True)
class _Need:
    """The errors of a class of rankings less those of the others, and a distribution at which it alone is best."""

    ranking: Ranking
    rows: list[list[Fraction]]
    inside: list[Fraction]
    pairs: list[tuple[int, int]]


def standard_form_exists(measure: str | Error, label_set: Sequence[Any]) -> StandardForm:
    """Whether sorting by the mean of some function of the supervision is always optimal for a measure.

    Args:
        measure: DCG@k, nDCG@k, AP, ERR, RR, P@k, WPD, zero-one; or a function of (ranking, label) with values in
            fractions, smaller is better.
        label_set: the supervisions that can occur.

    >>> from itertools import product
    >>> binary = list(product((0, 1), repeat=3))
    >>> standard_form_exists("DCG", binary).answer, standard_form_exists("AP", binary).answer
    ('yes', 'no')
    """
    labels = checked_labels(label_set)
    m = len(labels[0])
    if m > _MOST_ITEMS[True]:
        raise InputError(f"at most {_MOST_ITEMS[True]} items, got {m}")
    table = errors(measure, labels)
    symmetric = _is_symmetric(labels, table)
    if m > _MOST_ITEMS[symmetric]:
        raise InputError(
            f"at most {_MOST_ITEMS[True]} items if all renamings of items are in the label set, "
            f"{_MOST_ITEMS[False]} otherwise; got {m}"
        )
    classes: dict[tuple[Fraction, ...], list[Ranking]] = {}
    for order, row in zip(rankings(m), table, strict=True):
        classes.setdefault(tuple(row), []).append(order)
    needs = _needs(classes, m, symmetric)
    variable = _variables(labels, symmetric)
    if needs:
        certificate = _refutation(needs, variable, labels)
        if certificate is not None:
            return _answer_no(certificate, labels)
    solved = _solution(needs, variable, labels)
    for r in [*([] if solved is None else [solved]), _value_of_the_top(labels, table)]:
        if _verified(r, classes, m, symmetric):
            why = f"found, and verified in rationals for every ranking of the {m} items"
            return StandardForm("yes", why, tuple(labels), r=tuple(map(tuple, r)))
    why = "what is necessary can be met, but no form that was tried sorts optimally everywhere"
    return StandardForm("undecided", why, tuple(labels))


def _value_of_the_top(labels: list[Label], table: list[list[Fraction]]) -> list[list[Fraction]]:
    """A second candidate: how much an item gains over the worst by standing at the top, the others in any order.

    For a measure that is a sum over ranks of gain times discount that is its gain, up to scale and shift.
    """
    m, out = len(labels[0]), []
    for y in range(len(labels)):
        mean = [Fraction(0)] * m
        for order, row in zip(rankings(m), table, strict=True):
            mean[order[0]] -= row[y]
        out.append([x - min(mean) for x in mean])
    return out


def _permuted(label: Label, to: Sequence[int]) -> Label:
    """The label after item i has been renamed to[i]."""
    back = sorted(range(len(to)), key=lambda i: to[i])
    if isinstance(label[0], tuple):
        return tuple(tuple(label[i][j] for j in back) for i in back)
    return tuple(label[i] for i in back)


def _is_symmetric(labels: list[Label], table: list[list[Fraction]]) -> bool:
    """Whether renaming items changes nothing: checked for a swap and a rotation, which generate all renamings."""
    m = len(labels[0])
    number, row = {y: k for k, y in enumerate(labels)}, dict(zip(rankings(m), table, strict=True))
    for to in ([1, 0, *range(2, m)], [*range(1, m), 0]):
        moved = [number.get(_permuted(y, to)) for y in labels]
        if None in moved:
            return False
        for order, values in row.items():
            other = row[tuple(to[i] for i in order)]
            if any(other[k] != v for k, v in zip(moved, values, strict=True)):  # type: ignore[index]
                return False
    return True


def _needs(classes: dict[tuple[Fraction, ...], list[Ranking]], m: int, symmetric: bool) -> list[_Need]:
    first = tuple(range(m))
    needs = []
    for values, members in classes.items():
        if symmetric and first not in members:
            continue
        rows = [[a - b for a, b in zip(other, values, strict=True)] for other in classes if other != values]
        inside = _alone_best(rows, len(values))
        if inside is None:
            continue
        places = [{item: r for r, item in enumerate(order)} for order in members]
        alike = [(i, j) for i in range(m) for j in range(m) if i != j and all(p[i] < p[j] for p in places)]
        covers = [
            (i, j) for i, j in alike if not any((i, t) in alike and (t, j) in alike for t in range(m))
        ]  # what follows from two others is left out
        if covers:
            needs.append(_Need(members[0], rows, inside, covers))
    return needs


def _alone_best(rows: list[list[Fraction]], K: int) -> list[Fraction] | None:
    """A distribution without zeros at which every row is positive, if there is one."""
    a = np.array([[float(x) for x in row] for row in rows]).reshape(-1, K)
    scale = np.maximum(np.abs(a).max(axis=1, keepdims=True), _EPS)
    over = np.block([[-a / scale, np.ones((len(a), 1))], [-np.eye(K), np.ones((K, 1))]])
    answer = linprog(
        np.r_[np.zeros(K), -1.0], A_ub=over, b_ub=np.zeros(len(over)), A_eq=np.r_[np.ones(K), 0.0][None], b_eq=[1.0],
        bounds=[(0, 1)] * K + [(None, 1)],
    )  # fmt: skip
    if answer.status != 0 or answer.x[-1] < 1e-7:
        return None
    p = [Fraction(x).limit_denominator(10**6) for x in answer.x[:K].tolist()]
    p = [x / sum(p) for x in p]
    return p if min(p) > 0 and all(dot(row, p) > 0 for row in rows) else None


def _variables(labels: list[Label], symmetric: bool) -> list[list[int]]:
    """The number of the unknown that stands for r_i(y): variable[y][i]."""
    m = len(labels[0])
    if not symmetric:
        return [[k * m + i for i in range(m)] for k in range(len(labels))]
    orbit: dict[Any, int] = {}
    return [[orbit.setdefault(_orbit(y, i), len(orbit)) for i in range(m)] for y in labels]


def _orbit(label: Label, i: int) -> Any:
    """What stays the same of (label, item) under renaming."""
    if isinstance(label[0], tuple):
        others = [j for j in range(len(label)) if j != i]
        return min(tuple(label[a][b] for a in (i, *p) for b in (i, *p)) for p in _orders(others))
    return label[i], tuple(sorted(label))


def _orders(items: list[int]) -> Any:
    return (tuple(items[t] for t in order) for order in rankings(len(items)))


def _blocks(needs: list[_Need]) -> list[tuple[_Need, int, int]]:
    return [(need, i, j) for need in needs for i, j in need.pairs]


def _refutation(
    needs: list[_Need], variable: list[list[int]], labels: list[Label]
) -> list[tuple[Ranking, int, int, tuple[Fraction, ...]]] | None:
    """Multipliers α ≥ 0 over labels and β ≥ 0 for each pair whose sum shows that no r exists; None if there are none.

    For each pair the measure α + β·p̂ on the labels has σ optimal (rows · α ≥ 0); summed over pairs it must charge no
    unknown of r; Σβ = 1.
    """
    K, blocks = len(labels), _blocks(needs)
    width, unknowns = K + 1, 1 + max(v for row in variable for v in row)
    if len(blocks) * width > 20_000:
        return None
    balance = [[Fraction(0)] * (len(blocks) * width) for _ in range(unknowns)]
    rows: list[list[Fraction]] = []
    for b, (need, i, j) in enumerate(blocks):
        for y in range(K):
            for item, sign in ((i, 1), (j, -1)):
                balance[variable[y][item]][b * width + y] += sign
                balance[variable[y][item]][b * width + K] += sign * need.inside[y]
    total = [Fraction(int(c % width == K)) for c in range(len(blocks) * width)]
    equalities = [(row, Fraction(0)) for row in balance] + [(total, Fraction(1))]
    over = np.zeros((sum(len(need.rows) for need, _, _ in blocks), len(total)))
    place = 0
    for b, (need, _, _) in enumerate(blocks):
        over[place : place + len(need.rows), b * width : b * width + K] = [[float(x) for x in r] for r in need.rows]
        place += len(need.rows)
    answer = linprog(
        np.ones(len(total)), A_ub=-over, b_ub=np.zeros(len(over)),
        A_eq=np.array([[float(x) for x in row] for row, _ in equalities]), b_eq=[float(v) for _, v in equalities],
    )  # fmt: skip
    if answer.status != 0 or np.count_nonzero(np.abs(answer.x) > _EPS) > _MOST_UNKNOWNS:
        return None
    slack = over @ answer.x
    scale = np.maximum(np.abs(over).max(axis=1), _EPS)
    for b, (need, _, _) in enumerate(blocks):
        first = sum(len(n.rows) for n, _, _ in blocks[:b])
        for t, row in enumerate(need.rows):
            if slack[first + t] <= 1e-7 * scale[first + t] and np.abs(answer.x[b * width : b * width + K]).max() > _EPS:
                wide = [Fraction(0)] * len(total)
                wide[b * width : b * width + K] = row
                rows.append(wide)
    exact = vertex(equalities, [(row, Fraction(0)) for row in rows], answer.x.tolist())
    return _checked_refutation(exact, blocks, equalities, width)


def _checked_refutation(
    exact: list[Fraction], blocks: list[tuple[_Need, int, int]], equalities: list[tuple[list[Fraction], Fraction]],
    width: int,
) -> list[tuple[Ranking, int, int, tuple[Fraction, ...]]] | None:  # fmt: skip
    """The certificate, if it holds exactly."""
    if min(exact) < 0 or any(dot(row, exact) != value for row, value in equalities):
        return None
    certificate = []
    for b, (need, i, j) in enumerate(blocks):
        alpha, beta = exact[b * width : (b + 1) * width - 1], exact[(b + 1) * width - 1]
        if any(dot(row, alpha) < 0 for row in need.rows):
            return None
        measure = tuple(a + beta * p for a, p in zip(alpha, need.inside, strict=True))
        if any(measure):
            certificate.append((need.ranking, i, j, measure))
    return certificate


def _answer_no(certificate: list[tuple[Ranking, int, int, tuple[Fraction, ...]]], labels: list[Label]) -> StandardForm:
    why = f"a certificate of {len(certificate)} distributions, checked in rationals, shows that none exists"
    return StandardForm("no", why, tuple(labels), certificate=tuple(certificate))


def _solution(needs: list[_Need], variable: list[list[int]], labels: list[Label]) -> list[list[Fraction]] | None:
    """A smallest r that meets what is necessary, in rationals."""
    K, blocks = len(labels), _blocks(needs)
    unknowns = 1 + max(v for row in variable for v in row)
    sizes = [len(need.rows) for need, _, _ in blocks]
    width = unknowns + sum(sizes)
    rows: list[tuple[list[Fraction], Fraction]] = []  # row · x ≥ value
    place = unknowns
    for (need, i, j), size in zip(blocks, sizes, strict=True):
        strict = [Fraction(0)] * width
        for y in range(K):
            row = [Fraction(0)] * width
            row[variable[y][i]] += 1
            row[variable[y][j]] -= 1
            strict[variable[y][i]] += need.inside[y]
            strict[variable[y][j]] -= need.inside[y]
            row[place : place + size] = [-other[y] for other in need.rows]
            rows.append((row, Fraction(0)))
        rows.append((strict, Fraction(1)))
        place += size
    a = np.array([[float(x) for x in row] for row, _ in rows]).reshape(len(rows), width)
    right = np.array([float(v) for _, v in rows])
    answer = linprog(np.ones(width), A_ub=-a, b_ub=-right)  # r ≥ 0, as the paper wants it
    if answer.status != 0:
        return None
    tight = [rows[t] for t in np.flatnonzero(a @ answer.x - right <= 1e-7)]
    x = answer.x.tolist()
    if np.count_nonzero(np.abs(answer.x) > _EPS) <= _MOST_UNKNOWNS:
        x = vertex([], tight, x)
    return [[Fraction(x[v]) for v in row] for row in variable]


def _verified(
    r: list[list[Fraction]], classes: dict[tuple[Fraction, ...], list[Ranking]], m: int, symmetric: bool
) -> bool:
    """Whether σ is optimal wherever E[r] is in σ's order (ties included), for every σ (or one, by symmetry)."""
    for values, members in classes.items():
        for order in members:
            if symmetric and order != tuple(range(m)):
                continue
            steps = [[row[i] - row[j] for row in r] for i, j in itertools.pairwise(order)]
            for other in classes:
                if other != values and not _implied([a - b for a, b in zip(other, values, strict=True)], steps):
                    return False
    return True


def _implied(row: list[Fraction], steps: list[list[Fraction]]) -> bool:
    """Whether row · p ≥ 0 for all p ≥ 0 with steps · p ≥ 0: row ≥ Σ μ·steps for some μ ≥ 0 (Farkas), exactly."""
    if min(row) >= 0:
        return True
    a = np.array([[float(x) for x in step] for step in steps])
    right = np.array([float(x) for x in row])
    scale = max(np.abs(right).max(), _EPS)
    answer = linprog(np.ones(len(steps)), A_ub=a.T, b_ub=right + 1e-10 * scale)
    if answer.status != 0:
        return False
    tight = [t for t in range(len(row)) if right[t] - a[:, t] @ answer.x <= 1e-7 * scale]
    mu = vertex([], [([step[t] for step in steps], row[t]) for t in tight], answer.x.tolist(), zero=1e-8)
    return min(mu) >= 0 and all(
        row[t] >= sum((u * step[t] for u, step in zip(mu, steps, strict=True)), Fraction(0)) for t in range(len(row))
    )
