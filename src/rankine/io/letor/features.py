"""Some features of sparse text, chosen by their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ...data.alignment import aligned
from ...data.ranking_data import RankingData
from ...errors import InputError
from ...system.limits import max_features

_RANGE = re.compile(r"\s*([0-9]{1,10})\s*(?:-\s*([0-9]{1,10})\s*)?", re.ASCII)


def feature_numbers(features: Any) -> list[int]:
    """The numbers of features that a text such as ``1-46`` or ``1-10,20`` names, or a list of numbers; ascending.

    >>> feature_numbers("1-3,7"), feature_numbers([2, 1])
    ([1, 2, 3, 7], [1, 2])
    """
    words = features.split(",") if isinstance(features, str) else [str(f) for f in _listed(features)]
    numbers: set[int] = set()
    for word in words:
        match = _RANGE.fullmatch(word)
        if match is None:
            raise InputError(f"features (--features) of text are numbers such as 1-46 or 1-10,20; got {word!r:.60}")
        low, high = int(match[1]), int(match[2] or match[1])
        if not low <= high <= max_features():
            raise InputError(f"features (--features): expected numbers up to {max_features()}, ascending; got {word!r}")
        numbers.update(range(low, high + 1))
    if not numbers:
        raise InputError("features (--features) must name at least one feature, got none")
    return sorted(numbers)


def _listed(features: Any) -> Iterable[Any]:
    return features if isinstance(features, Iterable) else [features]


def chosen_features(data: RankingData, numbers: list[int]) -> RankingData:
    """The columns with these numbers. All from the first on keep their numbering; others get their numbers as names."""
    assert data.numbering is not None
    first = data.numbering.first
    if numbers[0] < first:
        raise InputError(f"there is no feature {numbers[0]}: features are numbered from {first}")
    columns = [n - first for n in numbers]
    wide = aligned(data, max(columns[-1] + 1, data.n_features), None)
    out = wide.select(columns)
    if out.numbering is None:
        out.feature_names = tuple(map(str, numbers))
    return out
