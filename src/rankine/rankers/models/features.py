"""Data that a model gets, compared with the data that it was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...data.alignment import aligned
from ...data.ranking_data import RankingData
from ...errors import InputError
from ...io.notes import said


def conformed(
    data: RankingData, n_features: int, first_index: int | None, names: Sequence[Any] | None, valid: bool
) -> RankingData:
    """The data with the features of a model; raise if it has others, as far as can be told.

    ``first_index`` is the number of the first feature in the sparse text that the model was trained on, ``names`` are
    those of its features. ``valid``: it is validation data.

    >>> data = RankingData([[1.0]], [0], [7], feature_names=["bm25"])
    >>> conformed(data, 1, None, ["age"], valid=False)
    Traceback (most recent call last):
    rankine.errors.InputError: the model was trained on other features: number 1 is 'age', here 'bm25'
    """
    width = data.n_features
    if data.numbering is not None and data.feature_names is None and names is not None:
        first_index = _first_of(list(map(str, names)), data.numbering.first) if first_index is None else first_index
        _check_numbers(list(map(str, names)), data.numbering.first)
    elif names is not None and data.feature_names is not None:
        _check_names(list(map(str, names)), list(map(str, data.feature_names)))
    data = aligned(data, n_features, first_index, valid)
    if data.n_features > width:
        what, than = ("validation data", "the training data") if valid else ("data", "the model")
        said(f"the {what} has {width} features, {than} {data.n_features}: the others count as 0")
    return data


def _check_names(names: list[str], theirs: list[str]) -> None:
    """Raise if the data has other features than the model, or others too, or the same in another order."""
    if names == theirs:
        return
    if set(names) <= set(theirs):
        more = [name for name in theirs if name not in set(names)]
        what = f"has others too, such as {more[0]!r}" if more else "has them in another order"
        some = ",".join(names) if len(",".join(names)) < 60 else f"{names[0]},…,{names[-1]}"
        raise InputError(f"the data {what}: --features {some} (features=) reads those of the model")
    missing = [name for name in names if name not in set(theirs)]
    at = next((i for i, (a, b) in enumerate(zip(names, theirs, strict=False)) if a != b), None)
    if at is None or len(names) != len(theirs):
        raise InputError(f"the model was trained on other features: the data has no {missing[0]!r}")
    raise InputError(f"the model was trained on other features: number {at + 1} is {names[at]!r}, here {theirs[at]!r}")


def _first_of(names: list[str], default: int) -> int:
    """The number of the first feature where names are f0, f1, … or f1, f2, …, as CSV has them."""
    return next((first for first in (0, 1) if names == [f"f{first + i}" for i in range(len(names))]), default)


def _check_numbers(names: list[str], first: int) -> None:
    """Raise if a model was trained on features of text that were selected by numbers, and the data holds others."""
    if all(name.isdecimal() for name in names) and names != [str(first + i) for i in range(len(names))]:
        numbers = ",".join(names) if len(names) <= 20 else ",".join([*names[:20], "…"])
        raise InputError(f"the model was trained on features {numbers}: read the same ones (--features {numbers})")
