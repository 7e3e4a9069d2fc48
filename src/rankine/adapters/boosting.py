"""What the adapters of both boosting libraries share: a loss over the library's rows, a measure of its predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from ..arrays import as_ids
from ..data.ranking_data import group_rows
from ..errors import InputError
from ..losses import Loss, resolve
from ..losses.base import Prepared
from ..losses.supervision import check_query_weight, per_row
from ..measures import Measure, evaluate, parse

T = TypeVar("T")
Gradients = Callable[[Any, Any], tuple[np.ndarray, np.ndarray]]


class Objective:
    """Gradient and curvature of a loss at given predictions, in the order of the library's rows.

    ``weight`` is one number per query, in order of first appearance.
    """

    def __init__(self, loss: str | Loss, qid: Any, options: dict[str, Any] | None = None, weight: Any = None) -> None:
        self.loss = resolve(loss, options)
        self.ids = as_ids(qid, "qid")
        groups = group_rows(self.ids)
        self.weight = None if weight is None else check_query_weight(weight, len(groups.ptr) - 1, some=True)
        self.order, self.ptr = groups.order, groups.ptr
        self._prepared: Prepared | None = None
        self._labels: np.ndarray | None = None

    def __call__(self, scores: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
        """The gradient of the sum of the losses, and the estimate of its curvature (:meth:`Prepared.diagonal`)."""
        predictions = np.ascontiguousarray(scores, np.float64)
        if predictions.shape != self.ids.shape:
            raise InputError(f"{len(self.ids)} query ids were given, the booster has {len(predictions)} rows")
        s = predictions if self.order is None else predictions[self.order]
        prepared = self._prepare(labels)
        grad = prepared(s)[1]
        curve = prepared.diagonal(s, grad)
        if self.weight is not None:
            each = per_row(self.weight, self.ptr)
            grad, curve = grad * each, curve * each
        if self.order is None:
            return grad, curve
        out = np.empty((2, len(grad)))
        out[:, self.order] = grad, curve
        return out[0], out[1]

    def _prepare(self, labels: Any) -> Prepared:
        if labels is None:
            raise InputError("the library's data set has no labels")
        y = np.asarray(labels, np.float64)
        if self._prepared is None or self._labels is None or not np.array_equal(y, self._labels):
            if y.shape != self.ids.shape:
                raise InputError(f"{len(self.ids)} query ids were given, the labels are {y.shape}")
            self._prepared = self.loss.prepare(y if self.order is None else y[self.order], self.ptr)
            self._labels = y.copy()
        return self._prepared


class Metric:
    """The mean of a measure over queries, of predictions in the order of the library's rows."""

    def __init__(self, measure: str | Measure, qid: Any) -> None:
        self.measure, self.ids = parse(str(measure)), as_ids(qid, "qid")

    def __call__(self, scores: Any, labels: Any) -> float:
        """Larger is better, unless the measure is an error."""
        if len(scores) != len(self.ids):
            raise InputError(f"{len(self.ids)} query ids were given, there are {len(scores)} predictions")
        return float(evaluate(self.measure, np.asarray(labels), np.asarray(scores), self.ids).mean[str(self.measure)])


class PerData(Generic[T]):
    """An object made from query ids: from ids given once, or from the groups of each of the library's data sets."""

    def __init__(self, make: Callable[[Any], T], groups: Callable[[Any], Any], qid: Any) -> None:
        self.make, self.groups = make, groups
        self.fixed = None if qid is None else make(qid)
        self.last: tuple[bytes, T] | None = None  # the groups of the last data set, and their object

    def of(self, data: Any) -> T:
        """The object of a data set; a new one if its groups are others than those of the last one."""
        if self.fixed is not None:
            return self.fixed
        sizes = np.asarray(self.groups(data), np.int64)
        if self.last is None or self.last[0] != sizes.tobytes():
            self.last = sizes.tobytes(), self.make(np.repeat(np.arange(len(sizes)), sizes))
        return self.last[1]


def objective_of(
    groups: Callable[[Any], Any], loss: str | Loss, qid: Any, query_weight: Any, options: dict[str, Any]
) -> Gradients:
    """A loss as a function of a library's predictions and data set; ``groups`` reads the set's query sizes."""
    objectives = PerData(lambda ids: Objective(loss, ids, options, query_weight), groups, qid)
    return lambda predictions, data: objectives.of(data)(predictions, data.get_label())


def metric_of(groups: Callable[[Any], Any], measure: Measure, qid: Any) -> Callable[[Any, Any], float]:
    """A measure as a function of a library's predictions and data set."""
    metrics = PerData(lambda ids: Metric(measure, ids), groups, qid)
    return lambda predictions, data: metrics.of(data)(predictions, data.get_label())
