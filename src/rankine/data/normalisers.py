"""Feature normalisers: fitted once, stored as plain numbers, applied to any data with the same features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import numpy as np

from ..errors import InputError, unknown
from ..system.records import Count, Finite, checked
from .normaliser_table import TABLE
from .ranking_data import RankingData


class NormaliserState(TypedDict):
    """What is stored of a normaliser."""

    kind: str
    n_features: Count | None
    shift: list[Finite] | None
    scale: list[Finite] | None


class Normaliser:
    """Shift and scale features, per query or over the whole training data.

    Args:
        kind: a name of :data:`.normaliser_table.TABLE`: ``"query-minmax"``, ``"query-zscore"``, ``"zscore"``.

    >>> data = RankingData([[1.0], [3.0], [2.0]], [0, 1, 0], ["a", "a", "b"])
    >>> Normaliser("query-minmax").fit(data).apply(data).X.ravel()
    array([0., 1., 0.])
    >>> normaliser = Normaliser("zscore").fit(data)
    >>> Normaliser.from_dict(normaliser.to_dict()).apply(data).X.ravel().round(3)
    array([-1.225,  1.225,  0.   ])
    """

    def __init__(self, kind: str) -> None:
        if kind not in TABLE:
            raise unknown("normaliser", kind, TABLE)
        self.kind = kind
        self.n_features_: int | None = None
        self.shift_: np.ndarray | None = None
        self.scale_: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"Normaliser({self.kind!r})"

    def fit(self, data: RankingData) -> Normaliser:
        """Learn what the kind needs from training data; the per-query kinds only note the number of features.

        >>> Normaliser("zscore").fit(RankingData([[1.0], [3.0]], [0, 1], [1, 1])).shift_
        array([2.])
        """
        X = _dense(data)
        self.n_features_ = data.n_features
        if not self.by_query:
            self.shift_, self.scale_ = (a[0] for a in _MOMENTS[TABLE[self.kind].moments](X, np.array([0, len(X)])))
        return self

    @property
    def by_query(self) -> bool:
        """Whether each query is normalised by itself, and not by what was learned from the training data."""
        return TABLE[self.kind].by_query

    def apply(self, data: RankingData) -> RankingData:
        """The same data with normalised features, of the same dtype; see the class for an example."""
        if self.n_features_ is None:
            raise InputError(f"{self!r} has not been fitted")
        if data.n_features != self.n_features_:
            raise InputError(f"{self!r} was fitted to {self.n_features_} features, the data has {data.n_features}")
        X = _dense(data)
        if not self.by_query:
            assert self.shift_ is not None
            assert self.scale_ is not None
            return data.with_features(((X - self.shift_) * self.scale_).astype(X.dtype))
        shift, scale = _MOMENTS[TABLE[self.kind].moments](X, data.ptr)
        lengths = np.diff(data.ptr)
        out = np.empty_like(X)
        step = 4096
        for first in range(0, data.n_queries, step):
            rows = slice(data.ptr[first], data.ptr[min(first + step, data.n_queries)])
            repeats = lengths[first : first + step]
            centred = X[rows] - np.repeat(shift[first : first + step], repeats, axis=0)
            out[rows] = centred * np.repeat(scale[first : first + step], repeats, axis=0)
        return data.with_features(out)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON.

        >>> Normaliser("query-minmax").to_dict()
        {'kind': 'query-minmax', 'n_features': None, 'shift': None, 'scale': None}
        """
        arrays = {"shift": self.shift_, "scale": self.scale_}
        values = {name: None if a is None else a.tolist() for name, a in arrays.items()}
        return {"kind": self.kind, "n_features": self.n_features_, **values}

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Normaliser:
        """The inverse of :meth:`to_dict`."""
        content = checked(state, NormaliserState, "a normaliser", None)
        normaliser = cls(content["kind"])
        n = normaliser.n_features_ = content["n_features"]
        for name in ("shift", "scale"):
            numbers = content[name]
            length = None if n is None or normaliser.by_query else n
            if (None if numbers is None else len(numbers)) != length:
                raise InputError(f"not a normaliser: {normaliser!r} of {n} features with another number of {name}s")
            setattr(normaliser, f"{name}_", None if numbers is None else np.array(numbers, np.float64))
        return normaliser


def _dense(data: RankingData) -> np.ndarray:
    if data.is_sparse:
        raise InputError("a normaliser shifts features, which fills a sparse matrix: use data.dense() first")
    return data.X


def _inverse(spread: np.ndarray, size: np.ndarray) -> np.ndarray:
    """1/spread, 0 where the spread is no more than rounding."""
    tiny = spread <= 1e-12 * np.maximum(np.abs(size), 1e-300)
    return np.where(tiny, 0.0, 1 / np.where(tiny, 1.0, spread))


def _minmax(X: np.ndarray, ptr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.minimum.reduceat(X, ptr[:-1]), np.maximum.reduceat(X, ptr[:-1])
    low, high = low.astype(np.float64), high.astype(np.float64)
    return low, _inverse(high - low, np.zeros_like(low))


def _zscore(X: np.ndarray, ptr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.diff(ptr)[:, None]
    mean, square = np.empty((len(lengths), X.shape[1])), np.empty((len(lengths), X.shape[1]))
    step = 1024
    for first in range(0, len(lengths), step):
        queries = slice(first, first + step)
        edges = ptr[first : first + step + 1]
        rows = X[edges[0] : edges[-1]].astype(np.float64)
        starts, n = edges[:-1] - edges[0], lengths[queries]
        mean[queries] = np.add.reduceat(rows, starts) / n
        centred = rows - np.repeat(mean[queries], n[:, 0], axis=0)
        square[queries] = np.add.reduceat(centred * centred, starts) / n
    return mean, _inverse(np.sqrt(square), mean)


_MOMENTS: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]] = {
    "minmax": _minmax,
    "zscore": _zscore,
}
