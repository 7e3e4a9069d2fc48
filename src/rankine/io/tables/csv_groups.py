"""CSV without a column of query ids: the sizes of queries stand beside the file, as LightGBM has them, or are given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...data.alignment import concatenate
from ...data.ranking_data import RankingData
from ...errors import InputError
from ..paths import named, tell_joined
from ..side_files import GROUPS, beside, called, group_sizes


class CsvPart(NamedTuple):
    """The data of one file; ``grouped``: it has no query ids, each row is a query until the sizes are known."""

    data: RankingData
    grouped: bool


def file_of_groups(file: Any) -> str | None:
    """The file with the sizes of the queries beside a file."""
    return beside(file, GROUPS)


def united(files: list[Any], parts: list[CsvPart], groups: Any) -> RankingData:
    """The data of all files, with the queries of their files of sizes, or of ``groups``."""
    names = [named(file) for file in files]
    other = next((i for i, part in enumerate(parts) if part.grouped != parts[0].grouped), None)
    if other is not None:
        raise InputError(
            f"its rows have {'no ' * parts[other].grouped}query ids, unlike those of {names[0]}", names[other]
        )
    data = parts[0].data if len(parts) == 1 else concatenate(_with_like_ids([part.data for part in parts]), names)
    if not parts[0].grouped:
        tell_joined(data, [part.data.n_documents for part in parts])
        return data
    if groups is not None:
        sizes = _checked(group_sizes(groups), data.n_documents, called(groups), ", ".join(names))
    else:
        places = [str(file_of_groups(file)) for file in files]
        each = zip(places, parts, names, strict=True)
        sizes = np.concatenate([_checked(group_sizes(p), part.data.n_documents, p, name) for p, part, name in each])
    qid = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    return RankingData.from_valid(data.X, data.y, qid, data.doc_ids, data.feature_names)


def _with_like_ids(parts: list[RankingData]) -> list[RankingData]:
    """The data sets with query ids that are strings, if those of one are; numbers become their decimals."""
    whole = [data.qid.dtype.kind in "iu" for data in parts]
    if all(whole) or not any(whole):
        return parts
    return [
        data if not w else RankingData.from_valid(
            data.X, data.y, data.qid.astype(str).astype(object), data.doc_ids, data.feature_names, data.order
        )
        for data, w in zip(parts, whole, strict=True)
    ]  # fmt: skip


def _checked(sizes: np.ndarray, rows: int, place: str, name: str) -> np.ndarray:
    if sizes.sum() != rows:
        says = f"the sizes of {len(sizes)} queries add up to {sizes.sum()}"
        raise InputError(f"{says}, but {name} has {rows} rows", place)
    return sizes
