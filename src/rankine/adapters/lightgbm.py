"""Losses and measures for LightGBM's own training loop.

>>> import lightgbm, numpy as np
>>> from rankine.adapters.lightgbm import objective
>>> rng = np.random.default_rng(0)
>>> X, y, qid = rng.normal(size=(60, 3)), rng.integers(0, 3, 60), np.repeat(range(6), 10)
>>> settings = {"objective": objective("svm-ndcg@10", qid), "verbose": -1, "min_data_in_leaf": 5}
>>> booster = lightgbm.train(settings, lightgbm.Dataset(X, y), num_boost_round=3)
>>> booster.num_trees()
3
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import InputError
from ..losses import Loss
from ..measures import Measure, parse
from .boosting import Gradients, metric_of, objective_of


def objective(loss: str | Loss, qid: Any = None, *, query_weight: Any = None, **options: Any) -> Gradients:
    """A loss as ``params["objective"]`` of ``lightgbm.train``; options are those of the loss.

    ``qid`` has an id for each row of the training set; without it the set's own groups are used.
    """
    return objective_of(_groups, loss, qid, query_weight, options)


def metric(measure: str | Measure, qid: Any = None) -> Callable[[Any, Any], tuple[str, float, bool]]:
    """A measure as ``feval`` of ``lightgbm.train``; ``qid`` as for :func:`objective`, of the validation set."""
    parsed = parse(str(measure))
    mean = metric_of(_groups, parsed, qid)
    return lambda predictions, data: (str(parsed), mean(predictions, data), not parsed.is_error)


def _groups(data: Any) -> Any:
    sizes = data.get_group()
    if sizes is None:
        raise InputError("which rows belong to a query? Give qid, or a LightGBM data set with groups")
    return sizes
