"""What the adapters of both boosting libraries share: a loss over the library's rows, a measure of its predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import as_ids
from ..data import group_rows
from ..errors import InputError
from ..losses import Loss, get
from ..losses.base import Prepared
from ..measures import Measure, evaluate, parse


class Objective:
    """Gradient and curvature of a loss at given predictions, in the order of the library's rows.

    ``weight`` is one number per query, in order of first appearance.
    """

    def __init__(self, loss: str | Loss, qid: Any, options: dict[str, Any] | None = None, weight: Any = None) -> None:
        self.loss = get(loss, **(options or {})) if isinstance(loss, str) else loss
        self.ids = as_ids(qid, "qid")
        self.weight = None if weight is None else np.asarray(weight, np.float64)
        groups = group_rows(self.ids)
        self.order, self.ptr = groups.order, groups.ptr
        self._prepared: Prepared | None = None
        self._labels: np.ndarray | None = None

    def __call__(self, scores: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
        """The gradient of the sum of the losses, and the estimate of its curvature (:meth:`Prepared.diagonal`)."""
        given = np.ascontiguousarray(scores, np.float64)
        if given.shape != self.ids.shape:
            raise InputError(f"{len(self.ids)} query ids were given, the booster has {len(given)} rows")
        s = given if self.order is None else given[self.order]
        prepared = self._prepare(labels)
        grad = prepared(s)[1]
        curve = prepared.diagonal(s, grad)
        if self.weight is not None:
            each = np.repeat(self.weight, np.diff(self.ptr))
            grad, curve = grad * each, curve * each
        if self.order is None:
            return grad, curve
        out = np.empty((2, len(grad)))
        out[:, self.order] = grad, curve
        return out[0], out[1]

    def _prepare(self, labels: Any) -> Prepared:
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


def ids_of(sizes: Any) -> np.ndarray:
    """Query ids from the sizes of groups that follow each other."""
    return np.repeat(np.arange(len(sizes)), np.asarray(sizes, np.int64))
