r"""Risk bounds: with probability 1 − δ over n queries drawn alike and independently, for all ‖w‖ ≤ B at once,

.. math:: R \le \hat R + \text{complexity} + \text{confidence} .

:math:`\hat R` is the mean loss over the sample, R the expected value of the error that a function bounds. B and M (a
bound on the norm of a feature vector) must be known before the sample is seen. All terms are kept as natural
logarithms, so that m = 10,000 is no problem: :math:`m!` has 35,660 digits there.

The first five functions are the right-hand sides of Riezler & De Bona as published. What they really bound is in
``Bound.of``. One erratum is serious: "clearly the 0–1 error is at most the pairwise hinge" is false for three levels
and more, whose smallest margin is 1/(r − 1). What the hinge dominates is the *position-weighted* error,
:math:`\sum |r/y_i - r/y_j| [\bar f < 0]`; for the plain one (``error="plain"``) the right side is r − 1 times as large.

The published constants hold: the Rademacher average of a sum of N hinges of differences, each 1-Lipschitz in a linear
function of vectors of norm 2M, is at most N · 2BM/√n; twice that is their 4BM·N/√n.

The other functions go beyond the papers; their derivations are in the documentation ("What theory guarantees").
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from dataclasses import dataclass, replace
from numbers import Real

from ..errors import InputError
from ..losses.constants import count_pairs, reach_of_levels, reach_of_weights, weighted_pairs

PUBLISHED, PROVED, AS_PUBLISHED = "published", "beyond the papers", "as published, its proof has a gap"


@dataclass(frozen=True)
class Bound:
    """One bound, its terms as natural logarithms; the terms themselves are ``math.inf`` beyond the range of floats.

    Attributes:
        result: which result this is.
        of: what exactly is bounded.
        status: whether the proof is the papers', ours, or has a gap.
        log_risk: of the empirical risk.
        log_complexity: of the term for the size of the class of rankers.
        log_confidence: of the term for an unlucky sample.
        log_normaliser: of the largest value that the loss can have.
        log_largest: of the largest value of what is bounded: a bound at or above it is vacuous.
        why: why this result applies to a model, where it was chosen for one.
    """

    result: str
    of: str
    status: str
    log_risk: float
    log_complexity: float
    log_confidence: float
    log_normaliser: float
    log_largest: float
    why: str = ""

    @property
    def log_total(self) -> float:
        """The logarithm of the bound."""
        return log_sum(self.log_risk, self.log_complexity, self.log_confidence)

    @property
    def risk(self) -> float:
        """The mean loss of the sample."""
        return from_log(self.log_risk)

    @property
    def complexity(self) -> float:
        """What the size of the class of rankers costs."""
        return from_log(self.log_complexity)

    @property
    def confidence(self) -> float:
        """What the chance of an unlucky sample costs."""
        return from_log(self.log_confidence)

    @property
    def total(self) -> float:
        """The bound."""
        return from_log(self.log_total)

    @property
    def vacuous(self) -> bool:
        """Whether the bound is at or above the largest possible value."""
        return self.log_total >= self.log_largest

    @property
    def normalised(self) -> Bound:
        """The same for everything divided by the largest value of the loss."""
        if self.log_normaliser == -math.inf:  # a loss that is always 0
            return self
        return self.times(-self.log_normaliser, f"{self.of}, over the largest loss")

    def times(self, log_factor: float, of: str) -> Bound:
        """The bound of something that is exp(``log_factor``) times as large, ``of`` in words."""
        return replace(
            self, of=of, log_risk=self.log_risk + log_factor, log_complexity=self.log_complexity + log_factor,
            log_confidence=self.log_confidence + log_factor, log_normaliser=self.log_normaliser + log_factor,
            log_largest=self.log_largest + log_factor,
        )  # fmt: skip

    def queries_needed(self, n: int) -> float:
        r"""How many queries instead of n would bring the bound below the maximum, if the mean loss stayed the same.

        The terms shrink as 1/√n: :math:`n\,((\text{complexity} + \text{confidence}) / (\text{largest} - \hat R))^2`.
        Infinite if the mean loss alone is as large as what is bounded can be.
        """
        check_count("n", n)
        if self.log_risk >= self.log_largest:
            return math.inf
        margin = self.log_largest + math.log(-math.expm1(self.log_risk - self.log_largest))
        return from_log(math.log(n) + 2 * (log_sum(self.log_complexity, self.log_confidence) - margin))


def full_ranking(
    risk: float, *, n: int, m: int, B: float, M: float, delta: float = 0.05, error: str = "weighted"
) -> Bound:
    r"""Theorem 3: all documents in a total order; ``risk`` is the mean position-sensitive hinge with margins m/y.

    .. math:: \hat R + \binom m2 \frac{4BM}{\sqrt n} + \binom m2 (m - 1 + 2BM) \sqrt{\frac{8 \ln(2/\delta)}{n}}

    >>> full_ranking(0.1, n=10**9, m=3, B=1, M=1, delta=0.05).total
    0.10244...
    """
    check_count("m", m)
    return replace(
        multipartite(risk, n=n, level_sizes=[1] * int(m), B=B, M=M, delta=delta, error=error), result="Theorem 3"
    )


def multipartite(
    risk: float, *, n: int, level_sizes: Sequence[int], B: float, M: float, delta: float = 0.05,
    error: str = "weighted",
) -> Bound:  # fmt: skip
    """Corollary 1: r levels of these sizes, best first; ``risk`` is the mean position-sensitive hinge, margins r/y.

    Theorem 3 with the number of pairs of different level in place of all pairs, and r in place of m.
    """
    sizes = check_sizes(level_sizes)
    r = len(sizes)
    bound = over_pairs(
        risk, n=n, pairs=count_pairs(sizes), span=r - 1, B=B, M=M, delta=delta, largest=weighted_pairs(sizes)
    )
    bound = replace(bound, result="Corollary 1")
    if error not in ("weighted", "plain"):
        raise InputError(f"error must be 'weighted' or 'plain', got {error!r}")
    if error == "weighted" and r > 2:
        return bound
    plain = bound.times(log(max(r - 1, 1)), "misordered pairs (the 0–1 error)")
    return replace(plain, log_largest=log(count_pairs(sizes)))


def bipartite(risk: float, *, n: int, rel: int, nrel: int, B: float, M: float, delta: float = 0.05) -> Bound:
    """Corollary 2: relevant and other documents; Corollary 1 with two levels. It bounds the plain 0–1 error."""
    bound = multipartite(risk, n=n, level_sizes=[rel, nrel], B=B, M=M, delta=delta)
    return replace(bound, result="Corollary 2")


def over_pairs(
    risk: float, *, n: int, pairs: int, span: float, B: float, M: float, delta: float, largest: float
) -> Bound:
    """What Theorem 3 and Corollaries 1 and 2 share: so many pairs, whose margins are at most ``span``."""
    check_norms(B, M)
    z = log(pairs) + log_sum(log(span), log(2) + log(B) + log(M))
    return Bound(
        "over pairs", "position-weighted error Σ |r/y_i − r/y_j|·[misordered]", PUBLISHED,
        *_terms(risk, n, log(pairs) + log(4) + log(B) + log(M), z + log(8) / 2, 2, delta), z, log(largest),
    )  # fmt: skip


def listwise(risk: float, *, n: int, m: int, B: float, M: float, delta: float = 0.05) -> Bound:
    r"""Theorem 4: ``risk`` is the mean sum hinge over all m! rankings; bounds the expected prediction loss.

    .. math:: \hat R + m! \frac{4BM}{\sqrt n} + m! (1 + 2BM) \sqrt{\frac{8 \ln(2/\delta)}{n}}

    M bounds the norm of a *whole ranking's* features: a document's norm times Σ|A|, which is m/(m − 1) for even m
    and (m + 1)/m for odd m with the partial-order map (the paper has 1).
    """
    check_count("m", m)
    return _over_outputs(risk, n, math.lgamma(m + 1), B, M, delta, "Theorem 4", PUBLISHED)


def average_precision(risk: float, *, n: int, m: int, rel: int, B: float, M: float, delta: float = 0.05) -> Bound:
    """Corollary 3: Theorem 4 with C(m, rel) in place of m!, ``risk`` the mean sum hinge of 1 − AP.

    As published: with a fixed ranking for each class of equal AP the score difference is linear, but the loss of the
    predicted ranking is not dominated; with the best ranking it is the other way round. :func:`ndcg` mends that.
    """
    check_count("m", m)
    check_count("rel", rel, 0)
    if rel > m:
        raise InputError(f"rel must be at most m = {m}, got {rel}")
    outputs = math.lgamma(m + 1) - math.lgamma(rel + 1) - math.lgamma(m - rel + 1)
    return _over_outputs(risk, n, outputs, B, M, delta, "Corollary 3", AS_PUBLISHED)


def _over_outputs(
    risk: float, n: int, log_outputs: float, B: float, M: float, delta: float, name: str, status: str
) -> Bound:
    check_norms(B, M)
    z = log_outputs + log_sum(0.0, log(2) + log(B) + log(M))
    terms = _terms(risk, n, log_outputs + log(4) + log(B) + log(M), z + log(8) / 2, 2, delta)
    return Bound(name, "expected prediction loss (1 − AP, 1 − NDCG)", status, *terms, z, 0.0)


# Beyond the papers ----------------------------------------------------------------------------------------------------


def lipschitz(
    risk: float, *, n: int, m: int, l2: float, log_largest: float, B: float, M: float, delta: float = 0.05,
    log_times: float = 0.0, result: str = "vector contraction",
) -> Bound:  # fmt: skip
    r"""Any loss up to exp(``log_largest``) whose gradient by the scores is at most ``l2`` long; × exp(``log_times``).

    .. math:: \hat R + 2\sqrt2\; l_2 \, BM \sqrt{m/n} + \text{largest} \sqrt{\ln(1/\delta) / 2n}

    Vector contraction (Maurer 2016, Corollary 1) and the Rademacher bound of Mohri, Rostamizadeh & Talwalkar (2018),
    Theorem 3.3. Lists may differ in length; m is the longest possible.
    """
    check_count("m", m)
    check_norms(B, M)
    check_number("l2", l2)
    z = log_largest + log_times
    complexity = log(2 * math.sqrt(2 * m)) + log(l2) + log(B) + log(M) + log_times
    terms = _terms(risk, n, complexity, z - log(2) / 2, 1, delta)
    return Bound(result, "expected prediction loss (1 − measure)", PROVED, *terms, z, 0.0)


def arg_max(
    risk: float, *, n: int, A: Sequence[float], B: float, M: float, delta: float = 0.05, tight: bool = False
) -> Bound:
    """The arg-max hinge itself with these position weights, one for each rank; ``tight``: the tighter, non-convex one.

    The largest loss is 1 + 2BM·Σ|A| at most (here: with the exact largest Σ|A(π) − A|), for the tighter one 1.
    """
    check_norms(B, M)
    for a in A:
        if not math.isfinite(a):
            raise InputError(f"position weights must be finite, got {a!r}")
    l2, l1 = reach_of_weights(A)
    return lipschitz(
        risk, n=n, m=len(A), l2=l2, log_largest=0.0 if tight else one_plus(l1, B, M), B=B, M=M, delta=delta,
        result="tighter arg-max hinge" if tight else "arg-max hinge",
    )  # fmt: skip


def soft_max(risk: float, *, n: int, level_sizes: Sequence[int], B: float, M: float, delta: float = 0.05) -> Bound:
    """The soft-max hinge with the partial-order map: the same Lipschitz constant, the logarithm of the outputs more."""
    check_norms(B, M)
    sizes = check_sizes(level_sizes)
    m = sum(sizes)
    l2, l1 = reach_of_levels(sizes, 2 / max(m * (m - 1), 1))
    largest = log_sum(one_plus(l1, B, M), log(count_outputs(sizes)))
    return lipschitz(risk, n=n, m=m, l2=l2, log_largest=largest, B=B, M=M, delta=delta, result="soft-max hinge")


def ndcg(
    risk: float, *, n: int, level_sizes: Sequence[int], B: float, M: float, delta: float = 0.05, k: int | None = None
) -> Bound:
    """The sum hinge of 1 − NDCG with the partial-order map: multinomially many outputs, or the distinct top k only.

    Each output is represented by its best ranking, so that the predicted ranking's loss is dominated; the score of the
    best ranking is not linear, hence vector contraction in place of the scalar one.
    """
    check_norms(B, M)
    sizes = check_sizes(level_sizes)
    m = sum(sizes)
    l2, l1 = reach_of_levels(sizes, 2 / max(m * (m - 1), 1))
    return lipschitz(
        risk, n=n, m=m, l2=l2, log_largest=one_plus(l1, B, M), B=B, M=M, delta=delta, log_times=count_outputs(sizes, k),
        result="sum hinge of NDCG" + ("" if k is None else f"@{k}"),
    )  # fmt: skip


def data_dependent(risk: float, *, n: int, average: float, log_largest: float, delta: float = 0.05) -> Bound:
    r"""With the sample's own Rademacher average of the losses, :func:`rankine.theory.guarantee.rademacher`.

    .. math:: \hat R + 2 \hat{\mathcal R}_n + 3\, \text{largest} \sqrt{\ln(2/\delta) / 2n}
    """
    check_number("average", average)
    check_count("n", n)
    terms = _terms(risk, n, log(2) + log(average) + log(n) / 2, log(3) + log_largest - log(2) / 2, 2, delta)
    return Bound("data-dependent", "expected prediction loss (1 − measure)", PROVED, *terms, log_largest, 0.0)


def held_out(risk: float, *, n: int, delta: float = 0.05, largest: float = 1.0) -> Bound:
    r"""Queries that the model has not seen: Hoeffding's :math:`\hat R + \sqrt{\ln(1/\delta) / 2n}`; no complexity."""
    check_number("largest", largest)
    terms = _terms(risk, n, -math.inf, log(largest) - log(2) / 2, 1, delta)
    return Bound(
        "held-out queries", "expected prediction loss (1 − measure)", PROVED, *terms, log(largest), log(largest)
    )


