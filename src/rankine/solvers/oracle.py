"""What a solver may ask of a problem: minimise ½‖w − w0‖² + C·R(w) for a convex R given by an oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np


class Oracle(Protocol):
    """R(w) ≥ 0, convex, with a subgradient."""

    size: int

    def value_grad(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """R(w) and a subgradient of R at w."""


class LineOracle(Oracle, Protocol):
    """An oracle that can also walk along a line for less than a full evaluation."""

    def along(self, w: np.ndarray, d: np.ndarray) -> Callable[[float], tuple[float, float]]:
        """The function t ↦ (R(w + t·d), slope) for t in [0, 1]."""
