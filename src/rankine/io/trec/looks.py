"""What the numbers of judgments and runs look like: ranks where scores are expected, scores where grades are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...errors import InputError
from ..tables.roles import is_number

_MOST = 0.9  # of the queries: too many to be scores, though not all are ranks
_FEW_LEVELS = 5  # different numbers that grades may well have


def are_ranks(query: np.ndarray, value: np.ndarray, name: str) -> bool:
    """Whether numbers are ranks: whole, at least 0, and growing from row to row in every query.

    Queries of one row do not count; it is an error if most queries look so and some do not.

    >>> are_ranks(np.array([0, 0, 1]), np.array([0.0, 2.0, 5.0]), "run.tsv")
    True
    """
    if len(value) == 0 or value.min() < 0 or not np.array_equal(value, np.floor(value)):
        return False
    order = np.argsort(query, kind="stable")
    of, numbers = query[order], value[order]
    within = of[1:] == of[:-1]
    longer = np.unique(of[1:][within])
    falling = np.unique(of[1:][within & (numbers[1:] <= numbers[:-1])])
    growing = len(longer) - len(falling)
    if growing and len(falling) and growing >= _MOST * len(longer):
        raise InputError(
            f"the third column grows as ranks do in {growing} of {len(longer)} queries: say what it is, "
            "query='1', document='2' and rank='3' or score='3' (--run-columns 1,2,rank=3 or 1,2,3)",
            name,
        )
    return bool(growing and not len(falling))


def are_against_ranks(rows: Sequence[Sequence[str]], form: Sequence[str]) -> bool:
    """Whether scores grow with the ranks in every query of these lines, where they should fall.

    >>> are_against_ranks([["q", str(rank), str(rank / 2)] for rank in range(9)], ["query", "rank", "score"])
    True
    """
    rank, score = form.index("rank"), form.index("score")
    queries: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if len(row) < len(form) or not (is_number(row[rank]) and is_number(row[score])):
            return False
        queries.setdefault(row[form.index("query")], []).append((float(row[rank]), float(row[score])))
    steps = [(a, b) for pairs in map(sorted, queries.values()) for a, b in pairwise(pairs)]
    return len(steps) >= _FEW_LEVELS and all(a[0] < b[0] and a[1] < b[1] for a, b in steps)


def scores_among_grades(query: np.ndarray, grade: np.ndarray) -> str:
    """Why grades look like the scores or the ranks of a run; empty if they do not.

    >>> scores_among_grades(np.zeros(5, int), np.array([5.1, 4.2, 3.3, 2.4, 1.5]))
    'most grades are fractions, and no two are alike in a query'
    """
    fractions = np.count_nonzero(grade != np.floor(grade)) > len(grade) / 2
    beside = query[1:] == query[:-1]
    if not fractions and (beside & (grade[1:] == grade[:-1])).any():
        return ""
    if len(np.unique(grade)) < _FEW_LEVELS:
        return ""
    if fractions and _unlike(query, grade) >= _MOST:
        return "most grades are fractions, and no two are alike in a query"
    order = np.argsort(query, kind="stable")
    steps = np.diff(grade[order])[query[order][1:] == query[order][:-1]]
    if len(steps) and ((steps > 0).all() or (steps < 0).all()):
        return f"the grades {'grow' if steps[0] > 0 else 'fall'} from document to document in every query"
    return ""


def are_grades(query: np.ndarray, score: np.ndarray) -> bool:
    """Whether the scores of a run look like grades: whole numbers, few of them or most of them alike in a query.

    >>> are_grades(np.array([0, 0, 1]), np.array([1.0, 0.0, 1.0]))
    True
    """
    if score.max(initial=0) <= 0 or not np.array_equal(score, np.floor(score)):
        return False
    return len(np.unique(score)) <= _FEW_LEVELS or _unlike(query, score) < 0.5


def _unlike(query: np.ndarray, value: np.ndarray) -> float:
    """The share of documents, in queries with several, that have a value that no other of the query has."""
    order = np.lexsort((value, query))
    same = np.diff(query[order]) == 0
    several, alike = np.zeros(len(value), bool), np.zeros(len(value), bool)
    for mark, pairs in ((several, same), (alike, same & (np.diff(value[order]) == 0))):
        mark[1:] |= pairs
        mark[:-1] |= pairs
    return float((several & ~alike).sum() / max(int(several.sum()), 1))
