"""Preference graphs: which rows should stand above which."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import as_numbers
from ..errors import InputError


class Preferences:
    """A preference graph over rows: ``winner_row[e]`` should stand above ``loser_row[e]``, at ``weight[e]``.

    It is accepted in place of grades by the losses and measures that can use it. Rows are numbered as in the
    input; both ends of an edge must belong to one query.

    >>> graph = Preferences([0, 1], [2, 2], weight=[1.0, 0.5])
    >>> len(graph), graph.weight.tolist()
    (2, [1.0, 0.5])
    """

    __slots__ = ("loser_row", "weight", "winner_row")

    def __init__(self, winner_row: Any, loser_row: Any, weight: Any = None) -> None:
        self.winner_row = _rows(winner_row, "winner_row")
        self.loser_row = _rows(loser_row, "loser_row")
        n = len(self.winner_row)
        self.weight = np.ones(n) if weight is None else as_numbers(weight, "weight")
        if not len(self.loser_row) == len(self.weight) == n:
            raise InputError(
                f"winner_row, loser_row and weight must have one length, got {n}, {len(self.loser_row)} "
                f"and {len(self.weight)}"
            )
        bad = np.flatnonzero(~(np.isfinite(self.weight) & (self.weight >= 0)))
        if len(bad):
            raise InputError(f"expected a weight ≥ 0, got {self.weight[bad[0]]}", f"preference {bad[0]}")
        bad = np.flatnonzero(self.winner_row == self.loser_row)
        if len(bad):
            raise InputError(f"row {self.winner_row[bad[0]]} preferred to itself", f"preference {bad[0]}")

    def __len__(self) -> int:
        return len(self.winner_row)

    def __repr__(self) -> str:
        return f"Preferences({len(self):,} edges)"

    def check(self, ptr: np.ndarray) -> None:
        """Raise unless every edge lies within the rows and within one query of ``ptr``.

        >>> Preferences([0], [2]).check(np.array([0, 2, 4]))
        Traceback (most recent call last):
        rankine.errors.InputError: preference 0: rows 0 and 2 belong to different queries
        """
        self._check_rows(int(ptr[-1]))
        ends = np.stack([self.winner_row, self.loser_row])
        query = np.searchsorted(ptr, ends, side="right")
        bad = np.flatnonzero(query[0] != query[1])
        if len(bad):
            e = bad[0]
            raise InputError(f"rows {ends[0, e]} and {ends[1, e]} belong to different queries", f"preference {e}")

    def _check_rows(self, n_rows: int) -> None:
        ends = np.stack([self.winner_row, self.loser_row])
        bad = np.flatnonzero((ends < 0).any(0) | (ends >= n_rows).any(0))
        if len(bad):
            e = bad[0]
            raise InputError(f"rows {ends[0, e]} and {ends[1, e]}, but there are {n_rows}", f"preference {e}")

    def take(self, order: np.ndarray, n_rows: int) -> Preferences:
        """The same graph after keeping ``order`` (old row numbers) of ``n_rows`` rows; other edges go.

        >>> Preferences([0, 1], [1, 2]).take(np.array([2, 1]), n_rows=3).winner_row
        array([1])
        """
        self._check_rows(n_rows)
        new = np.full(n_rows, -1)
        new[order] = np.arange(len(order))
        winner, loser = new[self.winner_row], new[self.loser_row]
        edges = (winner >= 0) & (loser >= 0)
        return Preferences(winner[edges], loser[edges], self.weight[edges])


def _rows(values: Any, name: str) -> np.ndarray:
    rows = as_numbers(values, name)
    if not np.array_equal(rows, np.floor(rows)):
        raise InputError(f"{name} must hold row numbers, whole numbers")
    return rows.astype(np.int64)
