r"""Measures of diversity for judgments by subtopic: alpha-nDCG and ERR-IA, as ndeval computes them.

A document that is relevant to subtopic i gains :math:`(1 - \alpha)^{c_i}`, where :math:`c_i` documents above it are
relevant to i already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...io.trec.groups import JudgmentGroups
from ..rows import CUTOFF_NEEDED, REL, MeasureRow, Parameter, discounts

_ALPHA = Parameter(float, 0.5, low=0, high=1)


@dataclass(frozen=True)
class SubtopicList:
    """The grades of a query's judged documents by subtopic, documents by name descending; and the ranked list of them.

    ``ranked`` holds row numbers, −1 for a document without a judgment.
    """

    grades: np.ndarray
    ranked: np.ndarray


def subtopic_list(judgments: JudgmentGroups, rows: np.ndarray, rank: dict[str, int]) -> SubtopicList:
    """The judgments of a query with its ranked list."""
    codes, document = np.unique(judgments.document[rows], return_inverse=True)
    subtopics, subtopic = np.unique(judgments.group[rows], return_inverse=True)
    names = [judgments.document_ids[c] for c in codes]
    order = sorted(range(len(names)), key=lambda i: names[i].encode(), reverse=True)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    grades = np.full((len(codes), len(subtopics)), -np.inf)
    grades[place[document], subtopic] = judgments.value[rows]
    row_of = {names[i]: n for n, i in enumerate(order)}
    ranked = sorted(rank, key=rank.__getitem__)
    return SubtopicList(grades, np.array([row_of.get(name, -1) for name in ranked], np.int64))


def _gains(relevant: np.ndarray, ranked: np.ndarray, alpha: float, depth: int) -> np.ndarray:
    """The gain at each rank."""
    worth = np.ones(relevant.shape[1])
    gains = np.zeros(depth)
    for r, row in enumerate(ranked[:depth].tolist()):
        if row >= 0:
            gains[r] = worth[relevant[row]].sum()
            worth[relevant[row]] *= 1 - alpha
    return gains


def _ideal(relevant: np.ndarray, alpha: float, depth: int) -> np.ndarray:
    """Row numbers, each the one that gains most after those before it; of equal ones the first."""
    worth = np.ones(relevant.shape[1])
    left = np.asarray(relevant.any(axis=1))
    order: list[int] = []
    while left.any() and len(order) < depth:
        best = int(np.argmax(np.where(left, relevant @ worth, -1.0)))
        worth[relevant[best]] *= 1 - alpha
        left[best] = False
        order.append(best)
    return np.array(order, np.int64)


def _alpha_ndcg(judged: SubtopicList, cutoff: int, alpha: float, rel: float) -> float:
    relevant = judged.grades >= rel
    if not relevant.any():
        return np.nan
    depth = min(cutoff, max(len(judged.ranked), len(relevant)))
    weights = discounts(depth, "log2")
    ideal = _gains(relevant, _ideal(relevant, alpha, depth), alpha, depth) @ weights
    return float(_gains(relevant, judged.ranked, alpha, depth) @ weights / ideal)


def _err_ia(judged: SubtopicList, cutoff: int, alpha: float, rel: float) -> float:
    relevant = judged.grades >= rel
    if not relevant.any():
        return np.nan
    depth = min(cutoff, max(len(judged.ranked), 1))
    gain = _gains(relevant, judged.ranked, alpha, depth) @ (1 / np.arange(1, depth + 1))
    ranks = np.arange(1, min(cutoff, 10_000) + 1)  # beyond, the terms vanish
    best = relevant.any(axis=0).sum() * ((1 - alpha) ** (ranks - 1.0) / ranks).sum()
    return float(gain / best)


DIVERSITY_ROWS: dict[str, MeasureRow] = {
    "alpha_nDCG": MeasureRow(
        {"cutoff": CUTOFF_NEEDED, "alpha": _ALPHA, "rel": REL},
        "Σ over subtopics of (1−alpha)^(relevant above)/log2(1+rank), over that of a greedy best list",
        _alpha_ndcg,
        supervision="subtopics",
    ),
    "ERR_IA": MeasureRow(
        {"cutoff": CUTOFF_NEEDED, "alpha": _ALPHA, "rel": REL},
        "Σ over subtopics of (1−alpha)^(relevant above)/rank, over that of documents relevant to every subtopic",
        _err_ia,
        supervision="subtopics",
    ),
}
