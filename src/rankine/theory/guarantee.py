"""The risk bounds that apply to a fitted model on given data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..data.ranking_data import Preferences, RankingData
from ..errors import InputError
from ..losses.base import Loss, Prepared, Theorem
from ..losses.constants import Constants
from ..losses.pairwise import pairwise_errors
from ..losses.supervision import RANKS
from ..losses.table import names_with_constants
from ..measures import evaluate, parse
from ..measures.table import TABLE
from ..rankers.linear import LinearRanker
from . import bounds as b
from .wording import JUDGED, bounded_by, decimals_up, misordered

_SMALLEST = -20
_ROUNDING = 1e-12  # more than the measures of a ranking can be off


class Average(NamedTuple):
    """A Rademacher average by Monte Carlo with its standard error, and what it cannot exceed (Jensen)."""

    value: float
    standard_error: float
    most: float

    @property
    def safe(self) -> float:
        """Four standard errors above the mean, but no more than what is certain."""
        return min(self.value + 4 * self.standard_error, self.most)


@dataclass(frozen=True)
class Guarantee:
    """The bounds that apply, all of them together with probability 1 − δ, and what they are made from.

    ``B`` and ``delta_used`` are those of the class 2^j that holds the model; see ``notes``.
    """

    loss: str
    n: int
    m: int
    B: float
    M: float
    norm: float
    delta: float
    delta_used: float
    bounds: tuple[b.Bound, ...]
    notes: tuple[str, ...]

    @property
    def best(self) -> b.Bound:
        """The smallest bound whose proof holds, as a share of the largest value of what it bounds."""
        proved = [x for x in self.bounds if x.status != b.AS_PUBLISHED]
        return min(proved, key=lambda x: x.log_total - x.log_largest)

    @property
    def vacuous(self) -> bool:
        """Whether every bound is at or above the largest possible error."""
        return self.best.vacuous


@dataclass(frozen=True)
class TrainingBound:
    """What the loss of a model proves about its rankings of the training queries, over those that carry information.

    Attributes:
        of: what is bounded, in words.
        mean: an upper bound on its mean.
        largest: the mean where every query is ranked as badly as can be.
        n: how many queries carry information, at least one.
    """

    of: str
    mean: float
    largest: float
    n: int

    @property
    def vacuous(self) -> bool:
        """Whether the bound, as it is printed, is not below what the worst rankings have."""
        return float(decimals_up(self.mean)) >= self.largest

    def __str__(self) -> str:
        queries = "1 training query that carries" if self.n == 1 else f"{self.n} training queries that carry"
        if self.vacuous:
            return f"nothing is guaranteed: over the {queries} information the loss does not bound {self.of}"
        mean = decimals_up(self.mean)
        return f"guaranteed: over the {queries} information the mean of {self.of} is at most {mean}"


def training_bound(model: Any, data: RankingData) -> TrainingBound | None:
    """What the loss of a fitted linear ranker bounds on the queries it was trained on.

    None where the loss bounds nothing, or no query carries information. The bound is never below what the rankings are
    measured to have, so that rounding in the loss of huge scores cannot make it wrong. Of a loss that counts a sample
    of outputs, it is the bound of the loss that dominates the measure (:meth:`rankine.losses.Loss.dominating`).
    """
    loss = model.check_parameters().dominating()
    if hasattr(model, "A_"):
        loss = loss.with_options(A=model.A_)
    if loss.bounded is None or isinstance(data.y, Preferences):
        return None
    prepared = loss.prepare(data.y, data.ptr)
    told = prepared.informative
    n = int(told.sum())
    if n == 0:
        return None
    scores = model.predict(data)
    mean = math.fsum(prepared.upper(scores)[told]) / n
    if pairwise_errors(scores, data.y, data.ptr).any():  # else every error is 0, exactly
        measured = math.fsum(loss.bounded.values(scores, data.y, data.ptr)[told]) / n
        mean = max(mean, measured) * (1 + _ROUNDING) + _ROUNDING
    worst = loss.bounded.values(-np.asarray(data.y, np.float64), data.y, data.ptr)
    return TrainingBound(loss.bounded.text, mean, math.fsum(worst[told]) / n, n)


def risk_bound(
    model: Any, data: RankingData, delta: float = 0.05, *, B: float | None = None, M: float | None = None,
    held_out: bool = False, draws: int = 100, seed: int = 0,
) -> Guarantee:  # fmt: skip
    """Which risk bounds hold for a model, from the queries it was trained on (or, ``held_out``, never saw).

    Args:
        model: a fitted :class:`~rankine.LinearRanker`.
        data: judged queries.
        delta: the chance that the sample misleads.
        B: a bound on ‖w‖ that was fixed before the data was seen. By default the power of two above ‖w‖, and δ is
            shared out over all powers of two.
        M: the same for the norm of a document's features. By default the largest in the sample.
        held_out: the model has not been trained on this data.
        draws: of random signs, for the Rademacher average.
        seed: of the draws.
    """
    if not isinstance(model, LinearRanker) or not hasattr(model, "coef_"):
        raise InputError(f"risk bounds are for fitted linear rankers, got {type(model).__name__}")
    if isinstance(data.y, Preferences):
        raise InputError("risk bounds need grades, the data has a preference graph")
    loss = model.check_parameters().dominating()
    if hasattr(model, "A_"):
        raise InputError("no risk bound is known for position weights that were learned too (A='learn')")
    data = model.conform(data)
    b.held_out(0.0, n=1, delta=delta)  # raises InputError for a wrong δ before the long computation starts
    if not np.isfinite(model.coef_).all():
        raise InputError("the model's weights are not all finite")
    norm = math.hypot(*model.coef_.tolist())
    m = int(np.diff(data.ptr).max())
    if held_out:
        bound = _on_held_out(model, loss, data, delta)
        return Guarantee(loss.name, data.n_queries, m, norm, math.nan, norm, delta, delta, (bound,), ())
    normalised = data if model.normaliser_ is None else model.normaliser_.apply(data)
    norms = _norms(normalised.X)
    B_used, delta_used = class_of(norm, B, delta)
    M_used = _at_least("M", M, float(norms.max()), "the largest norm in the sample")
    prepared = prepare_for_bounds(loss, data)
    constants = prepared.constants()
    if constants.log_largest(b.log(B_used) + b.log(M_used)) == -math.inf:
        raise InputError("no query of the data has documents of different grade: nothing bounds queries to come")
    risk = float(prepared.upper(np.asarray(normalised.X @ model.coef_, np.float64)).mean())
    average = rademacher(normalised, constants.l2 * np.exp(constants.log_times), B_used, draws, seed)
    published = prepared.theorem is not None
    bounds = applicable(loss, constants, risk, data.n_queries, m, B_used, M_used, delta_used, average, published)
    notes = _notes(model, norm, B, M, m, average)
    if remark := loss.remark(data.y, data.ptr, data.query_ids):
        notes.append(f"{remark}.")
    return Guarantee(loss.name, data.n_queries, m, B_used, M_used, norm, delta, delta_used, tuple(bounds), tuple(notes))


def prepare_for_bounds(loss: Loss, data: RankingData) -> Prepared:
    """The loss on these judgments; an error that lists the losses with risk bounds if it has none."""
    if not loss.has_constants:
        names = ", ".join(names_with_constants())
        raise InputError(f"no risk bound is known for the loss {loss.name}. There are some for: {names}")
    return loss.prepare(data.y, data.ptr)


def rademacher(data: RankingData, steepness: np.ndarray, B: float, draws: int = 100, seed: int = 0) -> Average:
    r"""A bound on the sample's Rademacher average of losses that are ``steepness`` Lipschitz in each query's scores.

    .. math:: \frac{\sqrt2}{n}\, E_\epsilon \sup_{\|w\| \le B} \sum_q l_q \sum_i \epsilon_{qi} \langle w, x_{qi} \rangle
        = \frac{\sqrt2 B}{n}\, E_\epsilon \Bigl\| \sum_q l_q \sum_i \epsilon_{qi} x_{qi} \Bigr\|

    by vector contraction; the supremum is closed, the expectation over signs is by Monte Carlo.
    """
    b.check_count("draws", draws, 2)
    rng = np.random.default_rng(seed)
    each = np.repeat(steepness, np.diff(data.ptr))
    norms = np.empty(draws)
    for i in range(draws):
        signs = rng.integers(0, 2, data.n_documents) * 2.0 - 1
        norms[i] = np.linalg.norm(np.asarray(data.X.T @ (signs * each)))
    scale = math.sqrt(2) * B / data.n_queries
    most = math.sqrt(float((each**2 * _norms(data.X) ** 2).sum()))
    return Average(
        scale * float(norms.mean()), scale * float(norms.std(ddof=1) / math.sqrt(draws)), scale * most
    )  # fmt: skip


def applicable(
    loss: Loss, s: Constants, risk: float, n: int, m: int, B: float, M: float, delta: float, average: Average,
    published: bool = True,
) -> list[b.Bound]:  # fmt: skip
    """Every result for this loss, for one class ‖w‖ ≤ B; δ is shared out among them, so that all hold together.

    Those that were published are left out where they do not apply to the loss on the data at hand.
    """
    theorem = loss.theorem if published else None
    delta /= 2 if theorem is None else 3
    largest = s.log_largest(b.log(B) + b.log(M))
    of = f"expected {bounded_by(loss)}"
    measured = replace(
        b.data_dependent(risk, n=n, average=average.safe, log_largest=largest, delta=delta), of=of,
        why="any loss that is Lipschitz in a query's scores, with the sample's own Rademacher average",
    )  # fmt: skip
    contracted = replace(
        b.lipschitz(
            risk, n=n, m=m, l2=float((s.l2 * np.exp(s.log_times)).max()), log_largest=largest, B=B, M=M, delta=delta
        ), of=of, why="any loss that is Lipschitz in a query's scores",
    )  # fmt: skip
    if theorem is None:
        return [contracted, measured]
    if theorem.over == "pairs":
        return _published_pairwise(loss, theorem, s, risk, n, B, M, delta, [contracted, measured])
    printed = _PUBLISHED[theorem.over](s, risk, n, m, B, M, delta)
    return [*(replace(bound, of=of) for bound in printed), contracted, measured]


def _published_pairwise(
    loss: Loss, theorem: Theorem, s: Constants, risk: float, n: int, B: float, M: float, delta: float,
    ours: list[b.Bound],
) -> list[b.Bound]:  # fmt: skip
    """Theorem 3, Corollary 1 or 2 for the largest query, of the weighted and of the plain error, and our own."""
    weighted, norm, r = theorem.weighted, theorem.norm, max(len(q) for q in s.sizes)
    pairs = 1 if norm else max(b.count_pairs(q) for q in s.sizes)
    heaviest = float(s.base.max())
    name = "Corollary 2" if r <= 2 else "Theorem 3" if all(max(q) == 1 for q in s.sizes) else "Corollary 1"
    if not weighted and r > 2:
        name += ", every margin 1"
    equal = len({tuple(q) for q in s.sizes}) == 1
    first = replace(
        b.over_pairs(risk, n=n, pairs=pairs, span=r - 1 if weighted else 1, B=B, M=M, delta=delta, largest=heaviest),
        result=name, status=b.PUBLISHED if equal and not norm and (weighted or r <= 2) else b.PROVED,
        why=f"a hinge over pairs with {'margins r/y' if weighted else 'margin 1'}; at most {r} levels in a query, "
        + ("all of the same sizes" if equal else "the largest query stands for all"),
        of=f"expected {loss.bounded.text if loss.bounded is not None else 'loss'}",
    )  # fmt: skip
    bounds = [first, *(replace(x, of=first.of, log_largest=first.log_largest) for x in ours)]
    factor = math.log(r - 1) if weighted and r > 2 else 0.0
    plain = [replace(x.times(factor, f"expected {misordered(norm)}"), log_largest=b.log(pairs)) for x in bounds]
    return plain if factor == 0 else [*bounds, *plain]


def _over_relevant(s: Constants, risk: float, n: int, m: int, B: float, M: float, delta: float) -> list[b.Bound]:
    """Corollary 3 for AP, with the norm of a whole ranking."""
    q = max(s.sizes, key=b.count_outputs)
    bound = b.average_precision(risk, n=n, m=sum(q), rel=q[0], B=B, M=2 * M, delta=delta)
    why = "a sum hinge over the sequences of relevant and other documents; Yue's map has Σ|A| = 2"
    return [replace(bound, why=why)]


def _over_rankings(s: Constants, risk: float, n: int, m: int, B: float, M: float, delta: float) -> list[b.Bound]:
    """Theorem 4 for full rankings, with the norm of a whole ranking."""
    if any(max(q) > 1 for q in s.sizes):
        return []
    whole = m / (m - 1) if m % 2 == 0 else (m + 1) / m
    bound = b.listwise(risk, n=n, m=m, B=B, M=M * whole, delta=delta)
    return [replace(bound, why="a sum hinge over all rankings: no two grades tie")]


_PUBLISHED = {"relevant": _over_relevant, "rankings": _over_rankings}


def _on_held_out(model: LinearRanker, loss: Loss, data: RankingData, delta: float) -> b.Bound:
    measure = parse(loss.measure)
    row = TABLE[measure.name]
    if row.range != (0.0, 1.0) or row.is_error or row.supervision != "grades":
        measure = parse("nDCG(dcg='log2')@10" if RANKS in loss.supervision else "nDCG@10")  # 2^g of ranks overflows
    grades = loss.as_grades(data.y)
    values = evaluate(measure, grades, model.predict(data), data.qid, empty="one").per_query[str(measure)]
    why = "the model has not seen these queries: Hoeffding's inequality"
    risk = float(np.clip(1 - values, 0, 1).mean())
    return replace(b.held_out(risk, n=data.n_queries, delta=delta), of=f"expected 1 − {measure}{JUDGED}", why=why)


def class_of(norm: float, B: float | None, delta: float) -> tuple[float, float]:
    """B and its share of δ: that of 2^j is 2/3 / ((|j| + 1)(|j| + 2)), which sums to 1 over all whole j."""
    if B is not None:
        return _at_least("B", B, norm, "the norm of the model's weights"), delta
    j = _SMALLEST if norm == 0 else max(math.ceil(math.log2(norm)), _SMALLEST)
    j += 2.0**j < norm  # the logarithm was rounded
    return 2.0**j, delta * 2 / 3 / ((abs(j) + 1) * (abs(j) + 2))


def _at_least(name: str, value: float | None, low: float, what: str) -> float:
    if value is None:
        return low
    b.check_number(name, value)
    if value < low * (1 - 1e-9):
        raise InputError(f"{name} must be at least {low:g}, {what}; got {value:g}")
    return max(value, low)


def _norms(X: Any) -> np.ndarray:
    with np.errstate(over="ignore"):
        squares = (
            X.astype(np.float64).power(2).sum(axis=1)
            if sp.issparse(X)
            else np.einsum("ij,ij->i", X, X, dtype=np.float64)
        )
    norms = np.sqrt(np.asarray(squares).ravel())
    if not np.isfinite(norms).all():
        raise InputError(f"row {int(np.argmin(np.isfinite(norms)))}: the norm of the features is not finite")
    return norms


def _notes(model: LinearRanker, norm: float, B: float | None, M: float | None, m: int, average: Average) -> list[str]:
    """What has been assumed."""
    notes = ["All bounds hold together with probability 1 − δ, if queries are drawn independently from one source."]
    if B is None:
        notes.append(f"B is the power of two above ‖w‖ = {norm:.4g}; δ is shared out over all powers of two.")
    if M is None:
        notes.append("M is the largest norm in the sample: for a theorem it must be known beforehand.")
    notes.append(f"The longest list (m = {m}) and its levels are the sample's: again they must be known beforehand.")
    if model.normaliser_ is not None and not model.normaliser_.by_query:
        notes.append("Features were scaled by the whole sample, so queries are not quite independent of each other.")
    notes.append(
        f"Rademacher average {average.value:.4g} by Monte Carlo, standard error {average.standard_error:.2g}; "
        "four of them are added."
    )
    return notes
