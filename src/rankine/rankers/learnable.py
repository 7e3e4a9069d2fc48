"""Whether grades can be learned from at all: what is to be said before training."""

from __future__ import annotations

import warnings

import numpy as np

from ..measures import parse
from ..measures.table import TABLE as MEASURES


class NothingLearnedWarning(UserWarning):
    """The model gives all documents of a query the same score, or every order of them is equally good."""


ONE_DOCUMENT = "every query has one document: there is nothing to rank"
EQUAL = "in every query all grades are equal: there is nothing to learn"


def nothing_to_learn(grades: np.ndarray, ptr: np.ndarray, measure: str) -> str:
    """Why every order of the documents is equally good by these grades and this measure; empty if it is not.

    >>> ptr = np.array([0, 2])
    >>> nothing_to_learn(np.array([0.3, 0.9]), ptr, "AP")
    'no document is relevant, for no grade is 1 or more (the largest is 0.9): AP is 0 for every order'
    >>> nothing_to_learn(np.array([0.3, 0.9]), ptr, "nDCG@10")
    ''
    """
    if np.diff(ptr).max() == 1:
        return ONE_DOCUMENT
    if _is_constant(grades, ptr):
        return EQUAL
    least = relevant_from(measure)
    if least is None:
        return ""
    if grades.max() < least:
        largest = f"no grade is {least:g} or more (the largest is {grades.max():g})"
        return f"no document is relevant, for {largest}: {measure} is 0 for every order"
    if _is_constant(grades >= least, ptr):
        return (
            f"in no query are there both relevant documents (grade {least:g} or more) and others: {measure} is the "
            "same for every order"
        )
    return ""


def relevant_from(measure: str) -> float | None:
    """The least grade of a relevant document, for a measure that asks for no more.

    >>> relevant_from("P(rel=2)@5"), relevant_from("nDCG@10")
    (2.0, None)
    """
    of = parse(measure)
    return None if MEASURES[of.name].graded else dict(of.params).get("rel")


def warn_of_grades(problem: str, stacklevel: int) -> None:
    """Warn that nothing can be learned, if there is a problem."""
    if problem:
        warnings.warn(f"nothing can be learned: {problem}", NothingLearnedWarning, stacklevel=stacklevel)


def _is_constant(values: np.ndarray, ptr: np.ndarray) -> bool:
    return bool((np.maximum.reduceat(values, ptr[:-1]) == np.minimum.reduceat(values, ptr[:-1])).all())
