"""Linear models as JSON of the Learning-to-Rank plugin of OpenSearch and Elasticsearch, and of Solr LTR.

Their models see one document at a time: a linear scorer and normalisers over the whole collection fit in, one that
normalises within a query does not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import InputError
from .models import check_model


class _Feature(NamedTuple):
    name: str
    weight: float
    mean: float | None  # None: as it is
    deviation: float


def to_opensearch(model: Any, name: str = "rankine", features: Mapping[str, str] | None = None) -> bytes:
    """The body of ``POST _ltr/_featureset/…/_createmodel``, for OpenSearch and Elasticsearch alike.

    >>> from rankine import RankingData, LinearRanker
    >>> data = RankingData([[0.0], [1.0]], [0, 1], [1, 1], feature_names=["bm25"])
    >>> print(to_opensearch(LinearRanker().fit(data)).decode().splitlines()[2])
      "name": "rankine",
    """
    inputs = _features(model, "opensearch", features)
    inner: dict[str, Any] = {"type": "model/linear"}
    scaled = {
        f.name: {"standard": {"mean": f.mean, "standard_deviation": f.deviation}} for f in inputs if f.mean is not None
    }
    if scaled:
        inner["feature_normalizers"] = scaled
    inner["definition"] = json.dumps({f.name: f.weight for f in inputs}, ensure_ascii=False)
    return _bytes({"model": {"name": name, "model": inner}})


def to_solr(model: Any, name: str = "rankine", features: Mapping[str, str] | None = None) -> bytes:
    """The body of ``PUT …/schema/model-store``."""
    listed, inputs = [], _features(model, "solr", features)
    for f in inputs:
        entry: dict[str, Any] = {"name": f.name}
        if f.mean is not None:
            params = {"avg": repr(f.mean), "std": repr(f.deviation)}
            entry["norm"] = {"class": "org.apache.solr.ltr.norm.StandardNormalizer", "params": params}
        listed.append(entry)
    weights = {f.name: f.weight for f in inputs}
    return _bytes({"class": "org.apache.solr.ltr.model.LinearModel", "name": name, "features": listed,
                   "params": {"weights": weights}})  # fmt: skip


def _bytes(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def _features(model: Any, target: str, names: Mapping[str, str] | None) -> list[_Feature]:
    """The features of a linear model, under the names that the engine has for them."""
    model = check_model(model, target)
    scaler, out = model.normaliser_, []
    for i, name in enumerate(_names(model, names)):
        weight = float(model.coef_[i])
        if scaler is None or scaler.shift_ is None or scaler.scale_ is None:
            out.append(_Feature(name, weight, None, 1.0))
        elif scaler.scale_[i] == 0:  # it was constant, and its normalised value is 0
            out.append(_Feature(name, 0.0, None, 1.0))
        else:
            out.append(_Feature(name, weight, float(scaler.shift_[i]), float(1 / scaler.scale_[i])))
    return out


def _names(model: Any, mapping: Mapping[str, str] | None) -> list[str]:
    """The engine's name of each feature; the mapping is by name, or by number as in the training data."""
    first = 1 if model.first_index_ is None else model.first_index_
    names = [str(n) for n in getattr(model, "feature_names_in_", [])]
    if mapping is None:
        names = names or [f"feature_{i + first}" for i in range(model.n_features_in_)]
    elif not isinstance(mapping, Mapping):
        raise InputError(f"features must map names to names, got {mapping!r:.60}")
    else:
        names = names or [str(i + first) for i in range(model.n_features_in_)]
        texts = {str(k): str(v) for k, v in mapping.items()}
        mapped = [texts.get(n, texts.get(str(i + first))) for i, n in enumerate(names)]
        missing = [n for n, m in zip(names, mapped, strict=True) if m is None]
        if missing:
            raise InputError(
                f"no name is given for {len(missing)} features, e.g. {missing[0]!r}: map all of {names[:4]}…"
            )
        names = [str(m) for m in mapped]
    if len(set(names)) < len(names):
        raise InputError("two features have the same name there")
    return names
