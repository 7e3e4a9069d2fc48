"""Parts of the index as flat arrays: made of utterances' lattices, or of other parts without some recordings.

Utterances are numbered in a part so that those of a recording stand together. Postings of a unit are sorted by
utterance and position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...system.files import fingerprint
from ..lattice.confusion import confusion_network
from ..lattice.formats import Piece
from ..lattice.grams import GramCounts, gram_counts
from ..lattice.lattice import Lattice
from ..lattice.positions import pspl
from ..lattice.posteriors import UnitPosteriors, arc_posteriors
from ..lattice.scoring import Scoring
from ..lattice.stretches import Stretch, stretches
from ..lattice.units import Split, to_units
from . import schema
from .grams import UtteranceGrams, least_count, merged_grams, new_grams, part_grams
from .kernels import build as kn
from .schema import FORMS, Arrays, Postings, joined
from .settings import Settings
from .storage import MemoryPart, Part

T = TypeVar("T")


class Entries(NamedTuple):
    """The index entries of an utterance in one kind and form, by rising position; slots' times for networks."""

    names: tuple[str, ...]
    unit: np.ndarray
    position: np.ndarray
    posterior: np.ndarray
    slots: np.ndarray


class Word(NamedTuple):
    """A word of the likeliest reading, with its times and its posterior."""

    text: str
    start: float
    end: float
    posterior: float


class Utterance(NamedTuple):
    """All that the index holds of an utterance, or of a stretch of a long one.

    ``heard`` is empty, but for one that was corrected: there it tells what was heard (:mod:`.heard_rows`).
    """

    name: str
    length: float
    entries: dict[tuple[str, str], Entries]
    best: list[Word]
    grams: dict[tuple[str, int], UtteranceGrams]
    audio: str = ""
    offset: float = 0.0
    heard: str = ""


@dataclass
class IndexedRecording:
    """A recording to be indexed: its utterances in order, and what is said about it.

    ``corrections`` is the fingerprint of those that were applied; empty: none. Where there are ``pieces``, its rows are
    these instead of ``utterances``.
    """

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    utterances: list[Utterance] = field(default_factory=list)
    fingerprint: str = ""
    turns: list[tuple[float, float, str]] = field(default_factory=list)  # start, end and speaker
    corrections: str = ""
    pieces: list[RecordingPiece] = field(default_factory=list)


def analyse(settings: Settings, scoring: Scoring, dictionary: str | None, piece: Piece) -> list[Utterance]:
    """The stretches of an utterance, with the posteriors of every kind of units in both forms.

    Each has the name of the utterance; its offset is where it begins in it.
    """
    return analyse_lattice(settings, scoring.open(piece), dictionary, piece.name)


def analyse_lattice(settings: Settings, lattice: Lattice, dictionary: str | None, name: str) -> list[Utterance]:
    """The same for a lattice that is weighed."""
    splits = settings.splits(dictionary)
    return [_utterance(settings, splits, name, stretch) for stretch in stretches(lattice)]


def _utterance(settings: Settings, splits: Mapping[str, Split | None], name: str, stretch: Stretch) -> Utterance:
    """All that the index holds of a stretch; words are counted before arcs are left out."""
    entries: dict[tuple[str, str], Entries] = {}
    grams: dict[tuple[str, int], UtteranceGrams] = {}
    best: list[Word] = []
    whole = arc_posteriors(stretch.lattice)
    lattice = stretch.lattice.prune(whole.posterior, settings.arc_threshold)
    for kind, split in splits.items():
        smaller = to_units(lattice, split, silent=True)
        posteriors = arc_posteriors(smaller)
        network = confusion_network(smaller, "pivot", posteriors)
        best = best if entries else _best_words(network)
        entries[kind, "pspl"] = _entries(pspl(smaller, posteriors, settings.prune))
        entries[kind, "cn"] = _entries(_compact(network, settings), times=True)
        if kind == next(iter(splits)):
            counts = gram_counts(stretch.lattice, 1, whole)
            grams |= _grams(kind, settings.grams[kind], stretch.lattice.units, counts)
        elif kind in settings.grams:
            orders = settings.grams[kind]
            grams |= _grams(kind, orders, smaller.units, gram_counts(smaller, orders[-1], posteriors))
    return Utterance(name, stretch.length, entries, best, grams, offset=stretch.start)


