"""Files that LightGBM and XGBoost keep beside a file of text: the sizes of queries, and weights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..data.ranking_data import RankingData
from ..errors import InputError, shorten
from ..system.sources import text_lines
from .notes import said
from .paths import COMPRESSION, expand, named

GROUPS, WEIGHTS = (".query", ".group"), (".weight",)
_NONE = "none"


def beside(source: Any, endings: Sequence[str]) -> str | None:
    """The file beside a file of data that has one of these endings, of a packed file also without that ending."""
    if not isinstance(source, (str, os.PathLike)) or str(source) == "-":
        return None
    path = Path(source)
    stems = [str(path), *([str(path.with_suffix(""))] if path.suffix.lower() in COMPRESSION else [])]
    places = [stem + ending + packed for stem in stems for ending in endings for packed in ("", *COMPRESSION)]
    return next((place for place in places if os.path.isfile(place)), None)


def group_sizes(source: Any) -> np.ndarray:
    """The sizes of queries: a file (or several) with a whole number in each line, or the numbers themselves.

    >>> group_sizes([3, 2])
    array([3, 2])
    """
    if isinstance(source, np.ndarray) or (isinstance(source, (list, tuple)) and not _are_files(source)):
        values = [("groups", float(value)) for value in source]
    else:
        values = _numbers_of(source, "the size of a query")
    for where, value in values:
        if not (value.is_integer() and 1 <= value < 2**53):
            raise InputError(f"expected the size of a query, a whole number from 1 on, got {value:g}", where)
    if not values:
        raise InputError("there are no sizes of queries", called(source))
    return np.array([int(value) for _, value in values], np.int64)


def with_weights(data: RankingData, source: Any, where: str) -> RankingData:
    """The data with the weights of a file: one for each row, in the order of the file of data, or for each query."""
    numbers = [value for _, value in _numbers_of(source, "a weight")]
    weights = np.array(numbers, np.float64)
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise InputError("weights must be finite numbers ≥ 0, and not all 0", called(source))
    if len(weights) == data.n_documents:
        return data.with_weights(data.query_weight, weights[data.order])
    if len(weights) == data.n_queries:
        return data.with_weights(weights, data.doc_weight)
    raise InputError(
        f"{len(weights)} weights, but {where} has {data.n_documents} rows in {data.n_queries} queries", called(source)
    )


def weighted(data: RankingData, files: list[Any], weights: Any, name: str) -> RankingData:
    """The data with the weights that were given, or that stand beside the files."""
    if is_none(weights):
        return data
    source = weights_beside(files) if weights is None else weights
    if weights is None and not source:
        return data
    data = with_weights(data, source, name)
    if weights is None:
        what = "documents" if data.doc_weight is not None else "queries"
        said(f"{name}: weights of {what} from {', '.join(source)}")
    return data


def weights_beside(files: Sequence[Any]) -> list[str]:
    """The files of weights beside files of data; either all have one, or none has."""
    places = [beside(file, WEIGHTS) for file in files]
    there = [place for place in places if place is not None]
    if there and len(there) < len(files):
        without = named(files[places.index(None)])
        raise InputError(f"has no file of weights beside it, but there is {there[0]}", without)
    return there


def is_none(source: Any) -> bool:
    """Whether no file is wanted, not even one that stands there.

    >>> is_none("none"), is_none("train.weight")
    (True, False)
    """
    return isinstance(source, str) and source.lower() == _NONE


def called(source: Any) -> str:
    """The files of a source, in messages.

    >>> called(["a", "b"]), called([3, 2])
    ('a, b', 'groups')
    """
    if isinstance(source, np.ndarray) or (isinstance(source, (list, tuple)) and not _are_files(source)):
        return "groups"
    return ", ".join(named(file) for file in expand(source))


def _are_files(source: Sequence[Any]) -> bool:
    return any(isinstance(s, (str, os.PathLike)) or hasattr(s, "read") for s in source)


def _numbers_of(source: Any, what: str) -> list[tuple[str, float]]:
    """The numbers of text files, one in each line, each with its place."""
    out = []
    for file in expand(source):
        for number, line in text_lines(file):
            if not line.strip():
                continue
            where = f"{named(file)}, line {number}"
            try:
                out.append((where, float(line)))
            except ValueError:
                raise InputError(f"expected {what}, one in each line, got {shorten(line.strip())}", where) from None
    return out
