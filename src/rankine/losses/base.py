"""What every loss shares: a loss is a function of scores, laid out once for given supervision and then called often."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import check_finite
from ..data import Preferences
from ..errors import InputError
from ..parallel import query_ranges, shared_map, thread_count

_DOCUMENTS_PER_TASK = 20_000


class Loss:
    """A loss over scores. Subclasses prepare it for given supervision and say what it is.

    ``measure`` is what ``score`` reports of a model learned with it; ``bounds`` whether the loss of a query is an
    upper bound on one minus that measure.
    """

    name: str
    threads: int | None = None
    convex = True
    bounds = False
    weighs_documents = False

    @property
    def measure(self) -> str:
        """The measure the loss is made for, nDCG@10 where it is made for none."""
        return "nDCG@10"

    def as_grades(self, y: Any) -> Any:
        """The supervision as the measure wants it, larger is better."""
        return y

    def after_dropping(self, y: Any, ptr: np.ndarray) -> Any:
        """The supervision after some documents have been left out."""
        return y

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> Prepared:
        """Lay the supervision out once for many evaluations."""
        raise NotImplementedError

    def value_and_grad(self, scores: Any, y: Any, ptr: Any) -> tuple[np.ndarray, np.ndarray]:
        """One value per query, and the (sub)gradient of their sum with respect to the scores."""
        return self.prepare(y, ptr)(scores)

    def _grades(self, y: Any, ptr: Any) -> tuple[np.ndarray, np.ndarray]:
        """Grades and query bounds, checked."""
        return checked_grades(self.name, y, ptr)


class Prepared:
    """A loss with its supervision laid out; call it with scores."""

    smooth = False  # has a gradient everywhere
    curved = False  # and a (generalised) Hessian

    def __init__(self, loss: Loss, ptr: np.ndarray) -> None:
        self.loss, self.ptr, self.n = loss, ptr, int(ptr[-1])
        self.informative = np.ones(len(ptr) - 1, np.bool_)  # the queries whose ranking matters
        self.tasks = query_ranges(ptr, _DOCUMENTS_PER_TASK)

    def __call__(self, scores: Any) -> tuple[np.ndarray, np.ndarray]:
        """One value per query and the gradient of their sum."""
        values, grad = np.empty(len(self.ptr) - 1), np.empty(self.n)
        s = self.checked(scores)
        shared_map(lambda task: self.part(*task, s, values, grad), self.tasks, thread_count(self.loss.threads))
        return values, grad

    def part(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread; writes their parts of ``values`` and ``grad``."""
        raise NotImplementedError

    def bend(self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray) -> None:
        """Write into ``state`` (one whole number per row) what products with the Hessian at ``scores`` need."""

    def curvature(
        self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray, v: np.ndarray, out: np.ndarray
    ) -> None:
        """The Hessian at ``scores`` times v, for the rows of queries q0 to q1 − 1, into ``out``."""
        raise NotImplementedError

    def stiffness(self, grad: np.ndarray) -> np.ndarray:
        """One over the margin in scores, for each query: how soon its slopes vanish when all scores move at once."""
        return np.ones(len(self.ptr) - 1)

    def diagonal(self, scores: np.ndarray, grad: np.ndarray) -> np.ndarray:
        r"""A positive estimate of the second derivative by each score, for boosting and other Newton-like steps.

        Hinges are piecewise linear: their second derivative is 0 and a Newton step infinite. But when the scores of a
        query move against their slopes :math:`g_i`, the slopes vanish after about a margin 1/c. So the secant is
        :math:`h_i = c\,|g_i|`, and a step :math:`-\sum g / \sum h` over any set of a query's documents moves them by at
        most that margin. A hundredth of the query's largest slope is added, so that documents without a slope hold back
        a little.
        """
        steep = np.abs(grad)
        lengths = np.diff(self.ptr)
        largest = np.repeat(np.maximum.reduceat(steep, self.ptr[:-1]), lengths)
        stiff = np.repeat(self.stiffness(grad), lengths)
        return stiff * (steep + 0.01 * largest) + 1e-9

    def checked(self, scores: Any) -> np.ndarray:
        """Scores as a finite array of the right length."""
        s = np.ascontiguousarray(scores, np.float64)
        if s.shape != (self.n,):
            raise InputError(f"expected {self.n} scores, got an array of shape {s.shape}")
        check_finite(s, "scores")
        return s


def checked_ptr(ptr: Any) -> np.ndarray:
    """Query bounds that rise from 0."""
    ends = np.ascontiguousarray(ptr, np.int64)
    if ends.ndim != 1 or len(ends) < 2 or ends[0] != 0 or (np.diff(ends) < 1).any():
        raise InputError("ptr must rise from 0 to the number of rows, each query with at least one")
    return ends


def checked_grades(name: str, y: Any, ptr: Any) -> tuple[np.ndarray, np.ndarray]:
    """Finite grades, one per row, and query bounds, for what is called ``name``."""
    if isinstance(y, Preferences):
        raise InputError(f"{name} needs grades; a preference graph is for consistent-wpd and duchi")
    ends = checked_ptr(ptr)
    grades = np.ascontiguousarray(y, np.float64)
    if grades.ndim != 1 or len(grades) != ends[-1]:
        raise InputError(f"expected one grade for each of the {ends[-1]} rows, got {grades.shape}")
    check_finite(grades, "y")
    return grades, ends
