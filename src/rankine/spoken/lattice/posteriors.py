"""Posteriors of arcs by forward–backward in the log domain, and the record of posteriors of units at positions.

The weight of an arc is (acoustic score · scale + language score · language scale + penalty for a unit); where a source
gives only posteriors of its own, p(arc) over the sum of those that leave the same node is the transition probability
that keeps them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from .kernels import lattice as kn
from .lattice import Lattice

_ROUNDS_FROM = 1e9  # sums of scores from here on are rounded by more than 1e-7


class ArcPosteriors(NamedTuple):
    """For each arc its posterior, and its probability given its source node; the log of the sum over all paths."""

    posterior: np.ndarray
    transition: np.ndarray
    log_total: float


def arc_posteriors(
    lattice: Lattice,
    acoustic_scale: float = 1.0,
    language_scale: float = 1.0,
    penalty: float = 0.0,
    use: str = "auto",
) -> ArcPosteriors:
    """Posteriors of all arcs.

    Args:
        lattice: the lattice.
        acoustic_scale: multiplies acoustic scores; recognisers overstate them.
        language_scale: multiplies language scores.
        penalty: added for every unit.
        use: ``"scores"``, ``"given"`` (the source's own posteriors), or ``"auto"``: those given, if all are.

    >>> lattice = Lattice.from_arcs([(0, 1, "a", np.log(3.0)), (0, 1, "b", 0.0)], start=0, end=1)
    >>> arc_posteriors(lattice).posterior.round(3)
    array([0.75, 0.25])
    """
    if use not in ("auto", "scores", "given"):
        raise InputError(f"use must be auto, scores or given; got {use!r}")
    if not (np.isfinite(acoustic_scale) and np.isfinite(language_scale) and np.isfinite(penalty)):
        raise InputError("scales and penalty must be finite numbers")
    complete = not np.isnan(lattice.posterior).any()
    if use == "given" and not complete:
        raise InputError("the lattice does not give a posterior for every arc", lattice.name or None)
    if use != "scores" and complete:
        leaving = np.bincount(lattice.source, lattice.posterior, lattice.n_nodes)
        share = lattice.posterior / np.maximum(leaving[lattice.source], 1e-300)
        with np.errstate(divide="ignore"):
            weight = np.log(share)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            acoustic, language = _scaled(lattice.acoustic, acoustic_scale), _scaled(lattice.language, language_scale)
            weight = acoustic + language + penalty * (lattice.unit >= 0)
    return _by_weight(lattice, weight)


def _scaled(scores: np.ndarray, scale: float) -> np.ndarray:
    """Scores times a scale; 0 takes no notice of them, not even of −∞."""
    return scores * scale if scale else np.zeros(len(scores))


def _by_weight(lattice: Lattice, weight: np.ndarray) -> ArcPosteriors:
    alpha, beta = np.empty(lattice.n_nodes), np.empty(lattice.n_nodes)
    total = kn.forward_backward(lattice.n_nodes, lattice.source, lattice.target, weight, alpha, beta)
    if total == -np.inf:
        raise InputError("all paths together have probability 0", lattice.name or None)
    if not np.isfinite(total):
        raise InputError("the scores are too large: their sums overflow", lattice.name or None)
    if _largest(alpha, beta, weight) > _ROUNDS_FROM:
        transition, posterior = np.empty(len(weight)), np.empty(len(weight))
        kn.shares(lattice.n_nodes, lattice.source, lattice.target, weight, beta, transition, posterior)
        return ArcPosteriors(posterior, transition, float(total))
    ahead = beta[lattice.source]
    with np.errstate(invalid="ignore"):
        transition = np.exp(weight + beta[lattice.target] - ahead)
        posterior = np.exp(alpha[lattice.source] + weight + beta[lattice.target] - total)
    transition[~np.isfinite(ahead)] = 0.0
    return ArcPosteriors(np.nan_to_num(posterior), np.nan_to_num(transition), float(total))


def _largest(*arrays: np.ndarray) -> float:
    """The largest absolute value, −∞ left out."""
    return max(float(np.abs(x, where=x > -np.inf, out=np.zeros(len(x))).max()) for x in arrays)


def as_scores(lattice: Lattice, posteriors: ArcPosteriors | None = None) -> Lattice:
    """The lattice with log transition probabilities as its only scores; arcs that cannot be taken are left out.

    Its posteriors are ``posteriors`` (by default: those of the source, if it gives any; else the lattice is returned as
    it is), and stay right, given what is left, when arcs are removed or words split.

    >>> lattice = replace(Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", 0.0)], 0, 1), posterior=np.array([0.8, 0.2]))
    >>> np.exp(as_scores(lattice).language).round(3)
    array([0.8, 0.2])
    """
    if posteriors is None:
        if np.isnan(lattice.posterior).any():
            return lattice
        posteriors = arc_posteriors(lattice)
    with np.errstate(divide="ignore"):
        log_p = np.log(posteriors.transition)
    no_posterior = np.full(len(lattice), np.nan)
    scored = replace(lattice, acoustic=np.zeros(len(lattice)), language=log_p, posterior=no_posterior)
    possible = posteriors.transition > 0
    return scored if possible.all() else scored.keep(possible)


def expected_counts(lattice: Lattice, posteriors: ArcPosteriors) -> dict[str, float]:
    """The expected number of occurrences of each unit."""
    arcs = lattice.unit >= 0
    counts = np.bincount(lattice.unit[arcs], posteriors.posterior[arcs], len(lattice.units))
    return dict(zip(lattice.units, counts.tolist(), strict=True))


@dataclass(frozen=True)
class UnitPosteriors:
    """Posteriors of units at positions: a PSPL or a confusion network.

    They are triples (position from 0, unit, posterior), sorted by position and falling posterior, with mean times.
    ``form`` is ``"pspl"`` or ``"cn"``. In a confusion network what a position lacks to 1 is the probability that
    nothing was said there.
    """

    form: str
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
        """The likeliest entry of each position; in a confusion network only where it is likelier than no unit."""
        totals = np.bincount(self.position, self.posterior, self.n_positions)
        first = np.flatnonzero(np.diff(self.position, prepend=-1))
        if self.form == "cn":
            first = first[self.posterior[first] >= 1 - totals[self.position[first]]]
        return first.tolist()

    def best(self) -> list[str]:
        """The units of :meth:`best_entries`."""
        return [self.units[self.unit[i]] for i in self.best_entries()]


def from_cells(
    form: str,
    position: np.ndarray,
    unit: np.ndarray,
    sums: Sequence[np.ndarray],
    units: tuple[str, ...],
    prune: float,
    n_positions: int,
    name: str,
) -> UnitPosteriors:
    """Triples of the cells above ``prune``, sorted; ``sums`` are posteriors and weighted sums of times."""
    posterior, begins, ends = sums
    keep = np.flatnonzero(posterior > prune)
    order = keep[np.lexsort((unit[keep], -posterior[keep], position[keep]))]
    x = posterior[order]
    return UnitPosteriors(
        form, position[order], unit[order], x, begins[order] / x, ends[order] / x, units, n_positions, name
    )
