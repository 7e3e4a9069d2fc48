r"""Pairwise losses: RankSVM, position-sensitive margins, the preorder loss. All O(m log m) per query.

Each is a sum over the pairs (i, j) of a query in which i has the higher grade,

.. math:: \sum_{(i, j)} w_{ij} \, \varphi(s_i - s_j) ,

made of a pair function φ and pair weights w; one engine evaluates them (``pairwise_kernels``). The pair functions are
the hinge :math:`(1 - t)_+`, its square, and Chapelle's differentiable hinge of width h: 0 above 1 + h, 1 − t below
1 − h, and :math:`(1 + h - t)^2 / 4h` between. The last one is
:math:`[(1 + h - t)_+^2 - (1 - h - t)_+^2] / 4h`, two squared hinges, so the engine knows only powers of hinges.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, nearest
from ..rounding import SAFE, UNIT
from . import pairwise_kernels as kn
from .base import Bounded, Loss, Prepared, Rounding, Seen, Theorem
from .constants import Constants, constants_of_pairs
from .supervision import check_grades, per_row


class PairFunction(NamedTuple):
    """φ(t) = Σ_k coefs[k] · (margins[k] − t)_+^power."""

    power: int
    coefs: np.ndarray
    margins: np.ndarray


def pair_function(name: str, h: float = 0.5) -> PairFunction:
    """The pair function of this name: ``hinge``, ``squared-hinge`` or ``smooth-hinge`` (of width h).

    >>> pair_function("smooth-hinge", h=0.5).margins
    array([1.5, 0.5])
    """
    if not (isinstance(h, Real) and 1e-6 <= h < np.inf):
        raise InputError(f"the width h of the differentiable hinge must be positive, at least 1e-6; got {h!r}")
    if name == "smooth-hinge":
        return PairFunction(2, np.array([1, -1]) / (4 * h), np.array([1 + h, 1 - h]))
    if name in ("hinge", "squared-hinge"):
        return PairFunction(1 if name == "hinge" else 2, np.ones(1), np.ones(1))
    names = ("hinge", "squared-hinge", "smooth-hinge")
    raise InputError(f"unknown pair function phi={name!r}.{nearest(name, names)} There are: {', '.join(names)}")


class PairLoss(Loss):
    """A sum over pairs. Subclasses say in ``_layout`` which pairs, with which weights and offsets."""

    weighs_documents = True
    every = False  # all pairs, or those of different level

    def __init__(self, name: str, pair: PairFunction, threads: int | None) -> None:
        self.name, self.pair, self.threads = name, pair, threads

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> PreparedPairs:
        """Lay the supervision out once for many evaluations; ``doc_weight`` of both documents multiplies a pair."""
        layout = self._layout(y, ptr)
        if doc_weight is not None:
            layout = layout._replace(a=layout.a * doc_weight, b=layout.b * doc_weight)
        return PreparedPairs(self, layout)

    def _layout(self, y: Any, ptr: Any) -> Layout:
        raise NotImplementedError


class Layout(NamedTuple):
    """Supervision as the engine wants it: pair weights Σ_terms a_i·b_j, t = s − offset."""

    ptr: np.ndarray
    level: np.ndarray
    n_levels: np.ndarray
    members: np.ndarray
    below: np.ndarray
    offset: np.ndarray
    a: np.ndarray
    b: np.ndarray


def over_levels(
    level: np.ndarray, n_levels: np.ndarray, ptr: np.ndarray, a: np.ndarray, b: np.ndarray, offset: np.ndarray
) -> Layout:
    """The pairs of different level, with these weights."""
    members, below = np.empty(len(level), np.int64), np.empty(len(level), np.int64)
    kn.order_by_level(level, n_levels, ptr, members, below)
    return Layout(ptr, level, n_levels, members, below, offset, a, b)


def over_every_pair(ptr: np.ndarray, a: np.ndarray) -> Layout:
    """All pairs i ≠ j, with weights a_i."""
    n, queries = int(ptr[-1]), len(ptr) - 1
    level, one = np.zeros(n, np.int64), np.ones(queries, np.int64)
    below = per_row(np.diff(ptr), ptr)
    return Layout(ptr, level, one, np.arange(n), below, np.zeros(n), a[None], np.ones((1, n)))


class PreparedPairs(Prepared):
    """A pairwise loss with the supervision laid out."""

    def __init__(self, loss: PairLoss, layout: Layout) -> None:
        super().__init__(loss, layout.ptr)
        self.pair, self.layout, self.every = loss.pair, layout, loss.every
        self.smooth = self.curved = loss.pair.power == 2
        if not loss.every:
            self.informative = layout.n_levels > 1
        pairs = [_weight_of_pairs(layout, a, b) for a, b in zip(layout.a, layout.b, strict=True)]
        self._weight = SAFE * float(np.abs(loss.pair.coefs).sum()) * np.sum(pairs, axis=0)
        self._reach = np.maximum.reduceat(np.abs(layout.offset), layout.ptr[:-1])

    def constants(self) -> Constants:
        """Those of hinges over pairs of different level."""
        if self.loss.theorem is None:
            return super().constants()
        sizes = level_sizes(self.layout.level, self.layout.n_levels, self.ptr)
        return constants_of_pairs(sizes, self.loss.theorem.weighted, self.loss.theorem.norm)

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread."""
        p = self.pair
        kn.pair_losses(p.power, self.every, p.coefs, p.margins, scores, self.layout, q0, q1, values, grad)

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """Pairs weigh no more than all together, and no hinge is larger than its margin and four scores.

        Which pairs of a plain hinge count is decided by rounded numbers, but once for both documents: any set of pairs
        gives a plane below the loss.
        """
        weight, unit = self._weight[q0:q1], 8 * UNIT * (self.lengths[q0:q1] + 8)
        scores = seen.largest + self._reach[q0:q1]
        hinge = float(np.abs(self.pair.margins).max()) + 4 * scores
        if self.pair.power == 1:
            return Rounding(unit * weight * hinge, unit * weight, 2 * weight)
        slope = 4 * weight * (hinge + 2 * seen.near)
        return Rounding(2 * unit * weight * hinge * hinge, unit * slope, slope)

    def prepare_hessian(self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray) -> None:
        """The rows in score order."""
        kn.sort_queries(scores, self.layout, q0, q1, state)

    def curvature(
        self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray, v: np.ndarray, out: np.ndarray
    ) -> None:
        """The generalised Hessian times v."""
        p = self.pair
        kn.pair_curvature(self.every, p.coefs, p.margins, scores, self.layout, state, q0, q1, v, out)


