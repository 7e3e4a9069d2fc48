"""Losses and objectives without rounding: fractions, and fifty digits where there are exponentials."""

import itertools
from fractions import Fraction

import numpy as np

HALF = Fraction(1, 2)


def pairs(y):
    return [(i, j) for i in range(len(y)) for j in range(len(y)) if y[i] > y[j]]


def smooth(t):
    return Fraction(0) if t >= 1 + HALF else 1 - t if t <= HALF else (1 + HALF - t) ** 2 / 2


def ranksvm(s, y):
    return sum((max(Fraction(0), 1 - s[i] + s[j]) for i, j in pairs(y)), Fraction(0))


def ranksvm_l2(s, y):
    return sum((max(Fraction(0), 1 - s[i] + s[j]) ** 2 for i, j in pairs(y)), Fraction(0))


def preorder(s, y):
    return sum((smooth(s[i] - s[j]) for i, j in pairs(y)), Fraction(0))


def position_sensitive(s, y):
    label = {g: k for k, g in enumerate(sorted(set(y), reverse=True), 1)}
    r = len(label)
    margins = ((Fraction(r, label[y[i]]) - Fraction(r, label[y[j]]), i, j) for i, j in pairs(y))
    return sum((max(Fraction(0), m - s[i] + s[j]) for m, i, j in margins), Fraction(0))


def squared(s, y):
    return sum((a - Fraction(g)) ** 2 for a, g in zip(s, y, strict=True))


def average_precision_hinge(s, y):
    good, bad = [i for i, g in enumerate(y) if g >= 1], [i for i, g in enumerate(y) if g < 1]
    worst = Fraction(0)
    for order in itertools.permutations(range(len(y))) if good and bad else ():
        rank = {i: r for r, i in enumerate(order, 1)}
        places = sorted(rank[i] for i in good)
        precision = sum(Fraction(n, r) for n, r in enumerate(places, 1)) / len(good)
        wrong = sum(s[b] - s[g] for g in good for b in bad if rank[b] < rank[g])
        worst = max(worst, 1 - precision + 2 * wrong / (len(good) * len(bad)))
    return worst


def linear_hinge(s, y, levels, lost):
    """The arg-max hinge with A(r) = m + 1 − r and the mean target, of a prediction loss of rankings."""
    m = len(y)
    if len(set(levels)) < 2:
        return Fraction(0)
    A, target, at = [m - r for r in range(m)], Fraction(0), 0
    for level in sorted(set(levels), reverse=True):
        own = [i for i in range(m) if levels[i] == level]
        target += Fraction(sum(A[at : at + len(own)]), len(own)) * sum(s[i] for i in own)
        at += len(own)
    orders = itertools.permutations(range(m))
    return max(Fraction(0), *(lost(o) + sum(A[r] * s[i] for r, i in enumerate(o)) - target for o in orders))


def reciprocal_rank_hinge(s, y):
    levels = [int(g >= 1) for g in y]
    return linear_hinge(s, y, levels, lambda o: 1 - Fraction(1, 1 + next(r for r, i in enumerate(o) if levels[i])))


def ndcg_hinge(s, y):
    discount = [Fraction(float(1 / np.log2(2 + r))) for r in range(len(y))]
    gain = [Fraction(2) ** int(g) - 1 for g in y]
    best = sum(g * d for g, d in zip(sorted(gain, reverse=True), discount, strict=True))
    return linear_hinge(s, y, gain, lambda o: 1 - sum(discount[r] * gain[i] for r, i in enumerate(o)) / best)


def list_net(s, y):
    from mpmath import exp, fsum, log, mpf

    s, grades = [mpf(a.numerator) / a.denominator for a in s], [exp(mpf(g)) for g in y]
    share = [g / fsum(grades) for g in grades]
    return log(fsum(map(exp, s))) - fsum(p * a for p, a in zip(share, s, strict=True)) + fsum(p * log(p) for p in share)


def list_mle(s, y):
    from mpmath import exp, fsum, log, mpf

    s, low = [mpf(a.numerator) / a.denominator for a in s], min(y)
    terms = [log(fsum(exp(s[j]) for j in range(len(y)) if y[j] <= y[i])) - s[i] for i in range(len(y)) if y[i] > low]
    return fsum(terms)


LOSSES = {
    "ranksvm": ranksvm,
    "ranksvm-l2": ranksvm_l2,
    "preorder": preorder,
    "position-sensitive": position_sensitive,
    "squared": squared,
    "svm-map": average_precision_hinge,
    "svm-rr": reciprocal_rank_hinge,
    "svm-ndcg": ndcg_hinge,
    "listnet": list_net,
    "listmle": list_mle,
}
WITH_EXPONENTIALS = ("listnet", "listmle")


def fractions(numbers):
    return [Fraction(x) for x in np.asarray(numbers, np.float64).ravel().tolist()]


def risk(name, scores, y, ptr, weights=None):
    """Σ weight·loss over queries, of scores that are fractions."""
    parts = [LOSSES[name](scores[a:b], list(y[a:b])) for a, b in itertools.pairwise(ptr)]
    return sum(parts) if weights is None else sum(_as(p, w) for p, w in zip(parts, weights, strict=True))


def _as(value, weight):
    return value * (Fraction(float(weight)) if isinstance(value, Fraction) else float(weight))


def objective(name, X, y, ptr, w, C, w0=None, weights=None):
    """J(w), without rounding."""
    point, rows = fractions(w), [fractions(row) for row in np.asarray(X)]
    origin = [Fraction(0)] * len(point) if w0 is None else fractions(w0)
    square = sum((a - b) ** 2 for a, b in zip(point, origin, strict=True)) / 2
    value = risk(name, [sum(a * b for a, b in zip(row, point, strict=True)) for row in rows], y, ptr, weights)
    if isinstance(value, Fraction):
        return square + Fraction(C) * value
    from mpmath import mpf

    return mpf(square.numerator) / square.denominator + mpf(C) * value


def least_on_a_line(x, y, C):
    """The minimum of RankSVM's J for one query and one feature: a convex function, quadratic between its kinks."""
    slopes = [a - b for a, b in ((Fraction(x[i]), Fraction(x[j])) for i, j in pairs(y)) if a != b]
    tied = sum(x[i] == x[j] for i, j in pairs(y))
    kinks = sorted({1 / d for d in slopes})
    C = Fraction(C)

    def height(w):
        return w * w / 2 + C * (tied + sum(max(Fraction(0), 1 - d * w) for d in slopes))

    ends = [kinks[0] - 1, *kinks, kinks[-1] + 1] if kinks else [Fraction(-1), Fraction(1)]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(ends)]
    points = [C * sum(d for d in slopes if d * w < 1) for w in middles]
    return min(height(w) for w in [*kinks, *points, Fraction(0)])


def nearby(w, rng, n):
    """Points around w, at all distances."""
    size = max(float(np.abs(w).max()), 1e-30)
    yield w
    for _ in range(n):
        yield w + size * 10.0 ** rng.uniform(-12, 0) * rng.standard_normal(len(w))
        yield w * (1 + rng.standard_normal() * 10.0 ** rng.uniform(-12, -1))
