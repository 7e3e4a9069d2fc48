"""What rounding can have done to the evaluation of a loss: what it is told, and what it says.

Certificates are made of planes below the loss. Those that a computer finds are off by a little, and each loss says by
how much at most (:meth:`~rankine.losses.base.Prepared.rounding`), from the sizes of the numbers that it adds up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


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