def _weight_of_pairs(layout: Layout, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Σ |a_i·b_j| over the pairs of each query."""
    before = np.concatenate([[0.0], np.cumsum(np.abs(b[layout.members]))])
    first = per_row(layout.ptr[:-1], layout.ptr)
    lower = before[first + layout.below] - before[first]
    return np.add.reduceat(np.abs(a[layout.members]) * np.maximum(lower, 0.0), layout.ptr[:-1])


def levels_of(y: np.ndarray, ptr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each query's grades numbered from 0, the lowest, and how many there are.

    >>> levels_of(np.array([0.5, 3.0, 0.5, 1.0]), np.array([0, 3, 4]))
    (array([0, 1, 0, 0]), array([2, 1]))
    """
    level, n_levels = np.empty(len(y), np.int64), np.empty(len(ptr) - 1, np.int64)
    kn.dense_levels(y, ptr, level, n_levels)
    return level, n_levels


def pairs_of(level: np.ndarray, n_levels: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """How many pairs of different level each query has."""
    pairs = np.empty(len(ptr) - 1)
    kn.count_pairs(level, n_levels, ptr, pairs)
    return pairs


def level_sizes(level: np.ndarray, n_levels: np.ndarray, ptr: np.ndarray) -> list[list[int]]:
    """How many documents of each query have each of its levels, best first."""
    return [
        np.bincount(level[a:b], minlength=n)[::-1].tolist()
        for a, b, n in zip(ptr[:-1].tolist(), ptr[1:].tolist(), n_levels.tolist(), strict=True)
    ]


class RankSVM(PairLoss):
    r"""RankSVM (Herbrich et al. 2000; Joachims 2002): the hinge of every pair of different grade, or its square.

    Args:
        squared: square the hinge.
        norm: divide by the number of pairs of the query.
        threads: by default one per core.

    >>> RankSVM().value_and_grad([0.5, 0.0], y=[1, 0], ptr=[0, 2])
    (array([0.5]), array([-1.,  1.]))
    """

    def __init__(self, *, squared: bool = False, norm: bool = False, threads: int | None = None) -> None:
        name = "ranksvm" + ("-l2" if squared else "") + (":norm" if norm else "")
        super().__init__(name, pair_function("squared-hinge" if squared else "hinge"), threads)
        self.squared, self.norm = squared, norm
        self.theorem = None if squared else Theorem("pairs", norm=norm)
        self.has_constants = not squared

    @property
    def bounded(self) -> Bounded:
        """The pairs in the wrong order, or their share."""
        if not self.norm:
            return Bounded("the number of misordered pairs", pairwise_errors)
        return Bounded("the share of misordered pairs", share_of_pairwise_errors)

    def _layout(self, y: Any, ptr: Any) -> Layout:
        grades, ends = self.check_grades(y, ptr)
        level, n_levels = levels_of(grades, ends)
        weight = np.ones((1, len(grades)))
        if self.norm:
            weight = per_row(1 / np.maximum(pairs_of(level, n_levels, ends), 1), ends)[None]
        return over_levels(level, n_levels, ends, weight, np.ones_like(weight), np.zeros(len(grades)))


class PositionSensitive(PairLoss):
    r"""Margins that grow towards the top (Riezler & De Bona, Definition 1).

    With rank labels y (1 is the best grade of the query, r labels in all) a pair of different label has the margin
    :math:`|r/y_i - r/y_j|`. It is separable: with :math:`t_i = s_i - r/y_i` the loss is
    :math:`\sum_{y_i < y_j} (t_j - t_i)_+`.

    >>> PositionSensitive().value_and_grad([0.0, 0.0, 0.0], y=[2, 1, 0], ptr=[0, 3])[0]  # 1.5 + 2 + 0.5
    array([4.])
    """

    def __init__(self, *, norm: bool = False, threads: int | None = None) -> None:
        super().__init__("position-sensitive" + (":norm" if norm else ""), _AT_ZERO, threads)
        self.norm = norm
        self.theorem = Theorem("pairs", weighted=True, norm=norm)

    has_constants = True

    @property
    def bounded(self) -> Bounded:
        """The position-weighted error, or its share of the number of pairs."""
        over = ", over the number of pairs" if self.norm else ""
        return Bounded(f"the position-weighted error Σ |r/y_i − r/y_j|·[misordered]{over}", self._weighted_errors)

    def _weighted_errors(self, scores: Any, y: Any, ptr: Any) -> np.ndarray:
        """Σ |r/y_i − r/y_j| over misordered pairs, tied ones counted ½; O(m²) per query."""
        grades, ends = self.check_grades(y, ptr)
        level, n_levels = levels_of(grades, ends)
        s, out = np.asarray(scores, np.float64), np.zeros(len(ends) - 1)
        for q, r in enumerate(n_levels.tolist()):
            rows = slice(ends[q], ends[q + 1])
            label = r / (r - level[rows])
            wrong = np.heaviside(s[rows][None, :] - s[rows][:, None], 0.5)  # [i, j]: j stands above i
            out[q] = (np.maximum(label[:, None] - label[None, :], 0) * wrong).sum()
        return out / np.maximum(pairs_of(level, n_levels, ends), 1) if self.norm else out

    def _layout(self, y: Any, ptr: Any) -> Layout:
        grades, ends = self.check_grades(y, ptr)
        level, n_levels = levels_of(grades, ends)
        labels = per_row(n_levels, ends)
        weight = np.ones((1, len(grades)))
        if self.norm:
            weight = per_row(1 / np.maximum(pairs_of(level, n_levels, ends), 1), ends)[None]
        return over_levels(level, n_levels, ends, weight, np.ones_like(weight), labels / (labels - level))


_AT_ZERO = PairFunction(1, np.ones(1), np.zeros(1))


class Preorder(PairLoss):
    r"""The preorder loss :math:`\sum_{g_j < g_i} w_{ij}\varphi(s_i - s_j)` (Buffoni et al., eq. 5 and 14).

    Args:
        weights: ``"one"``; ``"norm"``, 1/#pairs; ``"norm+dcg"``, (2^g_i − 2^g_j)/#pairs.
        phi: ``"smooth-hinge"``, ``"squared-hinge"`` or ``"hinge"``.
        h: the width of the differentiable hinge.
        threads: by default one per core.

    It is not consistent, whatever the weights: see :mod:`rankine.losses.order_preserving`.

    >>> Preorder(weights="norm").value_and_grad([0.0, 0.0, 0.0], y=[1, 0, 0], ptr=[0, 3])[0]
    array([1.])
    """

    def __init__(
        self, *, weights: str = "one", phi: str = "smooth-hinge", h: float = 0.5, threads: int | None = None
    ) -> None:
        choices = ("one", "norm", "norm+dcg")
        if weights not in choices:
            hint = nearest(weights, choices)
            raise InputError(f"weights must be one of {', '.join(choices)}; got {weights!r}.{hint}")
        super().__init__("preorder" + ("" if weights == "one" else f":{weights}"), pair_function(phi, h), threads)
        self.weights, self.phi, self.h = weights, phi, h

    def _layout(self, y: Any, ptr: Any) -> Layout:
        grades, ends = self.check_grades(y, ptr)
        level, n_levels = levels_of(grades, ends)
        one = np.ones((1, len(grades)))
        each = 1 / np.maximum(pairs_of(level, n_levels, ends), 1)
        share = one if self.weights == "one" else per_row(each, ends)[None]
        a, b = share, one
        if self.weights == "norm+dcg":
            with np.errstate(over="ignore"):
                gain = 2.0**grades
            if not np.isfinite(gain.sum()):
                raise InputError(f"{self.name} of a grade {grades.max():g}: its gain 2^g is too large a number")
            a, b = np.concatenate([share * gain, -share]), np.stack([one[0], gain])
        return over_levels(level, n_levels, ends, a, b, np.zeros(len(grades)))


def pairwise_errors(scores: Any, y: Any, ptr: Any) -> np.ndarray:
    """Per query, the number of pairs of different grade in the wrong order, tied ones counted ½.

    The 0–1 loss of Riezler & De Bona (Definition 2), in O(m log m).

    >>> pairwise_errors([0.3, 0.3, 0.9], y=[2, 1, 0], ptr=[0, 3])
    array([2.5])
    """
    grades, ends = check_grades("pairwise_errors", y, ptr)
    values = np.empty(len(ends) - 1)
    kn.pair_errors(Prepared(RankSVM(), ends).checked(scores), *levels_of(grades, ends), ends, values)
    return values


def share_of_pairwise_errors(scores: Any, y: Any, ptr: Any) -> np.ndarray:
    """:func:`pairwise_errors` over the number of pairs of different grade; 0 where there are none."""
    grades, ends = check_grades("pairwise_errors", y, ptr)
    return pairwise_errors(scores, y, ends) / np.maximum(pairs_of(*levels_of(grades, ends), ends), 1)
