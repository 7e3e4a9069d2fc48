"""The rows of the measure table that come from trec_eval, besides the common ones; names as in ir_measures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import kernels as kn
from ..rows import (
    CUTOFF,
    CUTOFF_NEEDED,
    GAINS,
    REL,
    MeasureRow,
    Parameter,
    Ranked,
    depth,
    discounts,
    hits,
    regraded,
    unless_empty,
)
from . import kernels as tk
from .preferences import PreferenceCounts, number_of_preferences, share_met, share_met_of_few

_SHARE = Parameter(float, required=True, low=0, high=1)
_POINTS = Parameter(tuple, tuple(i / 10 for i in range(11)), low=0, high=1)
_VERSION = Parameter(int, 10, choices=(9, 10))
_P = Parameter(float, 0.9, low=0, high=1)
_UTILITY = {
    "hit": Parameter(float, 1.0, low=-1e300, high=1e300),
    "noise": Parameter(float, -1.0, low=-1e300, high=1e300),
    "miss": Parameter(float, 0.0, low=-1e300, high=1e300),
    "rest": Parameter(float, 0.0, low=-1e300, high=1e300),
    "documents": Parameter(int, 0, low=0, high=10**15),
    "rel": REL,
}


def _interpolated(ranked: Ranked, points: tuple[float, ...], rel: float, version: int) -> np.ndarray:
    out = ranked.out()
    places = np.array(points, float)
    tk.interpolated_precision(ranked.lists, rel, ranked.relevant(rel), places, version >= 10, out)
    return out


def _precision_at_recall(ranked: Ranked, cutoff: float, rel: float, version: int) -> np.ndarray:
    return _interpolated(ranked, (cutoff,), rel, version)


def _inferred_ap(ranked: Ranked, rel: float) -> np.ndarray:
    out = ranked.out()
    tk.inferred_ap(ranked.lists, rel, ranked.relevant(rel), out)
    return out


def _geometric_ap(ranked: Ranked, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.average_precision(ranked.lists, depth(None), rel, ranked.relevant(rel), out)
    return out


def _geometric_bpref(ranked: Ranked, rel: float) -> np.ndarray:
    out = ranked.out()
    kn.bpref(ranked.lists, rel, ranked.relevant(rel), ranked.relevant(-np.inf), out)
    return out


def _yaap(ranked: Ranked, rel: float) -> np.ndarray:
    n_rel = ranked.relevant(rel)
    total = np.where(n_rel > 0, _geometric_ap(ranked, rel), 0) * n_rel
    return np.log((1 + total) / (1 + n_rel - total))


def _binary_g(ranked: Ranked, rel: float) -> np.ndarray:
    out = ranked.out()
    tk.binary_g(ranked.lists, rel, ranked.relevant(rel), out)
    return out


def _ndcg_of_gains(ranked: Ranked, cutoff: int | None, gains: tuple[float, ...]) -> np.ndarray:
    out = ranked.out()
    lists = regraded(ranked, gains).lists
    kn.dcg(lists, depth(cutoff), False, discounts(ranked.longest, "log2"), True, False, out)
    return out


def _normalised_gain(ranked: Ranked, gains: tuple[float, ...]) -> np.ndarray:
    out = ranked.out()
    tk.normalised_gain(regraded(ranked, gains).lists, out)
    return out


def _ndcg_at_relevant(ranked: Ranked, gains: tuple[float, ...]) -> np.ndarray:
    out = ranked.out()
    tk.ndcg_at_relevant(regraded(ranked, gains).lists, discounts(ranked.longest, "log2"), out)
    return out


def _ndcg_at_levels(ranked: Ranked, rel: float, gains: tuple[float, ...]) -> np.ndarray:
    out = ranked.out()
    tk.ndcg_at_levels(regraded(ranked, gains).lists, ranked.relevant(rel), discounts(ranked.longest, "log2"), out)
    return out


def _relative_precision(ranked: Ranked, cutoff: int, rel: float) -> np.ndarray:
    n_rel = ranked.relevant(rel)
    return unless_empty(hits(ranked, cutoff, rel) / np.maximum(np.minimum(n_rel, cutoff), 1), n_rel)


def _set_parts(ranked: Ranked, rel: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How many documents are relevant and retrieved, retrieved, relevant; the last two at least 1."""
    return hits(ranked, depth(None), rel), np.maximum(ranked.shown, 1), np.maximum(ranked.relevant(rel), 1)


def _set_precision(ranked: Ranked, rel: float) -> np.ndarray:
    both, retrieved, _ = _set_parts(ranked, rel)
    return unless_empty(both / retrieved, ranked.relevant(rel))


