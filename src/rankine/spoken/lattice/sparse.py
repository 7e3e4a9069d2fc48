"""What PSPL and confusion networks have in common: posteriors of units at positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Posteriors:
    """Triples (position from 0, unit, posterior), sorted by position and falling posterior, with mean times.

    ``kind`` is ``"pspl"`` or ``"cn"``. In a confusion network what a position lacks to 1 is "nothing said here".
    """

    kind: str
    position: np.ndarray
    unit: np.ndarray
    posterior: np.ndarray
    start: np.ndarray
    end: np.ndarray
    units: tuple[str, ...]
    n_positions: int
    name: str = ""

    def __len__(self) -> int:
        return len(self.position)

    def triples(self) -> list[tuple[int, str, float]]:
        """(position, unit, posterior), one by one."""
        return [
            (p, self.units[u], x)
            for p, u, x in zip(self.position.tolist(), self.unit.tolist(), self.posterior.tolist(), strict=True)
        ]

    def best_entries(self) -> list[int]:
        """The likeliest entry of each position; in a confusion network only where it is likelier than nothing."""
        totals = np.bincount(self.position, self.posterior, self.n_positions)
        first = np.flatnonzero(np.diff(self.position, prepend=-1))
        if self.kind == "cn":
            first = first[self.posterior[first] >= 1 - totals[self.position[first]]]
        return first.tolist()

    def best(self) -> list[str]:
        """The units of :meth:`best_entries`."""
        return [self.units[self.unit[i]] for i in self.best_entries()]


def from_cells(
    kind: str,
    position: np.ndarray,
    unit: np.ndarray,
    sums: Sequence[np.ndarray],
    units: tuple[str, ...],
    prune: float,
    n_positions: int,
    name: str,
) -> Posteriors:
    """Triples of the cells above ``prune``, sorted; ``sums`` are posteriors and weighted sums of times."""
    posterior, begins, ends = sums
    keep = np.flatnonzero(posterior > prune)
    order = keep[np.lexsort((unit[keep], -posterior[keep], position[keep]))]
    x = posterior[order]
    return Posteriors(
        kind, position[order], unit[order], x, begins[order] / x, ends[order] / x, units, n_positions, name
    )
