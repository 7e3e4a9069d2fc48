"""What the numbers of judgments and runs look like: ranks where scores are expected, scores where grades are."""

from __future__ import annotations

import numpy as np

from ..errors import InputError

_MOST = 0.9  # of the queries: too many to be scores, though not all are ranks


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