def _grams(
    kind: str, orders: Sequence[int], units: tuple[str, ...], counts: Sequence[GramCounts]
) -> dict[tuple[str, int], UtteranceGrams]:
    """The n-grams that are stored."""
    out = {}
    for order in orders:
        rows, count = counts[order - 1]
        enough = count >= least_count(order)
        out[kind, order] = UtteranceGrams(units, rows[enough], count[enough])
    return out


def _compact(network: UnitPosteriors, settings: Settings) -> UnitPosteriors:
    """Leave out near-empty slots and small entries."""
    totals = np.bincount(network.position, network.posterior, network.n_positions)
    stays = totals > settings.skip
    number = np.cumsum(stays) - 1
    stored = stays[network.position] & (network.posterior > settings.prune)
    return replace(
        network, position=number[network.position[stored]], unit=network.unit[stored],
        posterior=network.posterior[stored], start=network.start[stored], end=network.end[stored],
        n_positions=int(stays.sum()),
    )  # fmt: skip


def _entries(posteriors: UnitPosteriors, times: bool = False) -> Entries:
    slots = np.zeros((0, 2), np.float32)
    if times:
        slots = np.full((posteriors.n_positions, 2), np.nan, np.float32)
        first = np.flatnonzero(np.diff(posteriors.position, prepend=-1))  # the likeliest unit's times are the slot's
        slots[posteriors.position[first]] = np.column_stack([posteriors.start[first], posteriors.end[first]])
    return Entries(posteriors.units, posteriors.unit, posteriors.position, posteriors.posterior, slots)


def _best_words(network: UnitPosteriors) -> list[Word]:
    return [
        Word(network.units[network.unit[i]], *(float(x[i]) for x in (network.start, network.end, network.posterior)))
        for i in network.best_entries()
    ]


def content_print(piece: Piece) -> str:
    """A fingerprint of the content of an utterance."""
    if piece.data is None:
        with open(piece.path, "rb") as file:
            return fingerprint(file.read(), size=12)
    return fingerprint(piece.data, size=12)


def fingerprint_of(content: str, more: Any = None) -> str:
    """The fingerprint of an utterance, by that of its content, and of how it is read and where it begins."""
    return fingerprint(content, repr(more), size=12)


