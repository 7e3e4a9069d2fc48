"""What a query requires of a place: phrases, words near each other, and nothing of what it excludes.

Phrases and near words may begin in one segment of a recording and end in another; the place is where they begin. A
sequence of words is looked for by the first kind of units in which all of it occurs in the archive: by words where each
of them does, else by smaller units. What is excluded is looked for by words only: what sounds alike is not the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...system.console import counted
from ..index import schema
from ..index.kernels.scores import chain
from ..index.occurrences import Runs, sequence_runs, slot_spans
from ..index.reader import Index, PartReader
from ..query.terms import Near, SpokenQuery, WordSequence
from ..recordings.places import by_part

# How often a phrase must be expected by position-specific posteriors where its words do not follow each other in the
# network. Positions of different paths can seem to follow each other, so the least posterior would let in far more
# phrases that were not said than phrases that were.
EXPECTED = 0.01
EXCLUDED = 0.5  # posterior from which a place is left out that holds what the query excludes


class Requirement(NamedTuple):
    """Something that a query requires: what is said where no place has it, and which segments of a part do.

    ``holds`` is called with a part and a mask of segments, and returns those of them that have it. ``excludes``: it is
    that something is not said.
    """

    nothing: str
    holds: Callable[[PartReader, np.ndarray], np.ndarray]
    excludes: bool = False


def mask(index: Index, query: SpokenQuery, places: np.ndarray, excludes: bool | None = None) -> np.ndarray:
    """True for the places (rising numbers) that have all that the query requires.

    ``excludes``: only look at what it excludes (True), or only at the rest (False).
    """
    keep = np.ones(len(places), np.bool_)
    for requirement in requirements(index, query):
        if excludes is None or requirement.excludes == excludes:
            keep[keep] = _holding(index, requirement, places[keep])
    return keep


def why_nothing(index: Index, query: SpokenQuery, places: np.ndarray) -> str:
    """Which requirement leaves none of these places; an empty text where some are left."""
    for requirement in requirements(index, query):
        places = places[_holding(index, requirement, places)]
        if len(places) == 0:
            return requirement.nothing
    return ""


def requirements(index: Index, query: SpokenQuery) -> list[Requirement]:
    """All that a query requires of a place."""
    required = []
    beside = [side for near in query.nears for side in (near.left, near.right)]  # near itself requires these
    for phrase in query.phrases:
        if any(phrase.alternatives is side for side in beside):
            continue
        nothing = f"no place holds the phrase {phrase.text}"
        required.append(Requirement(nothing, _Phrase(_by_kind(index, phrase.alternatives))))
    for near in query.nears:
        sides = " and ".join("|".join(map(_text, side[:3])) for side in (near.left, near.right))
        nothing = f"no place has {sides} with at most {counted(near.distance, 'word')} between them"
        required.append(Requirement(nothing, _near(index, near)))
    for words in query.excluded:
        nothing = f"all places hold {_text(words)}, which the query excludes"
        required.append(Requirement(nothing, _Without(_by_kind(index, [words], index.kinds[:1])), excludes=True))
    return required


def _text(words: WordSequence) -> str:
    return f'"{" ".join(words.words)}"' if len(words.words) > 1 else words.words[0]


def _holding(index: Index, requirement: Requirement, places: np.ndarray) -> np.ndarray:
    out = np.zeros(len(places), np.bool_)
    for part, inside, rows in by_part(index, places):
        if len(rows):
            segments = np.zeros(len(part.recording_of), np.bool_)
            segments[rows] = True
            out[inside] = requirement.holds(part, segments)[rows]
    return out


def occurring_kind(index: Index, words: WordSequence, kinds: Sequence[str] | None = None) -> str | None:
    """The first kind of units in which all words have units, and all of these occur in the archive."""
    for kind in index.kinds if kinds is None else kinds:
        if all(words.by_word[kind]) and all(index.has(kind, [unit]) for unit in set(words.units(kind))):
            return kind
    return None


def _by_kind(
    index: Index, alternatives: Sequence[WordSequence], allowed: Sequence[str] | None = None
) -> list[tuple[str, list[str]]]:
    """The units of each alternative that occurs, with their kind; none twice."""
    kinds = [(occurring_kind(index, words, allowed), words) for words in alternatives]
    units = [(kind, tuple(words.units(kind))) for kind, words in kinds if kind is not None]
    return [(kind, list(some)) for kind, some in dict.fromkeys(units)]


class _Phrase:
    """Segments in which one of several sequences begins, or is expected by their position-specific posteriors.

    Sequences that repeat a unit must begin.
    """

    def __init__(self, alternatives: list[tuple[str, list[str]]]) -> None:
        self.alternatives = alternatives

    def __call__(self, part: PartReader, segments: np.ndarray) -> np.ndarray:
        out = np.zeros(len(segments), np.bool_)
        for kind, units in self.alternatives:
            out[sequence_runs(part, kind, units, segments & ~out).first_row] = True
            if len(set(units)) < len(units):
                continue  # where one unit is expected in two positions, it need not be said twice
            rest = np.flatnonzero(segments & ~out)
            out[rest[_position_chains(part, kind, units, rest) >= EXPECTED]] = True
        return out


def _position_chains(part: PartReader, kind: str, units: list[str], rows: np.ndarray) -> np.ndarray:
    """How often units follow each other in segments, by the position-specific posteriors."""
    out = np.zeros(len(rows))
    first, last = part.bounds(kind, "pspl", units)
    width = part.n_positions(kind, "pspl")
    bounds = np.arange(len(part.recording_of) + 1)
    chain(first, last, *part.postings(kind, "pspl"), part.posteriors, bounds, rows, width, out)
    return out


class _Without:
    """Segments in which none of several sequences begins with a posterior of at least ``EXCLUDED``."""

    def __init__(self, excluded: list[tuple[str, list[str]]]) -> None:
        self.excluded = excluded

    def __call__(self, part: PartReader, segments: np.ndarray) -> np.ndarray:
        out = segments.copy()
        for kind, units in self.excluded:
            runs = sequence_runs(part, kind, units, out)
            out[runs.first_row[runs.posterior >= EXCLUDED]] = False
        return out


# -- near


def _near(index: Index, near: Near) -> Callable[[PartReader, np.ndarray], np.ndarray]:
    """The segments where two things begin that are near: by the first kind of units in which both occur."""
    for kind in index.kinds:
        sides = [
            [words.units(kind) for words in side if occurring_kind(index, words, [kind])]
            for side in (near.left, near.right)
        ]
        if all(sides):
            return _NearUnits(kind, sides[0], sides[1], near.distance)
    return lambda part, segments: np.zeros(len(segments), np.bool_)


class _NearUnits:
    """Segments where one of two things begins, and the other follows at most ``distance`` words later.

    Words between are those of the likeliest reading that stand, by the middle of their time, between the end of the
    one and the beginning of the other; without times they are slots.
    """

    def __init__(self, kind: str, left: list[list[str]], right: list[list[str]], distance: int) -> None:
        self.kind, self.left, self.right, self.distance = kind, left, right, distance

    def __call__(self, part: PartReader, segments: np.ndarray) -> np.ndarray:
        recordings = np.zeros(part.n_recordings, np.bool_)
        recordings[part.recording_of[segments]] = True
        rows = recordings[part.recording_of]  # the later one may stand in any segment of the recording
        left, right = (self._spans(part, side, rows) for side in (self.left, self.right))
        untimed = np.zeros(part.n_recordings, np.bool_)
        for side in (left, right):
            untimed[side.recording[np.isnan(side.start) | np.isnan(side.end)]] = True
        left, right = (side.counted(untimed) for side in (left, right))
        out = np.zeros(len(segments), np.bool_)
        for one, other in ((left, right), (right, left)):
            out[one.first_row[self._has_later(one, other)]] = True
        return out & segments

    def _spans(self, part: PartReader, side: list[list[str]], rows: np.ndarray) -> _Spans:
        runs = [sequence_runs(part, self.kind, units, rows) for units in side]
        whole = Runs(*(np.concatenate(arrays) for arrays in zip(*runs, strict=True)))
        begins, _ = slot_spans(part, self.kind, whole.first, whole.first_row)
        _, ends = slot_spans(part, self.kind, whole.last, whole.last_row)
        return _Spans(
            part.recording_of[whole.first_row], whole.first_row, whole.first, whole.last,
            words_before(part, whole.first_row, begins), words_before(part, whole.last_row, ends),
        )  # fmt: skip

    def _has_later(self, one: _Spans, other: _Spans) -> np.ndarray:
        """For each of the one, whether one of the others in its recording begins behind it and near enough.

        With the others in order of their slots, the least word number from a slot on tells: numbers of later recordings
        are larger.
        """
        order = np.argsort(other.first, kind="stable")
        recording = np.append(other.recording[order], -1)
        least = np.append(np.minimum.accumulate(other.start[order][::-1])[::-1], np.inf)
        after = np.searchsorted(other.first[order], one.last, side="right")
        return (recording[after] == one.recording) & (least[after] <= one.end + self.distance)


class _Spans(NamedTuple):
    """Where things are: recording, segment and slot in which they begin, last slot, words before beginning and end."""

    recording: np.ndarray
    first_row: np.ndarray
    first: np.ndarray
    last: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def counted(self, untimed: np.ndarray) -> _Spans:
        """With slots in place of words in recordings (a mask) without times, and larger numbers in later recordings."""
        by_slot, before = untimed[self.recording], self.recording * 2.0**32
        start, end = np.where(by_slot, self.first, self.start), np.where(by_slot, self.last + 1, self.end)
        return self._replace(start=before + start, end=before + end)


def words_before(part: PartReader, row: np.ndarray, time: np.ndarray) -> np.ndarray:
    """The number of words of the likeliest reading before a time in a segment, counted through the part; NaN: unknown.

    Times count from the beginning of the audio file.
    """
    out = np.empty(len(row))
    offset = part.numbers(schema.OFFSET)
    order = np.argsort(row, kind="stable")
    for at in np.split(order, np.flatnonzero(np.diff(row[order])) + 1) if len(row) else []:
        numbers = part.words(int(row[at[0]]))
        times = part.numbers(schema.WORD_TIMES, numbers.start, numbers.stop)
        middle = (times[:, 0].astype(np.float64) + times[:, 1]) / 2 + offset[row[at[0]]]
        out[at] = numbers.start + np.searchsorted(np.sort(middle), time[at])
        if np.isnan(middle).any():
            out[at] = np.nan
    out[np.isnan(time)] = np.nan
    return out
