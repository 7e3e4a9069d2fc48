"""Models that leave the house: for search engines, and as ONNX."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, nearest
from ..files import replacing
from .onnx import to_onnx
from .search_engines import to_opensearch, to_solr

TARGETS = ("opensearch", "elasticsearch", "solr", "onnx")

__all__ = ["TARGETS", "export", "to_onnx", "to_opensearch", "to_solr"]


def export(
    model: Any, target: str, path: str | os.PathLike, *, name: str = "rankine",
    features: Mapping[str, str] | None = None, data: Any = None,
) -> None:  # fmt: skip
    """Write a model for another system.

    Args:
        model: a fitted ranker.
        target: ``"opensearch"``, ``"elasticsearch"``, ``"solr"`` or ``"onnx"``.
        path: of the file.
        name: what the model is called there.
        features: the model's feature → its name there, for every one. By default the model's own names.
        data: for ONNX: judged or other data on which the result is compared with ``predict``.
    """
    if target not in TARGETS:
        raise InputError(f"unknown target {target!r}.{nearest(target, TARGETS)} There are: {', '.join(TARGETS)}")
    if data is not None and target != "onnx":
        raise InputError(f"only onnx can be run here to be checked, {target} cannot")
    if target == "onnx":
        content = to_onnx(model, name=name, data=data)
    elif target == "solr":
        content = to_solr(model, name, features)
    else:
        content = to_opensearch(model, name, features)
    with replacing(path) as temporary:
        Path(temporary).write_bytes(content)
