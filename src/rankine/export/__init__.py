"""Write a fitted model in the format of a search engine or as ONNX."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..system.files import replacing
from .table import TABLE, row_of

__all__ = ["TABLE", "TARGETS", "export", "to_onnx", "to_opensearch", "to_solr", "tried_targets"]

if TYPE_CHECKING:
    from .onnx import to_onnx
    from .search_engines import to_opensearch, to_solr

TARGETS = tuple(TABLE)


def __getattr__(name: str) -> Any:
    for row in TABLE.values():
        if row.function == name:
            return row.load()
    raise AttributeError(f"module 'rankine.export' has no attribute {name!r}")


def export(
    model: Any, target: str, path: str | os.PathLike, *, name: str = "rankine",
    features: Mapping[str, str] | None = None, data: Any = None,
) -> None:  # fmt: skip
    """Write a model for another system.

    Args:
        model: a fitted ranker.
        target: a name in ``TARGETS``.
        path: of the file.
        name: what the model is called there.
        features: the model's feature → its name there, for every one. By default the model's own names.
        data: where the result can be run here (``runs`` in the table): data on which it is compared with ``predict``.
    """
    from .models import check_model

    row = row_of(target)
    if data is not None and not row.runs:
        runs = " and ".join(name for name, other in TABLE.items() if other.runs)
        raise InputError(f"only {runs} can be run here to be checked, {target} cannot")
    if features is not None and not row.named:
        raise InputError(f"{target} takes a matrix without names of features")
    options = ({"features": features} if row.named else {}) | ({"data": data} if row.runs else {})
    check_model(model, target)
    content = row.load()(model, name=name, **options)
    with replacing(path) as temporary:
        Path(temporary).write_bytes(content)


def tried_targets(model: Any) -> tuple[list[str], list[str]]:
    """The targets that the model was written for now, in memory, and those whose packages are not installed.

    Raise if a target refuses the model.

    >>> from rankine import LinearRanker
    >>> tried_targets(LinearRanker().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]))[0][:3]
    ['opensearch', 'elasticsearch', 'solr']
    """
    from .models import check_model

    written, missing = [], []
    for target, row in TABLE.items():
        check_model(model, target)
        if any(find_spec(package) is None for package in row.packages):
            missing.append(target)
        else:
            row.load()(model)
            written.append(target)
    return written, missing