def _set_recall(ranked: Ranked, rel: float) -> np.ndarray:
    both, _, relevant = _set_parts(ranked, rel)
    return unless_empty(both / relevant, ranked.relevant(rel))


def _set_relative_precision(ranked: Ranked, rel: float) -> np.ndarray:
    both, retrieved, relevant = _set_parts(ranked, rel)
    return unless_empty(both / np.minimum(retrieved, relevant), ranked.relevant(rel))


def _set_ap(ranked: Ranked, rel: float) -> np.ndarray:
    both, retrieved, relevant = _set_parts(ranked, rel)
    return unless_empty(both * both / (retrieved * relevant), ranked.relevant(rel))


def _set_f(ranked: Ranked, x: float, rel: float) -> np.ndarray:
    both, retrieved, relevant = _set_parts(ranked, rel)
    p, r = both / retrieved, both / relevant
    values = (x + 1) * p * r / np.where(both > 0, x * p + r, 1)
    return unless_empty(values, ranked.relevant(rel))


def _utility(
    ranked: Ranked, hit: float, noise: float, miss: float, rest: float, documents: int, rel: float
) -> np.ndarray:
    both, retrieved, relevant = hits(ranked, depth(None), rel), ranked.shown, ranked.relevant(rel)
    outside = documents + both - retrieved - relevant
    return hit * both + noise * (retrieved - both) + miss * (relevant - both) + rest * outside


def _graded_rbp(ranked: Ranked, p: float, gains: tuple[float, ...]) -> np.ndarray:
    lists, out = regraded(ranked, gains).lists, ranked.out()
    kn.dcg(lists, depth(None), False, (1 - p) * p ** np.arange(ranked.longest), False, False, out)
    top = np.ones(len(out))
    judged = np.diff(lists.pool_ptr) > 0
    top[judged] = np.maximum(lists.pool[lists.pool_ptr[:-1][judged]], 1)
    return out / top


def _rbp_residual(ranked: Ranked, p: float) -> np.ndarray:
    weights = (1 - p) * p ** np.arange(ranked.longest)
    judged = hits(ranked, depth(None), -np.inf)
    return np.where(judged < ranked.shown, 1 - hits(ranked, depth(None), -np.inf, weights), 0.0)


def _unjudged(ranked: Ranked, cutoff: int) -> np.ndarray:
    return (np.minimum(ranked.shown, cutoff) - hits(ranked, cutoff, -np.inf)) / cutoff


def _number(ranked: Ranked, of: str, rel: float = 1.0) -> np.ndarray:
    retrieved, relevant = ranked.shown.astype(float), ranked.relevant(rel).astype(float)
    if of == "queries":
        return np.ones(len(retrieved))
    if of in ("retrieved", "relevant"):
        return retrieved if of == "retrieved" else relevant
    both = hits(ranked, depth(None), rel)
    return both if of == "both" else hits(ranked, depth(None), -np.inf) - both


def _count_row(of: str, explanation: str, **parameters: Parameter) -> MeasureRow:
    def count(ranked: Ranked, **values: Any) -> np.ndarray:
        return _number(ranked, of, **values)

    return MeasureRow(parameters, explanation, count, range=(0.0, np.inf), summary="sum")