def count_outputs(sizes: Sequence[int], k: int | None = None) -> float:
    """The logarithm of the number of distinct sequences of levels, at all ranks or at the first k.

    >>> round(math.exp(count_outputs([1, 1, 2]))), round(math.exp(count_outputs([1, 1, 2], k=1)))
    (12, 3)
    """
    m = sum(sizes)
    if k is None or k >= m:
        return math.lgamma(m + 1) - sum(math.lgamma(s + 1) for s in sizes)
    check_count("k", k)
    k = int(k)
    ways = [0.0] + [-math.inf] * k  # ways[j] = log of Σ Π 1/j_i! over so many from the levels met so far
    for size in sizes:
        ways = [log_sum(*(ways[j - t] - math.lgamma(t + 1) for t in range(min(size, j) + 1))) for j in range(k + 1)]
    return ways[k] + math.lgamma(k + 1)


# Arithmetic and checks ------------------------------------------------------------------------------------------------


def one_plus(l1: float, B: float, M: float) -> float:
    """log(1 + l1·B·M)."""
    return log_sum(0.0, log(l1) + log(B) + log(M))


def log(value: float) -> float:
    """The natural logarithm, −∞ for 0."""
    if not value >= 0:
        raise InputError(f"expected a number that is not negative, got {value!r}")
    return math.log(value) if value > 0 else -math.inf


