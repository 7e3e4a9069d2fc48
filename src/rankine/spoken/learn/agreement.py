r"""How far judges agree: Cohen's kappa of each pair of them, over what both have judged.

.. math:: \kappa = \frac{p_o - p_e}{1 - p_e}

:math:`p_o` is the share of places to which both gave the same grade, and :math:`p_e` the share that would be expected
if each drew grades by chance, as often as they did give them (Cohen 1960). It is 1 where they always agree and about 0
where they agree as by chance. It is not defined where both gave one and the same grade to all.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

Grades = Mapping[Any, float]  # by query and place


class Agreement(NamedTuple):
    """Two judges: how many places both judged, to how many they gave the same grade, and kappa (None: not defined).

    ``kappa`` is of grades as they are, ``kappa_relevant`` only of whether a place is relevant (a grade above 0).
    """

    a: str
    b: str
    both: int
    equal: int
    kappa: float | None
    kappa_relevant: float | None


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> float | None:
    """Kappa of two judges' grades of the same places; None where it is not defined.

    >>> cohen_kappa([1, 1, 0, 0], [1, 1, 0, 1])
    0.5
    """
    from sklearn.metrics import cohen_kappa_score

    numbers = {grade: number for number, grade in enumerate(dict.fromkeys([*a, *b]))}
    if len(numbers) < 2:  # there is none, or both gave one grade to all
        return None
    return float(cohen_kappa_score([numbers[grade] for grade in a], [numbers[grade] for grade in b]))


def agreements(grades: Mapping[str, Grades]) -> list[Agreement]:
    """The agreement of each pair of judges who have judged a place in common; ``grades`` are by judge."""
    out = []
    for a, b in combinations(sorted(grades), 2):
        both = [key for key in grades[a] if key in grades[b]]
        if not both:
            continue
        x, y = ([grades[judge][key] for key in both] for judge in (a, b))
        relevant = cohen_kappa([grade > 0 for grade in x], [grade > 0 for grade in y])
        equal = sum(p == q for p, q in zip(x, y, strict=True))
        out.append(Agreement(a, b, len(both), equal, cohen_kappa(x, y), relevant))
    return out
