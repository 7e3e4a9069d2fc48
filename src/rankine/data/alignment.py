"""Data sets with the same features: several as one, and new data for a model.

Sparse text does not say how many features there are, nor whether the first is number 0 or 1 unless a feature 0 occurs.
Data that was read from it (its ``numbering`` is set) may be shifted and padded with zeros; other data may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import per_row, widened
from ..errors import InputError
from .preferences import Preferences
from .ranking_data import Numbering, RankingData


def aligned(data: RankingData, n_features: int, first: int | None, valid: bool = False) -> RankingData:
    """The data with ``n_features`` columns, the first being feature number ``first``; unchanged if nothing is missing.

    ``first`` is None for a model that was not trained on sparse text. ``valid``: it is validation data. Data that is
    stated to be numbered from 1 is aligned by position with features that are numbered from 0.

    >>> data = RankingData([[1.0]], [0], [7])
    >>> data.numbering = Numbering(first=1, assumed=True)
    >>> aligned(data, 3, first=1).X
    array([[1., 0., 0.]])
    """
    assumed = first == 0 and data.numbering is not None and data.numbering.assumed
    if data.numbering is not None and first is not None and data.numbering.first != first:
        if first == 1:
            theirs, mine = ("the training data", "the validation data") if valid else ("the model", "the data")
            raise InputError(
                f"the features of {theirs} are numbered from {first}, those of {mine} from {data.numbering.first}: "
                "read both with the same first_index (--first-index)"
            )
        data = _renumbered(data) if assumed else data
    missing = n_features - data.n_features
    if missing < 0 or (missing and data.numbering is None):
        message = f"the model has {n_features} features, the data has {data.n_features}"
        if valid:
            message = f"the validation data has {data.n_features} features, the training data {n_features}"
        if missing < 0 and assumed:
            message += _from_one(valid)
        elif missing < 0 and data.numbering is not None:
            numbers = f"{data.numbering.first}-{data.numbering.first + n_features - 1}"
            message += f"; features='{numbers}' (--features {numbers}) reads no others"
        raise InputError(message)
    return _padded(data, 0, missing) if missing else data


def _from_one(valid: bool) -> str:
    """What to do with data that has too many features if it is numbered from 0, but lacks a feature 0."""
    read = "first_index=1 (--first-index 1) reads it so"
    if valid:
        read = "load it with first_index=1, or convert it to .arrow first (rankine convert --first-index 1)"
    return f" if it is numbered from 0; but it has no feature 0, and looks as if numbered from 1: {read}"


def concatenate(parts: Sequence[RankingData], names: Sequence[str] | None = None) -> RankingData:
    """All rows of several data sets with the same features, one after another; equal query ids become one query.

    ``names`` are what messages call the data sets.

    >>> a = RankingData([[1.0]], [0], [1])
    >>> concatenate([a, RankingData([[2.0]], [1], [2])])
    RankingData(2 queries, 2 documents, 1 feature, dense float64)
    """
    if not parts:
        raise InputError("expected at least one data set, got none")
    called = [f"data set {i}" for i in range(len(parts))] if names is None else list(names)
    parts = _with_one_width(_with_one_numbering(list(parts), called))
    first = parts[0]
    for data, where in zip(parts, called, strict=True):
        if data.n_features != first.n_features:
            only = _only(data.feature_names, first.feature_names, called[0])
            raise InputError(f"{data.n_features} features, {called[0]} has {first.n_features}{only}", where)
        if data.feature_names != first.feature_names:
            raise InputError(_difference(data.feature_names, first.feature_names, called[0]), where)
        if (data.qid.dtype.kind in "iu") != (first.qid.dtype.kind in "iu"):
            raise InputError("some data sets have integer query ids, others strings", where)
        if isinstance(data.y, Preferences) != isinstance(first.y, Preferences):
            raise InputError("some data sets have grades, others preferences", where)
    if any(p.is_sparse for p in parts):
        import scipy.sparse as sp

        X: Any = sp.csr_array(sp.vstack([sp.csr_array(p.X) for p in parts], format="csr"))
    else:
        X = np.concatenate([p.X for p in parts])
    offsets = np.concatenate([[0], np.cumsum([p.n_documents for p in parts])])
    if isinstance(first.y, Preferences):
        y: Any = Preferences(
            np.concatenate([p.y.winner_row + o for p, o in zip(parts, offsets, strict=False)]),
            np.concatenate([p.y.loser_row + o for p, o in zip(parts, offsets, strict=False)]),
            np.concatenate([p.y.weight for p in parts]),
        )
    else:
        y = np.concatenate([p.y for p in parts])
    ids = [p.doc_ids for p in parts]
    documents: Any = None if any(d is None for d in ids) else np.concatenate(ids)  # type: ignore[arg-type]
    whole = RankingData.from_valid(X, y, np.concatenate([p.qid for p in parts]), documents, first.feature_names)
    numberings = [p.numbering for p in parts if p.numbering is not None]
    if len(numberings) == len(parts):
        whole.numbering = Numbering(numberings[0].first, all(n.assumed for n in numberings))
    return _with_weights_of(whole, parts, called)


def _renumbered(data: RankingData) -> RankingData:
    """Data that was taken for numbered from 1, numbered from 0: there is one more feature before all others."""
    wider = _padded(data, 1, 0)
    wider.numbering = Numbering(0)
    return wider


def _padded(data: RankingData, before: int, after: int) -> RankingData:
    if data.feature_names is not None:
        raise InputError("data with names of features cannot be padded")
    return data.with_features(widened(data.X, before, after))


def _with_one_numbering(parts: list[RankingData], called: list[str]) -> list[RankingData]:
    """Parts of sparse text numbered alike: from 0 if one of them is."""
    firsts = [p.numbering for p in parts]
    zero = next((i for i, n in enumerate(firsts) if n is not None and n.first == 0), None)
    stated = next((i for i, n in enumerate(firsts) if n == Numbering(1)), None)
    if zero is None:
        return parts
    if stated is not None:
        raise InputError(f"features are numbered from 1, in {called[zero]} from 0", called[stated])
    return [_renumbered(p) if p.numbering is not None and p.numbering.first else p for p in parts]


def _with_one_width(parts: list[RankingData]) -> list[RankingData]:
    """Parts of sparse text padded to the widest."""
    width = max(p.n_features for p in parts)
    return [
        p if p.numbering is None or p.feature_names is not None else _padded(p, 0, width - p.n_features) for p in parts
    ]


def _with_weights_of(whole: RankingData, parts: list[RankingData], called: list[str]) -> RankingData:
    """The weights of the parts, 1 where a part has none."""
    query = doc = None
    if any(p.doc_weight is not None for p in parts):
        rows = [np.ones(p.n_documents) if p.doc_weight is None else p.doc_weight for p in parts]
        doc = np.concatenate(rows)[whole.order]
    if any(p.query_weight is not None for p in parts):
        of_rows = [
            np.ones(p.n_documents) if p.query_weight is None else per_row(p.query_weight, p.ptr) for p in parts
        ]  # fmt: skip
        of_row = np.concatenate(of_rows)[whole.order]
        query = of_row[whole.ptr[:-1]]
        differs = np.flatnonzero(per_row(query, whole.ptr) != of_row)
        if len(differs):
            raise InputError(f"query {whole.qid[differs[0]]} has another weight than in {called[0]}", called[-1])
    if query is None and doc is None:
        return whole
    return whole.with_weights(query, doc)


def _difference(mine: tuple[str, ...] | None, theirs: tuple[str, ...] | None, other: str) -> str:
    """Where the names of features differ, in words."""
    if mine is None or theirs is None:
        return f"the features have {'no ' if mine is None else ''}names, unlike those of {other}"
    at = next(i for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b)
    return f"feature {at + 1} is called {mine[at]!r}, in {other} {theirs[at]!r}"


def _only(mine: tuple[str, ...] | None, theirs: tuple[str, ...] | None, other: str) -> str:
    """A feature that only one of two data sets has, in words."""
    if mine is None or theirs is None:
        return ""
    extra, lack = (next((n for n in a if n not in b), None) for a, b in ((mine, theirs), (theirs, mine)))
    return f"; {extra!r} is not in {other}" if extra is not None else f"; only {other} has {lack!r}"
