r"""Can a risk bound be right? Looks for what refutes it, term by term.

Risk bounds are loose: on ordinary samples even a wrong one holds, so that sampling tells nothing. The audit looks where
a bound has nothing to spare. A claim is a bound for queries of one kind, as a function of the mean loss, n, B, M and δ;
its loss and what it bounds are known. It is refuted by *witnesses*:

- **mean loss**: where every query is the same, the mean loss of any sample is the expected one, and for :math:`n \to
  \infty` nothing else is left of the bound. A witness is a vector of scores whose error is above that.
- **largest loss**, **maximum**: scores within B·M whose loss, or error, is above the claimed one.
- **complexity**: let every query's documents lie on an axis of their own, document i at :math:`M p_i` with a sign
  :math:`p_i`. For signs ε of the queries, w can have the component :math:`\epsilon_q B / \sqrt n` on each axis, so the
  Rademacher average of the losses is at least :math:`\tfrac12 (\ell(t p) - \ell(-t p))` with :math:`t = BM/\sqrt n`.
  The proofs need twice the average. A witness is a sign vector p for which the complexity is smaller.
- **confidence**: a query is with probability p one that is ranked wrongly by a hair (B·M is tiny, and with it the
  complexity), otherwise one whose ranking does not matter. How often the sample misleads is a binomial probability. A
  witness is a p for which it is above δ. Moreover the proofs need :math:`\ell \sqrt{\ln(1/\delta) / 2n}` for every
  loss ℓ that a query can have: a witness is one for which the confidence is smaller.

Mean loss, largest loss, maximum, and the binomial probability refute the bound itself. Too small a complexity or
confidence refutes its proof: with what the other terms have to spare the bound may still hold.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtr

from rankine.losses import get, pairwise_errors
from rankine.losses.base import Loss
from rankine.losses.pairwise import share_of_pairwise_errors
from rankine.theory import bounds as b
from rankine.theory.guarantee import Average, applicable

_SCALES = (1e-3, 0.3, 1.0, 10.0)
_SIZES, _DELTAS = (40, 4000), (0.05, 1e-4, 1e-60)
_ENDLESS, _HAIR, _ROUNDING = 10**30, 1e-9, 1e-6
Make = Callable[..., b.Bound]  # of risk, n, B, M, delta
PerQuery = Callable[[np.ndarray], np.ndarray]  # of score vectors, one a row


@dataclass(frozen=True)
class Claim:
    """A bound for queries of one kind.

    Attributes:
        name: of the result.
        make: the bound, a function of ``risk``, ``n``, ``B``, ``M`` and ``delta``.
        grades: of every query.
        loss: of queries with these scores.
        error: what is bounded, likewise.
        outputs: how many pairs or outputs the loss sums over.
        uniform: whether it holds for all w at once; on held-out queries it need not.
    """

    name: str
    make: Make
    grades: Sequence[float]
    loss: PerQuery
    error: PerQuery
    outputs: float = 1.0
    uniform: bool = True


class Flaw(NamedTuple):
    """What is wrong with a claim: the term, and the witness in words."""

    term: str
    witness: str


def audit(claim: Claim, terms: Sequence[str] | None = None) -> list[Flaw]:
    """What refutes a claim, or its proof; at most one witness for each term, of all terms or of these.

    >>> audit(claims()[0])
    []
    >>> [flaw.term for flaw in audit(as_printed())]
    ['mean loss']
    """
    looks = {"mean loss": _mean_loss, "largest loss": _largest_loss, "maximum": _maximum, "confidence": _confidence}
    if claim.uniform:
        looks["complexity"] = _complexity
    wanted = [looks[term] for term in looks if terms is None or term in terms]
    return [flaw for look in wanted if (flaw := look(claim)) is not None]


def witnesses(claim: Claim) -> np.ndarray:
    """Score vectors, largest entry 1: signs, all orders, and the perfect order but for two neighbours, by a hair."""
    m = len(claim.grades)
    rows = [list(p) for p in itertools.product((-1.0, 1.0), repeat=m)]
    rows += [list(p) for p in itertools.permutations(np.linspace(-1, 1, m).tolist())]
    perfect = np.argsort(np.argsort(np.asarray(claim.grades, float), kind="stable")) / max(m - 1, 1)
    order = np.argsort(perfect)
    for low, high in itertools.pairwise(order.tolist()):
        swapped = perfect.copy()
        swapped[low] = swapped[high] + 1e-6
        rows.append((swapped / np.abs(swapped).max()).tolist())
    return np.array(rows)


def _show(scores: np.ndarray) -> str:
    return "scores " + ", ".join(f"{x:.4g}" for x in scores.tolist())


def _factor(claim: Claim) -> float:
    """What the loss is multiplied with in the bound."""
    return math.exp(claim.make(risk=1.0, n=_ENDLESS, B=1.0, M=1.0, delta=0.05).log_risk)


def _mean_loss(claim: Claim) -> Flaw | None:
    for scale in (*_SCALES, 1e7):
        scores = scale * witnesses(claim)
        for s, loss, error in zip(scores, claim.loss(scores), claim.error(scores), strict=True):
            total = claim.make(risk=float(loss), n=_ENDLESS, B=float(np.abs(s).max()), M=1.0, delta=0.05).total
            if error > total * (1 + _ROUNDING) + _ROUNDING:
                return Flaw("mean loss", f"{_show(s)}: error {error:.4g}, bound {total:.4g} for any number of queries")
    return None


def _largest_loss(claim: Claim) -> Flaw | None:
    factor = _factor(claim)
    for scale in _SCALES:
        bound = claim.make(risk=0.0, n=100, B=scale, M=1.0, delta=0.05)
        scores = scale * witnesses(claim)
        losses = factor * claim.loss(scores)
        i = int(np.argmax(losses))
        if math.log(max(losses[i], 1e-300)) > bound.log_normaliser + _ROUNDING:
            return Flaw("largest loss", f"{_show(scores[i])}: {losses[i]:.4g} > {math.exp(bound.log_normaliser):.4g}")
    return None


def _maximum(claim: Claim) -> Flaw | None:
    bound = claim.make(risk=0.0, n=100, B=1.0, M=1.0, delta=0.05)
    scores = witnesses(claim)
    errors = claim.error(scores)
    i = int(np.argmax(errors))
    if math.log(max(errors[i], 1e-300)) > bound.log_largest + _ROUNDING:
        return Flaw("maximum", f"{_show(scores[i])}: {errors[i]:.4g} > {math.exp(bound.log_largest):.4g}")
    return None


def _complexity(claim: Claim) -> Flaw | None:
    factor = _factor(claim)
    for n, scale in itertools.product(_SIZES, _SCALES):
        bound = claim.make(risk=0.0, n=n, B=scale, M=1.0, delta=0.05)
        t = scale / math.sqrt(n) * witnesses(claim)
        rise = factor * (claim.loss(t) - claim.loss(-t))
        i = int(np.argmax(rise))
        if math.log(max(rise[i], 1e-300)) > bound.log_complexity + _ROUNDING:
            said = f"n = {n}, B·M = {scale:g}, {_show(t[i])}: {rise[i]:.4g} > {bound.complexity:.4g}"
            return Flaw("complexity", said)
    return None


def _confidence(claim: Claim) -> Flaw | None:
    return _misled(claim) or _concentration(claim)


def _misled(claim: Claim) -> Flaw | None:
    """Errors by a hair, met with probability p."""
    factor, scores = _factor(claim), _HAIR * witnesses(claim)
    errors = claim.error(scores)
    i = int(np.argmax(errors))
    error, loss = float(errors[i]), factor * float(claim.loss(scores[i : i + 1])[0])
    for n, delta, p in itertools.product(_SIZES, _DELTAS, (0.5, 0.1, 0.01)):
        bound = claim.make(risk=0.0, n=n, B=_HAIR, M=1.0, delta=delta)
        spare = p * error - bound.complexity - bound.confidence
        most = n * spare / loss if loss > 0 else n + 1.0  # the bound fails where fewer are met
        chance = float(bdtr(min(math.ceil(most) - 1, n), n, p)) if spare > 0 else 0.0
        if chance > delta * (1 + _ROUNDING):
            said = (
                f"n = {n}, δ = {delta:g}: with errors of {error:.4g} in {p:g} of the queries it fails in {chance:.2g}"
            )
            return Flaw("confidence", said)
    return None


def _concentration(claim: Claim) -> Flaw | None:
    """What the inequality of McDiarmid, or Hoeffding, needs."""
    factor = _factor(claim)
    for n, delta, scale in itertools.product(_SIZES, _DELTAS, _SCALES):
        bound = claim.make(risk=0.0, n=n, B=scale, M=1.0, delta=delta)
        scores = scale * witnesses(claim)
        losses = factor * claim.loss(scores)
        i = int(np.argmax(losses))
        needed = losses[i] * math.sqrt(math.log(1 / delta) / (2 * n))
        if math.log(max(needed, 1e-300)) > bound.log_confidence + _ROUNDING:
            said = f"n = {n}, δ = {delta:g}, {_show(scores[i])}: {needed:.4g} > {bound.confidence:.4g}"
            return Flaw("confidence", said)
    return None


# The bounds of this package -------------------------------------------------------------------------------------------


def claims() -> list[Claim]:
    """Every family of bounds, for small queries."""
    position, r4, graded, binary = get("position-sensitive"), [3, 2, 1, 0], [2, 1, 1, 0], [1, 1, 0, 0, 0]
    of_weights = get("svm-ndcg", A=np.array([3.0, 2.0, 1.0, 0.0]))
    of_tight = get("svm-ndcg:tight", A=np.array([3.0, 2.0, 1.0, 0.0]))
    A = [3.0, 2.0, 1.0, 0.0]
    plain = pairwise_errors
    weighted = partial(_claim, loss=position)
    return [
        weighted("Theorem 3", partial(b.full_ranking, m=4), r4, outputs=6),
        weighted("Theorem 3, 0–1 error", partial(b.full_ranking, m=4, error="plain"), r4, plain, outputs=6),
        weighted("Corollary 1", partial(b.multipartite, level_sizes=[1, 2, 1]), graded, outputs=5),
        weighted("Corollary 1, 0–1 error", partial(b.multipartite, level_sizes=[1, 2, 1], error="plain"), graded, plain,
                 outputs=5),
        weighted("Corollary 2", partial(b.bipartite, rel=2, nrel=3), binary, plain, outputs=6),
        _claim("Theorem 4", partial(_whole, b.listwise, 4 / 3, m=4), r4, loss=get("sum-ndcg"), outputs=24),
        _claim("Corollary 3", partial(_whole, b.average_precision, 2.0, m=5, rel=2), binary, loss=get("sum-map"),
               outputs=10),
        _claim("arg-max hinge", partial(b.arg_max, A=A), r4, loss=of_weights),
        _claim("tighter arg-max hinge", partial(b.arg_max, A=A, tight=True), r4, loss=of_tight),
        _claim("soft-max hinge", partial(b.soft_max, level_sizes=[1, 2, 1]), graded, loss=get("softmax-ndcg")),
        _claim("sum hinge of NDCG", partial(b.ndcg, level_sizes=[1, 2, 1]), graded, loss=get("sum-ndcg"), outputs=12),
        replace(_claim("held-out queries", _held_out, binary, loss=get("svm-map")), uniform=False,
                loss=_errors(get("svm-map"), binary)),
    ]  # fmt: skip


def _claim(
    name: str, make: Make, grades: Sequence[float], error: Any = None, *, loss: Loss, outputs: float = 1.0
) -> Claim:
    """A claim about a loss of the table, for what it bounds or another ``error`` of (scores, y, ptr)."""
    return Claim(name, make, grades, _losses(loss, grades), _errors(loss, grades, error), outputs)


def _losses(loss: Loss, grades: Sequence[float]) -> PerQuery:
    def values(scores: np.ndarray) -> np.ndarray:
        y, ptr = np.tile(grades, len(scores)), np.arange(len(scores) + 1) * len(grades)
        return loss.prepare(y, ptr).upper(scores.ravel())

    return values


def _errors(loss: Loss, grades: Sequence[float], error: Any = None) -> PerQuery:
    function = error if error is not None or loss.bounded is None else loss.bounded.values

    def values(scores: np.ndarray) -> np.ndarray:
        y, ptr = np.tile(grades, len(scores)), np.arange(len(scores) + 1) * len(grades)
        return np.asarray(function(scores.ravel(), y, ptr))

    return values


def _whole(published: Callable[..., b.Bound], weights: float, *, M: float, **options: Any) -> b.Bound:
    """A published result about whole rankings, whose features have a norm of ``weights`` = Σ|A| times M."""
    return published(M=M * weights, **options)


def claims_of(name: str, grades: Sequence[float]) -> list[Claim]:
    """Every bound that `rankine bound` has for a loss, for queries with these grades and an axis of their own each."""
    loss, m = get(name), len(grades)
    s = loss.prepare(grades, [0, m]).constants()

    def make(number: int, *, risk: float, n: int, B: float, M: float, delta: float) -> b.Bound:
        average = math.sqrt(2) * B * M * float(s.l2[0] * np.exp(s.log_times[0])) * math.sqrt(m / n)  # of that sample
        shares = 2 if loss.theorem is None else 3
        bounds = applicable(loss, s, risk, n, m, B, M, min(shares * delta, 0.999), Average(average, 0.0, average))
        return bounds[number]

    listed = applicable(loss, s, 1.0, 100, m, 1.0, 1.0, 0.05, Average(1.0, 0.0, 1.0))
    errors = [_named_error(loss, bound.of) for bound in listed]
    return [
        _claim(f"{name}: {bound.result}: {bound.of}", partial(make, i), grades, error, loss=loss)
        for i, (bound, error) in enumerate(zip(listed, errors, strict=True))
    ]


def _named_error(loss: Loss, of: str) -> Any:
    """The error of (scores, y, ptr) that a bound of this loss is of, by its words; None for what the loss bounds."""
    if "0–1 error" not in of:
        return None
    return share_of_pairwise_errors if "share" in of else pairwise_errors


def _held_out(*, risk: float, n: int, B: float, M: float, delta: float) -> b.Bound:
    return b.held_out(risk, n=n, delta=delta)


# Bounds that are wrong on purpose -------------------------------------------------------------------------------------


class Seed(NamedTuple):
    """A mistake to make in a bound: what it is, the term that must be flagged, and the change of the bound."""

    name: str
    term: str
    change: Callable[[b.Bound, Claim, dict[str, Any]], b.Bound]


def _fewer(field: str, by: Callable[[b.Bound, Claim, dict[str, Any]], float]) -> Callable[..., b.Bound]:
    """Take the logarithm ``by`` off a term."""
    return lambda bound, claim, o: replace(bound, **{field: getattr(bound, field) - by(bound, claim, o)})


def _log_inverse(options: dict[str, Any]) -> float:
    return math.log(math.log(1 / options["delta"])) / 2


SEEDS = (
    Seed("no mean loss", "mean loss", _fewer("log_risk", lambda x, c, o: math.inf)),
    Seed("a quarter of the largest loss", "largest loss", _fewer("log_normaliser", lambda x, c, o: math.log(4))),
    Seed("a quarter of the maximum", "maximum", _fewer("log_largest", lambda x, c, o: math.log(4))),
    Seed("a sixth of the complexity", "complexity", _fewer("log_complexity", lambda x, c, o: math.log(6))),
    Seed("no complexity", "complexity", _fewer("log_complexity", lambda x, c, o: math.inf)),
    Seed("complexity over n, not √n", "complexity", _fewer("log_complexity", lambda x, c, o: math.log(o["n"]) / 2)),
    Seed("one pair or output for all", "complexity", _fewer("log_complexity", lambda x, c, o: math.log(c.outputs))),
    Seed("a sixteenth of the confidence", "confidence", _fewer("log_confidence", lambda x, c, o: math.log(16))),
    Seed("confidence over n, not √n", "confidence", _fewer("log_confidence", lambda x, c, o: math.log(o["n"]) / 2)),
    Seed("confidence without ln(1/δ)", "confidence", _fewer("log_confidence", lambda x, c, o: _log_inverse(o))),
    Seed("confidence for losses up to 1", "confidence", _fewer("log_confidence", lambda x, c, o: x.log_normaliser)),
)  # fmt: skip


def seeded(claim: Claim, seed: Seed) -> Claim | None:
    """The claim with a mistake; None where the mistake changes nothing in it."""
    large = claim.make(risk=0.0, n=100, B=10.0, M=1.0, delta=0.05).log_normaliser > 2
    idle = {"complexity": not claim.uniform, "one pair or output for all": claim.outputs == 1,
            "confidence for losses up to 1": not large}  # fmt: skip
    if idle.get(seed.term, False) or idle.get(seed.name, False):
        return None

    def make(**options: Any) -> b.Bound:
        return seed.change(claim.make(**options), claim, options)

    return replace(claim, name=f"{claim.name}, with {seed.name}", make=make)


def as_printed() -> Claim:
    """Theorem 3 as it is printed: for the 0–1 error without the factor r − 1."""
    claim = claims()[0]
    return replace(claim, name="Theorem 3 as printed", error=claims()[1].error)
