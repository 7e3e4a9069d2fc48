"""Data that a model gets, compared with the data that it was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..alignment import aligned
from ..data import RankingData
from ..errors import InputError
from ..io.said import said


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
    data = aligned(data, n_features, first_index, valid)
    if data.n_features > width:
        what, than = ("validation data", "the training data") if valid else ("data", "the model")
        said(f"the {what} has {width} features, {than} {data.n_features}: the others count as 0")
    theirs = data.feature_names
    if names is not None and theirs is not None and list(map(str, names)) != list(map(str, theirs)):
        at = next(i for i, (a, b) in enumerate(zip(names, theirs, strict=True)) if str(a) != str(b))
        raise InputError(
            f"the model was trained on other features: number {at + 1} is {names[at]!r}, here {theirs[at]!r}"
        )
    return data
