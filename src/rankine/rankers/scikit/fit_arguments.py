"""Query ids of rows: what is said where they are missing, or where something else is passed in their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

from ...arrays import as_ids, as_numbers
from ...data.ranking_data import Preferences, RankingData
from ...errors import LONG_QUERY, LONG_QUERY_REASON, InputError, warn_of_rows
from ...errors import OneQueryWarning as OneQueryWarning  # its public place
from .foreign_arguments import ELSEWHERE, check_rows, refuse_arguments

_MANY_GRADES = 100  # more different grades than one query plausibly has


def query_ids(qid: Any, n_rows: int) -> np.ndarray:
    """Query ids, one per row; rows without them are one query.

    >>> query_ids(None, 2), query_ids(["a", "b"], 2)
    (array([0, 0]), array(['a', 'b'], dtype='<U1'))
    """
    return np.zeros(n_rows, np.int64) if qid is None else as_ids(qid, "qid")


def warn_of_one_query(n_rows: int, y: Any, stacklevel: int) -> None:
    """Warn if rows without query ids have more documents or grades than one query has; ranks 1 to n are one query."""
    if n_rows > LONG_QUERY:
        warn_of_rows(n_rows, LONG_QUERY_REASON, stacklevel + 1)
    elif n_rows > _MANY_GRADES and not isinstance(y, Preferences):
        levels = np.unique(y)
        if len(levels) > _MANY_GRADES and (levels[0], levels[-1], len(levels)) != (1, n_rows, n_rows):
            warn_of_rows(n_rows, f"y has {len(levels)} different values", stacklevel + 1)


def with_habits(fit: Callable) -> Callable:
    """A method ``fit`` that takes ``group``, sizes of queries as LightGBM does, in place of ``qid``.

    It says what to pass instead of arguments that other libraries take, and it does not.
    """
    taken = signature(fit).parameters
    habits = {name for name in ("group", "groups", "sample_weight") if name not in taken}
    weights = [name for name in ("query_weight", "doc_weight") if name in taken]

    @wraps(fit)
    def explaining(self: Any, *args: Any, **options: Any) -> Any:
        if not args and isinstance(options.get("X"), RankingData):
            args = (options.pop("X"),)
        if args and isinstance(args[0], RankingData):
            args, options = with_own_weights(type(self).__name__, taken, args, options)
        given = dict(zip(taken, (self, *args), strict=False)) | options
        check_rows(given.get("X"), given.get("y"))
        refuse_arguments(type(self).__name__, taken, options)
        options = {name: value for name, value in options.items() if name in taken or name not in ELSEWHERE}
        for name in sorted(habits & set(options)):
            value = options.pop(name)
            if value is None:
                continue
            if name == "sample_weight":
                raise InputError(
                    "fit takes no sample_weight: the loss of a ranking is one of whole queries, not a sum over rows"
                    + (f"; {type(self).__name__} takes {' and '.join(weights)}" if weights else "")
                )
            if name == "groups":
                raise InputError("fit takes no groups: pass qid=, the query id of each row, or group=, the sizes")
            given = dict(zip(taken, (self, *args), strict=False)) | options
            options |= dict(zip(list(taken)[4:], args[3:], strict=False))  # those after qid
            options["qid"], args = ids_or_sizes(given.get("X"), given.get("qid"), value), args[:2]
        return fit(self, *args, **options)

    return explaining


def own_weights(X: Any, query_weight: Any, doc_weight: Any) -> tuple[Any, Any, Any]:
    """X without the weights that it may bring along, and the weights, in place of those that are None."""
    if not isinstance(X, RankingData) or (X.query_weight is None and X.doc_weight is None):
        return X, query_weight, doc_weight
    query_weight = X.query_weight if query_weight is None else query_weight
    return X.with_weights(), query_weight, X.doc_weight if doc_weight is None else doc_weight


def with_own_weights(
    name: str, taken: Mapping[str, Any], args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of ``fit``, of which the first is data: weights that it brings along become arguments.

    ``name`` is what messages call the ranker, ``taken`` are the parameters of its ``fit``.
    """
    data = args[0]
    own = {"query_weight": data.query_weight, "doc_weight": data.doc_weight}
    own = {weight: values for weight, values in own.items() if values is not None}
    if not own:
        return args, options
    by_position = list(taken)[1 : 1 + len(args)]
    for weight, values in own.items():
        if weight not in taken:
            of = "queries" if weight == "query_weight" else "documents"
            raise InputError(
                f"the data has weights of {of}, which {name} does not take; weights='none' (--weight-file none) reads "
                "it without them"
            )
        if weight not in by_position and options.get(weight) is None:
            options = options | {weight: values}
    return (data.with_weights(), *args[1:]), options


def ids_or_sizes(X: Any, qid: Any, group: Any) -> Any:
    """The query ids of rows, from the sizes of the queries if these are given; raise if both are."""
    if group is None:
        return qid
    if qid is not None or isinstance(X, RankingData):
        raise InputError("group and qid both say which rows are a query: pass one of them")
    return ids_of_sizes(group, number_of_rows(X))


def ids_of_sizes(sizes: Any, n_rows: int) -> np.ndarray:
    """Query ids of rows, from the sizes of the queries in the order of the rows.

    >>> ids_of_sizes([2, 1], 3)
    array([0, 0, 1])
    """
    counts = as_numbers(sizes, "group")
    if not ((counts >= 0) & (counts == np.round(counts))).all():
        raise InputError("group must hold whole numbers, the number of rows of each query")
    if counts.sum() != n_rows:
        raise InputError(f"the sizes in group add up to {counts.sum():g}, but there are {n_rows} rows")
    return np.repeat(np.arange(len(counts)), counts.astype(np.int64))


def number_of_rows(X: Any) -> int:
    """How many rows a matrix, a frame or a list of rows has."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
