"""What a solver may ask of a problem: minimise ½‖w − w0‖² + C·R(w) for an R given by an oracle.

An oracle says in ``offers`` what it can be asked for beside ``value_grad``; the table of solvers says what each needs.
A solver never changes a point in place: an oracle may remember what it knows of one by the array itself. Where R is
known between two bounds only (``exact`` is False), ``value_grad`` is the lower one, and ``upper(w)`` gives the other.

What rounding can have done to the last evaluation, which was made at w, an oracle may say in ``slip(w)``
(:class:`~rankine.solvers.certificate.Slip`); without it value and gradient are taken to be right to about twenty units
in the last place. ``refined(w)``, if there is one, gives R at w more precisely than the evaluation, with its error;
``sharpen()`` makes all that follows more precise, and slower, and says whether it could.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np


class Oracle(Protocol):
    """R(w) ≥ 0, convex, with a subgradient."""

    size: int

    def value_grad(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """R(w) and a subgradient of R at w."""


class Line(Protocol):
    """R on the line w + t·d."""

    def __call__(self, t: float) -> tuple[float, float]:
        """R and its slope at t in [0, 1]."""

    def stop(self) -> tuple[np.ndarray, float, np.ndarray]:
        """The point of the last call, R and a subgradient there."""


class LineOracle(Oracle, Protocol):
    """An oracle that can also walk along a line for less than a full evaluation at each step."""

    def along(self, w: np.ndarray, d: np.ndarray) -> Line:
        """The line from w to w + d."""


class CurvedOracle(LineOracle, Protocol):
    """A differentiable R that also knows its (generalised) Hessian."""

    def hvp(self, w: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The Hessian at w times v."""


class MinibatchOracle(Oracle, Protocol):
    """R is a sum over queries that can be evaluated a few at a time."""

    n_queries: int

    def minibatch(self, w: np.ndarray, q0: int, q1: int) -> tuple[float, np.ndarray]:
        """The sum over queries q0 to q1 − 1 and a subgradient."""


class ConcaveOracle(Oracle, Protocol):
    """R is a difference of convex functions."""

    def touching(self, w: np.ndarray) -> Oracle:
        """A convex function above R that equals it at w."""


class Standing(NamedTuple):
    """A point w = w0 + v, v a combination of documents' features, and what is known of it in spite of rounding.

    The regulariser and the losses are off by no more than their errors; ‖v‖ is at most ``far``, whatever rounding did
    to v; and ⟨v, w0⟩ is at most ``offset``.
    """

    square: float  # ½‖v‖²
    square_error: float
    losses: float
    losses_error: float
    far: float
    offset: float
    origin: float  # at least ‖w0‖


class DualOracle(Protocol):
    """A sum of query losses whose point is a combination of documents' features; it keeps the current one.

    A plane of query q is b − ⟨c, scores of q⟩, with a coefficient for each of its documents.
    """

    n_queries: int
    weights: np.ndarray

    def plane(self, q: int) -> tuple[float, np.ndarray]:
        """The plane that touches the loss of q at the current point."""

    def slips(self) -> tuple[np.ndarray, np.ndarray]:
        """What rounding can have done to the last plane of each query: to b, and for each unit of ‖w‖."""

    def scores(self, q: int) -> np.ndarray:
        """Scores of the documents of q at the current point."""

    def inner(self, q: int, planes: list[np.ndarray], c: np.ndarray) -> np.ndarray:
        """Inner products in feature space of planes of q with c."""

    def gram_of(self, planes: list[tuple[int, np.ndarray]]) -> np.ndarray:
        """Inner products of all these planes, given with their queries."""

    def move(self, q: int, c: np.ndarray) -> None:
        """Add the combination of q's documents with these coefficients to the point."""

    def settle(self, coefs: list[np.ndarray | None], errors: list[np.ndarray | None]) -> Standing:
        """Go to the point with these coefficients, which can be off by ``errors``, for each query; what is known of it.

        None stands for a query without coefficients.
        """

    def snapshot(self) -> np.ndarray:
        """The current point, to be kept."""