def part_of_recordings(recordings: Sequence[IndexedRecording], settings: Settings) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a part of new recordings, and its footer."""
    utterances = [u for d in recordings for u in d.utterances]
    sizes: dict[str, int] = {}
    rows: dict[str, Sequence[Any]] = {
        schema.RECORDING: recordings, schema.UTTERANCE: utterances,
        schema.WORD: [w for u in utterances for w in u.best],
    }  # fmt: skip

    def arrays() -> Arrays:
        for column in schema.COLUMNS:
            yield from column.write_rows(rows[column.rows])
        for kind in settings.kinds:
            yield from _new_kind(kind, utterances, settings, sizes)
        for kind, orders in settings.grams.items():
            yield from new_grams(kind, orders, [u.grams for u in utterances])

    return arrays(), _footer(len(recordings), len(utterances), sizes)


def _new_kind(kind: str, utterances: list[Utterance], settings: Settings, sizes: dict[str, int]) -> Arrays:
    """The columns of a kind of units; ``sizes`` gets its numbers of positions."""
    names, lookups = _dictionary([u.entries[kind, form] for u in utterances for form in FORMS])
    yield from schema.units(kind).write(names)
    for f, form in enumerate(FORMS):
        entries = [u.entries[kind, form] for u in utterances]
        unit = joined([lookups[2 * i + f][e.unit] for i, e in enumerate(entries)], np.int64)
        utterance = np.repeat(np.arange(len(entries)), [len(e.unit) for e in entries]).astype(np.uint32)
        position = joined([e.position for e in entries], np.int64)
        coded = settings.coded(joined([e.posterior for e in entries], np.float64))
        yield from _sorted(Postings(kind, form), len(names), unit, utterance, position, coded, sizes)
    yield from schema.slots(kind).write_rows(utterances)
    times = [u.entries[kind, "cn"].slots.ravel() for u in utterances]
    yield from schema.slot_times(kind).write(joined(times, np.float32))


def _footer(recordings: int, utterances: int, sizes: dict[str, int]) -> dict[str, Any]:
    """What the footer of a part holds; ``sizes`` is filled while the arrays are written."""
    return {"documents": recordings, "utterances": utterances, "positions": sizes}


def _dictionary(entries: Sequence[Entries]) -> tuple[list[str], list[np.ndarray]]:
    """All units that have an entry, sorted by bytes, and for each utterance the numbers of its units (−1: no entry)."""
    names = sorted({e.names[u] for e in entries for u in np.unique(e.unit).tolist()}, key=str.encode)
    number = {u: i for i, u in enumerate(names)}
    return names, [np.array([number.get(u, -1) for u in e.names], np.int64) for e in entries]


def _sorted(
    postings: Postings, n_units: int, unit: np.ndarray, utterance: np.ndarray, position: np.ndarray, coded: np.ndarray,
    sizes: dict[str, int],
) -> Arrays:  # fmt: skip
    """Postings sorted by unit; those of a unit stay in order, by rising utterances and positions."""
    sizes[postings.n_positions] = int(position.max(initial=-1)) + 1
    ptr, order = np.zeros(n_units + 1, np.int64), np.empty(len(unit), np.int64)
    kn.by_unit(unit, ptr, order)
    yield from postings.write(ptr, utterance[order], position[order], coded[order])


class RecordingPiece(NamedTuple):
    """Rows of a recording: a part that holds them, and a mask of its rows."""

    part: Part
    rows: np.ndarray


def new_part(utterances: Sequence[Utterance], settings: Settings) -> Part:
    """A part of these rows in memory, of which a recording can be made."""
    return MemoryPart(*part_of_recordings([IndexedRecording("", utterances=list(utterances))], settings))


def part_of_rows(
    recording: IndexedRecording, pieces: Sequence[RecordingPiece], settings: Settings
) -> tuple[Arrays, dict[str, Any]]:
    """A part of one recording, whose rows are those of these pieces, without decoding anything."""
    merger = _Merger([p.part for p in pieces], [p.rows for p in pieces], settings)
    count = int(merger.before[-1])

    def arrays() -> Arrays:
        for column in schema.COLUMNS:
            if column is schema.UTTERANCES:
                yield from schema.UTTERANCES.write([count])
            elif column.rows == schema.RECORDING:
                yield from column.write_rows([recording])
        yield from merger.arrays()

    return arrays(), _footer(1, count, merger.sizes)


def part_of_parts(
    parts: Sequence[Part], keep: Sequence[np.ndarray], settings: Settings
) -> tuple[Arrays, dict[str, Any]]:
    """One part of the recordings of several for which the masks are true, without decoding anything."""
    merger = _Merger(parts, schema.UTTERANCES.below(parts, keep), settings)

    def arrays() -> Arrays:
        for column in schema.COLUMNS:
            if column.rows == schema.RECORDING:
                yield from column.merge(parts, keep)
        yield from merger.arrays()

    return arrays(), _footer(int(sum(k.sum() for k in keep)), int(merger.before[-1]), merger.sizes)


def part_relabelled(part: Part, texts: Mapping[str, Sequence[str]]) -> tuple[Arrays, dict[str, Any]]:
    """The same part with other texts in some columns, by the name of the column."""

    def arrays() -> Arrays:
        replaced = {f"{name}.{end}": name for name in texts for end in ("ptr", "text")}
        for name in part.places:
            if name not in replaced:
                yield name, part.get(name)
            elif name.endswith(".ptr"):
                column = schema.TEXT_COLUMNS[replaced[name]]
                yield from column.write(texts[replaced[name]])

    return arrays(), dict(part.meta)


class _Merger:
    """The rows of parts that are merged, with masks of those that stay; what is said of recordings is not merged."""

    def __init__(self, parts: Sequence[Part], utterances: Sequence[np.ndarray], settings: Settings) -> None:
        self.parts, self.utterances, self.settings = parts, utterances, settings
        self.masks = {schema.UTTERANCE: utterances, schema.WORD: schema.WORDS.below(parts, utterances)}
        self.before = np.cumsum([0, *(int(u.sum()) for u in self.utterances)])  # utterances of earlier parts
        self.sizes: dict[str, int] = {}

    def arrays(self) -> Arrays:
        """The arrays of the merged part, but for those of recordings."""
        for column in schema.COLUMNS:
            if column.rows in self.masks:
                yield from column.merge(self.parts, self.masks[column.rows])
        for kind in self.settings.kinds:
            names, maps = self._dictionary(kind)
            yield from schema.units(kind).write(names)
            for form in FORMS:
                yield from self._postings(Postings(kind, form), len(names), maps)
            bounds = schema.slots(kind)
            yield from bounds.merge(self.parts, self.utterances)
            yield from schema.slot_times(kind).merge(self.parts, bounds.below(self.parts, self.utterances))
        for kind, orders in self.settings.grams.items():
            yield from self._grams(kind, orders)

    def _of_each(self, read: Callable[[Part], T]) -> list[T]:
        """What is read of each part; a part that is there several times is read once."""
        once = {id(part): read(part) for part in {id(part): part for part in self.parts}.values()}
        return [once[id(part)] for part in self.parts]

    def _dictionary(self, kind: str) -> tuple[list[str], list[np.ndarray]]:
        """The units that stay, sorted by bytes, and for each part the new numbers of its units (−1: it goes)."""
        dictionaries = self._of_each(lambda part: schema.units(kind).read(part).all())
        used = [self._used(i, kind, len(d)).tolist() for i, d in enumerate(dictionaries)]
        pairs = ((n, u) for d, mine in zip(dictionaries, used, strict=True) for n, u in zip(d, mine, strict=True))
        names = sorted({n for n, stays in pairs if stays}, key=str.encode)
        number = {n: i for i, n in enumerate(names)}
        return names, [np.array([number.get(n, -1) for n in d], np.int64) for d in dictionaries]

    def _used(self, i: int, kind: str, n_units: int) -> np.ndarray:
        """Which units of a part occur in the utterances that stay."""
        used = np.zeros(n_units, np.bool_)
        for form in FORMS:
            postings = Postings(kind, form)
            unit = np.repeat(np.arange(n_units), np.diff(postings.bounds(self.parts[i])))
            used[unit[self.utterances[i][postings.read(self.parts[i])[0]]]] = True
        return used

    def _grams(self, kind: str, orders: Sequence[int]) -> Arrays:
        """The n-grams that stay, with new codes and numbers of utterances."""
        parts = self._of_each(lambda part: part_grams(part, kind, orders))
        numbers = [self._numbers(i) for i in range(len(parts))]
        yield from merged_grams(kind, orders, parts, self.utterances, numbers)

    def _numbers(self, i: int) -> np.ndarray:
        """The new number of each utterance of a part that stays."""
        return (np.cumsum(self.utterances[i]) - 1 + self.before[i]).astype(np.uint32)

    def _postings(self, postings: Postings, n_units: int, maps: Sequence[np.ndarray]) -> Arrays:
        """The postings that stay, with new numbers of units and utterances."""
        unit, utterance, position, coded = [], [], [], []
        for i, part in enumerate(self.parts):
            old, positions, posteriors = postings.read(part)
            stays = self.utterances[i][old]
            unit.append(np.repeat(maps[i], np.diff(postings.bounds(part)))[stays])
            utterance.append(self._numbers(i)[old[stays]])
            position.append(positions[stays].astype(np.int64))
            coded.append(posteriors[stays])
        yield from _sorted(
            postings, n_units, np.concatenate(unit), np.concatenate(utterance), np.concatenate(position),
            np.concatenate(coded), self.sizes,
        )  # fmt: skip
