"""The best run of a query's units in a segment: what a hit points at.

A run follows the query: from a unit of a term to its next one, from the last unit of a term to the first of a term that
stands next to it in the query. Units follow each other as in :mod:`.runs`; a run begins in the segment and may end in a
later one. Its worth is the expected number of the query's terms in it: a unit with posterior p counts p/m for a term of
m units. It has at most as many terms as the query: repeated speech is not one long run. Stop words count nothing,
unless the query has no other words, so none of them alone is a place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..index import schema
from ..index.occurrences import GAP, REACH, follows
from ..index.reader import Index, PartReader
from ..query.terms import SpokenQuery, WordSequence

LIKELY = 0.1  # posterior of a unit that a run goes on to; worth from which words are the place in any case


class RunUnit(NamedTuple):
    """A unit of the query in a slot; ``term`` is its number in the query, ``share`` its part of the term."""

    unit: str
    term: int
    share: float
    slot: int
    row: int
    posterior: float


class UnitRun(NamedTuple):
    """Units of one kind that follow each other, and the expected number of the query's terms in them."""

    kind: str
    worth: float
    units: tuple[RunUnit, ...]


class Window:
    """The confusion networks of one kind in a segment and behind it, as far as a run can go."""

    def __init__(self, part: PartReader, kind: str, row: int, stop: int) -> None:
        self.part, self.kind, self.row, self.stop = part, kind, row, stop
        self.first_slots = schema.slots(kind).read(part.part)[row : stop + 1].tolist()
        self._slots: dict[str, dict[int, float]] = {}

    @cached_property
    def times(self) -> list[tuple[float, float]]:
        """Start and end of each slot, counted from the beginning of the audio file."""
        times = self.part.numbers(schema.slot_times(self.kind), self.first_slots[0], self.first_slots[-1])
        rows = np.repeat(np.arange(self.row, self.stop), np.diff(self.first_slots))
        absolute = times.astype(np.float64) + self.part.numbers(schema.OFFSET)[rows][:, None]
        return [(a, b) for a, b in absolute.tolist()]

    def span(self, slot: int) -> tuple[float, float]:
        """Start and end of a slot."""
        return self.times[slot - self.first_slots[0]]

    def row_of(self, slot: int) -> int:
        """The segment of a slot."""
        return self.row + bisect_right(self.first_slots, slot) - 1

    def slots(self, unit: str) -> dict[int, float]:
        """The slots that hold a unit, rising, with its posterior."""
        if unit not in self._slots:
            begin, end = self.part.bounds_of_one(self.kind, "cn", unit)
            row, position, coded = self.part.postings(self.kind, "cn")
            bounds = np.array([self.row, self.stop], row.dtype)  # of another type, all rows would be converted
            low, high = begin + np.searchsorted(row[begin:end], bounds)
            own = row[low:high].astype(np.int64) - self.row
            inside = len(own) == 0 or (own.min() >= 0 and own.max() < self.stop - self.row)
            first = np.array(self.first_slots)
            slots = first[own] + position[low:high] if inside else own
            if not inside or (slots >= first[own + 1]).any():
                raise self.part.part.wrong(f"a number of the postings {self.kind}.cn")
            self._slots[unit] = dict(zip(slots.tolist(), self.part.posteriors[coded[low:high]].tolist(), strict=True))
        return self._slots[unit]

    def own_slots(self, unit: str) -> list[int]:
        """The slots of the segment itself that hold a unit."""
        return [slot for slot in self.slots(unit) if slot < self.first_slots[1]]

    def next_slots(self, slot: int, unit: str) -> Iterator[int]:
        """The slots that hold a unit and follow a slot."""
        there = self.slots(unit)
        for later in range(slot + 1, slot + REACH + 1) if there else ():
            if later not in there or (later > slot + 1 and not abs(self.span(later)[0] - self.span(slot)[1]) < GAP):
                continue
            a, b = self.row_of(slot), self.row_of(later)
            if a == b or follows(self.part, a, b):
                yield later


class _Piece(NamedTuple):
    """The units of an alternative of a term."""

    term: int
    units: tuple[str, ...]
    share: float  # of a unit in the term; 0 for a stop word


_State = tuple[int, int, int, int]  # the number of a piece, of a unit in it, a slot, and how many terms may follow


