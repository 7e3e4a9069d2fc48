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
from . import pairwise_kernels as kn
from .base import Loss, Prepared


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
    known = ("hinge", "squared-hinge", "smooth-hinge")
    raise InputError(f"unknown pair function phi={name!r}.{nearest(name, known)} There are: {', '.join(known)}")


class PairLoss(Loss):
    """A sum over pairs. Subclasses say in ``_layout`` which pairs, with which weights and offsets."""

    weighs_documents = True
    every = False  # all pairs, or those of different level

    def __init__(self, name: str, phi: PairFunction, threads: int | None) -> None:
        self.name, self.phi, self.threads = name, phi, threads

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
        self.phi, self.layout, self.every = loss.phi, layout, loss.every
        self.smooth = self.curved = loss.phi.power == 2

    def part(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread."""
        p = self.phi
        kn.pair_losses(p.power, self.every, p.coefs, p.margins, scores, self.layout, q0, q1, values, grad)

    def bend(self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray) -> None:
        """The rows in score order."""
        kn.sort_queries(scores, self.layout, q0, q1, state)

    def curvature(
        self, q0: int, q1: int, scores: np.ndarray, state: np.ndarray, v: np.ndarray, out: np.ndarray
    ) -> None:
        """The generalised Hessian times v."""
        p = self.phi
        kn.pair_curvature(self.every, p.coefs, p.margins, scores, self.layout, state, q0, q1, v, out)


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


def per_row(values: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """A value per query, repeated for its rows."""
    return np.repeat(values, np.diff(ptr))


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
        self.norm = norm

    def _layout(self, y: Any, ptr: Any) -> Layout:
        grades, ends = self._grades(y, ptr)
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

    def _layout(self, y: Any, ptr: Any) -> Layout:
        grades, ends = self._grades(y, ptr)
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
        known = ("one", "norm", "norm+dcg")
        if weights not in known:
            raise InputError(f"weights must be one of {', '.join(known)}; got {weights!r}.{nearest(weights, known)}")
        super().__init__("preorder" + ("" if weights == "one" else f":{weights}"), pair_function(phi, h), threads)
        self.weights = weights

    def _layout(self, y: Any, ptr: Any) -> Layout:
        grades, ends = self._grades(y, ptr)
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
    loss = RankSVM()
    grades, ends = loss._grades(y, ptr)
    values = np.empty(len(ends) - 1)
    kn.pair_errors(Prepared(loss, ends).checked(scores), *levels_of(grades, ends), ends, values)
    return values
