"""What a row of the measure table consists of, and what the functions of several rows share.

A function takes :class:`Ranked` lists and the measure's parameters; it returns one value per query, NaN for a query
without a relevant document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import per_row
from ..errors import InputError
from . import kernels as kn
from .kernels import Lists

_EVERYTHING = np.iinfo(np.int64).max // 2


@dataclass(frozen=True)
class Parameter:
    """The type of a parameter, its default, and its allowed values."""

    value_type: type
    default: Any = None
    required: bool = False
    low: float = -np.inf
    high: float = np.inf
    choices: tuple = ()

    def check(self, value: Any, where: str) -> None:
        """Raise unless ``value`` is allowed."""
        numeric = self.value_type in (int, float) and isinstance(value, (int, float)) and not isinstance(value, bool)
        right_type = isinstance(value, self.value_type) and not (self.value_type is int and isinstance(value, bool))
        if not (right_type or (self.value_type is float and numeric)):
            raise InputError(f"{where} must be {self.value_type.__name__}, got {value!r:.60}")
        if (
            self.value_type is tuple
            and value != self.default
            and not (value and {type(v) for v in value} <= {int, float})
        ):
            raise InputError(f"{where} must be a tuple of numbers, got {value!r:.60}")
        if self.choices and value not in self.choices:
            raise InputError(f"{where} must be one of {', '.join(map(repr, self.choices))}; got {value!r:.60}")
        for number in (value,) if numeric else value if self.value_type is tuple else ():
            if not self.low <= number <= self.high:
                bounds = f"at least {self.low:g}" if self.high >= 10**12 else f"between {self.low:g} and {self.high:g}"
                raise InputError(f"{where} must be {bounds}, got {number!s:.60}")


@dataclass(frozen=True)
class MeasureRow:
    """A row of the measure table.

    ``graded``: grades must not be negative; ``is_linear``: its gain is the grade itself; ``supervision``: what kind of
    judgments it needs; ``is_error``: smaller is better; ``range``: smallest and largest possible value; ``has_gain``:
    the parameter ``dcg`` gives the gain of a grade, 2^g − 1 unless it is named; ``needs_order``: it has no closed form
    for the mean over the orders of equal scores; ``summary``: how the values of several queries become one, ``mean``,
    ``geometric`` or ``sum``.
    """

    parameters: dict[str, Parameter]
    explanation: str
    function: Callable[..., Any]
    graded: bool = False
    is_linear: bool = False
    supervision: str = "grades"
    is_error: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    has_gain: bool = False
    needs_order: bool = False
    summary: str = "mean"


GAINS = Parameter(tuple, (), low=0, high=1e300)  # grade, gain, grade, gain, …
CUTOFF = Parameter(int, low=1, high=10**12)
CUTOFF_NEEDED = Parameter(int, low=1, high=10**12, required=True)
REL = Parameter(float, 1.0, low=-1e300, high=1e300)
DCG = Parameter(str, "exp-log2", choices=("exp-log2", "log2", "letor"))


class Ranked:
    """Ranked lists, and the numbers that several measures compute from them, computed once."""

    def __init__(self, lists: Lists, largest: float) -> None:
        self.lists, self.largest = lists, largest
        self.shown = np.diff(lists.ptr)
        self.longest = int(max(self.shown.max(initial=1), np.diff(lists.pool_ptr).max(initial=1)))
        self._relevant: dict[float, np.ndarray] = {}

    def relevant(self, rel: float) -> np.ndarray:
        """How many judged documents of each query have a grade of at least ``rel``."""
        if rel not in self._relevant:
            self._relevant[rel] = np.empty(len(self.shown), np.int64)
            kn.pool_count(self.lists, rel, self._relevant[rel])
        return self._relevant[rel]

    def out(self) -> np.ndarray:
        """An array for one value per query."""
        return np.empty(len(self.shown))


def regraded(ranked: Ranked, gains: tuple[float, ...]) -> Ranked:
    """Lists whose grades are replaced by gains, (grade, gain, grade, gain, …); other grades stay."""
    if not gains:
        return ranked
    if len(gains) % 2:
        raise InputError(f"gains must be pairs of a grade and its gain, got {len(gains)} numbers")
    lists = ranked.lists
    grades, pool = lists.grades.copy(), lists.pool.copy()
    for grade, gain in zip(gains[::2], gains[1::2], strict=True):
        grades[lists.grades == grade] = gain
        pool[lists.pool == grade] = gain
    query = per_row(np.arange(len(ranked.shown)), lists.pool_ptr)
    pool = pool[np.lexsort((-pool, query))]
    return Ranked(lists._replace(grades=grades, pool=pool), float(pool.max(initial=0)))


def depth(cutoff: int | None) -> int:
    """The number of ranks that count."""
    return _EVERYTHING if cutoff is None else cutoff


@lru_cache(maxsize=64)
def discounts(n: int, dcg: str) -> np.ndarray:
    """D(r) = 1/log2(1 + r); the LETOR tool's is 1 at ranks 1 and 2, then 1/log2(r)."""
    ranks = np.arange(1, n + 1)
    return 1 / np.log2(np.maximum(ranks, 2)) if dcg == "letor" else 1 / np.log2(1 + ranks)


def hits(ranked: Ranked, cutoff: Any, rel: float, weights: np.ndarray | None = None) -> np.ndarray:
    """Weight of the relevant documents down to a cutoff, one for all queries or one for each."""
    out = ranked.out()
    cutoffs = np.full(len(out), cutoff, np.int64) if np.isscalar(cutoff) else cutoff
    kn.weighted_hits(ranked.lists, cutoffs, rel, _ones(ranked.longest) if weights is None else weights, out)
    return out


@lru_cache(maxsize=64)
def _ones(n: int) -> np.ndarray:
    return np.ones(n)


def unless_empty(values: np.ndarray, n_rel: np.ndarray) -> np.ndarray:
    """The values, NaN for queries without a relevant document."""
    return np.where(n_rel > 0, values, np.nan)


def share(amount: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Amounts of a whole, NaN where there is none."""
    return np.where(whole > 0, amount / np.maximum(whole, 1e-300), np.nan)
