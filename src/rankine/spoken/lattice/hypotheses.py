r"""The confusion network of an n-best list, as SRILM's ``nbest-lattice`` makes it.

The hypotheses are taken in the order of their posteriors; of equal ones the first in the list comes first. The first
makes the first slots. Each further one is aligned to the slots so far by the least sum of costs: a word :math:`w` in a
slot costs :math:`1 - p(w) / t`, a slot without a word :math:`1 - p(\text{none}) / t`, a word without a slot 1, where
:math:`p` is the posterior that a slot holds so far and :math:`t` that of all hypotheses so far. A word without a slot
gets a new one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from .kernels import hypotheses as kn
from .lattice import Lattice
from .posteriors import ArcPosteriors

_MOST_CHART = 1 << 26  # slots × words of a hypothesis, in bytes
_MOST_MASSES = 1 << 25  # slots × different words, 256 MB
_MOST_EFFORT = 10**10  # steps of all hypotheses together, less than a minute
_AT_ONCE = 10**8  # steps of the kernel at once: Ctrl-C is heard in between


class HypothesisSlots(NamedTuple):
    """The slots of a network in order: the mass of each word (a column) in each, and of no word."""

    words: np.ndarray
    nothing: np.ndarray


def is_list(lattice: Lattice) -> bool:
    """Whether a lattice consists of paths beside each other, which share only the first and the last node.

    >>> is_list(Lattice.from_arcs([(0, 1, "a", 0.0), (1, 2, "b", 0.0), (0, 2, "c", 0.0)], 0, 2))
    True
    """
    inner = slice(1, lattice.n_nodes - 1)
    return all(
        bool((np.bincount(ends, minlength=lattice.n_nodes)[inner] == 1).all())
        for ends in (lattice.source, lattice.target)
    )


def aligned(
    words: np.ndarray, first: np.ndarray, posterior: np.ndarray, n_units: int, where: str = ""
) -> HypothesisSlots:
    """The network of hypotheses, of which h has the words ``words[first[h]:first[h + 1]]``, numbers below ``n_units``.

    >>> slots = aligned(np.array([0, 1, 0]), np.array([0, 2, 3]), np.array([0.75, 0.25]), 2)
    >>> slots.words.tolist(), slots.nothing.tolist()
    ([[1.0, 0.0], [0.0, 0.75]], [0.0, 0.25])
    """
    with np.errstate(divide="ignore"):
        order = np.argsort(-np.round(np.log(posterior), 9), kind="stable")
    order = order[posterior[order] > 0]
    lengths = np.diff(first)[order]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    at = np.repeat(first[order] - ends[:-1], lengths) + np.arange(ends[-1])
    return _aligned(words[at], ends, posterior[order], max(n_units, 1), where or None)


def _aligned(
    words: np.ndarray, first: np.ndarray, posterior: np.ndarray, n_units: int, where: str | None
) -> HypothesisSlots:
    lengths = np.diff(first)
    longest = int(lengths.max(initial=0))
    room = 2 * longest + 16
    P, nothing, slots = np.zeros((0, n_units)), np.zeros(0), np.zeros(0, np.int64)
    row, n, total, h, effort = np.empty(longest + 1), 0, 0.0, 0, 0
    while h < len(posterior):
        if n + lengths[h] > room:
            room = 2 * (n + int(lengths[h]))
        chart = (room + 1) * (longest + 1)
        if chart > _MOST_CHART or room * n_units > _MOST_MASSES or effort > _MOST_EFFORT:
            raise InputError(
                f"{len(posterior):,} hypotheses of up to {longest:,} words, {n_units:,} different ones, are too many "
                "to align: cut the utterance into shorter ones", where,
            )  # fmt: skip
        if len(P) < room:
            P = np.concatenate([P, np.zeros((room - len(P), n_units))])
            nothing = np.concatenate([nothing, np.zeros(room - len(nothing))])
            slots = np.concatenate([slots, np.zeros(room - len(slots), np.int64)])
            choice = np.empty(chart, np.uint8)
        last = min(h + max(_AT_ONCE // chart, 1), len(posterior))
        before = h
        h, n, total = kn.align(words, first, posterior, h, last, P, nothing, slots, n, total, row, choice)
        effort += (n + 1) * int(first[h] - first[before])
    return HypothesisSlots(P[slots[:n]] / max(total, 1e-300), nothing[slots[:n]] / max(total, 1e-300))


def network_of_list(lattice: Lattice, posteriors: ArcPosteriors) -> Lattice:
    """The network of a list of hypotheses as a lattice with posteriors; one with times stays as it is."""
    if not np.isnan(lattice.start).all():
        return lattice
    if not is_list(lattice):
        raise InputError("expected the paths of an n-best list, got another lattice", lattice.name or None)
    following = np.full(lattice.n_nodes, -1, np.int64)
    inner = lattice.source > 0
    following[lattice.source[inner]] = np.flatnonzero(inner)
    words, first, masses = list[int](), [0], []
    target, unit, last = lattice.target.tolist(), lattice.unit.tolist(), lattice.n_nodes - 1
    after = following.tolist()
    for a in np.flatnonzero(lattice.source == 0).tolist():
        masses.append(posteriors.posterior[a])
        while True:
            if unit[a] >= 0:
                words.append(unit[a])
            if target[a] == last:
                break
            a = after[target[a]]
        first.append(len(words))
    slots = aligned(
        np.array(words, np.int64), np.array(first), np.array(masses), len(lattice.units), lattice.name
    )  # fmt: skip
    return _as_lattice(slots, lattice)


def _as_lattice(slots: HypothesisSlots, lattice: Lattice) -> Lattice:
    """Slots as a lattice with a node between any two; without a word it has one empty arc."""
    p = np.column_stack([slots.words, slots.nothing]) if len(slots.nothing) else np.ones((1, 1))
    source, column = np.nonzero(p > 0)
    n = len(source)
    unit = np.where(column == p.shape[1] - 1, -1, column)
    return Lattice.build(
        source=source,
        target=source + 1,
        unit=unit,
        units=lattice.units,
        acoustic=np.zeros(n),
        language=np.zeros(n),
        posterior=p[source, column],
        times=np.full((n, 2), np.nan),
        start=0,
        end=len(p),
        name=lattice.name,
    )
