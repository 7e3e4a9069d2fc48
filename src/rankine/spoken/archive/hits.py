"""From a document that was found to a hit: where in it, what matched, and what was said around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import InputError

if TYPE_CHECKING:
    from ..index.reader import View
    from .archive import Archive
    from .query import Query

_AROUND = 6  # words of the snippet on either side
_SURE = 0.1  # evidence that suffices to point by words instead of smaller units
_GAP = 0.1  # seconds between words that follow each other
_PLACES = 300


@dataclass(frozen=True)
class Match:
    """A unit of the query where it was heard."""

    unit: str
    posterior: float
    start: float
    end: float


@dataclass(frozen=True)
class Hit:
    """A document that was found, and the place in it; times count from the beginning of ``audio``."""

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
        known = self.start == self.start and self.end == self.end
        return f"{self.document}@{self.start:.1f}-{self.end:.1f}" if known else self.document

    def to_dict(self) -> dict[str, Any]:
        """As plain data; unknown times are None."""
        return _plain(asdict(self))


class Place(NamedTuple):
    """A stretch of a document's recording."""

    document: str
    audio: Path
    start: float
    end: float


def locate(archive: Archive, text: str, recordings: str | None = None) -> Place:
    """What ``DOCUMENT@START-END`` means: which recording, from when to when.

    Without an end it is three seconds, without times the first half minute. Of a document that consists of several
    recordings it is the one that the hit's times can be in.
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
    view, number = archive.place_of(document)
    first, last = (int(x) for x in view.part.get("doc.first")[number : number + 2])
    offsets, lengths = view.part.get("utt.offset"), view.part.get("utt.length")
    inside = [u for u in range(first, last) if offsets[u] - 1 <= start <= offsets[u] + lengths[u] + 1]
    audio = view.texts("utt.audio")[inside[0] if inside else first]
    if not audio:
        raise InputError(f"the archive does not know a recording of {document!r}: index it with --about", "play")
    return Place(document, _recording(Path(audio), archive.folder, recordings), start, end)


def _recording(audio: Path, folder: Path, recordings: str | None) -> Path:
    """Where a recording is now: as it was given, below the archive, or (by its name) in a folder of recordings."""
    places = [audio, folder / audio]
    if recordings is not None:
        own = audio.parts[audio.is_absolute() :]
        places = [Path(recordings, *own[i:]) for i in range(len(own))]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError(2, "the recording is not there; say where with --recordings", str(audio))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and value != value else value


def make_hit(
    archive: Archive, query: Query, number: int, rank: int, score: float, contributions: dict[str, float]
) -> Hit:
    """The hit for a document."""
    view, doc = archive.place_of(number)
    kind, utt, first, last, matches = _best_place(archive, view, query, doc)
    times = [view.part.get(f"{kind}.slot.time")[2 * s : 2 * s + 2] for s in (first, last)]
    offset = float(view.part.get("utt.offset")[utt])
    begin, end = float(times[0][0]), float(times[1][1])
    return Hit(
        rank, view.texts("doc.name")[doc], score, view.texts("utt.name")[utt], begin + offset, end + offset, kind,
        tuple(Match(m.unit, m.posterior, m.start + offset, m.end + offset) for m in matches),
        _snippet(view, utt, begin, end), contributions, view.texts("doc.title")[doc], view.texts("doc.date")[doc],
        view.texts("doc.speaker")[doc], view.texts("utt.audio")[utt],
    )  # fmt: skip


def _best_place(
    archive: Archive, view: View, query: Query, doc: int
) -> tuple[str, int, int, int, list[Match]]:  # fmt: skip
    """(kind, utterance, first and last slot, matches): the longest and likeliest run of query units in a network.

    Words come first; smaller units only where words are too unlikely.
    """
    found = []
    spans = {kind: [_span(query, kind, phrase) for phrase in query.phrases] for kind in archive.kinds}
    for kind in archive.kinds:
        runs = list(_runs(view, kind, query.units(kind), doc))
        if runs:
            best = max(runs, key=lambda run: _worth(run, spans[kind]))
            found.append((kind, best))
            if _worth(best, spans[kind])[:2] > (0, 0):
                break
    kind, (_, _, utt, first, last, matches, _) = max(found, key=lambda f: f[1][1] ** (1 / f[1][0]))
    return kind, utt, first, last, matches


def _span(query: Query, kind: str, phrase: tuple[int, int]) -> tuple[int, int]:
    """Where a quoted phrase begins and ends among the query's units."""
    begin = len(query.units(kind, (0, phrase[0])))
    return begin, begin + len(query.units(kind, phrase))


