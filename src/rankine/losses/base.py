"""The protocol of losses: what every loss states and offers, so that no other room needs to know which one it is.

A loss is a function of scores. ``loss.prepare(y, ptr)`` lays the supervision out once; the :class:`Prepared` loss is
then called with scores, often. A :class:`Loss` states as data what supervision it takes, which measure it is made for,
what exactly it bounds, and which published risk bound applies to it. What a loss cannot give (a convex bound that
touches it, constants for risk bounds) is an :class:`~rankine.InputError` that says so.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from ..arrays import check_finite
from ..errors import InputError
from ..rounding import UNIT
from ..system.parallel import query_ranges, shared_map, thread_count
from .constants import Constants
from .supervision import GRADES, RANKS, check_grades, close_ranks, per_row, ranks_to_grades

_DOCUMENTS_PER_TASK = 20_000


class Bounded(NamedTuple):
    """What the loss of a query bounds from above: in words, and as a function of (scores, y, ptr), ties averaged."""

    text: str
    values: Callable[[Any, Any, Any], np.ndarray]


class Theorem(NamedTuple):
    """Which of Riezler & De Bona's risk bounds applies to a loss.

    ``over`` is ``"pairs"`` (Theorem 3, Corollaries 1 and 2), ``"rankings"`` (Theorem 4) or ``"relevant"`` (Corollary
    3). Pairs may have position-``weighted`` margins, and their sum may be divided by their number (``norm``).
    """

    over: str
    weighted: bool = False
    norm: bool = False


class Loss:
    """A loss over scores. Subclasses prepare it for given supervision and state what it is.

    Attributes:
        name: what :func:`rankine.losses.get` calls it.
        supervision: what it can learn from: ``"grades"``, ``"ranks"``, ``"preferences"``.
        convex: whether it is convex in the scores.
        weighs_documents: whether documents can have weights other than 0 and 1.
        learns_weights: whether ``A="learn"`` can learn its position weights.
        has_constants: whether :meth:`Prepared.constants` is known, which risk bounds need.
        theorem: which published risk bound applies, if one does.
        advice: what to try instead where its certified optimum is w = 0; empty where that does not occur.
    """

    name: str
    threads: int | None = None
    supervision: tuple[str, ...] = (GRADES,)
    convex = True
    weighs_documents = False
    learns_weights = False
    has_constants = False
    theorem: Theorem | None = None
    advice = ""

    @property
    def measure(self) -> str:
        """The measure the loss is made for, nDCG@10 where it is made for none."""
        return "nDCG@10"

    @property
    def bounded(self) -> Bounded | None:
        """What exactly the loss of a query bounds from above; None where it bounds nothing."""
        return None

    def dominating(self) -> Loss:
        """The loss that bounds the measure on every query: itself, unless some queries count in part only."""
        return self

    def remark(self, y: Any, ptr: Any, ids: Any) -> str:
        """What is to be said of queries that the loss treats apart, by their ids; nothing for most losses."""
        return ""

    def options(self) -> dict[str, Any]:
        """The arguments that make this loss again."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def with_options(self, **changes: Any) -> Self:
        """The same loss with some options changed."""
        return type(self)(**(self.options() | changes))

    def as_grades(self, y: Any) -> Any:
        """The supervision as measures want it, larger is better."""
        return ranks_to_grades(y) if RANKS in self.supervision else y

    def after_dropping(self, y: Any, ptr: np.ndarray) -> Any:
        """The supervision after some documents have been left out."""
        return close_ranks(y, ptr) if RANKS in self.supervision else y

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> Prepared:
        """Lay the supervision out once for many evaluations."""
        raise NotImplementedError

    def value_and_grad(self, scores: Any, y: Any, ptr: Any) -> tuple[np.ndarray, np.ndarray]:
        """One value per query, and the (sub)gradient of their sum with respect to the scores."""
        return self.prepare(y, ptr)(scores)

    def check_grades(self, y: Any, ptr: Any) -> tuple[np.ndarray, np.ndarray]:
        """Grades and query bounds, checked."""
        return check_grades(self.name, y, ptr)


