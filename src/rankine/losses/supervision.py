"""What a loss learns from: grades, ranks or preferences. This is the one place that checks and converts them.

- *grades*: one number per document, larger is better.
- *ranks*: the places 1 to m of a query's documents, 1 is best.
- *preferences*: a graph of documents that are preferred to others (:class:`rankine.Preferences`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import as_numbers, check_finite, per_row
from ..data.ranking_data import Preferences
from ..errors import InputError

GRADES, RANKS, PREFERENCES = "grades", "ranks", "preferences"


def check_ptr(ptr: Any) -> np.ndarray:
    """Query bounds that rise from 0."""
    ends = np.ascontiguousarray(ptr, np.int64)
    if ends.ndim != 1 or len(ends) < 2 or ends[0] != 0 or (np.diff(ends) < 1).any():
        raise InputError("ptr must rise from 0 to the number of rows, each query with at least one")
    return ends


def check_grades(name: str, y: Any, ptr: Any) -> tuple[np.ndarray, np.ndarray]:
    """Finite grades, one per row, and query bounds, for what is called ``name``."""
    if isinstance(y, Preferences):
        raise InputError(f"{name} needs grades; a preference graph is for consistent-wpd and duchi")
    ends = check_ptr(ptr)
    grades = np.ascontiguousarray(y, np.float64)
    if grades.ndim != 1 or len(grades) != ends[-1]:
        raise InputError(f"expected one grade for each of the {ends[-1]} rows, got {grades.shape}")
    check_finite(grades, "y")
    return grades, ends


def check_query_weight(weight: Any, n_queries: int, some: bool = False) -> np.ndarray:
    """Weights of queries: finite, not negative, one for each; with ``some`` not all of them 0.

    >>> check_query_weight([1, 2], 3)
    Traceback (most recent call last):
    rankine.errors.InputError: query_weight must hold 3 numbers ≥ 0, one per query
    """
    weights = as_numbers(weight, "query_weight")
    good = weights.shape == (n_queries,) and bool((np.isfinite(weights) & (weights >= 0)).all())
    if not good or (some and not weights.any()):
        rest = " and not all 0" if some else ""
        raise InputError(f"query_weight must hold {n_queries} numbers ≥ 0, one per query{rest}")
    return weights


def check_ranks(y: Any, ptr: np.ndarray) -> np.ndarray:
    """The ranks 1 to m of each query, each once."""
    if isinstance(y, Preferences):
        raise InputError("expected a permutation, the ranks 1..m of each query; got a preference graph")
    ranks = np.ascontiguousarray(y, np.float64)
    if ranks.shape != (ptr[-1],):
        raise InputError(f"expected one rank for each of the {ptr[-1]} rows, got {ranks.shape}")
    query = per_row(np.arange(len(ptr) - 1), ptr)
    wrong = ranks[np.lexsort((ranks, query))] != np.arange(len(ranks)) - per_row(ptr[:-1], ptr) + 1
    if wrong.any():
        q = query[np.argmax(wrong)]
        own = ranks[ptr[q] : ptr[q + 1]]
        raise InputError(f"expected the ranks 1 to {len(own)}, each once; got {own.tolist()!r:.60}", f"query {q}")
    return ranks


def ranks_to_grades(ranks: Any) -> np.ndarray:
    """Ranks turned round, so that larger is better.

    >>> ranks_to_grades([1, 3, 2])
    array([3., 1., 2.])
    """
    return np.max(ranks) + 1 - np.asarray(ranks, np.float64)


def close_ranks(ranks: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """Ranks 1 to m again, after some documents have been left out.

    >>> close_ranks(np.array([4.0, 1.0, 2.0]), np.array([0, 2, 3]))
    array([2., 1., 1.])
    """
    query = per_row(np.arange(len(ptr) - 1), ptr)
    closed = np.empty(len(query))
    closed[np.lexsort((ranks, query))] = np.arange(len(query)) - per_row(ptr[:-1], ptr) + 1
    return closed
