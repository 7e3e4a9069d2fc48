"""Where grams are said: words, and units in a row; the probability that a gram is said at a place at least once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .grams import decoded, gram_postings, larger_counts
from .reader import Index
from .runs import crossing_counts

SATURATION = 3.0  # p = 1 − exp(−3 · expected count)


class Occurrences(NamedTuple):
    """Where a gram is said: places by rising number, and probabilities."""

    places: np.ndarray
    p: np.ndarray

    @property
    def df(self) -> float:
        """The expected number of places."""
        return float(self.p.sum())


@lru_cache(maxsize=1)
def _saturated() -> np.ndarray:
    """The probability of every stored count."""
    return -np.expm1(-SATURATION * decoded())


def occurrences(index: Index, kind: str, units: Sequence[str], across: bool = False) -> Occurrences:
    """Where units of a kind are said in a row; ``across``: also from a segment into the next, where they begin."""
    places, p = [np.zeros(0, np.int64)], [np.zeros(0)]
    stored = len(units) in index.settings.grams.get(kind, ())
    for part, before in zip(index.parts, index.places_before.tolist(), strict=False):
        if stored:
            utterance, coded = gram_postings(part, kind, units)
            values = _saturated()[coded]
        else:
            utterance, counts = larger_counts(part, kind, units)
            if across:
                rows, more = crossing_counts(part, kind, units)
                utterance, where = np.unique(np.concatenate([utterance, rows]), return_inverse=True)
                counts = np.bincount(where, np.concatenate([counts, more]), len(utterance))
            values = -np.expm1(-SATURATION * counts)
        if part.hidden:
            counts_here = part.rows_count[utterance]
            utterance, values = utterance[counts_here], values[counts_here]
        places.append(utterance.astype(np.int64) + before)
        p.append(values)
    return Occurrences(np.concatenate(places), np.concatenate(p))


def grams_of(units: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """The n-grams of units, shorter ones where there are fewer units; a single phone is no evidence.

    >>> grams_of("abc", 2), grams_of("ab", 3), grams_of("a", 2), grams_of("a", 3)
    ([('a', 'b'), ('b', 'c')], [('a', 'b')], [('a',)], [])
    """
    n = min(order, len(units))
    if n == 0 or (n == 1 and order > 2):
        return []
    return [tuple(units[i : i + n]) for i in range(len(units) - n + 1)]


def joining_grams(left: Sequence[str], right: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """The n-grams that begin in the units of one word and end in those of the next.

    >>> joining_grams("abc", "de", 3)
    [('b', 'c', 'd'), ('c', 'd', 'e')]
    """
    return grams_of([*left[-(order - 1) :], *right[: order - 1]], order) if left and right else []


def df_of_any(alternatives: Sequence[Occurrences]) -> float:
    """The expected number of places where any of the alternatives is said."""
    if len(alternatives) == 1:
        return alternatives[0].df
    places = np.concatenate([o.places for o in alternatives])
    missing = np.ones(len(places))
    _, where = np.unique(places, return_inverse=True)
    np.multiply.at(missing, where, 1.0 - np.concatenate([o.p for o in alternatives]))
    return float((1.0 - missing).sum())