TREC_ROWS: dict[str, MeasureRow] = {
    "GMAP": MeasureRow(
        {"rel": REL}, "AP; queries by their geometric mean, each at least 0.00001", _geometric_ap, summary="geometric"
    ),
    "GMBpref": MeasureRow(
        {"rel": REL}, "Bpref; queries by their geometric mean, each at least 0.00001", _geometric_bpref,
        summary="geometric",
    ),
    "IPrec": MeasureRow(
        {"cutoff": _SHARE, "rel": REL, "version": _VERSION},
        "largest precision from the rank on where recall reaches the cutoff; version: of trec_eval, for its rounding",
        _precision_at_recall,
        needs_order=True,
    ),
    "IPrecMean": MeasureRow(
        {"points": _POINTS, "rel": REL, "version": _VERSION},
        "mean of IPrec at 11 points of recall, 0 to 1",
        _interpolated,
        needs_order=True,
    ),
    "infAP": MeasureRow(
        {"rel": REL},
        "AP estimated where the pool was judged in part: grade −1 means in the pool, not judged",
        _inferred_ap,
        needs_order=True,
    ),
    "YAAP": MeasureRow(
        {"rel": REL},
        "log((1 + s)/(1 + R − s)), s the sum that AP divides by R",
        _yaap,
        range=(-np.inf, np.inf),
        needs_order=True,
    ),
    "BinG": MeasureRow({"rel": REL}, "mean over relevant documents of 1/log2(2 + non-relevant above)", _binary_g),
    "G": MeasureRow(
        {"gains": GAINS},
        "Σ g/log2(2 + cost − gain so far) over Σ g; a rank costs the ideal gain there, at least 1",
        _normalised_gain,
        graded=True, is_linear=True,
        needs_order=True,
    ),
    "GainNDCG": MeasureRow(
        {"cutoff": CUTOFF, "gains": GAINS},
        "nDCG with gain g, or other gains=(grade, gain, grade, gain, …)",
        _ndcg_of_gains,
        graded=True,
        is_linear=True,
    ),
    "nDCGrel": MeasureRow(
        {"gains": GAINS},
        "nDCG with gain g, averaged over the ranks of documents with g > 0",
        _ndcg_at_relevant,
        graded=True,
        is_linear=True,
    ),
    "RnDCG": MeasureRow(
        {"rel": REL, "gains": GAINS},
        "nDCG with gain g, averaged over the ranks where the ideal gain changes, and at the end",
        _ndcg_at_levels,
        graded=True, is_linear=True,
    ),
    "RelativeP": MeasureRow(
        {"cutoff": CUTOFF_NEEDED, "rel": REL}, "precision at k over the largest possible", _relative_precision
    ),
    "SetP": MeasureRow({"rel": REL}, "share of relevant documents in the whole list", _set_precision),
    "SetR": MeasureRow({"rel": REL}, "share of the relevant documents found in the whole list", _set_recall),
    "SetAP": MeasureRow({"rel": REL}, "SetP · SetR", _set_ap),
    "SetF": MeasureRow(
        {"x": Parameter(float, 1.0, low=0, high=1e300), "rel": REL},
        "(x+1)·SetP·SetR/(SetR + x·SetP)",
        _set_f,
    ),
    "SetRelativeP": MeasureRow({"rel": REL}, "SetP over the largest possible", _set_relative_precision),
    "Utility": MeasureRow(
        _UTILITY,
        "weighted numbers of documents: relevant retrieved, others retrieved, relevant missed, the rest",
        _utility,
        range=(-np.inf, np.inf),
    ),
    "GradedRBP": MeasureRow(
        {"p": _P, "gains": GAINS},
        "RBP with gain g over the larger of 1 and the query's largest grade",
        _graded_rbp,
        graded=True,
        is_linear=True,
    ),
    "RBPResidual": MeasureRow({"p": _P}, "what RBP gains if all unjudged documents are relevant", _rbp_residual),
    "Unjudged": MeasureRow({"cutoff": CUTOFF_NEEDED}, "unjudged documents in the first k ranks, over k", _unjudged),
    "NumQ": _count_row("queries", "number of queries"),
    "NumRet": _count_row("retrieved", "number of retrieved documents"),
    "NumRel": _count_row("relevant", "number of relevant documents", rel=REL),
    "NumRelRet": _count_row("both", "number of relevant documents retrieved", rel=REL),
    "NumNonRelRet": _count_row("others", "number of documents retrieved that are judged not relevant", rel=REL),
}  # fmt: skip


# -- Measures over groups


_AVERAGE = Parameter(str, "preferences", choices=("preferences", "pairs", "groups"))
_OVER = Parameter(str, "all", choices=("all", "retrieved", "implied"))
_OVER_TWO = Parameter(str, "all", choices=("all", "retrieved"))


def _possible(counts: PreferenceCounts) -> float:
    return number_of_preferences(counts, False, "all")


def _met(counts: PreferenceCounts, over: str) -> float:
    return number_of_preferences(counts, True, over)


PREFERENCE_ROWS: dict[str, MeasureRow] = {
    "Prefs": MeasureRow(
        {"average": _AVERAGE, "over": _OVER},
        "share of the preferences met, averaged over them, pairs of documents or groups; over: all, those with both "
        "documents retrieved, or with at least one (implied)",
        share_met,
        supervision="preferences in groups",
    ),
    "PrefsR": MeasureRow(
        {"over": _OVER_TWO},
        "share met by group, with as many non-relevant documents as relevant ones",
        share_met_of_few,
        supervision="preferences in groups",
    ),
    "NumPrefs": MeasureRow(
        {}, "number of preferences", _possible, supervision="preferences in groups", range=(0, np.inf), summary="sum"
    ),
    "NumPrefsMet": MeasureRow(
        {"over": _OVER_TWO},
        "number of preferences met",
        _met,
        supervision="preferences in groups",
        range=(0, np.inf),
        summary="sum",
    ),
}  # fmt: skip


def over_people(row: MeasureRow) -> MeasureRow:
    """A row whose measure is averaged over the judgment groups of a query."""
    return replace(row, explanation="averaged over judgment groups: " + row.explanation, supervision="judgment groups")