class Prepared:
    """A loss with its supervision laid out; call it with scores."""

    smooth = False  # has a gradient everywhere
    curved = False  # and a (generalised) Hessian
    exact = True  # its values are the loss itself, not lower bounds of it
    touches = False  # ``touching`` and ``convex_bound`` are known, for a loss that is not convex

    def __init__(self, loss: Loss, ptr: np.ndarray) -> None:
        self.loss, self.ptr, self.n = loss, ptr, int(ptr[-1])
        self.informative = np.ones(len(ptr) - 1, np.bool_)  # the queries whose ranking matters
        self.tasks = query_ranges(ptr, _DOCUMENTS_PER_TASK)
        self._scratch: dict[tuple[int, int], np.ndarray] = {}

    def __call__(self, scores: Any) -> tuple[np.ndarray, np.ndarray]:
        """One value per query and the gradient of their sum."""
        values, grad = np.empty(len(self.ptr) - 1), np.empty(self.n)
        s = self.checked(scores)
        shared_map(lambda task: self.evaluate(*task, s, values, grad), self.tasks, thread_count(self.loss.threads))
        return values, grad

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread; writes their entries of ``values`` and ``grad``."""
        raise NotImplementedError

    @property
    def theorem(self) -> Theorem | None:
        """Which published risk bound applies to the loss on these judgments, if one does."""
        return self.loss.theorem

    @property
    def lengths(self) -> np.ndarray:
        """The number of documents of each query."""
        return np.diff(self.ptr)

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """What rounding can have done to queries q0 to q1 − 1: certificates subtract it.

        Unless a loss knows better: values and gradients are taken for sums of a few terms a document, none larger than
        1, the loss, or a slope times a score, each right to a few units in the last place; and the slopes nearby for
        at most twice as steep.
        """
        unit = 16 * UNIT * (self.lengths[q0:q1] + 8)
        return Rounding(unit * (1 + seen.value + seen.steep * seen.largest), unit * seen.steep, 2 * seen.steep + unit)

    def upper(self, scores: Any) -> np.ndarray:
        """An upper bound on the loss of each query: its value, unless that is known from below only."""
        return self(scores)[0]

    def touching(self, scores: np.ndarray) -> Prepared:
        """A convex loss above this one that equals it at these scores."""
        if self.loss.convex:
            return self
        raise InputError(
            f"no convex bound that touches {self.loss!r} is known: use solver='subgradient' or 'conjugate'"
        )

    def convex_bound(self) -> Prepared:
        """A convex loss above this one: itself, if it is convex."""
        if self.loss.convex:
            return self
        raise InputError(f"no convex bound of {self.loss!r} is known")

    def constants(self) -> Constants:
        """How steep and how large the loss can be, for risk bounds."""
        raise InputError(f"no risk bound is known for the loss {self.loss.name}")

    def prepare_hessian(self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray) -> None:
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
        largest = per_row(np.maximum.reduceat(steep, self.ptr[:-1]), self.ptr)
        return per_row(self.stiffness(grad), self.ptr) * (steep + 0.01 * largest) + 1e-9

    def scratch(self, number: int = 0) -> np.ndarray:
        """An array with an entry per row that the calling thread may write into; it is kept for the next call."""
        key = threading.get_ident(), number
        if key not in self._scratch:
            self._scratch[key] = np.zeros(self.n)
        return self._scratch[key]

    def checked(self, scores: Any) -> np.ndarray:
        """Scores as a finite array of the right length."""
        s = np.ascontiguousarray(scores, np.float64)
        if s.shape != (self.n,):
            raise InputError(f"expected {self.n} scores, got an array of shape {s.shape}")
        check_finite(s, "scores")
        return s


# -- What rounding can have done to the evaluation of a loss: what it is told, and what it says
#
# Certificates are made of planes below the loss. Those that a computer finds are off by a little, and each loss says by
# how much at most (:meth:`~rankine.losses.base.Prepared.rounding`), from the sizes of the numbers that it adds up.


class Seen(NamedTuple):
    """What is seen of each query where it is evaluated, for :meth:`Prepared.rounding`.

    ``value`` is its loss, ``steep`` the sum of its |gradient|, ``largest`` its largest |score|; and no score is further
    than ``near`` from the one that was meant.
    """

    value: np.ndarray
    steep: np.ndarray
    largest: np.ndarray
    near: np.ndarray


class Rounding(NamedTuple):
    """What rounding can have done to the evaluation of each query, at the scores as they were given to it.

    ``value`` bounds the error of the loss. The gradient g makes a plane below the loss, up to ``value`` and ``grad``
    times the largest change of a score: loss(s') ≥ value + g·(s' − s) − ``value`` − ``grad``·max|s' − s|. ``steep``
    bounds the sum of |gradient| at all scores as near as those seen.
    """

    value: np.ndarray
    grad: np.ndarray
    steep: np.ndarray
