"""The measure table: one row per measure with its parameters, a line of explanation, and its function.

A function takes :class:`Ranked` lists and the measure's parameters; it returns one value per query, NaN for a query
without a relevant document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import InputError
from . import kernels as kn
from .kernels import Lists

_EVERYTHING = np.iinfo(np.int64).max // 2


@dataclass(frozen=True)
class Parameter:
    """The type of a parameter, its default, and its allowed values."""

    value_type: type
    default: Any = None
    required: bool = False
    low: float = -np.inf
    high: float = np.inf
    choices: tuple = ()

    def check(self, value: Any, where: str) -> None:
        """Raise unless ``value`` is allowed."""
        numeric = self.value_type in (int, float) and isinstance(value, (int, float)) and not isinstance(value, bool)
        right_type = isinstance(value, self.value_type) and not (self.value_type is int and isinstance(value, bool))
        if not (right_type or (self.value_type is float and numeric)):
            raise InputError(f"{where} must be {self.value_type.__name__}, got {value!r}")
        if self.choices and value not in self.choices:
            raise InputError(f"{where} must be one of {', '.join(map(repr, self.choices))}; got {value!r}")
        if numeric and not self.low <= value <= self.high:
            bounds = f"at least {self.low:g}" if self.high >= 10**12 else f"between {self.low:g} and {self.high:g}"
            raise InputError(f"{where} must be {bounds}, got {value}")


@dataclass(frozen=True)
class MeasureRow:
    """A row of the measure table.

    ``graded``: grades must not be negative; ``supervision``: ``grades`` or ``preferences``; ``is_error``: smaller is
    better; ``range``: smallest and largest possible value; ``has_gain``: the parameter ``dcg`` gives the gain of a
    grade, 2^g − 1 unless it is named.
    """

    parameters: dict[str, Parameter]
    explanation: str
    function: Callable[..., np.ndarray]
    graded: bool = False
    supervision: str = "grades"
    is_error: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    has_gain: bool = False


_CUTOFF = Parameter(int, low=1, high=10**12)
_CUTOFF_NEEDED = Parameter(int, low=1, high=10**12, required=True)
_REL = Parameter(float, 1.0, low=-1e300, high=1e300)
_DCG = Parameter(str, "exp-log2", choices=("exp-log2", "log2", "letor"))


class Ranked:
    """Ranked lists, and the numbers that several measures compute from them, computed once."""

    def __init__(self, lists: Lists, largest: float) -> None:
        self.lists, self.largest = lists, largest
        self.shown = np.diff(lists.ptr)
        self.longest = int(max(self.shown.max(initial=1), np.diff(lists.pool_ptr).max(initial=1)))
        self._relevant: dict[float, np.ndarray] = {}

    def relevant(self, rel: float) -> np.ndarray:
        """How many judged documents of each query have a grade of at least ``rel``."""
        if rel not in self._relevant:
            self._relevant[rel] = np.empty(len(self.shown), np.int64)
            kn.pool_count(self.lists, rel, self._relevant[rel])
        return self._relevant[rel]

    def out(self) -> np.ndarray:
        """An array for one value per query."""
        return np.empty(len(self.shown))


def _depth(cutoff: int | None) -> int:
    return _EVERYTHING if cutoff is None else cutoff


@lru_cache(maxsize=64)
def _discounts(n: int, dcg: str) -> np.ndarray:
    """D(r) = 1/log2(1 + r); the LETOR tool's is 1 at ranks 1 and 2, then 1/log2(r)."""
    ranks = np.arange(1, n + 1)
    return 1 / np.log2(np.maximum(ranks, 2)) if dcg == "letor" else 1 / np.log2(1 + ranks)


def _dcg(ranked: Ranked, cutoff: int | None, dcg: str, normalise: bool) -> np.ndarray:
    out, weights = ranked.out(), _discounts(ranked.longest, dcg)
    letor = dcg == "letor" and normalise and cutoff is not None
    kn.dcg(ranked.lists, _depth(cutoff), dcg != "log2", weights, normalise, letor, out)
    return out


def _ndcg(ranked: Ranked, cutoff: int | None, dcg: str) -> np.ndarray:
    return _dcg(ranked, cutoff, dcg, True)


def _plain_dcg(ranked: Ranked, cutoff: int | None, dcg: str) -> np.ndarray:
    return _dcg(ranked, cutoff, dcg, False)


