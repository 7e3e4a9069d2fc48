"""Fusion of fitted rankers: a weighted sum of their scores; members and weights are learned by the measure.

Scores of different rankers have different units. Each member's scores are divided by their typical spread within a
query, one number for all queries, so that the model can still score one document at a time; or, with ``by_query``, they
are standardised within each query.

The fusion begins with the ``MEMBERS`` best candidates, all weighing the same. A step counts a member once more or once
less, whichever raises the measure most; it is taken only if it gains at least ``STEP``, and if the 95 % interval of the
paired difference is above 0. So weights are small whole numbers, and they leave equality only where the measure clearly
asks for it. Weights that are chosen freely on so few queries (greedy selection, Caruana et al. 2004) follow chance.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np
from msgspec import Meta
from sklearn.utils.validation import validate_data

from ...data.ranking_data import RankingData
from ...errors import InputError
from ...system.records import Finite, Positive
from ..base import Ranker
from ..baselines import performances
from ..folds import seeded
from ..scikit.fit_arguments import query_ids
from .contest import Configuration
from .estimate import FUSED, FUSED_BY_QUERY, interval, p_better, weighted_means

MEMBERS = 7  # at most
STEPS = 6  # at most
STEP = 0.002  # what a step must gain


def spread(scores: np.ndarray, ptr: np.ndarray) -> float:
    """The typical spread of scores within a query: the root of the mean variance; 1 where all are equal.

    >>> spread(np.array([1.0, 3.0, 5.0, 5.0]), np.array([0, 2, 4]))
    0.7071067811865476
    """
    size = float(np.sqrt(np.mean([scores[a:b].var() for a, b in pairwise(ptr.tolist())])))
    return size if size > 1e-300 else 1.0


def standardised(scores: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """Scores with mean 0 and deviation 1 within each query, 0 where all are equal.

    >>> standardised(np.array([1.0, 3.0, 5.0]), np.array([0, 2, 3])).tolist()
    [-1.0, 1.0, 0.0]
    """
    lengths = np.diff(ptr)
    mean = np.add.reduceat(scores, ptr[:-1]) / lengths
    centred = scores - np.repeat(mean, lengths)
    deviation = np.sqrt(np.add.reduceat(centred**2, ptr[:-1]) / lengths)
    tiny = deviation <= 1e-12 * np.maximum(np.abs(mean), 1e-300)
    return centred * np.repeat(np.where(tiny, 0.0, 1 / np.where(tiny, 1.0, deviation)), lengths)


class Fusion(NamedTuple):
    """Members of a fusion by their number, and their weights, which sum to 1."""

    members: tuple[int, ...]
    weights: tuple[float, ...]


def learn_fusion(columns: np.ndarray, data: RankingData, measure: str, weights: np.ndarray | None = None) -> Fusion:
    """Weigh the columns (scores on one scale, a row per member, the best member first) by the measure.

    >>> data = RankingData([[0.0]] * 4, [1, 0, 0, 1], [1, 1, 2, 2])
    >>> learn_fusion(np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 0.1, 0.0, 1.0]]), data, "AP")
    Fusion(members=(0, 1), weights=(0.5, 0.5))
    """

    def values(scores: np.ndarray) -> np.ndarray:
        return performances(data, scores, measure)

    counts = dict.fromkeys(range(min(MEMBERS, len(columns))), 1)
    total = columns[: len(counts)].sum(axis=0)
    best = values(total)
    for _ in range(STEPS):
        open_to = range(len(columns)) if len(counts) < MEMBERS else list(counts)
        steps = [(m, 1) for m in open_to] + [(m, -1) for m in counts if len(counts) > 1 or counts[m] > 1]
        reached = [values(total + sign * columns[m]) for m, sign in steps]
        top = int(np.argmax([np.average(v, weights=weights) for v in reached]))
        gain = interval(reached[top] - best, weights, level=0.95)
        if gain.mean < STEP or not gain.low > 0:
            break
        (m, sign), best = steps[top], reached[top]
        counts[m] = counts.get(m, 0) + sign
        total = total + sign * columns[m]
        if not counts[m]:
            del counts[m]
    n = sum(counts.values())
    return Fusion(tuple(counts), tuple(count / n for count in counts.values()))


class FusedState(TypedDict):
    """What is stored of a fused ranker: its members whole."""

    members: Annotated[list[dict[str, Any]], Meta(min_length=1, max_length=64)]
    weights: list[Finite]
    scales: list[Positive]


class FusedRanker(Ranker):
    """A weighted sum of the scores of fitted rankers, as :class:`~rankine.AutoRanker` learns it.

    Args:
        by_query: standardise the scores of members within each query, instead of dividing each by one number.

    After fitting: ``members_`` (fitted rankers), ``weights_``, ``scales_`` (what the scores of each are divided by).
    """

    _schema = FusedState

    def __init__(self, by_query: bool = False) -> None:
        self.by_query = by_query

    @classmethod
    def of(cls, members: Sequence[Any], weights: Sequence[float], scales: Sequence[float], by_query: bool) -> Any:
        """The fusion of these fitted rankers."""
        model = cls(by_query)
        model.members_ = tuple(members)
        model.weights_, model.scales_ = tuple(map(float, weights)), tuple(map(float, scales))
        model.normaliser_ = None
        model.n_features_in_ = members[0].n_features_in_
        for name in ("feature_names_in_", "provenance_", "first_index_", "n_queries_in_", "longest_query_in_"):
            if hasattr(members[0], name):
                setattr(model, name, getattr(members[0], name))
        return model

    members_: tuple[Any, ...]
    weights_: tuple[float, ...]
    scales_: tuple[float, ...]

    def fit(self, X: Any, y: Any = None, qid: Any = None) -> FusedRanker:
        """Not possible: AutoRanker chooses, fits and weighs the members."""
        raise InputError("a FusedRanker is made by AutoRanker, which chooses, fits and weighs its members")

    @property
    def needs_queries(self) -> bool:
        """Whether scores depend on the other documents of a query."""
        return self.by_query or any(member.needs_queries for member in getattr(self, "members_", ()))

    @property
    def form(self) -> str:  # type: ignore[override]
        """``"linear"`` where all members are linear and none looks at the other documents of a query; else empty."""
        return "linear" if self.why_not_linear() == "" else ""

    def why_not_linear(self) -> str:
        """Why the fusion is not linear, and what is; empty where it is."""
        if self.by_query:
            return "it standardises scores within each query; with deployable=True (--deployable) none does"
        if self.needs_queries:
            return "a member looks at the other documents of a query; with deployable=True (--deployable) none does"
        others = sorted({type(m).__name__ for m in getattr(self, "members_", ()) if m.form != "linear"})
        return (
            f"not all members are linear ({', '.join(others)}); with deployable=True (--deployable) all are"
            if others
            else ""
        )

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features as they are, where the fusion is linear: scores are X @ coef_ plus a constant."""
        if self.form != "linear":
            raise AttributeError(f"this fusion has no coef_: {self.why_not_linear()}")
        return self.layers()[0][0][0]

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """A fusion that is linear as a network of one layer: weights, and the bias."""
        weights, bias = np.zeros(self.n_features_in_), 0.0
        for member, share, scale in zip(self.members_, self.weights_, self.scales_, strict=True):
            coef = member.coef_ * (share / scale)
            if member.normaliser_ is not None:
                coef = coef * member.normaliser_.scale_
                bias -= float(coef @ member.normaliser_.shift_)
            weights += coef
        return [(weights[None], np.array([bias]))]

    def explain(self, x: Any) -> list[tuple[str, float]]:
        """What each feature adds to the score of one row, largest first, where the fusion is linear."""
        if self.form != "linear":
            raise InputError(f"only linear models can be explained by feature. This fusion: {self.why_not_linear()}")
        parts: dict[str, float] = {}
        for member, share, scale in zip(self.members_, self.weights_, self.scales_, strict=True):
            for name, part in member.explain(x):
                parts[name] = parts.get(name, 0.0) + part * share / scale
        return sorted(parts.items(), key=lambda part: -abs(part[1]))

    def _predicted(self, X: Any, qid: Any) -> np.ndarray:
        if not isinstance(X, RankingData):
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
            data = RankingData(X, np.zeros(X.shape[0]), query_ids(qid, X.shape[0]))
            scores = np.empty(data.n_documents)
            scores[data.order] = self._predicted(data, None)
            return scores
        out = np.zeros(X.n_documents)
        for member, weight, scale in zip(self.members_, self.weights_, self.scales_, strict=True):
            scores = member.predict(X)
            out += weight * (standardised(scores, X.ptr) if self.by_query else scores / scale)
        return out

    def _state(self) -> dict[str, Any]:
        return {
            "members": [member.content() for member in self.members_],
            "weights": list(self.weights_),
            "scales": list(self.scales_),
        }

    def _set_state(self, content: dict[str, Any]) -> None:
        from ..table import model_of

        members = [model_of(member) for member in content["members"]]
        sizes = {member.n_features_in_ for member in members}
        if len(sizes) != 1 or not len(members) == len(content["weights"]) == len(content["scales"]):
            raise InputError("not a FusedRanker: members, weights and scales do not fit together")
        self.members_, self.n_features_in_ = tuple(members), sizes.pop()
        self.weights_, self.scales_ = tuple(content["weights"]), tuple(content["scales"])


