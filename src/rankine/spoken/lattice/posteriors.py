r"""Posteriors of arcs by forward–backward in the log domain.

The weight of an arc is (acoustic score · scale + language score · language scale + penalty for a unit); where a source
gives only posteriors of its own, p(arc) over the sum of those that leave the same node is the transition probability
that keeps them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from . import lattice_kernels as kn
from .lattice import Lattice


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
    given = not np.isnan(lattice.posterior).any()
    if use == "given" and not given:
        raise InputError("the lattice does not give a posterior for every arc", lattice.name or None)
    if use != "scores" and given:
        leaving = np.bincount(lattice.source, lattice.posterior, lattice.n_nodes)
        share = lattice.posterior / np.maximum(leaving[lattice.source], 1e-300)
        with np.errstate(divide="ignore"):
            weight = np.log(share)
    else:
        weight = lattice.acoustic * acoustic_scale + lattice.language * language_scale + penalty * (lattice.unit >= 0)
    alpha, beta = np.empty(lattice.n_nodes), np.empty(lattice.n_nodes)
    total = kn.forward_backward(lattice.n_nodes, lattice.source, lattice.target, weight, alpha, beta)
    if not np.isfinite(total):
        raise InputError("all paths together have probability 0", lattice.name or None)
    ahead = beta[lattice.source]
    with np.errstate(invalid="ignore"):
        transition = np.exp(weight + beta[lattice.target] - ahead)
        posterior = np.exp(alpha[lattice.source] + weight + beta[lattice.target] - total)
    transition[~np.isfinite(ahead)] = 0.0
    return ArcPosteriors(np.nan_to_num(posterior), np.nan_to_num(transition), float(total))


def as_scores(lattice: Lattice, found: ArcPosteriors | None = None) -> Lattice:
    """The lattice with log transition probabilities as its only scores; arcs that cannot be taken are left out.

    Its posteriors are those of ``found`` (by default: of the source, if it gives any; else the lattice is left as it
    is), and stay right, given what is left, when arcs are removed or words split.

    >>> lattice = replace(Lattice.from_arcs([(0, 1, "a", 0.0), (0, 1, "b", 0.0)], 0, 1), posterior=np.array([0.8, 0.2]))
    >>> np.exp(as_scores(lattice).language).round(3)
    array([0.8, 0.2])
    """
    if found is None:
        if np.isnan(lattice.posterior).any():
            return lattice
        found = arc_posteriors(lattice)
    with np.errstate(divide="ignore"):
        log_p = np.log(found.transition)
    nothing = np.full(len(lattice), np.nan)
    scored = replace(lattice, acoustic=np.zeros(len(lattice)), language=log_p, posterior=nothing)
    possible = found.transition > 0
    return scored if possible.all() else scored.keep(possible)


def expected_counts(lattice: Lattice, posteriors: ArcPosteriors) -> dict[str, float]:
    """How often each unit is expected to have been said."""
    said = lattice.unit >= 0
    counts = np.bincount(lattice.unit[said], posteriors.posterior[said], len(lattice.units))
    return dict(zip(lattice.units, counts.tolist(), strict=True))