def from_log(value: float) -> float:
    """exp, infinite where it exceeds the range of floats."""
    return math.exp(value) if value < 709.78 else math.inf


def log_sum(*logs: float) -> float:
    """The logarithm of the sum of exponentials."""
    top = max(logs)
    return top if math.isinf(top) else top + math.log(math.fsum(math.exp(x - top) for x in logs))


def _terms(
    risk: float, n: int, log_complexity: float, log_confidence: float, sides: int, delta: float
) -> tuple[float, float, float]:
    """The three terms: the last two over √n, the confidence times √ln(sides/δ)."""
    check_number("risk", risk)
    check_count("n", n)
    if not (isinstance(delta, Real) and 0 < delta < 1):
        raise InputError(f"delta must lie between 0 and 1, both excluded; got {delta!r}")
    root = math.log(n) / 2
    return log(risk), log_complexity - root, log_confidence + log(math.log(sides) - math.log(delta)) / 2 - root


def check_number(name: str, value: float) -> None:
    """A finite number, not negative."""
    if not (isinstance(value, Real) and math.isfinite(value) and value >= 0):
        raise InputError(f"{name} must be a finite number, at least 0; got {value!r}")


def check_norms(B: float, M: float) -> None:
    """The bounds on ‖w‖ and on the norm of features."""
    check_number("B", B)
    check_number("M", M)


def check_count(name: str, value: int, low: int = 1) -> None:
    """A whole number."""
    if isinstance(value, bool) or not (isinstance(value, Real) and low <= value < 1e300 and value == int(value)):
        raise InputError(f"{name} must be a whole number, at least {low}; got {value!r}")


def check_sizes(sizes: Sequence[int]) -> list[int]:
    """Level sizes as whole numbers."""
    if not isinstance(sizes, Sized) or len(sizes) == 0:
        raise InputError("level_sizes must name the size of every level, best first; got none")
    for size in sizes:
        check_count("each level size", size)
    return [int(size) for size in sizes]
