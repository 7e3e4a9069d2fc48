"""What the adapters of both boosting libraries share: a loss over the library's rows, a measure of its predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import as_ids, as_numbers
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
        groups = group_rows(self.ids)
        self.weight = None if weight is None else checked_weights(weight, len(groups.ptr) - 1)
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
        if labels is None:
            raise InputError("the library's data set has no labels")
        y = np.asarray(labels, np.float64)
        if self._prepared is None or self._labels is None or not np.array_equal(y, self._labels):
            if y.shape != self.ids.shape:
                raise InputError(f"{len(self.ids)} query ids were given, the labels are {y.shape}")
            self._prepared = self.loss.prepare(y if self.order is None else y[self.order], self.ptr)
            self._labels = y.copy()
        return self._prepared


def checked_weights(weight: Any, n: int) -> np.ndarray:
    """One finite weight for each query, not all of them 0."""
    found = as_numbers(weight, "query_weight")
    if found.shape != (n,) or not (np.isfinite(found) & (found >= 0)).all() or not found.any():
        raise InputError(f"query_weight must hold {n} numbers ≥ 0, one per query and not all 0")
    return found


class Metric:
    """The mean of a measure over queries, of predictions in the order of the library's rows."""

    def __init__(self, measure: str | Measure, qid: Any) -> None:
        self.measure, self.ids = parse(str(measure)), as_ids(qid, "qid")

    def __call__(self, scores: Any, labels: Any) -> float:
        """Larger is better, unless the measure is an error."""
        if len(scores) != len(self.ids):
            raise InputError(f"{len(self.ids)} query ids were given, there are {len(scores)} predictions")
        return float(evaluate(self.measure, np.asarray(labels), np.asarray(scores), self.ids).mean[str(self.measure)])


class PerData:
    """Something made from query ids: those given once, or those that a library's data set has as groups."""

    def __init__(self, make: Callable[[Any], Any], groups: Callable[[Any], Any], qid: Any) -> None:
        self.make, self.groups = make, groups
        self.fixed = None if qid is None else make(qid)
        self.sizes: bytes | None = None
        self.made: Any = None

    def of(self, data: Any) -> Any:
        """What belongs to a data set; made anew if its groups are others than those of the last one."""
        if self.fixed is not None:
            return self.fixed
        sizes = np.asarray(self.groups(data), np.int64)
        if self.made is None or self.sizes != sizes.tobytes():
            self.made, self.sizes = self.make(np.repeat(np.arange(len(sizes)), sizes)), sizes.tobytes()
        return self.made