# -- Fusion as a candidate: for each fold the members are chosen and the weights learned on the other folds


WORSE = 0.05  # the p-value below which a candidate is shown to be worse
POOL = 10  # configurations that a fusion chooses its members from: the best of each of the best candidates


def fusion_folds(folds: np.ndarray, seed: int = 0) -> np.ndarray:
    """The folds of fusions: those of the candidates; one fold alone is split, for no member has learned from it.

    >>> fusion_folds(np.array([0, 1, 1])), len(set(fusion_folds(np.zeros(9, int)).tolist()))
    (array([0, 1, 1]), 5)
    """
    if folds.max() > 0 or len(folds) < 2:
        return folds
    return seeded(len(folds), min(5, len(folds)), seed)


def fused_configurations(
    configurations: Sequence[Configuration], data: RankingData, folds: np.ndarray, measure: str,
    weights: np.ndarray | None, by_query: bool,
) -> list[Configuration]:  # fmt: skip
    """The fusion of configurations with one scale for all queries and, if ``by_query``, with one for each query.

    ``data`` holds the judged queries, ``folds`` the fold of each, as :func:`fusion_folds` gives them.
    """
    n_folds = int(folds.max()) + 1
    if len({c.name for c in configurations}) < 2 or n_folds < 2:
        return []
    kinds = [False, True] if by_query else [False]
    return [_fused(list(configurations), data, folds, n_folds, measure, weights, kind) for kind in kinds]


