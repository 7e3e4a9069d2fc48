r"""What rounding can have done: bounds on the error of sums and products in floating point.

A sum of n products, in any order, is off by at most :math:`\gamma_n = n u / (1 - n u)` times the sum of the absolute
values (Higham 2002, §3.1), u half a unit in the last place; each product can also lose a number too small to be held.
Bounds are added up in floating point themselves; ``SAFE`` makes good for that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

UNIT = 2.0**-53  # of double precision
SAFE = 1.01


def unit_of(dtype: Any) -> float:
    """Half a unit in the last place, relative to 1.

    >>> unit_of(np.float32) == 2.0**-24
    True
    """
    return float(np.finfo(dtype).eps) / 2


def tiny_of(dtype: Any) -> float:
    """The smallest number above 0."""
    return float(np.finfo(dtype).smallest_subnormal)


def gamma(n: float, unit: float = UNIT) -> float:
    """The relative error of n roundings one after the other; infinite where nothing is left of the number.

    >>> gamma(3) > 3 * UNIT
    True
    """
    return n * unit / (1 - n * unit) if n * unit < 0.5 else math.inf


def norm_above(v: np.ndarray) -> float:
    """An upper bound on the Euclidean norm.

    >>> norm_above(np.array([3.0, 4.0])) >= 5.0
    True
    """
    square = float(v @ v) + len(v) * tiny_of(np.float64)
    return math.sqrt(square) * (1 + gamma(len(v) + 4))
