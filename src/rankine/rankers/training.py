"""What fits have in common: settings that are best on queries set aside, features on one scale, a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..arrays import column
from ..data.ranking_data import Preferences, RankingData
from ..errors import InputError
from ..losses import Loss
from ..measures import evaluate, parse
from ..measures.table import TABLE as MEASURES
from .folds import seeded


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


# -- What fits have in common: settings that are best on queries set aside, features on one scale, a warning


AUTO = "auto"
FOLDS = 5
VALUES = 2_000_000  # of X: a choice is made on so many at most

Scores = Callable[[np.ndarray, RankingData], Sequence[np.ndarray]]


def best_setting(
    scores: Scores,
    data: RankingData,
    measure: str,
    n_folds: int = FOLDS,
    seed: int = 0,
    query_weight: np.ndarray | None = None,
    as_grades: Callable[[Any], Any] | None = None,
) -> int | None:
    """The number of the setting with the best mean of the measure on queries that were not learned from.

    ``scores`` takes the numbers of the queries to learn from and data to score, and gives the scores by each setting,
    the simplest first, which is kept among equals. None if there are fewer queries than folds, or if some folds cannot
    be learned from.
    """
    sums: Any = 0.0
    measure = _suited(measure, data.y if as_grades is None else as_grades(data.y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for queries, apart in inner_folds(data, n_folds, seed):
            held = data.subset(apart)
            try:
                each = scores(queries, held)
            except InputError:
                return None
            weight = np.ones(len(apart)) if query_weight is None else query_weight[apart]
            sums = sums + np.array([measured(held, s, measure, as_grades) @ weight for s in each])
    return None if isinstance(sums, float) else first_best(sums)


def inner_folds(data: RankingData, n_folds: int = FOLDS, seed: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Numbers of queries to learn from and of queries set aside; none if there are fewer queries than folds."""
    if data.n_queries >= n_folds:
        sample = _sample(data, seed)
        folds = seeded(len(sample), n_folds, seed)
        for k in range(n_folds):
            yield np.sort(sample[folds != k]), np.sort(sample[folds == k])


def first_best(sums: np.ndarray) -> int:
    """The first of the largest values; what differs by rounding is equal.

    >>> first_best(np.array([0.5, 0.7, 0.7]))
    1
    """
    return int(np.argmax(np.round(sums / max(float(np.abs(sums).max()), 1e-300), 9)))


def _sample(data: RankingData, seed: int) -> np.ndarray:
    """The numbers of queries that hold at most ``VALUES`` values of X, by id: the order of the data does not matter."""
    queries = np.argsort(data.query_ids, kind="stable")
    total = data.n_documents * data.n_features
    if total <= VALUES:
        return queries
    count = max(int(data.n_queries * VALUES / total), min(data.n_queries, 2 * FOLDS))
    return queries[np.sort(np.random.default_rng(seed).permutation(data.n_queries)[:count])]


def _suited(measure: str, grades: Any) -> str:
    """The measure; one of the order alone in place of a measure of gains, where grades are negative and have none."""
    negative = not isinstance(grades, Preferences) and np.min(grades) < 0
    return "KendallTau" if negative and MEASURES[parse(measure).name].graded else measure


def measured(
    data: RankingData, scores: np.ndarray, measure: str, as_grades: Callable[[Any], Any] | None = None
) -> np.ndarray:
    """The measure of each query, larger is better; nDCG@10 where the measure is of preferences and there are none."""
    of = parse(measure)
    if of.supervision == "preferences" and not isinstance(data.y, Preferences):
        of = parse("nDCG@10")
    y = data.y if as_grades is None else as_grades(data.y)
    values = evaluate(of, y, scores, data.qid).per_query[str(of)]
    return -values if of.is_error else values


def warn_if_constant(scores: np.ndarray, data: RankingData, advice: str = "", stacklevel: int = 3) -> None:
    """Warn if training documents of different grade have equal scores throughout, with the reason and what to do."""
    if isinstance(data.y, Preferences) or not _differ(np.asarray(data.y), data.ptr):
        return
    if _differ(scores, data.ptr):
        return
    if not any(_differ(column(data.X, f, np.float64), data.ptr) for f in range(data.n_features)):
        reason = "no feature differs between the documents of any query, so that no ranker can learn from them"
    else:
        reason = advice or "Try AutoRanker, which compares rankers and losses on this data"
    warnings.warn(
        f"nothing was learned: all documents of a query have the same score. {reason}",
        NothingLearnedWarning,
        stacklevel=stacklevel,
    )


def _differ(values: np.ndarray, ptr: np.ndarray) -> bool:
    """Whether some query has two different values."""
    if len(values) == 0:
        return False
    return bool((np.maximum.reduceat(values, ptr[:-1]) != np.minimum.reduceat(values, ptr[:-1])).any())


def inverse_deviations(X: Any) -> np.ndarray:
    """1 / the deviation of each feature; 0 where it is constant."""
    mean = np.asarray(X.mean(0, dtype=np.float64)).ravel()
    if sp.issparse(X):
        squares = np.asarray(X.multiply(X).mean(0, dtype=np.float64)).ravel()
        deviation = np.sqrt(np.maximum(squares - mean**2, 0.0))
    else:
        deviation = X.std(0, dtype=np.float64)
    constant = deviation <= 1e-7 * np.abs(mean) if sp.issparse(X) else deviation <= 1e-12 * np.abs(mean)
    constant |= ~np.isfinite(deviation) | (deviation < 1e-150)
    return np.where(constant, 0.0, 1 / np.where(constant, 1.0, deviation))


def times(X: Any, factors: np.ndarray) -> Any:
    """X with each column multiplied by a number, of the same dtype; a sparse one stays sparse.

    >>> times(np.ones((1, 2)), np.array([2.0, 3.0]))
    array([[2., 3.]])
    """
    mine = factors.astype(X.dtype)
    return sp.csr_array(X @ sp.diags_array(mine)) if sp.issparse(X) else X * mine


# -- What is said of queries with too many outputs to be summed over


class LongQueryWarning(UserWarning):
    """Some queries have too many outputs to be summed over; the loss counts something else for them."""


def warn_of_long_queries(loss: Loss, data: RankingData) -> None:
    """Say at the end of a fit which queries the loss treats apart."""
    if remark := loss.remark(data.y, data.ptr, data.query_ids):
        warnings.warn(remark, LongQueryWarning, stacklevel=3)
