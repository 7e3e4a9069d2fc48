"""Hits of a search: where in the document, which units matched, and what was said around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ..index import schema
from ..index.reader import Index, PartReader
from .roots import RecordingRoots
from .terms import SpokenQuery

_AROUND = 6  # words of the snippet on either side
_SURE = 0.1  # evidence that suffices to point by words instead of smaller units
_GAP = 0.1  # seconds between words that follow each other
_PLACES = 300  # of a unit in a document: of more, the likeliest are looked at


@dataclass(frozen=True)
class Match:
    """A unit of the query where it was heard."""

    unit: str
    posterior: float
    start: float
    end: float


@dataclass(frozen=True)
class Hit:
    """A document that matches a query, and the place in it; times count from the beginning of ``audio``."""

    rank: int
    document: str
    score: float
    utterance: str
    start: float
    end: float
    kind: str
    matches: tuple[Match, ...]
    snippet: str
    contributions: dict[str, float]
    title: str = ""
    date: str = ""
    speaker: str = ""
    audio: str = ""

    @property
    def place(self) -> str:
        """The hit in one word, for ``rankine spoken play``."""
        timed = self.start == self.start and self.end == self.end
        return f"{self.document}@{self.start:.1f}-{self.end:.1f}" if timed else self.document

    def to_dict(self) -> dict[str, Any]:
        """As plain data; unknown times are None."""
        return _plain(asdict(self))


class Place(NamedTuple):
    """A stretch of a document's recording."""

    document: str
    audio: Path
    start: float
    end: float


def locate(index: Index, text: str, recordings: str | None = None) -> Place:
    """The recording and the times that ``DOCUMENT@START-END`` names.

    Without an end it is three seconds, without times the first half minute. Of a document that consists of several
    recordings it is the one that the times can be in. ``recordings`` is the folder of the recordings; without it they
    are looked for in the folders that the user has given for this archive before.
    """
    document, at, times = text.rpartition("@")
    if not at:
        document, times = text, "0-30"
    try:
        begin, _, stop = times.partition("-")
        start = float(begin)
        end = float(stop) if stop else start + 3.0
    except ValueError:
        raise InputError(f"expected times in seconds behind the @, such as 12.5-14; got {times!r}") from None
    if not 0 <= start <= end < 1e7:
        raise InputError(f"a hit begins at 0 or later and ends after that; got {times}")
    index.check_sizes()
    part, number = index.place_of(document)
    offsets, lengths = part.numbers(schema.OFFSET), part.numbers(schema.LENGTH)
    utterances = part.utterances(number)
    near = [u for u in utterances if offsets[u] - 1 <= start <= offsets[u] + lengths[u] + 1] or list(utterances[:1])
    audio = part.texts(schema.AUDIO)[near[0]] if near else ""
    if not audio:
        raise InputError(
            f"the archive does not know a recording of {document!r}: index it with --about", str(index.folder)
        )
    roots = RecordingRoots(index.folder, index.manifest)
    return Place(document, roots.find(audio, None if recordings is None else [recordings]), start, end)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and value != value else value


def make_hit(
    index: Index, query: SpokenQuery, number: int, rank: int, score: float, contributions: dict[str, float]
) -> Hit:
    """The hit for a document."""
    part, document = index.place_of(number)
    best = _best_run(part, query, document)
    if best is None:
        return _without_place(index, number, rank, score, contributions)
    kind, run = best
    times = part.numbers(schema.slot_times(kind))
    offset = float(part.numbers(schema.OFFSET)[run.utterance])
    begin, end = float(times[run.first_slot, 0]), float(times[run.last_slot, 1])
    matches = tuple(Match(m.unit, m.posterior, m.start + offset, m.end + offset) for m in run.matches)
    texts = {name: part.texts(column)[document] for name, column in schema.DOCUMENT_TEXTS.items()}
    return Hit(
        rank, index.name_of(number), score, part.texts(schema.UTTERANCE_NAME)[run.utterance], begin + offset,
        end + offset, kind, matches, _snippet(part, run.utterance, begin, end), contributions,
        audio=part.texts(schema.AUDIO)[run.utterance], **texts,
    )  # fmt: skip


class UnitRun(NamedTuple):
    """Units of a query that follow each other in an utterance; slots are numbered in the part."""

    product: float  # of the posteriors
    utterance: int
    first_slot: int
    last_slot: int
    matches: tuple[Match, ...]
    first_unit: int  # of the query

    @property
    def mean(self) -> float:
        """The geometric mean of the posteriors."""
        return self.product ** (1 / len(self.matches))

    def worth(self, phrases: list[tuple[int, int]]) -> tuple[float, ...]:
        """For comparison: covers a quoted phrase; the longest that is likely enough; the likeliest; the first."""
        first, n, mean = self.first_unit, len(self.matches), self.mean
        covers = any(first <= a and b <= first + n for a, b in phrases)
        return (covers, n if mean >= _SURE else 0, round(mean, 9), -self.utterance, -self.first_slot)


