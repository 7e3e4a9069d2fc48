"""Folds: which queries a model is judged on, having not learned from them. A query is never cut."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..arrays import as_ids, check_whole, per_row
from ..data.ranking_data import RankingData, group_rows
from ..errors import InputError, in_one_line

NEVER = -1  # the fold of a query that is always learned from, and never judged on
_SHARED = 0.5  # two queries are nearly the same if they share so many of the documents of the shorter one
_BLOCK = 1 << 14  # rows
_COMMON = 20  # a row that occurs in more queries says nothing about a pair of them


class NearDuplicateWarning(UserWarning):
    """Queries in different folds have the same documents."""


class QueryKFold:
    """Folds by query for scikit-learn: ``split(X, y, groups=qid)`` gives rows to train on and rows to test on.

    Like scikit-learn's ``GroupKFold``, with a seeded shuffle, and each fold has about the same number of queries. With
    metadata routing it takes the ``qid`` that rankers take, so that ``search.fit(X, y, qid=qid)`` is enough. If both
    are given, queries with the same label in ``groups`` are kept together.

    Args:
        n_splits: the number of folds.
        seed: of the shuffle.

    >>> [test.tolist() for train, test in QueryKFold(2).split([[0], [1], [2]], groups=["a", "b", "b"])]
    [[0], [1, 2]]
    """

    def __init__(self, n_splits: int = 5, seed: int = 0) -> None:
        check_whole("n_splits", n_splits, 2)
        self.n_splits = n_splits
        self.seed = seed

    def __repr__(self) -> str:
        return f"QueryKFold(n_splits={self.n_splits}, seed={self.seed})"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, qid: Any = None) -> int:
        """The number of folds."""
        return self.n_splits

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing is to pass to ``split``."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name in ("groups", "qid"):
            request.split.add_request(param=name, alias=True)
        return request

    def split(
        self, X: Any, y: Any = None, groups: Any = None, qid: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs (rows to train on, rows to test on)."""
        if _rows_are_drawn_from():
            raise InputError(
                "resource='n_samples' draws rows, which cuts queries: let the search halve over a parameter, such as "
                "resource='n_trees' or 'max_iter'"
            )
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return self._pairs(_labels(groups, qid, n_rows))

    def _pairs(self, labels: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        grouped = group_rows(labels)
        fold_of_row = np.empty(len(labels), np.int64)
        rows = np.arange(len(labels)) if grouped.order is None else grouped.order
        fold_of_row[rows] = per_row(seeded(len(grouped.ptr) - 1, self.n_splits, self.seed), grouped.ptr)
        for k in range(self.n_splits):
            yield np.flatnonzero(fold_of_row != k), np.flatnonzero(fold_of_row == k)


def _rows_are_drawn_from() -> bool:
    """Whether the caller of ``split`` is scikit-learn's successive halving over rows; nothing else tells it apart."""
    return type(sys._getframe(2).f_locals.get("self")).__name__ == "_SubsampleMetaSplitter"


def _labels(groups: Any, qid: Any, n_rows: int) -> np.ndarray:
    """The label of each row; rows with the same one stay together, and so do rows of a query."""
    if groups is None and qid is None:
        raise InputError(
            "QueryKFold needs the query of each row: pass groups=qid, or qid=qid after "
            "sklearn.set_config(enable_metadata_routing=True)"
        )
    given = {name: as_ids(ids, name) for name, ids in (("groups", groups), ("qid", qid)) if ids is not None}
    for name, ids in given.items():
        if len(ids) != n_rows:
            raise InputError(f"there are {n_rows} rows but {name} has {len(ids)} entries")
    if len(given) == 2:
        queries, query = np.unique(given["qid"], return_inverse=True)
        label = np.unique(given["groups"], return_inverse=True)[1]
        last = np.zeros(len(queries), np.int64)
        last[query] = label
        cut = np.flatnonzero(last[query] != label)
        if len(cut):
            raise InputError(
                f"groups must be the same in all rows of a query; query {given['qid'][cut[0]]} has several"
            )
    return next(iter(given.values()))


def seeded(n_queries: int, k: int, seed: int) -> np.ndarray:
    """The fold of each query after a seeded shuffle.

    >>> seeded(4, 2, seed=0).tolist()
    [0, 1, 0, 1]
    """
    if not 2 <= k <= n_queries:
        raise InputError(f"expected between 2 and {n_queries} folds (the queries there are), got {k}")
    folds = np.empty(n_queries, np.int64)
    for number, part in enumerate(np.array_split(np.random.default_rng(seed).permutation(n_queries), k)):
        folds[part] = number
    return folds


def fold_numbers(
    data: RankingData, folds: Any, seed: int = 0, groups: Any = None, order: np.ndarray | None = None
) -> np.ndarray:
    """The fold of each query: from a number of folds, an array of fold numbers, or a splitter of scikit-learn's kind.

    ``groups`` are labels, one per row or one per query: queries with the same one stay in the same fold. An array also
    has one number per row or one per query. Rows are counted as in ``data``, or as in the arrays that it was made from:
    ``order`` is then the row there of each row of ``data``.

    >>> data = RankingData([[1.0]] * 4, [0, 1, 0, 1], [1, 1, 2, 2])
    >>> fold_numbers(data, [0, 0, 1, 1]).tolist()
    [0, 1]
    """
    of_query = None if groups is None else per_query(as_ids(groups, "groups"), data, "groups", order)
    if hasattr(folds, "split") and not isinstance(folds, str):
        return renumbered(_from_splitter(data, folds, of_query, order))
    if isinstance(folds, (int, np.integer)) and not isinstance(folds, bool):
        if of_query is None:
            return seeded(data.n_queries, int(folds), seed)
        return _by_groups(of_query, int(folds), seed)
    numbers = np.asarray(folds)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise InputError(
            f"folds must be a number of folds, an array of whole numbers or have a method split, got {folds!r:.60}"
        )
    numbers = per_query(numbers.astype(np.int64), data, "folds", order)
    return renumbered(np.where(numbers < 0, NEVER, numbers))


def renumbered(numbers: np.ndarray) -> np.ndarray:
    """The same folds with numbers from 0 on and none left out; raise InputError if one cannot be judged by them.

    >>> renumbered(np.array([7, 2, -1, 7])).tolist()
    [1, 0, -1, 1]
    """
    used = np.unique(numbers[numbers != NEVER])
    if len(used) == 0:
        raise InputError("folds must have a number from 0 on for some queries, to judge on")
    if len(used) < 2 and not (numbers == NEVER).any():
        raise InputError("folds must have at least two different numbers: one to train on, one to judge on")
    return np.where(numbers == NEVER, NEVER, np.searchsorted(used, numbers))


def per_query(values: np.ndarray, data: RankingData, name: str, order: np.ndarray | None = None) -> np.ndarray:
    """Values of queries, given as one per query or as one per row; for ``order`` see :func:`fold_numbers`."""
    if len(values) == data.n_queries and data.n_queries != data.n_documents:
        return values
    if len(values) != data.n_documents:
        raise InputError(
            f"{name} must have a value for each of the {data.n_queries} queries or the {data.n_documents} rows, "
            f"got {len(values)}"
        )
    if order is not None:
        values = values[order]
    first = values[data.ptr[:-1]]
    if (np.repeat(first, np.diff(data.ptr)) != values).any():
        at = int(np.flatnonzero(np.repeat(first, np.diff(data.ptr)) != values)[0])
        raise InputError(f"{name} must be the same in all rows of a query; query {data.qid[at]} has several")
    return first


def _by_groups(labels: np.ndarray, k: int, seed: int) -> np.ndarray:
    """Folds of whole groups: in random order, each to the fold with the fewest queries so far."""
    names, group = np.unique(labels, return_inverse=True)
    if not 2 <= k <= len(names):
        raise InputError(f"expected between 2 and {len(names)} folds (the groups of queries there are), got {k}")
    sizes, filled = np.bincount(group), np.zeros(k, np.int64)
    fold_of_group = np.empty(len(names), np.int64)
    for g in np.random.default_rng(seed).permutation(len(names)).tolist():
        fold_of_group[g] = int(np.argmin(filled))
        filled[fold_of_group[g]] += sizes[g]
    return fold_of_group[group]


def _from_splitter(
    data: RankingData, splitter: Any, labels: np.ndarray | None, order: np.ndarray | None
) -> np.ndarray:  # fmt: skip
    """Folds of a splitter of rows, which must keep queries whole and judge on each at most once."""
    rows = np.arange(data.n_documents) if order is None else np.argsort(order)  # as the splitter counts them
    of_row = (data.qid if labels is None else np.repeat(labels, np.diff(data.ptr)))[rows]
    query = np.repeat(np.arange(data.n_queries), np.diff(data.ptr))[rows]
    out = np.full(data.n_queries, NEVER)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            splits = list(splitter.split(np.zeros((data.n_documents, 1)), np.asarray(data.y)[rows], of_row))
    except (TypeError, ValueError) as error:
        raise InputError(f"{splitter!r} cannot split the data: {in_one_line(error)}") from None
    for number, (train, test) in enumerate(splits):
        judged = np.unique(query[test])
        cut = np.intersect1d(judged, query[train])
        if len(cut):
            raise InputError(f"{splitter!r} cuts query {data.query_ids[cut[0]]}: split by groups, as QueryKFold does")
        left_out = data.n_queries - len(judged) - len(np.unique(query[train]))
        if left_out:
            raise InputError(
                f"{splitter!r} leaves {left_out} queries out of split {number + 1}; folds train on all queries that "
                "they do not judge on: to judge on later queries only, fit on the earlier ones with valid= the later"
            )
        if (out[judged] != NEVER).any():
            raise InputError(f"{splitter!r} judges on a query twice; each may be in one fold only")
        out[judged] = number
    if (out == NEVER).all():
        raise InputError(f"{splitter!r} gave no folds")
    return out


def warn_of_near_duplicates(data: RankingData, folds: np.ndarray) -> None:
    """Warn if queries in different folds share at least half of their documents (rows with equal features)."""
    pairs = _near_duplicates(data)
    apart = [(a, b) for a, b in pairs if folds[a] != folds[b]]
    if apart:
        a, b = apart[0]
        warnings.warn(
            f"{len(apart)} pairs of queries in different folds have the same documents, such as {data.query_ids[a]} "
            f"and {data.query_ids[b]}: what is learned of one is known of the other, and the estimate is too good. "
            "Keep them together with groups=",
            NearDuplicateWarning,
            stacklevel=3,
        )


def _near_duplicates(data: RankingData) -> list[tuple[int, int]]:
    """Pairs of queries that share documents, recognised by their features."""
    keys = _row_keys(data.X)
    query = np.repeat(np.arange(data.n_queries), np.diff(data.ptr))
    order = np.lexsort((query, keys))
    keys, query = keys[order], query[order]
    edges = np.concatenate([[0], np.flatnonzero(keys[1:] != keys[:-1]) + 1, [len(keys)]])
    shared: Counter[tuple[int, int]] = Counter()
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if last - first > 1:
            members = np.unique(query[first:last])
            if 1 < len(members) <= _COMMON:
                shared.update((a, b) for i, a in enumerate(members.tolist()) for b in members[i + 1 :].tolist())
    sizes = np.diff(data.ptr)
    return sorted(pair for pair, n in shared.items() if n >= max(2, _SHARED * sizes[list(pair)].min()))


def _row_keys(X: Any) -> np.ndarray:
    """A whole number for each row, equal for equal rows wherever they stand: sums of floats would not be."""
    factors = np.random.default_rng(0).integers(1, 2**63, X.shape[1], np.uint64)
    if sp.issparse(X):
        ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mixed(X.data) * factors[X.indices], dtype=np.uint64)])
        return ends[X.indptr[1:]] - ends[X.indptr[:-1]]
    blocks = (X[first : first + _BLOCK] for first in range(0, len(X), _BLOCK))
    return np.concatenate([(_mixed(block) * factors).sum(axis=1, dtype=np.uint64) for block in blocks])


def _mixed(values: np.ndarray) -> np.ndarray:
    """The bits of numbers, mixed: most of those of a small whole number are 0. What is 0 stays 0."""
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # −0 is 0
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(32))