def _mean_ndcg(ranked: Ranked, dcg: str) -> np.ndarray:
    out = ranked.out()
    kn.mean_ndcg(ranked.lists, dcg != "log2", _discounts(ranked.longest, dcg), out)
    return out


def _hits(ranked: Ranked, cutoff: Any, rel: float, weights: np.ndarray | None = None) -> np.ndarray:
    """Weight of the relevant documents down to a cutoff, one for all queries or one for each."""
    out = ranked.out()
    cutoffs = np.full(len(out), cutoff, np.int64) if np.isscalar(cutoff) else cutoff
    kn.weighted_hits(ranked.lists, cutoffs, rel, _ones(ranked.longest) if weights is None else weights, out)
    return out


@lru_cache(maxsize=64)
def _ones(n: int) -> np.ndarray:
    return np.ones(n)


def _unless_empty(values: np.ndarray, n_rel: np.ndarray) -> np.ndarray:
    return np.where(n_rel > 0, values, np.nan)


def _precision(ranked: Ranked, cutoff: int, rel: float) -> np.ndarray:
    return _unless_empty(_hits(ranked, cutoff, rel) / cutoff, ranked.relevant(rel))


def _recall(ranked: Ranked, cutoff: int | None, rel: float) -> np.ndarray:
    n_rel = ranked.relevant(rel)
    return _unless_empty(_hits(ranked, _depth(cutoff), rel) / np.maximum(n_rel, 1), n_rel)


def _r_precision(ranked: Ranked, rel: float) -> np.ndarray:
    n_rel = ranked.relevant(rel)
    return _unless_empty(_hits(ranked, n_rel, rel) / np.maximum(n_rel, 1), n_rel)


def _rbp(ranked: Ranked, cutoff: int | None, rel: float, p: float) -> np.ndarray:
    weights = (1 - p) * p ** np.arange(ranked.longest)
    return _unless_empty(_hits(ranked, _depth(cutoff), rel, weights), ranked.relevant(rel))


def _judged(ranked: Ranked, cutoff: int | None) -> np.ndarray:
    shown = np.minimum(ranked.shown, _depth(cutoff))
    return _hits(ranked, _depth(cutoff), -np.inf) / np.maximum(shown, 1)


