"""Where grams are said: words, and units in a row; the probability that a gram is said at a place at least once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from . import schema
from .grams import decoded, gram_postings, larger_counts
from .reader import Index, PartReader

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


# -- Runs: units that follow each other in the confusion networks of a recording, also from one segment into the next
#
# Slots are numbered through a part of the index: the first slot of a segment plus the position in it. So the slots of
# segments that follow each other do so too. The next unit of a run stands in the next slot, or in one of the next
# ``REACH`` if it begins there where this one ends: near-empty slots lie between.


REACH = 7  # slots
GAP = 0.1  # seconds between units that follow each other


class Slots(NamedTuple):
    """Slots with their segments (rows of the part) and the posterior of something in them; rising."""

    slot: np.ndarray
    row: np.ndarray
    posterior: np.ndarray


class Runs(NamedTuple):
    """Runs of all units of a sequence: first and last slot, their segments, and the product of the posteriors."""

    first: np.ndarray
    first_row: np.ndarray
    last: np.ndarray
    last_row: np.ndarray
    posterior: np.ndarray


def slots_of(part: PartReader, kind: str, unit: str) -> Slots:
    """The slots in which a unit occurs."""
    (begin,), (end,) = part.bounds(kind, "cn", [unit])
    row, position, coded = (array[begin:end] for array in part.postings(kind, "cn"))
    first = schema.slots(kind).read(part.part)
    slot = first[row] + position
    if (slot >= first[row.astype(np.int64) + 1]).any():
        raise part.part.wrong(f"a number of the postings {kind}.cn")
    return Slots(slot, row.astype(np.int64), part.posteriors[coded])


def slot_spans(part: PartReader, kind: str, slot: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where slots begin and end in the audio file, in seconds."""
    times = part.numbers(schema.slot_times(kind))[slot].astype(np.float64)
    offset = part.numbers(schema.OFFSET)[row]
    return times[..., 0] + offset, times[..., 1] + offset


def follows(part: PartReader, row: int, later: int) -> bool:
    """Whether a segment goes on in a later one: those from the one to the other are of one recording and in order."""
    offset, names, audio = part.numbers(schema.OFFSET), part.texts(schema.UTTERANCE_NAME), part.texts(schema.AUDIO)
    return all(
        part.recording_of[a] == part.recording_of[a + 1]
        and (offset[a] < offset[a + 1] or names[a] == names[a + 1])  # stretches without times all begin at 0
        and audio[a] == audio[a + 1]
        for a in range(row, later)
    )


def _connected(part: PartReader, row: np.ndarray, later: np.ndarray) -> np.ndarray:
    """:func:`follows` for pairs of segments; one follows itself."""
    out = row == later
    pairs = {pair: follows(part, *pair) for pair in set(zip(row[~out].tolist(), later[~out].tolist(), strict=True))}
    out[~out] = [pairs[pair] for pair in zip(row[~out].tolist(), later[~out].tolist(), strict=True)]
    return out


def next_slots(part: PartReader, kind: str, slots: Slots, later: Slots) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of numbers: which of the one slots go on in which of the others."""
    before, after = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    _, end = slot_spans(part, kind, slots.slot, slots.row)
    start, _ = slot_spans(part, kind, later.slot, later.row)
    for step in range(1, REACH + 1):
        at = np.searchsorted(later.slot, slots.slot + step)
        there = np.flatnonzero(at < len(later.slot))
        there = there[later.slot[at[there]] == slots.slot[there] + step]
        to = at[there]
        if step > 1:
            close = np.abs(start[to] - end[there]) < GAP
            there, to = there[close], to[close]
        connected = _connected(part, slots.row[there], later.row[to])
        before.append(there[connected])
        after.append(to[connected])
    return np.concatenate(before), np.concatenate(after)


def sequence_runs(part: PartReader, kind: str, units: Sequence[str], rows: np.ndarray | None = None) -> Runs:
    """All runs of a sequence of units that begin in these segments (a mask; None: in any), by rising slots.

    Of several ways between the same slots the likeliest counts. Cost: the occurrences of the units.
    """
    begin = slots_of(part, kind, units[0])
    if rows is not None:
        begin = Slots(*(array[rows[begin.row]] for array in begin))
    return _followed(part, kind, begin, units[1:])


def crossing_counts(part: PartReader, kind: str, units: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Segments in which runs of a sequence of units begin that end in another, rising, and how often they do."""
    begin = slots_of(part, kind, units[0])
    left = schema.slots(kind).read(part.part)[begin.row + 1] - begin.slot  # slots to the end of the segment
    begin = Slots(*(array[left <= (len(units) - 1) * REACH] for array in begin))
    runs = _followed(part, kind, begin, units[1:])
    crossing = runs.first_row != runs.last_row
    rows, where = np.unique(runs.first_row[crossing], return_inverse=True)
    return rows, np.bincount(where, runs.posterior[crossing], len(rows))


def _followed(part: PartReader, kind: str, begin: Slots, units: Sequence[str]) -> Runs:
    """Runs that begin in these slots and go on with these units."""
    runs = Runs(begin.slot, begin.row, begin.slot, begin.row, begin.posterior)
    for unit in units:
        if len(runs.first) == 0:
            break
        later = slots_of(part, kind, unit)
        one, other = next_slots(part, kind, Slots(runs.last, runs.last_row, runs.posterior), later)
        product = runs.posterior[one] * later.posterior[other]
        runs = Runs(runs.first[one], runs.first_row[one], later.slot[other], later.row[other], product)
        order = np.lexsort((-runs.posterior, runs.last, runs.first))
        same = (np.diff(runs.first[order], prepend=-1) == 0) & (np.diff(runs.last[order], prepend=-1) == 0)
        runs = Runs(*(array[order[~same]] for array in runs))
    return runs
