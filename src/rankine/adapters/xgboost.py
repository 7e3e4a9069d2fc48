"""Losses and measures for XGBoost's own training loop.

>>> import xgboost, numpy as np
>>> from rankine.adapters.xgboost import objective
>>> rng = np.random.default_rng(0)
>>> X, y, qid = rng.normal(size=(60, 3)), rng.integers(0, 3, 60), np.repeat(range(6), 10)
>>> data = xgboost.DMatrix(X, y)
>>> booster = xgboost.train({"base_score": 0.0}, data, 3, obj=objective("svm-ndcg@10", qid))
>>> booster.num_boosted_rounds()
3
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InputError
from ..losses import Loss
from ..measures import Measure, parse
from .boosting import Gradients, metric_of, objective_of


def objective(loss: str | Loss, qid: Any = None, *, query_weight: Any = None, **options: Any) -> Gradients:
    """A loss as ``obj`` of ``xgboost.train``; options are those of the loss.

    ``qid`` has an id for each row of the training set; without it the set's own groups are used.
    """
    gradients = objective_of(_groups, loss, qid, query_weight, options)

    def compute(predictions: np.ndarray, data: Any) -> tuple[np.ndarray, np.ndarray]:
        grad, curve = gradients(predictions, data)
        return grad.astype(np.float32), curve.astype(np.float32)

    return compute


def metric(measure: str | Measure, qid: Any = None) -> Callable[[Any, Any], tuple[str, float]]:
    """A measure as ``custom_metric`` of ``xgboost.train``; say ``maximize=True`` there, unless it is an error."""
    parsed = parse(str(measure))
    mean = metric_of(_groups, parsed, qid)
    return lambda predictions, data: (str(parsed), mean(predictions, data))


def _groups(data: Any) -> np.ndarray:
    ends = data.get_uint_info("group_ptr")
    if len(ends) < 2:
        raise InputError("which rows belong to a query? Give qid, or an XGBoost matrix with groups")
    return np.diff(ends)
