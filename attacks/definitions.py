"""Losses in exact numbers, written down from their definitions: rankings are enumerated where they are defined so.

A loss of a query is a sum of terms of its scores s: maxima of planes c + ⟨v, s⟩, squares of one plane, logarithms of
sums of exponentials. Everything is a fraction but the numbers of ListNet, which are made where they are needed.
Discounts 1/log2(1 + r) and 1/√r stand for the fractions that their floats are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from typing import Any, NamedTuple

import numpy as np

Vector = tuple[Fraction, ...]
Plane = tuple[Fraction, Vector]
ZERO, ONE = Fraction(0), Fraction(1)


class Largest(NamedTuple):
    """weight · max over planes."""

    weight: Fraction
    planes: list[Plane]


class Square(NamedTuple):
    """weight · plane², or (``clipped``) weight · (plane)₊²."""

    weight: Fraction
    plane: Plane
    clipped: bool


class LogSum(NamedTuple):
    """weight · (log Σ_groups exp(max over the planes of a group) − tangent); ``tangent(context)`` gives (c, v)."""

    weight: Fraction
    groups: list[list[Plane]]
    tangent: Callable[[Any], tuple[Any, list[Any]]]


Term = Largest | Square | LogSum


class Query(NamedTuple):
    """What a query is judged by: grades or ranks, weights of documents, edges (i, j, weight), random keys.

    ``longest`` and ``heaviest`` are of all queries: the longest list, and the largest weight of a preference.
    """

    grades: list[Fraction]
    weights: list[Fraction]
    edges: list[tuple[int, int, Fraction]] | None
    keys: Sequence[float]
    longest: int
    heaviest: Fraction = ZERO


def discount(r: int) -> Fraction:
    """1/log2(1 + r) as its float is."""
    return Fraction(float(1 / np.log2(np.float64(1 + r))))


def terms(name: str, options: dict[str, Any], query: Query) -> list[Term]:
    """The terms of the loss of this name for a query."""
    stem, _, variant = name.partition(":")
    family, _, cut = stem.partition("@")
    o = options | {"k": int(cut) if cut else None, "variant": variant, "family": family}
    kind, _, of = family.partition("-")
    if kind in ("svm", "sum", "softmax"):
        return {"svm": structural, "sum": summed, "softmax": softened}[kind](of, o, query)
    return _FAMILIES[family](o, query)


# Structural losses ----------------------------------------------------------------------------------------------------


def levels_of(of: str, o: dict[str, Any], query: Query) -> list[Fraction]:
    """Grades, made binary for AP, RR and P."""
    rel = Fraction(o.get("rel", 1))
    return query.grades if of == "ndcg" else [Fraction(g >= rel) for g in query.grades]


def prediction_losses(of: str, o: dict[str, Any], levels: list[Fraction]) -> Callable[[tuple[int, ...]], Fraction]:
    """Δ of a ranking (documents, best first)."""
    m = len(levels)
    k = m if o["k"] is None else min(o["k"], m)
    if of == "ndcg":
        gains = [g if o.get("gain") == "linear" else Fraction(2**g) - 1 for g in levels]
        D = [discount(r) for r in range(1, k + 1)]
        best = sum((g * d for g, d in zip(sorted(gains, reverse=True), D, strict=False)), ZERO)
        if best == 0:
            return lambda order: ONE
        return lambda order: 1 - sum((gains[i] * d for i, d in zip(order, D, strict=False)), ZERO) / best
    rel = sum(levels)
    if rel == 0:
        return lambda order: ONE
    if of == "p":
        return lambda order: 1 - sum((levels[i] for i in order[:k]), ZERO) / min(rel, o["k"])
    if of == "rr":
        return lambda order: 1 - next(Fraction(1, r) for r, i in enumerate(order, 1) if levels[i])
    return lambda order: 1 - _precisions(order, levels) / rel


def _precisions(order: tuple[int, ...], levels: list[Fraction]) -> Fraction:
    seen, total = 0, ZERO
    for r, i in enumerate(order, 1):
        if levels[i]:
            seen += 1
            total += Fraction(seen, r)
    return total


def position_weights(A: Any, o: dict[str, Any], m: int, longest: int) -> list[Fraction]:
    """A(1), …, A(m), where it does not count pairs."""
    k = o["k"]
    if not isinstance(A, str):
        table = [Fraction(float(a)) for a in A][:k]
        return [table[r] if r < len(table) else ZERO for r in range(m)]
    if A == "linear":
        return [Fraction(max((m if k is None else k) - r, 0)) for r in range(m)]
    ranks = np.arange(1, (longest if k is None else min(k, longest)) + 1)
    table = [Fraction(float(a)) for a in (1 / np.sqrt(ranks) if A == "inverse-sqrt" else 1 / np.log2(1 + ranks))]
    return [table[r] if r < len(table) else ZERO for r in range(m)]


class Rankings(NamedTuple):
    """All rankings of a query: Δ and the weights F gives the scores, and those of the target."""

    rows: list[tuple[tuple[int, ...], Fraction, Vector]]
    target: Vector
    perfect: list[Vector]
    levels: list[Fraction]


def all_rankings(of: str, o: dict[str, Any], query: Query) -> Rankings | None:
    """None where every ranking has the same Δ: such a query carries no information."""
    levels = levels_of(of, o, query)
    m = len(levels)
    lost = prediction_losses(of, o, levels)
    orders = list(permutations(range(m)))
    deltas = [lost(order) for order in orders]
    if len(set(deltas)) == 1:
        return None
    A = o.get("A", "yue" if of == "map" else "linear")
    weigh = _pair_weights(A, levels) if isinstance(A, str) and A in ("partial-order", "yue") else None
    if weigh is None:
        table = position_weights(A, o, m, query.longest)
        by_order = [_at_ranks(order, table) for order in orders]
    else:
        by_order = [weigh(order) for order in orders]
    rows = list(zip(orders, deltas, by_order, strict=True))
    perfect = [v for order, _, v in rows if all(levels[a] >= levels[b] for a, b in pairwise(order))]
    if o.get("target") == "random" and weigh is None:
        target = _at_ranks(_random_perfect(levels, query.keys), table)
    else:
        target = tuple(sum(column, ZERO) / len(perfect) for column in zip(*perfect, strict=True))
    return Rankings(rows, target, perfect, levels)


def _at_ranks(order: tuple[int, ...], table: list[Fraction]) -> Vector:
    out = [ZERO] * len(order)
    for r, i in enumerate(order):
        out[i] = table[r]
    return tuple(out)


def _pair_weights(A: str, levels: list[Fraction]) -> Callable[[tuple[int, ...]], Vector]:
    """Pairs of different grade: + 1 for the one that stands above, − 1 for the one below, over the number of pairs."""
    m, rel = len(levels), sum(levels)
    norm = Fraction(1, int(rel * (m - rel))) if A == "yue" else Fraction(2, m * (m - 1))

    def weigh(order: tuple[int, ...]) -> Vector:
        count = [0] * m
        for a, b in combinations(order, 2):
            if levels[a] != levels[b]:
                count[a] += 1
                count[b] -= 1
        return tuple(norm * c for c in count)

    return weigh


def _random_perfect(levels: list[Fraction], keys: Sequence[float]) -> tuple[int, ...]:
    """The perfect ranking that the seed chooses: keys belong to the places of the rows sorted by grade."""
    rows = sorted(range(len(levels)), key=lambda i: -levels[i])
    out: list[int] = []
    for g in sorted(set(levels), reverse=True):
        places = [p for p, i in enumerate(rows) if levels[i] == g]
        out += [rows[p] for p in sorted(places, key=lambda p: keys[p])]
    return tuple(out)


def _minus(a: Vector, b: Vector) -> Vector:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def structural(of: str, o: dict[str, Any], query: Query) -> list[Term]:
    """max_π [Δ + F] − F*; tight: − max F; best: − the best perfect ranking; slack: max_π Δ·(1 + F − F*)."""
    rankings = all_rankings(of, o, query)
    if rankings is None:
        return []
    if o["variant"] == "slack":
        planes = {(d, tuple(d * x for x in _minus(v, rankings.target))) for _, d, v in rankings.rows}
        return [Largest(ONE, list(planes))]
    worst: dict[Vector, Fraction] = {}
    for _, d, v in rankings.rows:
        worst[v] = max(worst.get(v, d), d)
    if o["variant"] == "tight" or o.get("target") == "best":
        among = {v for _, _, v in rankings.rows} if o["variant"] == "tight" else set(rankings.perfect)
        planes = [(d, v) for v, d in worst.items()]
        return [Largest(ONE, planes), Largest(-ONE, [(ZERO, v) for v in among])]
    return [Largest(ONE, [(d, _minus(v, rankings.target)) for v, d in worst.items()])]


def _outputs(of: str, o: dict[str, Any], query: Query) -> dict[tuple[Fraction, ...], list[Plane]]:
    """For each sequence of grades the planes Δ + F − F* of its rankings; the perfect one comes with Δ = 0."""
    rankings = all_rankings(of, o | {"A": "partial-order" if of == "ndcg" else "yue"}, query)
    out: dict[tuple[Fraction, ...], list[Plane]] = {}
    if rankings is not None:
        for order, d, v in rankings.rows:
            out.setdefault(tuple(rankings.levels[i] for i in order), []).append((d, _minus(v, rankings.target)))
    return out


def summed(of: str, o: dict[str, Any], query: Query) -> list[Term]:
    """Σ over outputs but the perfect one of the hinge, each output with its best ranking."""
    outputs = _outputs(of, o, query)
    nothing = (ZERO, (ZERO,) * len(query.grades))
    return [
        Largest(ONE, [nothing, *planes])
        for sequence, planes in outputs.items()
        if list(sequence) != sorted(sequence, reverse=True)
    ]


def softened(of: str, o: dict[str, Any], query: Query) -> list[Term]:
    """log Σ over outputs of exp(Δ + F − F*)."""
    outputs = _outputs(of, o, query)
    m = len(query.grades)
    return [LogSum(ONE, list(outputs.values()), lambda context: (0, [0] * m))] if outputs else []


# Pairs, points and lists ----------------------------------------------------------------------------------------------


def _difference(m: int, i: int, j: int, c: Fraction) -> Plane:
    """c − (s_i − s_j)."""
    v = [ZERO] * m
    v[i], v[j] = -ONE, ONE
    return c, tuple(v)


def _pair(m: int, i: int, j: int, weight: Fraction, phi: str, h: Fraction, margin: Fraction = ONE) -> list[Term]:
    """weight · φ(s_i − s_j)."""
    if phi == "hinge":
        return [Largest(weight, [(ZERO, (ZERO,) * m), _difference(m, i, j, margin)])]
    if phi == "squared-hinge":
        return [Square(weight, _difference(m, i, j, margin), True)]
    return [
        Square(weight / (4 * h), _difference(m, i, j, 1 + h), True),
        Square(-weight / (4 * h), _difference(m, i, j, 1 - h), True),
    ]


def _graded_pairs(query: Query) -> list[tuple[int, int]]:
    """The pairs (i, j) in which i has the higher grade."""
    g, m = query.grades, range(len(query.grades))
    return [(i, j) for i in m for j in m if g[i] > g[j]]


def ranksvm(o: dict[str, Any], query: Query) -> list[Term]:
    """Σ over pairs of different grade of (1 − (s_i − s_j))₊, or its square."""
    pairs = _graded_pairs(query)
    share = Fraction(1, max(len(pairs), 1)) if o["variant"] == "norm" else ONE
    phi = "squared-hinge" if o["family"] == "ranksvm-l2" else "hinge"
    w, m = query.weights, len(query.grades)
    return [t for i, j in pairs for t in _pair(m, i, j, share * w[i] * w[j], phi, ONE)]


def position_sensitive(o: dict[str, Any], query: Query) -> list[Term]:
    """The same with margins r/y_i − r/y_j, y = 1 for the best grade, r the number of grades."""
    order = sorted(set(query.grades), reverse=True)
    r, pairs, w = len(order), _graded_pairs(query), query.weights
    label = [Fraction(r, order.index(g) + 1) for g in query.grades]
    share = Fraction(1, max(len(pairs), 1)) if o["variant"] == "norm" else ONE
    m = len(query.grades)
    return [t for i, j in pairs for t in _pair(m, i, j, share * w[i] * w[j], "hinge", ONE, label[i] - label[j])]


def preorder(o: dict[str, Any], query: Query) -> list[Term]:
    """Σ over pairs of different grade of w_ij φ(s_i − s_j)."""
    pairs, w, g, m = _graded_pairs(query), query.weights, query.grades, len(query.grades)
    share = ONE if not o["variant"] else Fraction(1, max(len(pairs), 1))
    out = []
    for i, j in pairs:
        gain = Fraction(2 ** g[i]) - Fraction(2 ** g[j]) if o["variant"] == "norm+dcg" else ONE
        phi, h = o.get("phi", "smooth-hinge"), Fraction(o.get("h", 0.5))
        out += _pair(m, i, j, share * gain * w[i] * w[j], phi, h)
    return out


def standard_form(family: str, k: int | None, query: Query) -> list[Fraction]:
    """2^g − 1, the same over the best DCG@k, m·a + Σ (a_ik − a_ki), or m + 1 − rank."""
    m = len(query.grades)
    if family.endswith("wpd"):
        return [m * query.heaviest + x for x in balance(query)]
    if family.endswith("rank"):
        return [m + 1 - g for g in query.grades]
    gains = [Fraction(2**g) - 1 for g in query.grades]
    if family.endswith("-dcg"):
        return gains
    best = sum((g * discount(r) for r, g in enumerate(sorted(gains, reverse=True)[:k], 1)), ZERO)
    return [g / best if best else ZERO for g in gains]


def balance(query: Query) -> list[Fraction]:
    """Σ_k (a_ik − a_ki)."""
    out = [ZERO] * len(query.grades)
    for i, j, a in query.edges or []:
        out[i] += a
        out[j] -= a
    return out


def consistent(o: dict[str, Any], query: Query) -> list[Term]:
    """Σ_i α_i Σ_{j ≠ i} φ(s_i − s_j), over m(m − 1) where normed."""
    alpha, m, w = standard_form(o["family"], o["k"], query), len(query.grades), query.weights
    share = Fraction(1, max(m * (m - 1), 1)) if o["variant"] == "norm" else ONE
    phi, h = o.get("phi", "smooth-hinge"), Fraction(o.get("h", 0.5))
    pairs = [(i, j) for i in range(m) for j in range(m) if i != j and alpha[i]]
    return [t for i, j in pairs for t in _pair(m, i, j, share * alpha[i] * w[i] * w[j], phi, h)]


def _point(m: int, i: int, target: Fraction) -> Plane:
    return -target, tuple(Fraction(i == j) for j in range(m))


def squared(o: dict[str, Any], query: Query) -> list[Term]:
    """Σ (s_i − α_i)², α the grades or a standard form."""
    m = len(query.grades)
    alpha = query.grades if o["family"] == "squared" else standard_form(o["family"], o["k"], query)
    return [Square(query.weights[i], _point(m, i, alpha[i]), False) for i in range(m)]


def duchi(o: dict[str, Any], query: Query) -> list[Term]:
    """ν/2 Σ (s_i − c_i/ν)², c_i = Σ_k (a_ik − a_ki); of grades a_ij is the difference of gains."""
    m, nu = len(query.grades), Fraction(o.get("nu", 1.0))
    if query.edges is None:
        gains = [Fraction(2**g) - 1 for g in query.grades]
        c = [sum((a - b for b in gains), ZERO) for a in gains]
    else:
        c = balance(query)
    return [Square(nu / 2, _point(m, i, c[i] / nu), False) for i in range(m)]


def _unit(m: int, i: int) -> Plane:
    return ZERO, tuple(Fraction(i == j) for j in range(m))


def listnet(o: dict[str, Any], query: Query) -> list[Term]:
    """log Σ exp(s_i) − Σ P_i s_i, less its least value, the entropy of P ∝ exp(grade)."""
    m, g = len(query.grades), query.grades

    def tangent(context: Any) -> tuple[Any, list[Any]]:
        e = [context.exp(context.mpf(x.numerator) / x.denominator) for x in g]
        P = [x / sum(e) for x in e]
        return -sum(p * context.log(p) for p in P), P

    return [LogSum(ONE, [[_unit(m, i)] for i in range(m)], tangent)]


def listmle(o: dict[str, Any], query: Query) -> list[Term]:
    """Σ over documents above the lowest grade of log Σ_{g_j ≤ g_i} exp(s_j) − s_i."""
    m, g, out = len(query.grades), query.grades, []
    for i in range(m):
        if g[i] > min(g):
            own = [Fraction(i == j) for j in range(m)]
            groups = [[_unit(m, j)] for j in range(m) if g[j] <= g[i]]
            out.append(LogSum(ONE, groups, lambda context, own=own: (0, [int(x) for x in own])))
    return out


_FAMILIES: dict[str, Callable[[dict[str, Any], Query], list[Term]]] = {
    "ranksvm": ranksvm,
    "ranksvm-l2": ranksvm,
    "position-sensitive": position_sensitive,
    "preorder": preorder,
    "consistent-dcg": consistent,
    "consistent-ndcg": consistent,
    "consistent-wpd": consistent,
    "consistent-rank": consistent,
    "squared": squared,
    "squared-dcg": squared,
    "squared-ndcg": squared,
    "duchi": duchi,
    "listnet": listnet,
    "listmle": listmle,
}
