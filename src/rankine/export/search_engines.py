"""Linear models as JSON of the Learning-to-Rank plugin of OpenSearch and Elasticsearch, and of Solr LTR.

Their models see one document at a time: a linear scorer and normalisers over the whole collection fit in, one that
normalises within a query does not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from ..errors import InputError
from ..rankers.base import LinearModel


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
    found = _linear(model, features)
    inner: dict[str, Any] = {"type": "model/linear"}
    scaled = {
        f.name: {"standard": {"mean": f.mean, "standard_deviation": f.deviation}} for f in found if f.mean is not None
    }
    if scaled:
        inner["feature_normalizers"] = scaled
    inner["definition"] = json.dumps({f.name: f.weight for f in found}, ensure_ascii=False)
    return _bytes({"model": {"name": name, "model": inner}})


def to_solr(model: Any, name: str = "rankine", features: Mapping[str, str] | None = None) -> bytes:
    """The body of ``PUT …/schema/model-store``."""
    listed = []
    found = _linear(model, features)
    for f in found:
        entry: dict[str, Any] = {"name": f.name}
        if f.mean is not None:
            params = {"avg": repr(f.mean), "std": repr(f.deviation)}
            entry["norm"] = {"class": "org.apache.solr.ltr.norm.StandardNormalizer", "params": params}
        listed.append(entry)
    weights = {f.name: f.weight for f in found}
    return _bytes({"class": "org.apache.solr.ltr.model.LinearModel", "name": name, "features": listed,
                   "params": {"weights": weights}})  # fmt: skip


def _bytes(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def _linear(model: Any, features: Mapping[str, str] | None) -> list[_Feature]:
    """The features of a linear model under the names that the engine has for them."""
    if not isinstance(model, LinearModel):
        raise InputError(
            f"this target holds linear models only, got {type(model).__name__}; boosted and neural ones go to onnx"
        )
    check_is_fitted(model)
    scaler = model.normaliser_
    if scaler is not None and scaler.kind != "zscore":
        raise InputError(
            f"the model normalises features within a query ({scaler.kind}), which a search engine cannot: train it "
            "with normalise='zscore', or without"
        )
    names = [str(n) for n in getattr(model, "feature_names_in_", [])]
    if not names and features is None:
        names = [f"feature_{i + 1}" for i in range(model.n_features_in_)]
    elif not names:
        names = [str(i + 1) for i in range(model.n_features_in_)]
    if features is not None and not isinstance(features, Mapping):
        raise InputError(f"features must map names to names, got {features!r:.60}")
    if features is not None:
        given = {str(k): str(v) for k, v in features.items()}
        keys = {n: n if n in given else str(i + 1) for i, n in enumerate(names)}  # by name, or by number from 1
        features = {n: given[key] for n, key in keys.items() if key in given}
        missing = [n for n in names if n not in features]
        if missing:
            raise InputError(
                f"no name is given for {len(missing)} features, e.g. {missing[0]!r}: map all of {names[:4]}…"
            )
        names = [features[n] for n in names]
    if len(set(names)) < len(names):
        raise InputError("two features have the same name there")
    out = []
    for i, name in enumerate(names):
        weight = float(model.coef_[i])
        if scaler is None or scaler.shift_ is None or scaler.scale_ is None:
            out.append(_Feature(name, weight, None, 1.0))
        elif scaler.scale_[i] == 0:  # was constant: it says nothing
            out.append(_Feature(name, 0.0, None, 1.0))
        else:
            out.append(_Feature(name, weight, float(scaler.shift_[i]), float(1 / scaler.scale_[i])))
    return out
