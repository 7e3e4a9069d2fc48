"""The measure table: one row per measure with its parameters, a line of explanation, and its function.

A function takes :class:`Ranked` lists and the measure's parameters; it returns one value per query, NaN for a query
without a relevant document.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from . import kernels as kn
from .rows import (
    CUTOFF,
    CUTOFF_NEEDED,
    DCG,
    REL,
    MeasureRow,
    Parameter,
    Ranked,
    depth,
    discounts,
    hits,
    share,
    unless_empty,
)
from .trec_eval.diversity import DIVERSITY_ROWS
from .trec_eval.rows import PREFERENCE_ROWS, TREC_ROWS, over_people


def _dcg(ranked: Ranked, cutoff: int | None, dcg: str, normalise: bool) -> np.ndarray:
    out, weights = ranked.out(), discounts(ranked.longest, dcg)
    letor = dcg == "letor" and normalise and cutoff is not None
    kn.dcg(ranked.lists, depth(cutoff), dcg != "log2", weights, normalise, letor, out)
    return out


def _ndcg(ranked: Ranked, cutoff: int | None, dcg: str) -> np.ndarray:
    return _dcg(ranked, cutoff, dcg, True)


def _plain_dcg(ranked: Ranked, cutoff: int | None, dcg: str) -> np.ndarray:
    return _dcg(ranked, cutoff, dcg, False)


def _mean_ndcg(ranked: Ranked, dcg: str) -> np.ndarray:
    out = ranked.out()
    kn.mean_ndcg(ranked.lists, dcg != "log2", discounts(ranked.longest, dcg), out)
    return out


def _precision(ranked: Ranked, cutoff: int, rel: float) -> np.ndarray:
    return unless_empty(hits(ranked, cutoff, rel) / cutoff, ranked.relevant(rel))


def _recall(ranked: Ranked, cutoff: int | None, rel: float) -> np.ndarray:
    n_rel = ranked.relevant(rel)
    return unless_empty(hits(ranked, depth(cutoff), rel) / np.maximum(n_rel, 1), n_rel)


def _r_precision(ranked: Ranked, rel: float, mult: float) -> np.ndarray:
    n_rel = ranked.relevant(rel)
    cutoffs = (mult * n_rel + 0.9).astype(np.int64)  # trec_eval's rounding
    return unless_empty(hits(ranked, cutoffs, rel) / np.maximum(cutoffs, 1), n_rel)


def _rbp(ranked: Ranked, cutoff: int | None, rel: float, p: float) -> np.ndarray:
    weights = (1 - p) * p ** np.arange(ranked.longest)
    return unless_empty(hits(ranked, depth(cutoff), rel, weights), ranked.relevant(rel))


def _judged(ranked: Ranked, cutoff: int | None) -> np.ndarray:
    shown = np.minimum(ranked.shown, depth(cutoff))
    return hits(ranked, depth(cutoff), -np.inf) / np.maximum(shown, 1)


def _average_precision(ranked: Ranked, cutoff: int | None, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.average_precision(ranked.lists, depth(cutoff), rel, ranked.relevant(rel), out)
    return out


def _reciprocal_rank(ranked: Ranked, cutoff: int | None, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.reciprocal_rank(ranked.lists, depth(cutoff), rel, ranked.relevant(rel), out)
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
    kn.expected_reciprocal_rank(ranked.lists, depth(cutoff), 2.0**scale, out)
    return out


def _bpref(ranked: Ranked, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.bpref(ranked.lists, rel, ranked.relevant(rel), ranked.relevant(-np.inf), out)
    return out


def _pairs(ranked: Ranked, rel: float = np.nan) -> np.ndarray:
    counts = np.empty((len(ranked.shown), 5))
    kn.pair_counts(ranked.lists, rel, counts)
    return counts.T


def _auc(ranked: Ranked, rel: float) -> np.ndarray:
    concordant, discordant, tied, _, _ = _pairs(ranked, rel)
    return share(concordant + tied / 2, concordant + discordant + tied)


def _disagreement(ranked: Ranked) -> np.ndarray:
    concordant, discordant, tied, _, _ = _pairs(ranked)
    return share(discordant + tied / 2, concordant + discordant + tied)


def _kendall(ranked: Ranked, variant: str) -> np.ndarray:
    concordant, discordant, score_only, grade_only, both = _pairs(ranked)
    total = concordant + discordant + score_only + grade_only + both
    unequal = concordant + discordant + score_only
    if variant == "b":
        total = np.sqrt(unequal * (concordant + discordant + grade_only))
        total = np.where((total == 0) & (unequal > 0), 1.0, total)  # all scores tied: τ-b is 0, not undefined
    return np.where(unequal > 0, share(concordant - discordant, total), np.nan)


def _wpd(lost: np.ndarray, total: np.ndarray, norm: bool) -> np.ndarray:
    """Of preference edges: the weight of those that are lost, ties half, of the total."""
    return np.where(total > 0, lost / np.maximum(total, 1e-300) if norm else lost, np.nan)


TABLE: dict[str, MeasureRow] = {
    "nDCG": MeasureRow(
        {"cutoff": CUTOFF, "dcg": DCG},
        "Σ gain/log2(1+rank) over the best possible; gain 2^g−1, or g with dcg='log2'",
        _ndcg,
        graded=True,
        has_gain=True,
    ),
    "DCG": MeasureRow(
        {"cutoff": CUTOFF, "dcg": DCG},
        "the same sum, not divided",
        _plain_dcg,
        graded=True,
        range=(0.0, np.inf),
        has_gain=True,
    ),
    "MeanNDCG": MeasureRow(
        {"dcg": Parameter(str, "letor", choices=DCG.choices)},
        "mean of nDCG@1..m, m the list's length, as LETOR's tool prints it",
        _mean_ndcg,
        graded=True,
    ),
    "AP": MeasureRow(
        {"cutoff": CUTOFF, "rel": REL}, "precision averaged over the relevant documents", _average_precision
    ),
    "P": MeasureRow(
        {"cutoff": CUTOFF_NEEDED, "rel": REL},
        "share of relevant documents in the first k ranks",
        _precision,
    ),
    "R": MeasureRow(
        {"cutoff": CUTOFF, "rel": REL},
        "share of the relevant documents found in the first k ranks",
        _recall,
    ),
    "RR": MeasureRow({"cutoff": CUTOFF, "rel": REL}, "1 / rank of the first relevant document", _reciprocal_rank),
    "ERR": MeasureRow(
        {"cutoff": CUTOFF, "gmax": Parameter(float, low=0, high=64)},
        "expected 1/rank where a reader stops, with probability (2^g−1)/2^gmax at each document",
        _err,
        graded=True,
    ),
    "RBP": MeasureRow(
        {"cutoff": CUTOFF, "p": Parameter(float, 0.8, low=0, high=1), "rel": REL},
        "(1−p) Σ p^(rank−1) over relevant documents: a reader goes on with probability p",
        _rbp,
    ),
    "Success": MeasureRow(
        {"cutoff": CUTOFF_NEEDED, "rel": REL}, "1 if a relevant document is in the first k ranks", _success
    ),
    "Rprec": MeasureRow(
        {"mult": Parameter(float, 1.0, low=0, high=1e6), "rel": REL},
        "precision at rank mult·R, R the number of relevant documents",
        _r_precision,
    ),
    "Bpref": MeasureRow({"rel": REL}, "how rarely judged non-relevant documents stand above relevant ones", _bpref),
    "Judged": MeasureRow({"cutoff": CUTOFF}, "share of judged documents in the first k ranks", _judged),
    "AUC": MeasureRow({"rel": REL}, "chance that a relevant document stands above a non-relevant one", _auc),
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
    **TREC_ROWS,
    **PREFERENCE_ROWS,
    **DIVERSITY_ROWS,
}
TABLE |= {f"Group{name}": over_people(TABLE[name]) for name in ("AP", "P", "Rprec")}

ALIASES = {
    "NDCG": "nDCG",
    "MAP": "AP",
    "MRR": "RR",
    "BPref": "Bpref",
    "RPrec": "Rprec",
    "Recall": "R",
    "Precision": "P",
    "Hit": "Success",
    "HitRate": "Success",
}
