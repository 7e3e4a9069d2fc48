"""What losses made from a structural hinge share: its measure, what it bounds, its layout."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...errors import InputError
from ..base import Bounded, Loss, Prepared
from . import tight_kernels as kn
from .hinge import PAIRWISE, PreparedHinge, StructuredHinge


class WrappedHinge(Loss):
    """A loss made from a convex structural hinge, ``base``."""

    prepared: ClassVar[type[PreparedWrapped]]
    base: StructuredHinge
    has_constants = True

    def __init__(self, base: StructuredHinge, name: str) -> None:
        if not base.convex:
            raise InputError(
                f"{type(self).__name__} needs a convex hinge, whose target is 'mean' or 'random'; got {base!r}"
            )
        self.base, self.name, self.threads, self.advice = base, name, base.threads, base.advice

    @property
    def measure(self) -> str:
        """The measure whose complement the loss bounds."""
        return self.base.measure

    @property
    def bounded(self) -> Bounded | None:
        """What the hinge bounds."""
        return self.base.bounded

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> Any:
        """Lay the grades out once for many evaluations."""
        return self.prepared(self, self.base.prepare(y, ptr))


class PreparedWrapped(Prepared):
    """A loss made from a hinge, with the grades laid out."""

    def __init__(self, loss: Any, base: PreparedHinge) -> None:
        super().__init__(loss, base.ptr)
        self.base, self.informative = base, base.informative

    def stiffness(self, grad: np.ndarray) -> np.ndarray:
        """That of the hinge it is made from."""
        return self.base.stiffness(grad)

    def ranking_weights(
        self, scores: np.ndarray, perfect: bool, out: np.ndarray, q0: int = 0, q1: int | None = None
    ) -> np.ndarray:
        """A at the rank of each document in the best ranking at these scores, or in the best ``perfect`` one."""
        b, end = self.base, len(self.ptr) - 1 if q1 is None else q1
        kn.ranking_weights(perfect, b.mode, b.table, b.k, b.problem, scores, q0, end, out)
        return out

    def fixed_target(self) -> np.ndarray:
        """A of the target ranking; with a position weight that counts pairs, that of any perfect ranking."""
        if self.base.mode in PAIRWISE:
            return self.ranking_weights(np.zeros(self.n), True, np.empty(self.n))
        return self.base.problem.target.copy()
