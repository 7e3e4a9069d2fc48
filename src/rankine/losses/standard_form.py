r"""Standard forms of supervision (Buffoni et al., Definition 3): one number per document, to be sorted by.

A measure has a standard form r if, whatever the distribution of the supervision Y, sorting by :math:`E[r(Y)]` is
optimal for it. An order-preserving loss with these numbers as weights is then consistent: its minimiser sorts
optimally. That is so for DCG and NDCG. For AP and ERR no standard form exists (Theorem 3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..data.ranking_data import Preferences
from ..errors import InputError, nearest
from ..measures import parse
from .supervision import check_grades, check_ptr, check_ranks, per_row

_MEASURES = ("DCG@k", "nDCG@k", "WPD", "zero-one")


def standard_form(measure: str, y: Any, ptr: Any) -> np.ndarray:
    r"""The standard form of the supervision of each query for a measure.

    - ``"DCG@k"``: 2^g − 1. ``"nDCG@k"``: the same over the best DCG@k; 0 for a query without gain. Right for every
      distribution of the grades.
    - ``"WPD"``, weighted pairwise disagreement over a :class:`~rankine.Preferences` graph with weights up to a:
      :math:`m a + \sum_k (a_{ik} - a_{ki})`. Right **only under low noise**: with :math:`D = E[A - A^T]`, if
      :math:`D_{ik} > 0` and :math:`D_{kj} > 0` then :math:`D_{ij} \ge D_{ik} + D_{kj}`. On random tournaments it
      misorders most.
    - ``"zero-one"``, the 0/1 error of permutations given as ranks 1..m: m + 1 − rank. Right **only on order-preserving
      permutation spaces** (Xia et al. 2008): putting a pair in the preferred order never makes a permutation less
      likely.

    >>> standard_form("DCG", [2, 0, 1], [0, 3])
    array([3., 0., 1.])
    >>> standard_form("AP", [1, 0], [0, 2])
    Traceback (most recent call last):
    rankine.errors.InputError: AP has no standard form (Buffoni et al., Theorem 3): no weights make ...
    """
    ends = check_ptr(ptr)
    if not isinstance(measure, str):
        raise InputError(f"expected the name of a measure, got {measure!r}")
    if measure == "zero-one":
        return per_row(np.diff(ends), ends) + 1 - check_ranks(y, ends)
    try:
        parsed = parse(measure)
    except ValueError:
        raise InputError(
            f"no standard form is known for {measure!r}.{nearest(measure, _MEASURES)} There are: {', '.join(_MEASURES)}"
        ) from None
    if parsed.name in ("AP", "ERR"):
        raise InputError(
            f"{parsed.name} has no standard form (Buffoni et al., Theorem 3): no weights make an order-preserving loss "
            "consistent for it. Use one for DCG or nDCG, or a structural loss (svm-map); see the page 'Pairs done "
            "right' in the documentation"
        )
    if parsed.name == "WPD":
        return _preference_margins(y, ends)
    if parsed.name not in ("DCG", "nDCG"):
        raise InputError(f"no standard form is known for {parsed}. There are: {', '.join(_MEASURES)}")
    kind = dict(parsed.params).get("dcg", "exp-log2")
    if kind == "letor":
        raise InputError("the LETOR tool's nDCG is 0 for short lists and has no standard form: use nDCG")
    grades, ends = check_grades(str(parsed), y, ends)
    if grades.min() < 0:
        raise InputError(f"{parsed} needs grades ≥ 0, got {grades.min():g}")
    with np.errstate(over="ignore"):
        gain = grades.copy() if kind == "log2" else 2.0**grades - 1
    if not np.isfinite(gain.sum()):
        raise InputError(f"{parsed} of a grade {grades.max():g}: its gain 2^g − 1 is too large a number")
    return gain if parsed.name == "DCG" else gain / per_row(_best(gain, ends, parsed.cutoff), ends)


def _best(gain: np.ndarray, ptr: np.ndarray, k: int | None) -> np.ndarray:
    """The best DCG@k of each query, infinite where there is no gain (its shares are then 0)."""
    query = per_row(np.arange(len(ptr) - 1), ptr)
    order = np.lexsort((-gain, query))
    rank = np.arange(len(gain)) - per_row(ptr[:-1], ptr)
    discount = 1 / np.log2(2 + rank)
    if k is not None:
        discount[rank >= k] = 0
    best = np.add.reduceat(gain[order] * discount, ptr[:-1])
    return np.where(best > 0, best, np.inf)


def _preference_margins(y: Any, ptr: np.ndarray) -> np.ndarray:
    balance, largest = preference_balance(y, ptr)
    return balance + largest * per_row(np.diff(ptr), ptr)


def preference_balance(y: Any, ptr: np.ndarray) -> tuple[np.ndarray, float]:
    """Σ_k (a_ik − a_ki) for every row, and the largest weight; the graph must be acyclic."""
    if not isinstance(y, Preferences):
        raise InputError("expected a preference graph (rankine.Preferences), got grades")
    y.check(ptr)
    check_acyclic(y, int(ptr[-1]))
    balance = np.bincount(y.winner_row, y.weight, ptr[-1]) - np.bincount(y.loser_row, y.weight, ptr[-1])
    each = np.unique(np.stack([y.winner_row, y.loser_row]), axis=1, return_inverse=True)[1].ravel()
    merged = np.bincount(each, y.weight)  # a pair that is judged several times has the sum of the weights
    return balance, float(merged.max(initial=0.0))


def check_acyclic(graph: Preferences, n_rows: int, name: Callable[[int], str] | None = None) -> None:
    """Raise if some rows are preferred to each other around a circle; the error calls them by ``name``.

    >>> check_acyclic(Preferences([0, 1], [1, 0]), 2)
    Traceback (most recent call last):
    rankine.errors.InputError: the preferences run in a circle, for example through rows 0 and 1
    """
    used = graph.weight > 0
    shape = (n_rows, n_rows)
    edges = sp.csr_array((np.ones(used.sum()), (graph.winner_row[used], graph.loser_row[used])), shape)
    n, component = connected_components(edges, connection="strong")
    if n < n_rows:
        rows = np.flatnonzero(component == np.argmax(np.bincount(component)))
        what = f"rows {rows[0]} and {rows[1]}" if name is None else f"{name(rows[0])} and {name(rows[1])}"
        raise InputError(f"the preferences run in a circle, for example through {what}")