def _average_precision(ranked: Ranked, cutoff: int | None, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.average_precision(ranked.lists, _depth(cutoff), rel, ranked.relevant(rel), out)
    return out


def _reciprocal_rank(ranked: Ranked, cutoff: int | None, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.reciprocal_rank(ranked.lists, _depth(cutoff), rel, ranked.relevant(rel), out)
    return out


def _success(ranked: Ranked, cutoff: int, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.success(ranked.lists, cutoff, rel, ranked.relevant(rel), out)
    return out


def _err(ranked: Ranked, cutoff: int | None, gmax: float | None) -> np.ndarray:
    scale = ranked.largest if gmax is None else gmax
    if ranked.largest > scale:
        raise InputError(f"ERR(gmax={gmax:g}): there is a grade {ranked.largest:g} above gmax")
    out = ranked.out()
    kn.expected_reciprocal_rank(ranked.lists, _depth(cutoff), 2.0**scale, out)
    return out


def _bpref(ranked: Ranked, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.bpref(ranked.lists, rel, ranked.relevant(rel), ranked.relevant(-np.inf), out)
    return out


def _pairs(ranked: Ranked, rel: float = np.nan) -> np.ndarray:
    counts = np.empty((len(ranked.shown), 5))
    kn.pair_counts(ranked.lists, rel, counts)
    return counts.T


def _share(amount: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.where(whole > 0, amount / np.maximum(whole, 1e-300), np.nan)


def _auc(ranked: Ranked, rel: float) -> np.ndarray:
    concordant, discordant, tied, _, _ = _pairs(ranked, rel)
    return _share(concordant + tied / 2, concordant + discordant + tied)


def _disagreement(ranked: Ranked) -> np.ndarray:
    concordant, discordant, tied, _, _ = _pairs(ranked)
    return _share(discordant + tied / 2, concordant + discordant + tied)


def _kendall(ranked: Ranked, variant: str) -> np.ndarray:
    concordant, discordant, score_only, grade_only, both = _pairs(ranked)
    total = concordant + discordant + score_only + grade_only + both
    unequal = concordant + discordant + score_only
    if variant == "b":
        total = np.sqrt(unequal * (concordant + discordant + grade_only))
        total = np.where((total == 0) & (unequal > 0), 1.0, total)  # all scores tied: τ-b is 0, not undefined
    return np.where(unequal > 0, _share(concordant - discordant, total), np.nan)


def _wpd(lost: np.ndarray, total: np.ndarray, norm: bool) -> np.ndarray:
    """Of preference edges: the weight of those that are lost, ties half, of the total."""
    return np.where(total > 0, lost / np.maximum(total, 1e-300) if norm else lost, np.nan)


TABLE: dict[str, MeasureRow] = {
    "nDCG": MeasureRow(
        {"cutoff": _CUTOFF, "dcg": _DCG},
        "Σ gain/log2(1+rank) over the best possible; gain 2^g−1, or g with dcg='log2'",
        _ndcg,
        graded=True,
        has_gain=True,
    ),
    "DCG": MeasureRow(
        {"cutoff": _CUTOFF, "dcg": _DCG},
        "the same sum, not divided",
        _plain_dcg,
        graded=True,
        range=(0.0, np.inf),
        has_gain=True,
    ),
    "MeanNDCG": MeasureRow(
        {"dcg": Parameter(str, "letor", choices=_DCG.choices)},
        "mean of nDCG@1..m, m the list's length, as LETOR's tool prints it",
        _mean_ndcg,
        graded=True,
    ),
    "AP": MeasureRow(
        {"cutoff": _CUTOFF, "rel": _REL}, "precision averaged over the relevant documents", _average_precision
    ),
    "P": MeasureRow(
        {"cutoff": _CUTOFF_NEEDED, "rel": _REL},
        "share of relevant documents in the first k ranks",
        _precision,
    ),
    "R": MeasureRow(
        {"cutoff": _CUTOFF, "rel": _REL},
        "share of the relevant documents found in the first k ranks",
        _recall,
    ),
    "RR": MeasureRow({"cutoff": _CUTOFF, "rel": _REL}, "1 / rank of the first relevant document", _reciprocal_rank),
    "ERR": MeasureRow(
        {"cutoff": _CUTOFF, "gmax": Parameter(float, low=0, high=64)},
        "expected 1/rank where a reader stops, with probability (2^g−1)/2^gmax at each document",
        _err,
        graded=True,
    ),
    "RBP": MeasureRow(
        {"cutoff": _CUTOFF, "p": Parameter(float, 0.8, low=0, high=1), "rel": _REL},
        "(1−p) Σ p^(rank−1) over relevant documents: a reader goes on with probability p",
        _rbp,
    ),
    "Success": MeasureRow(
        {"cutoff": _CUTOFF_NEEDED, "rel": _REL}, "1 if a relevant document is in the first k ranks", _success
    ),
    "Rprec": MeasureRow({"rel": _REL}, "precision at rank R, R the number of relevant documents", _r_precision),
    "Bpref": MeasureRow({"rel": _REL}, "how rarely judged non-relevant documents stand above relevant ones", _bpref),
    "Judged": MeasureRow({"cutoff": _CUTOFF}, "share of judged documents in the first k ranks", _judged),
    "AUC": MeasureRow({"rel": _REL}, "chance that a relevant document stands above a non-relevant one", _auc),
    "KendallTau": MeasureRow(
        {"variant": Parameter(str, "a", choices=("a", "b"))},
        "(concordant − discordant pairs) / all pairs; variant='b' corrects for ties",
        _kendall,
        range=(-1.0, 1.0),
    ),
    "Disagreement": MeasureRow(
        {}, "share of pairs of different grade in the wrong order, ties half", _disagreement, is_error=True
    ),
    "WPD": MeasureRow(
        {"norm": Parameter(bool, False)},
        "weight of violated preferences (needs Preferences); norm=True: its share of all weight",
        _wpd,
        supervision="preferences",
        is_error=True,
        range=(0.0, np.inf),
    ),
}

ALIASES = {
    "NDCG": "nDCG",
    "MAP": "AP",
    "MRR": "RR",
    "BPref": "Bpref",
    "RPrec": "Rprec",
    "Recall": "R",
    "Precision": "P",
}

# trec_eval's names: gain is the grade itself.
TREC_NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "map": ("AP", {}),
    "map_cut": ("AP", {}),
    "ndcg": ("nDCG", {"dcg": "log2"}),
    "ndcg_cut": ("nDCG", {"dcg": "log2"}),
    "P": ("P", {}),
    "recall": ("R", {}),
    "recip_rank": ("RR", {}),
    "Rprec": ("Rprec", {}),
    "bpref": ("Bpref", {}),
    "success": ("Success", {}),
}