def _fused(
    configurations: list[Configuration], data: RankingData, folds: np.ndarray, n_folds: int, measure: str,
    weights: np.ndarray | None, by_query: bool,
) -> Configuration:  # fmt: skip
    began = time.perf_counter()
    values = np.empty(data.n_queries)
    scores = np.empty(data.n_documents, np.float32)
    lengths = np.diff(data.ptr)
    for fold in range(n_folds):
        out = folds == fold
        pool, fusion, scales = _learned(configurations, data, ~out, measure, weights, by_query)
        rows, held_out = np.repeat(out, lengths), data.subset(out)
        total = np.zeros(held_out.n_documents)
        for m, weight in zip(fusion.members, fusion.weights, strict=True):
            total += weight * _scaled(pool[m].scores[rows], held_out.ptr, scales[m], by_query)
        scores[rows] = total
        values[out] = performances(held_out, total, measure)
    pool, fusion, scales = _learned(configurations, data, np.ones(data.n_queries, bool), measure, weights, by_query)
    members = tuple(pool[m] for m in fusion.members)
    name = "fusion by query" if by_query else "fusion"
    shares = {m.name: f"{w:.2f}" for m, w in zip(members, fusion.weights, strict=True)}
    seconds = time.perf_counter() - began
    return Configuration(
        name, shares, FUSED_BY_QUERY if by_query else FUSED, values, scores, seconds, None, 0, members, fusion.weights,
        tuple(scales[m] for m in fusion.members), by_query,
    )  # fmt: skip


def _learned(
    configurations: list[Configuration], data: RankingData, inside: np.ndarray, measure: str,
    weights: np.ndarray | None, by_query: bool,
) -> tuple[list[Configuration], Fusion, list[float]]:  # fmt: skip
    """The pool, the fusion of it that is best on the queries ``inside``, and the scale of each of the pool."""
    part = data.subset(inside)
    rows = np.repeat(inside, np.diff(data.ptr))
    of_part = None if weights is None else weights[inside]
    pool = _pool(configurations, inside, of_part)
    scales = [spread(c.scores[rows].astype(np.float64), part.ptr) for c in pool]
    columns = np.stack([_scaled(c.scores[rows], part.ptr, s, by_query) for c, s in zip(pool, scales, strict=True)])
    return pool, learn_fusion(columns, part, measure, of_part), scales


def _pool(configurations: list[Configuration], inside: np.ndarray, weights: np.ndarray | None) -> list[Configuration]:
    """The best configuration of each candidate on the queries ``inside``, the best candidates first.

    A candidate that is shown to be worse than the best one is left out.
    """
    means = weighted_means(np.stack([c.values[inside] for c in configurations]), weights)
    best: dict[str, int] = {}
    for i, c in enumerate(configurations):
        if c.name not in best or means[i] > means[best[c.name]]:
            best[c.name] = i
    order = sorted(best.values(), key=lambda i: -means[i])
    top = configurations[order[0]].values[inside]
    good = [i for i in order if i == order[0] or p_better(top - configurations[i].values[inside], weights) >= WORSE]
    return [configurations[i] for i in good[:POOL]]


def _scaled(scores: np.ndarray, ptr: np.ndarray, scale: float, by_query: bool) -> np.ndarray:
    numbers = scores.astype(np.float64)
    return standardised(numbers, ptr) if by_query else numbers / scale