class _Search:
    """The best run of a query in a window, by dynamic programming from the last slot to the first."""

    def __init__(self, window: Window, query: SpokenQuery, words: bool) -> None:
        self.window, self.most, self.words = window, len(query.neighbours), words
        self.later: dict[tuple[int, str], list[int]] = {}
        only_stops, neighbours = all(term.stop for term in query.terms), set(query.neighbours)
        self.pieces = [
            _Piece(number, units, 1 / len(units) if only_stops or not term.stop else 0.0)
            for number, term in enumerate(query.terms)
            for units in dict.fromkeys(tuple(words.units(window.kind)) for words in term.alternatives)
            if units
        ]
        by_term: dict[int, list[int]] = {}
        for i, piece in enumerate(self.pieces):
            by_term.setdefault(piece.term, []).append(i)
        followers = {n: sorted({b for a, b in neighbours if a == n}) for n in range(len(query.terms))}
        self.successors = [[i for b in followers[n] for i in by_term.get(b, ())] for n in range(len(query.terms))]
        self.step = 1 if _goes_round(followers) else 0  # a run that cannot come back needs no count of its terms

    def run(self) -> UnitRun | None:
        """The run of the largest worth that begins in the segment; of equal ones the longest, then the first."""
        own = {unit: self.window.own_slots(unit) for piece in self.pieces for unit in dict.fromkeys(piece.units)}
        starts = [
            (number, at, slot, self.most)
            for number, piece in enumerate(self.pieces)
            for at, unit in enumerate(piece.units)
            for slot in own[unit]
        ]
        onward, waiting = dict[_State, list[_State]](), list(starts)
        while waiting:
            state = waiting.pop()
            if state not in onward:
                onward[state] = list(self._onward(state))
                waiting += onward[state]
        worth: dict[_State, tuple[float, int, _State | None]] = {}
        for state in sorted(onward, key=lambda state: -state[2]):
            after = max(onward[state], key=lambda later: worth[later][:2], default=None)
            more, length, _ = worth[after] if after is not None else (0.0, 0, None)
            piece = self.pieces[state[0]]
            posterior = self.window.slots(piece.units[state[1]])[state[2]]
            worth[state] = (round(posterior * piece.share + more, 9), length + 1, after)
        starts = [state for state in starts if worth[state][0] > 0 and (worth[state][1] > 1 or self._is_whole(state))]
        best = max(starts, key=lambda state: (*worth[state][:2], -state[2]), default=None)
        if best is None:
            return None
        units, now = [self._unit(best)], worth[best][2]
        while now is not None:
            units.append(self._unit(now))
            now = worth[now][2]
        return UnitRun(self.window.kind, worth[best][0], tuple(units))

    def _is_whole(self, state: _State) -> bool:
        """Whether a unit alone is a run: a word, or all of a term. One sound of many occurs everywhere."""
        return self.words or len(self.pieces[state[0]].units) == 1

    def _unit(self, state: _State) -> RunUnit:
        number, at, slot, _ = state
        piece, unit = self.pieces[number], self.pieces[number].units[at]
        return RunUnit(unit, piece.term, piece.share, slot, self.window.row_of(slot), self.window.slots(unit)[slot])

    def _onward(self, state: _State) -> Iterator[_State]:
        """What a run goes on to from here, where it is likely enough."""
        number, at, slot, left = state
        piece = self.pieces[number]
        ways = [(number, at + 1, left)]
        if at + 1 == len(piece.units):
            ways = [(i, 0, left - self.step) for i in self.successors[piece.term] if left > 0]
        for i, j, rest in ways:
            for later in self._later(slot, self.pieces[i].units[j]):
                yield i, j, later, rest

    def _later(self, slot: int, unit: str) -> list[int]:
        """The slots that follow a slot and in which a unit is likely enough."""
        if (slot, unit) not in self.later:
            there = self.window.slots(unit)
            self.later[slot, unit] = [s for s in self.window.next_slots(slot, unit) if there[s] >= LIKELY]
        return self.later[slot, unit]


def _goes_round(followers: Mapping[int, Sequence[int]]) -> bool:
    """Whether going from terms to their followers can lead back to a term."""
    rest = dict(followers)
    while ends := [term for term, later in rest.items() if not any(other in rest for other in later)]:
        for term in ends:
            del rest[term]
    return bool(rest)