def _worth(run: Run, phrases: list[tuple[int, int]]) -> tuple[float, ...]:
    """One that covers a quoted phrase; the longest that is likely enough; the likeliest; the first."""
    mean, first = run[1] ** (1 / run[0]), run[6]
    covers = any(first <= a and b <= first + run[0] for a, b in phrases)
    return (covers, run[0] if mean >= _SURE else 0, round(mean, 9), -run[2], -run[3])


Run = tuple[int, float, int, int, int, list[Match], int]


def _runs(view: View, kind: str, units: list[str], doc: int) -> Iterator[Run]:
    """(length, product of posteriors, utterance, slots, matches, first unit) of runs of query units in a document.

    The next unit stands in the next slot, or in a later one if it begins where this one ends: near-empty slots lie
    between. Of a unit that occurs very often only the likeliest places are looked at.
    """
    first, last = view.bounds(kind, "cn", units)
    begin, end = view.doc_first[doc], view.doc_first[doc + 1]
    utt, pos, coded = (view.part.raw(f"{kind}.cn.{a}") for a in ("utt", "pos", "p"))
    times, slots = view.part.get(f"{kind}.slot.time"), view.part.get(f"{kind}.slot.first")
    at: list[dict[tuple[int, int], float]] = []
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        low, high = a + np.searchsorted(utt[a:b], [begin, end])
        likely = low + np.argsort(coded[low:high], kind="stable")[:_PLACES]
        at.append({(int(utt[k]), int(pos[k])): float(view.table[coded[k]]) for k in likely})
    for i, mine in enumerate(at):
        for u, slot in mine:
            matches, product, n, now, start = list[Match](), 1.0, 0, slot, int(slots[u])
            while True:
                p, s = at[i + n][u, now], start + now
                product *= p
                matches.append(Match(units[i + n], p, float(times[2 * s]), float(times[2 * s + 1])))
                n += 1
                yield n, product, u, start + slot, s, list(matches), i
                after = [x for x in range(now + 1, now + 8) if i + n < len(at) and (u, x) in at[i + n]]
                near = [x for x in after if x == now + 1 or abs(times[2 * (start + x)] - times[2 * s + 1]) < _GAP]
                if not near:
                    break
                now = near[0]


def _snippet(view: View, utt: int, begin: float, end: float) -> str:
    """Words of the likeliest reading around a place; those in it in brackets."""
    first, last = (int(x) for x in view.part.get("best.first")[utt : utt + 2])
    words = [view.texts("best.word")[i] for i in range(first, last)]
    if not words:
        return ""
    times = view.part.get("best.time", 3 * first, 3 * last).reshape(-1, 3)
    middle = (times[:, 0] + times[:, 1]) / 2
    inside = np.flatnonzero((middle >= begin - 1e-6) & (middle <= end + 1e-6))
    if len(inside) == 0:
        after = int(np.sum(np.nan_to_num(middle) < (begin + end) / 2)) if np.isfinite(begin) else 0
        return _cut([*words[:after], "[…]", *words[after:]], after, after)
    low, high = int(inside[0]), int(inside[-1])
    words[low] = f"[{words[low]}"
    words[high] += "]"
    return _cut(words, low, high)


def _cut(words: list[str], low: int, high: int) -> str:
    begin, end = max(low - _AROUND, 0), min(high + _AROUND + 1, len(words))
    return ("… " if begin else "") + " ".join(words[begin:end]) + (" …" if end < len(words) else "")