def _without_place(index: Index, number: int, rank: int, score: float, contributions: dict[str, float]) -> Hit:
    """The hit for a document whose networks hold no unit of the query: only its position-specific posteriors do."""
    part, document = index.place_of(number)
    texts = {name: part.texts(column)[document] for name, column in schema.DOCUMENT_TEXTS.items()}
    nowhere = float("nan")
    return Hit(rank, index.name_of(number), score, "", nowhere, nowhere, index.kinds[0], (), "", contributions, **texts)


def _best_run(part: PartReader, query: SpokenQuery, document: int) -> tuple[str, UnitRun] | None:
    """The longest and likeliest run of query units in a network, and their kind; None where there is none.

    Words come first; smaller units only where words are too unlikely.
    """
    best: list[tuple[str, UnitRun]] = []
    for kind in query.by_word:
        phrases = [_span(query, kind, phrase.place) for phrase in query.phrases]
        runs = list(_runs(part, kind, query.units(kind), document))
        if runs:
            run = max(runs, key=lambda run: run.worth(phrases))
            best.append((kind, run))
            if run.worth(phrases)[:2] > (0, 0):
                break
    return max(best, key=lambda pair: pair[1].mean, default=None)


def _span(query: SpokenQuery, kind: str, phrase: tuple[int, int]) -> tuple[int, int]:
    """Where a quoted phrase begins and ends among the query's units."""
    begin = len(query.units(kind, (0, phrase[0])))
    return begin, begin + len(query.units(kind, phrase))


def _occurrences(part: PartReader, kind: str, units: list[str], document: int) -> list[dict[tuple[int, int], float]]:
    """For each unit, its posterior by utterance and slot; only the likeliest places of one that occurs very often."""
    first, last = part.bounds(kind, "cn", units)
    utterance, position, coded = part.postings(kind, "cn")
    inside = part.utterances(document)
    out = []
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        low, high = a + np.searchsorted(utterance[a:b], [inside.start, inside.stop])
        likely = low + np.argsort(coded[low:high], kind="stable")[:_PLACES]
        out.append({(int(utterance[k]), int(position[k])): float(part.posteriors[coded[k]]) for k in likely})
    return out


def _runs(part: PartReader, kind: str, units: list[str], document: int) -> Iterator[UnitRun]:
    """All runs of query units in a document.

    The next unit stands in the next slot, or in a later one if it begins where this one ends: near-empty slots lie
    between.
    """
    times, first_slots = part.numbers(schema.slot_times(kind)), schema.slots(kind).read(part.part)
    at = _occurrences(part, kind, units, document)
    for i, places in enumerate(at):
        for utterance, slot in places:
            matches, product, n, now, start = list[Match](), 1.0, 0, slot, int(first_slots[utterance])
            while True:
                if start + now >= first_slots[utterance + 1]:
                    raise part.part.wrong(f"a number of the postings {kind}.cn")
                p, s = at[i + n][utterance, now], start + now
                product *= p
                matches.append(Match(units[i + n], p, float(times[s, 0]), float(times[s, 1])))
                n += 1
                yield UnitRun(product, utterance, start + slot, s, tuple(matches), i)
                after = [x for x in range(now + 1, now + 8) if i + n < len(at) and (utterance, x) in at[i + n]]
                near = [x for x in after if x == now + 1 or abs(times[start + x, 0] - times[s, 1]) < _GAP]
                if not near:
                    break
                now = near[0]


def _snippet(part: PartReader, utterance: int, begin: float, end: float) -> str:
    """Words of the likeliest reading around a place, also of neighbouring stretches; those in it in brackets."""
    near = _neighbours(part, utterance) if np.isfinite(begin) else [utterance]
    numbers = [part.words(u) for u in near]
    words = [part.texts(schema.WORD_TEXT)[i] for mine in numbers for i in mine]
    if not words:
        return ""
    times = part.numbers(schema.WORD_TIMES, numbers[0].start, numbers[-1].stop)
    shift = part.numbers(schema.OFFSET)[near] - part.numbers(schema.OFFSET)[utterance]
    middle = (times[:, 0] + times[:, 1]) / 2 + np.repeat(shift, [len(mine) for mine in numbers])
    inside = np.flatnonzero((middle >= begin - 1e-6) & (middle <= end + 1e-6))
    if len(inside) == 0:
        after = int(np.sum(np.nan_to_num(middle) < (begin + end) / 2)) if np.isfinite(begin) else 0
        return _cut([*words[:after], "[…]", *words[after:]], after, after)
    low, high = int(inside[0]), int(inside[-1])
    words[low] = f"[{words[low]}"
    words[high] += "]"
    return _cut(words, low, high)


def _neighbours(part: PartReader, stretch: int) -> list[int]:
    """A stretch, with those of the same utterance before and after it."""
    names, inside = part.texts(schema.UTTERANCE_NAME), part.utterances(int(part.document_of[stretch]))
    return [u for u in range(stretch - 1, stretch + 2) if u in inside and names[u] == names[stretch]]


def _cut(words: list[str], low: int, high: int) -> str:
    begin, end = max(low - _AROUND, 0), min(high + _AROUND + 1, len(words))
    return ("… " if begin else "") + " ".join(words[begin:end]) + (" …" if end < len(words) else "")
