"""Judged rankings: validated once, grouped by query, shared by everything that learns or measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Features, as_features, as_ids, as_numbers, check_finite, column_names, dense, per_row
from ..errors import InputError, nearest
from .preferences import Preferences


class QueryRows(NamedTuple):
    """One query of a :class:`RankingData`: views of dense data, slices of CSR."""

    id: Any
    X: Any
    y: Any
    doc_ids: np.ndarray | None


class Numbering(NamedTuple):
    """How sparse text numbers features: from ``first`` (0 or 1); ``assumed``: 1, because no feature 0 occurred."""

    first: int
    assumed: bool = False


class Groups(NamedTuple):
    """How rows fall into queries: ``order`` is None where they are contiguous already."""

    ptr: np.ndarray
    order: np.ndarray | None
    ids: np.ndarray


def group_rows(qid: np.ndarray) -> Groups:
    """Queries in order of first appearance, rows stable within each.

    >>> group_rows(np.array([7, 3, 7]))
    Groups(ptr=array([0, 2, 3]), order=array([0, 2, 1]), ids=array([7, 3]))
    """
    if len(qid) == 0:
        return Groups(np.zeros(1, np.int64), None, qid)
    starts = np.concatenate([[0], np.flatnonzero(qid[1:] != qid[:-1]) + 1])
    heads = qid[starts]
    if heads.dtype.kind in "iu" and (heads[1:] > heads[:-1]).all():
        return Groups(np.append(starts, len(qid)), None, heads)
    ids, first, inverse = np.unique(heads, return_index=True, return_inverse=True)
    if len(ids) == len(heads):
        return Groups(np.append(starts, len(qid)), None, heads)
    rank = np.empty(len(ids), np.int64)
    by_appearance = np.argsort(first)
    rank[by_appearance] = np.arange(len(ids))
    query = per_row(rank[inverse], np.append(starts, len(qid)))
    ptr = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=len(ids)))])
    return Groups(ptr, np.argsort(query, kind="stable"), ids[by_appearance])


class RankingData:
    """Feature vectors, grades and query ids: the judged rankings that everything else takes.

    Rows may come in any order. They are grouped by query, queries in order of first appearance and rows in
    input order within each; ``order[i]`` is the input row of row ``i``, and ``ptr[i]:ptr[i+1]`` are the rows of
    query ``i``. Input whose queries are contiguous already is not copied. ``numbering`` is set by the readers of sparse
    text, where a feature that no line names is no error; ``query_weight`` and ``doc_weight`` by :meth:`with_weights`.

    Args:
        X: features, one row per document: an array, a SciPy sparse matrix, a pandas or polars frame or a
            pyarrow table of numbers. float32 and float64 stay as they are, all else becomes float64; sparse
            becomes CSR.
        y: grades, larger is better; or :class:`Preferences`.
        qid: query ids, integers or strings.
        doc_ids: document ids, optional.
        feature_names: one name per column; a frame brings its own.

    >>> data = RankingData([[0.1], [0.9], [0.4]], [0, 2, 1], ["b", "a", "b"])
    >>> data
    RankingData(2 queries, 3 documents, 1 feature, dense float64)
    >>> data.ptr, data.order, data.y
    (array([0, 2, 3]), array([0, 2, 1]), array([0., 1., 2.]))
    """

    __slots__ = (
        "X", "_doc_ids", "_order", "doc_weight", "feature_names", "numbering", "ptr", "qid", "query_ids",
        "query_weight", "y",
    )  # fmt: skip

    def __init__(
        self, X: Any, y: Any, qid: Any, doc_ids: Any = None, feature_names: Sequence[str] | None = None
    ) -> None:
        names = column_names(X) if feature_names is None else feature_names
        features = as_features(X)
        query = as_ids(qid, "qid")
        grades = y if isinstance(y, Preferences) else as_numbers(y, "y")
        documents = None if doc_ids is None else as_ids(doc_ids, "doc_ids")
        n = features.shape[0]
        for name, column in (("y", grades), ("qid", query), ("doc_ids", documents)):
            if column is not None and len(column) != n and not isinstance(column, Preferences):
                raise InputError(f"X has {n} rows but {name} has {len(column)}")
        if names is not None and len(names) != features.shape[1]:
            raise InputError(f"X has {features.shape[1]} columns but there are {len(names)} feature names")
        if n == 0:
            raise InputError("expected at least one row, got none")
        if features.shape[1] == 0:
            raise InputError("expected at least one feature, got none")
        check_finite(features, "X")
        if not isinstance(grades, Preferences):
            check_finite(grades, "y")
        self._assemble(features, grades, query, documents, names)

    def _assemble(self, X: Features, y: Any, qid: np.ndarray, doc_ids: Any, names: Sequence[str] | None) -> None:
        """Group valid columns; ``doc_ids`` may be a function that makes them when first asked for."""
        groups = group_rows(qid)
        order = groups.order
        n_rows = X.shape[0]
        if order is not None:
            if callable(doc_ids):
                doc_ids = doc_ids()
            X, qid = X[order], qid[order]
            y = y.take(order, n_rows) if isinstance(y, Preferences) else y[order]
            doc_ids = None if doc_ids is None else doc_ids[order]
        if isinstance(y, Preferences):
            y.check(groups.ptr)
        self.X, self.y, self.qid, self.ptr, self._order = X, y, qid, groups.ptr, order
        self.query_ids = groups.ids
        self._doc_ids = doc_ids
        self.feature_names = None if names is None else tuple(str(n) for n in names)
        self.numbering: Numbering | None = None
        self.query_weight: np.ndarray | None = None
        self.doc_weight: np.ndarray | None = None

    @classmethod
    def from_valid(
        cls,
        X: Features,
        y: Any,
        qid: np.ndarray,
        doc_ids: Any = None,
        names: Sequence[str] | None = None,
        order: np.ndarray | None = None,
    ) -> RankingData:
        """Build from columns that a reader has validated already: nothing is checked again.

        Rows that are grouped by query already may bring the input row of each as ``order``.

        >>> RankingData.from_valid(np.ones((2, 1)), np.zeros(2), np.array([1, 1])).n_documents
        2
        """
        data = cls.__new__(cls)
        data._assemble(X, y, qid, doc_ids, names)
        data._order = data._order if order is None else order
        return data

    @property
    def order(self) -> np.ndarray:
        """The input row of each row."""
        return np.arange(self.n_documents) if self._order is None else self._order

    @property
    def doc_ids(self) -> np.ndarray | None:
        """Document ids, or None."""
        if callable(self._doc_ids):
            self._doc_ids = self._doc_ids()
        return self._doc_ids

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return len(self.ptr) - 1

    @property
    def n_documents(self) -> int:
        """How many rows there are."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return self.X.shape[1]

    @property
    def is_sparse(self) -> bool:
        """Whether X is CSR."""
        return not isinstance(self.X, np.ndarray)

    def __len__(self) -> int:
        return self.n_queries

    def __repr__(self) -> str:
        layout = f"{'CSR' if self.is_sparse else 'dense'} {self.X.dtype}"
        counts = (_count(self.n_queries, "query", "queries"), _count(self.n_documents, "document"))
        return f"RankingData({', '.join(counts)}, {_count(self.n_features, 'feature')}, {layout})"

    def query(self, i: int) -> QueryRows:
        """Views of the rows of query number ``i``.

        >>> RankingData([[1.0], [2.0]], [0, 1], ["a", "b"]).query(1).y
        array([1.])
        """
        if not -self.n_queries <= i < self.n_queries:
            raise IndexError(f"query {i} of {self.n_queries}")
        i %= self.n_queries
        rows = slice(self.ptr[i], self.ptr[i + 1])
        documents = None if self.doc_ids is None else self.doc_ids[rows]
        y = self.y.take(np.arange(rows.start, rows.stop), self.n_documents) if self._prefers else self.y[rows]
        return QueryRows(self.query_ids[i], self.X[rows], y, documents)

    def __iter__(self) -> Iterator[QueryRows]:
        return map(self.query, range(self.n_queries))

    @property
    def _prefers(self) -> bool:
        return isinstance(self.y, Preferences)

    def subset(self, queries: Any) -> RankingData:
        """The queries with these numbers (or a boolean mask over queries), in the order given.

        >>> RankingData([[1.0], [2.0]], [0, 1], ["a", "b"]).subset([1]).query_ids
        array(['b'], dtype='<U1')
        """
        numbers = np.atleast_1d(np.asarray(queries))
        if numbers.dtype == bool:
            if len(numbers) != self.n_queries:
                raise InputError(f"expected a mask over {self.n_queries} queries, got {len(numbers)} entries")
            numbers = np.flatnonzero(numbers)
        if len(numbers) == 0:
            raise InputError("expected at least one query, got none")
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (np.abs(numbers + 0.5) > self.n_queries).any():
            raise InputError(f"expected query numbers from 0 to {self.n_queries - 1}, got {numbers.tolist()!r:.60}")
        numbers = np.arange(self.n_queries)[numbers]
        if len(np.unique(numbers)) != len(numbers):
            raise InputError("a query may be chosen only once")
        lengths = np.diff(self.ptr)[numbers]
        offsets = np.repeat(self.ptr[numbers] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        return self.take(offsets + np.arange(lengths.sum()))

    def take(self, rows: np.ndarray) -> RankingData:
        """The rows with these numbers; those of a query must stand together.

        >>> RankingData([[1.0], [2.0], [3.0]], [0, 1, 2], [7, 7, 7]).take(np.array([0, 2])).y
        array([0., 2.])
        """
        y = self.y.take(rows, self.n_documents) if self._prefers else self.y[rows]
        documents = None if self.doc_ids is None else self.doc_ids[rows]
        order = self.order[rows]
        data = RankingData.from_valid(self.X[rows], y, self.qid[rows], documents, self.feature_names, order)
        data.numbering = self.numbering
        data.doc_weight = None if self.doc_weight is None else self.doc_weight[rows]
        if self.query_weight is not None:
            data.query_weight = per_row(self.query_weight, self.ptr)[rows][data.ptr[:-1]]
        return data

    def folds(self, k: int, seed: int = 0) -> Iterator[tuple[RankingData, RankingData]]:
        """``k`` pairs (train, test), split by query after a seeded shuffle; each query is tested once.

        >>> data = RankingData([[1.0]] * 4, [0, 1, 2, 0], [1, 2, 3, 4])
        >>> [len(test) for train, test in data.folds(2)]
        [2, 2]
        """
        if not 2 <= k <= self.n_queries:
            raise InputError(f"expected between 2 and {self.n_queries} folds (the queries there are), got {k}")
        shuffled = np.random.default_rng(seed).permutation(self.n_queries)
        for fold in np.array_split(shuffled, k):
            test = np.zeros(self.n_queries, bool)
            test[fold] = True
            yield self.subset(~test), self.subset(test)

    def select(self, features: Sequence[Any]) -> RankingData:
        """Only these columns, by number or by name, in the order given.

        >>> data = RankingData([[1.0, 2.0]], [1], [1], feature_names=["bm25", "age"])
        >>> data.select(["age"]).X
        array([[2.]])
        """
        numbers = {name: i for i, name in enumerate(self.feature_names or ())}
        columns = []
        if len(features) == 0:
            raise InputError("expected at least one feature, got none")
        for f in features:
            if isinstance(f, str) and f not in numbers:
                raise InputError(f"there is no feature named {f!r}.{nearest(f, numbers)}")
            column = numbers[f] if isinstance(f, str) else f
            if isinstance(column, (bool, np.bool_)) or column != int(column):
                raise InputError(f"expected column numbers or names, got {f!r}")
            if not 0 <= column < self.n_features:
                raise InputError(f"there is no column {column}, only 0 to {self.n_features - 1}")
            columns.append(int(column))
        names = None if self.feature_names is None else [self.feature_names[c] for c in columns]
        data = self._with(self.X[:, columns], names)
        data.numbering = self.numbering if columns == list(range(len(columns))) else None
        return data

    def with_features(self, X: Features) -> RankingData:
        """The same judgments over other feature values of the same shape.

        >>> data = RankingData([[1.0], [2.0]], [0, 1], [7, 7])
        >>> data.with_features(10 * data.X).X.ravel()
        array([10., 20.])
        """
        return self._with(X, self.feature_names)

    def with_supervision(self, y: Any) -> RankingData:
        """The same documents with other grades, or with preferences, which are in the order of the rows.

        >>> RankingData([[1.0], [2.0]], [0, 1], [7, 7]).with_supervision(np.array([2.0, 0.0])).y
        array([2., 0.])
        """
        data = self._with(self.X, self.feature_names)
        data.y = y
        return data

    def with_weights(self, query_weight: Any = None, doc_weight: Any = None) -> RankingData:
        """The same data with weights of its queries or of its rows, in its own order, that ``fit`` uses.

        >>> RankingData([[1.0], [2.0]], [0, 1], [7, 7]).with_weights(query_weight=[2.0]).query_weight
        array([2.])
        """
        data = self._with(self.X, self.feature_names)
        data.query_weight = _weights("query_weight", query_weight, self.n_queries)
        data.doc_weight = _weights("doc_weight", doc_weight, self.n_documents)
        return data

    def _with(self, X: Features, names: Sequence[str] | None) -> RankingData:
        data = RankingData.from_valid(X, self.y, self.qid, self._doc_ids, names, self._order)
        data.numbering, data.query_weight, data.doc_weight = self.numbering, self.query_weight, self.doc_weight
        return data

    def dense(self) -> RankingData:
        """The same data with a dense X.

        >>> import scipy.sparse as sp
        >>> RankingData(sp.csr_array([[0.0, 1.0]]), [1], [1]).dense().X
        array([[0., 1.]])
        """
        return self.with_features(dense(self.X)) if self.is_sparse else self


def _weights(name: str, values: Any, n: int) -> np.ndarray | None:
    """Weights, checked."""
    if values is None:
        return None
    weights = as_numbers(values, name)
    if len(weights) != n or not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise InputError(f"{name} must hold {n} numbers ≥ 0 that are not all 0, got {len(weights)}")
    return weights


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"
