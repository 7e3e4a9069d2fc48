"""Confusion networks by a pivot path (Hakkani-Tür & Riccardi 2003) and by clustering (Mangu, Brill & Stolcke 2000)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...errors import InputError
from .kernels import confusion as kn
from .lattice import Lattice, check_threshold
from .posteriors import ArcPosteriors, UnitPosteriors, arc_posteriors, from_cells

METHODS = ("pivot", "mangu")
_MOST_ARCS, _MOST_NODES = 20_000, 20_000  # for clustering
_MOST_PAIRS = 1 << 26  # of a class and a word, half a gigabyte
_MOST_SOUNDS = 1 << 18  # of all words together
_MOST_EFFORT = 10**8  # steps of a kernel at once


def confusion_network(
    lattice: Lattice,
    method: str = "pivot",
    posteriors: ArcPosteriors | None = None,
    prune: float = 0.0,
    pronounce: Callable[[str], Sequence[str]] = list,
) -> UnitPosteriors:
    """Slots in the order of time, each with the posteriors of what was said in it.

    ``"pivot"``: the arcs of the likeliest path are the first slots. The other arcs, in topological order, go to the
    slot they overlap most in time (in the order of nodes where there are no times), among those that lie after every
    arc that can come before and before every arc of the likeliest path that can come after; where there is none a new
    slot is made in between.

    ``"mangu"``: classes of arcs are merged, first those of one word that overlap in time, then the most similar ones by
    pronunciation (``pronounce`` gives a word's phones; by default its letters), until all are ordered. For lattices of
    a few hundred arcs: prune larger ones first with :meth:`Lattice.keep`.

    In both, arcs that can follow each other never share a slot, a slot sums to at most 1, and the order is kept.
    Where all paths go from one node to the same next one, the arcs between the two are a slot, whatever their times: a
    lattice that is a network already (of a mesh, a sausage, an n-best list, one-best words) keeps its slots.

    >>> lattice = Lattice.from_arcs([(0, 1, "a", np.log(0.6)), (0, 1, "b", np.log(0.4)), (1, 2, "c", 0.0)], 0, 2)
    >>> [(p, u, round(x, 3)) for p, u, x in confusion_network(lattice).triples()]
    [(0, 'a', 0.6), (0, 'b', 0.4), (1, 'c', 1.0)]
    """
    check_threshold(prune)
    check_method(method)
    by_arc = arc_posteriors(lattice) if posteriors is None else posteriors
    arcs = np.flatnonzero((lattice.unit >= 0) & (by_arc.posterior > 0))
    slot, n = _by_classes(lattice, by_arc, arcs, pronounce) if method == "mangu" else _by_pivot(lattice, by_arc, arcs)
    p, n_units = by_arc.posterior[arcs], max(len(lattice.units), 1)
    cells, where = np.unique(slot * n_units + lattice.unit[arcs], return_inverse=True)
    sums = [np.bincount(where, x, len(cells)) for x in (p, p * lattice.start[arcs], p * lattice.end[arcs])]
    return from_cells("cn", cells // n_units, cells % n_units, sums, lattice.units, prune, max(n, 1), lattice.name)


def check_method(method: str, name: str = "method") -> None:
    """Raise InputError unless a method exists."""
    if method not in METHODS:
        raise InputError(f"{name} must be {' or '.join(METHODS)}, got {method!r}")


def _by_pivot(lattice: Lattice, posteriors: ArcPosteriors, arcs: np.ndarray) -> tuple[np.ndarray, int]:
    """The slots of the arcs that have a unit, and the number of slots."""
    with np.errstate(divide="ignore"):
        pivot = [a for a in lattice.best_path(np.log(posteriors.posterior)) if lattice.unit[a] >= 0]
    start, end = _spans(lattice)
    step = _is_step(lattice)
    start, end = np.where(step, 0.0, start), np.where(step, 1.0, end)  # they are compared only with each other
    key_of, is_pivot = np.zeros(len(lattice)), np.zeros(len(lattice), np.bool_)
    key_of[pivot], is_pivot[pivot] = np.arange(len(pivot)), True
    keys, spans = np.empty(len(lattice) + 1), np.empty((len(lattice) + 1, 2))
    keys[: len(pivot)] = np.arange(len(pivot))
    spans[: len(pivot)] = np.column_stack([start[pivot], end[pivot]])
    after, before = np.full(lattice.n_nodes, -np.inf), np.empty(lattice.n_nodes)
    kn.pivot_ahead(lattice.source, lattice.target, is_pivot, key_of, before)
    n = len(pivot)
    for a0, a1 in _ranges(len(lattice), len(lattice)):
        n = kn.assign_slots(
            lattice.source, lattice.target, lattice.unit, posteriors.posterior, start, end, is_pivot,
            key_of, after, before, keys, spans, n, a0, a1,
        )  # fmt: skip
    return np.searchsorted(keys[:n], key_of[arcs]), n


def _by_classes(
    lattice: Lattice, posteriors: ArcPosteriors, arcs: np.ndarray, pronounce: Callable[[str], Sequence[str]]
) -> tuple[np.ndarray, int]:
    """The same by clustering. Arcs of one word with the same times start as one class, if none can follow another."""
    start, end = _spans(lattice)
    if len(arcs) == 0:
        return np.empty(0, np.int64), 0
    if len(arcs) > _MOST_ARCS or lattice.n_nodes > _MOST_NODES or len(arcs) * len(lattice.units) > _MOST_PAIRS:
        raise InputError(
            f"clustering {len(arcs):,} arcs would take too long: prune the lattice first", lattice.name or None
        )
    reach = kn.reachability(lattice.n_nodes, lattice.source, lattice.target)
    follows = reach[lattice.target[arcs]][:, lattice.source[arcs]]  # [a, b]: b can follow a
    cls, n, before, after = _classes(_alike(lattice, arcs, start, end, follows), follows)
    if ((after[np.arange(n), np.arange(n) >> 6] >> (np.arange(n) & 63).astype(np.uint64)) & np.uint64(1)).any():
        cls, n, before, after = _classes(np.arange(len(arcs)), follows)  # arcs without length: classes run in a circle
    P = np.zeros((n, len(lattice.units)))
    np.add.at(P, (cls, lattice.unit[arcs]), posteriors.posterior[arcs])
    begin, stop = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(begin, cls, start[arcs])
    np.maximum.at(stop, cls, end[arcs])
    left = np.flatnonzero(_clustered(cls, before, after, P, begin, stop, _similarity(lattice.units, pronounce)))
    bits = np.unpackbits(before[left].view(np.uint8), axis=1, bitorder="little")[:, left]
    slot = np.empty(n, np.int64)
    slot[left] = bits.sum(axis=1)  # in a total order: how many come before
    return slot[cls], len(left)


def _similarity(units: Sequence[str], pronounce: Callable[[str], Sequence[str]]) -> np.ndarray:
    """How alike the pronunciations of any two units are, from 0 to 1."""
    sounds = [list(pronounce(w)) for w in units]
    numbers = {s: i for i, s in enumerate(sorted({s for word in sounds for s in word}))}
    spelling = np.array([numbers[s] for word in sounds for s in word], np.int64)
    lengths = [len(word) for word in sounds]
    if len(spelling) > _MOST_SOUNDS:
        raise InputError(f"words of {len(spelling):,} sounds: comparing them would take too long")
    similar = np.zeros((len(sounds), len(sounds)))
    first = np.concatenate([[0], np.cumsum(lengths)])
    for i0, i1 in _ranges(len(sounds), max(lengths, default=0) * len(spelling)):
        kn.letters_apart(spelling, first, similar, i0, i1)
    return similar


def _clustered(
    cls: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    P: np.ndarray,
    begin: np.ndarray,
    stop: np.ndarray,
    similar: np.ndarray,
) -> np.ndarray:
    """Which classes are left after merging, first those of one word that overlap, then all that are not ordered."""
    n, n_units = P.shape
    alive, Q = np.ones(n, np.bool_), np.zeros(n_units)
    words, n_words = np.empty((n, n_units), np.int64), np.empty(n, np.int64)
    best, partner = np.empty(n), np.empty(n, np.int64)
    kn.words_of_classes(P, words, n_words)
    state = (alive, before, after, P, words, n_words, Q, similar, begin, stop, best, partner)
    for same_word in (True, False):
        for x0, x1 in _ranges(n, n + n_units):
            kn.best_of_rows(x0, x1, n, same_word, *state)
        rounds = max(_MOST_EFFORT // (n * (before.shape[1] + 64)), 1)
        while not kn.merge_classes(rounds, cls, n, same_word, *state):
            pass
    return alive


def _ranges(n: int, effort: int) -> Iterator[tuple[int, int]]:
    """Ranges of n things of this effort that a kernel does in a fraction of a second: Ctrl-C is heard in between."""
    step = max(_MOST_EFFORT // max(effort, 1), 1)
    return ((i, min(i + step, n)) for i in range(0, n, step))


def _alike(lattice: Lattice, arcs: np.ndarray, start: np.ndarray, end: np.ndarray, follows: np.ndarray) -> np.ndarray:
    """The first of the arcs of one word with the same times, none of which can follow another."""
    cls = np.arange(len(arcs))
    groups: dict[tuple[int, float, float], list[int]] = {}
    for a, arc in enumerate(arcs.tolist()):
        group = groups.setdefault((int(lattice.unit[arc]), float(start[arc]), float(end[arc])), [])
        if not any(follows[a, b] or follows[b, a] for b in group):
            group.append(a)
            cls[a] = group[0]
    return cls


def _classes(cls: np.ndarray, follows: np.ndarray) -> tuple[np.ndarray, int, np.ndarray, np.ndarray]:
    """Classes numbered from 0, how many, and the sets of what comes before and after each."""
    first, cls = np.unique(cls, return_inverse=True)
    n = len(first)
    before, after = (np.zeros((n, (n + 63) // 64), np.uint64) for _ in range(2))
    kn.mark_order(cls, follows, after)
    for k0, k1 in _ranges(n, n * after.shape[1]):
        kn.close_order(n, after, k0, k1)
    kn.turn_order(n, after, before)
    return cls, n, before, after


def _spans(lattice: Lattice) -> tuple[np.ndarray, np.ndarray]:
    """When arcs begin and end; by the order of the nodes where times are unknown."""
    if np.isnan(lattice.start).any() or np.isnan(lattice.end).any():
        return lattice.source.astype(np.float64), lattice.target.astype(np.float64)
    return lattice.start, lattice.end


def _is_step(lattice: Lattice) -> np.ndarray:
    """Which arcs lie between two nodes that follow each other on every path: no arc passes by them."""
    ends = np.bincount(lattice.source, minlength=lattice.n_nodes) - np.bincount(
        lattice.target, minlength=lattice.n_nodes
    )
    direct = lattice.target == lattice.source + 1
    alone = np.cumsum(ends) == np.bincount(lattice.source[direct], minlength=lattice.n_nodes)  # arcs over the gap
    return direct & alone[lattice.source]