def phrase_run(window: Window, words: WordSequence, terms: Sequence[int]) -> UnitRun | None:
    """The likeliest run of a whole sequence of words that begins in the segment; ``terms`` are the words' numbers."""
    pieces = words.by_word[window.kind]
    units = [(unit, term, 1 / len(some)) for some, term in zip(pieces, terms, strict=True) for unit in some]
    if not all(pieces):
        return None
    first = units[0][0]
    if not window.own_slots(first):
        return None
    ends: dict[int, tuple[float, tuple[int, ...]]] = {
        slot: (window.slots(first)[slot], (slot,)) for slot in window.own_slots(first)
    }
    for unit, _, _ in units[1:]:
        longer: dict[int, tuple[float, tuple[int, ...]]] = {}
        for slot, (product, path) in ends.items():
            for later in window.next_slots(slot, unit):
                likelihood = product * window.slots(unit)[later]
                if likelihood > longer.get(later, (0.0, ()))[0]:
                    longer[later] = (likelihood, (*path, later))
        ends = longer
        if not ends:
            return None
    product, path = max(ends.values(), key=lambda end: (round(end[0], 12), -end[1][0]))
    run = [
        RunUnit(unit, term, share, slot, window.row_of(slot), window.slots(unit)[slot])
        for (unit, term, share), slot in zip(units, path, strict=True)
    ]
    return UnitRun(window.kind, product ** (1 / len(units)), tuple(run))


def _terms_of(query: SpokenQuery, phrases: Sequence[WordSequence]) -> list[list[int]]:
    """The numbers of the terms that the words of each phrase belong to: each its own, or one for all; −1: none."""
    numbers = {some.words: i for i, term in reversed(list(enumerate(query.terms))) for some in term.alternatives}
    wholes = [numbers.get(words.words, -1) for words in phrases]
    return [[numbers.get((word,), whole) for word in words.words] for words, whole in zip(phrases, wholes, strict=True)]


def best_run(index: Index, part: PartReader, query: SpokenQuery, row: int) -> tuple[UnitRun, Window] | None:
    """What a hit points at: a required phrase; else words; else smaller units.

    Words are the place, however unlikely they are, because the score rests on them first. Only where less than
    ``LIKELY`` of a word is expected can smaller units elsewhere in the segment be the place: if their run is worth more
    and holds all units of a term, or units of a term that is no word of the archive, so that nothing else speaks for
    it. None where no unit of the query stands in the segment's networks.
    """
    phrases = [words for phrase in query.phrases for words in phrase.alternatives]
    most = max(len(query.words), *(len(words.words) for words in phrases), 1)
    stop = min(row + 2 + 2 * most, part.utterances(int(part.recording_of[row])).stop)  # some segments may be silent
    windows = {kind: Window(part, kind, row, stop) for kind in index.kinds}
    terms = _terms_of(query, phrases)
    for window in windows.values() if phrases else ():
        runs = [phrase_run(window, words, numbers) for words, numbers in zip(phrases, terms, strict=True)]
        likeliest = max((run for run in runs if run is not None), key=lambda run: run.worth, default=None)
        if likeliest is not None:
            return likeliest, window
    words, *smaller = windows.values()
    run = _Search(words, query, words=True).run()
    best = None if run is None else (run, words)
    if best is not None and best[0].worth >= LIKELY:
        return best
    for window in smaller:
        other = _Search(window, query, words=False).run()
        if other is None or (best is not None and other.worth <= best[0].worth):
            continue
        if run is None or (_elsewhere(run, words, other, window) and _speaks(index, other, query)):
            best = other, window
    return best


def _elsewhere(run: UnitRun, window: Window, other: UnitRun, its_window: Window) -> bool:
    """Whether two runs have no time in common; unknown times are no other place."""
    (start, end), (its_start, its_end) = (
        (w.span(r.units[0].slot)[0], w.span(r.units[-1].slot)[1]) for r, w in ((run, window), (other, its_window))
    )
    return end <= its_start or its_end <= start


def _speaks(index: Index, run: UnitRun, query: SpokenQuery) -> bool:
    """Whether smaller units have all of a term, or some of one that is no word of the archive."""
    for number in {unit.term for unit in run.units if unit.share > 0}:
        own = [unit.share for unit in run.units if unit.term == number]
        ways = [some.units(index.kinds[0]) for some in query.terms[number].alternatives]
        if sum(own) > 1 - 1e-9 or not any(all(word in index.vocabulary for word in way) for way in ways):
            return True
    return False
