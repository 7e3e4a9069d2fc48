"""Reading the index: the parts that one manifest names, their recordings, units and postings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, nearest, shorten
from ...system.paths import inside
from ..lattice.units import TABLE, Split
from ..store.cells import Stamp, StoredCells
from ..store.store import Store
from ..text import SPEAKER, SPEAKERS
from . import schema
from .schema import FORMS, GramPostings, NumberColumn, Postings, Strings, TextColumn
from .settings import Settings
from .storage import MANIFEST, Manifest, Part, open_parts

# -- Reading one part of the index: its recordings, units and postings


_MOST_BOUNDS = 1000  # of units that are kept


class UtteranceGroups(NamedTuple):
    """Utterances of a part in groups: the group of each, and where each group begins."""

    of: np.ndarray
    first: np.ndarray


class PartReader:
    """A part of the index, and the posterior of every stored number.

    ``hidden`` are the numbers of recordings that do not count any more: they stand in another part, written anew. The
    others are those that ``counting`` numbers.
    """

    def __init__(self, part: Part, posteriors: np.ndarray, hidden: Sequence[int] = ()) -> None:
        self.part, self.posteriors, self.hidden = part, posteriors, tuple(hidden)
        _ = schema.OFFSET.read(part)  # as long as the footer says: no more memory is used than the file is long
        self.first_utterance = schema.UTTERANCES.read(part)
        self.n_recordings = len(self.first_utterance) - 1
        self.recording_of = np.repeat(np.arange(self.n_recordings), np.diff(self.first_utterance))
        self._texts: dict[str, Strings] = {}
        self._bounds: dict[tuple[str, str, str], tuple[int, int]] = {}
        if any(recording >= self.n_recordings for recording in self.hidden):
            raise part.wrong("a number of a recording that does not count")
        self.recordings_count = np.ones(self.n_recordings, np.bool_)
        self.recordings_count[list(self.hidden)] = False

    @cached_property
    def counting(self) -> np.ndarray:
        """The numbers of the recordings that count."""
        return np.flatnonzero(self.recordings_count)

    @cached_property
    def number_of(self) -> np.ndarray:
        """The number of each recording among those that count."""
        return np.cumsum(self.recordings_count) - 1

    @cached_property
    def rows_count(self) -> np.ndarray:
        """Which utterances are of recordings that count."""
        return self.recordings_count[self.recording_of]

    @property
    def n_places(self) -> int:
        """How many utterances count."""
        return int(self.rows_count.sum()) if self.hidden else len(self.recording_of)

    def texts(self, column: TextColumn) -> Strings:
        """A column of text; kept for the next call."""
        if column.name not in self._texts:
            self._texts[column.name] = column.read(self.part)
        return self._texts[column.name]

    def numbers(self, column: NumberColumn, start: int = 0, stop: int | None = None) -> np.ndarray:
        """A column of numbers, or some rows of it."""
        return column.read(self.part, start, stop)

    @property
    def by_recording(self) -> UtteranceGroups:
        """The utterances of each recording."""
        return UtteranceGroups(self.recording_of, self.first_utterance)

    @cached_property
    def by_place(self) -> UtteranceGroups:
        """Every utterance by itself."""
        n = len(self.recording_of)
        return UtteranceGroups(np.arange(n), np.arange(n + 1))

    @property
    def names(self) -> list[str]:
        """The names of all recordings, also of those that do not count."""
        if "names" not in self.part.kept:
            self.part.kept["names"] = self.texts(schema.RECORDING_NAME).all()
        return self.part.kept["names"]

    def find(self, name: str) -> int | None:
        """The number of the recording of a name, if it counts."""
        if "numbers" not in self.part.kept:
            self.part.kept["numbers"] = {own: number for number, own in enumerate(self.names)}
        number: int | None = self.part.kept["numbers"].get(name)
        if number is None or self.recordings_count[number]:
            return number
        return next((n for n in self.counting.tolist() if self.names[n] == name), None)

    @property
    def counting_names(self) -> list[str]:
        """The names of the recordings that count."""
        return [self.names[i] for i in self.counting.tolist()] if self.hidden else self.names

    def keeps(self, names: Collection[str]) -> np.ndarray:
        """A mask of the recordings that count and are none of these."""
        mask = self.recordings_count.copy()
        mask[[number for name in names if (number := self.find(name)) is not None]] = False
        return mask

    def utterances(self, recording: int) -> range:
        """The numbers of a recording's utterances."""
        return range(int(self.first_utterance[recording]), int(self.first_utterance[recording + 1]))

    def words(self, utterance: int) -> range:
        """The numbers of the words of an utterance's likeliest reading."""
        first = schema.WORDS.read(self.part)
        return range(int(first[utterance]), int(first[utterance + 1]))

    def has(self, kind: str, unit: str) -> bool:
        """Whether a unit occurs, in recordings that count."""
        if self.texts(schema.units(kind)).find(unit) < 0:
            return False
        return not self.hidden or self.has_in(kind, [unit], self.recordings_count)

    def has_in(self, kind: str, units: Sequence[str], recordings: np.ndarray) -> bool:
        """Whether any of these units occurs in the recordings for which a mask is true."""
        for form in FORMS:
            utterances = self.postings(kind, form)[0]
            for first, last in zip(*self.bounds(kind, form, units), strict=True):
                if recordings[self.recording_of[utterances[first:last]]].any():
                    return True
        return False

    def bounds(self, kind: str, form: str, units: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Where the postings of each unit begin and end, checked; an unknown unit has none."""
        postings = Postings(kind, form)
        ptr, names = postings.bounds(self.part), self.texts(schema.units(kind))
        number = np.array([names.find(u) for u in units], np.int64)
        first, last = np.where(number < 0, 0, ptr[number]), np.where(number < 0, 0, ptr[number + 1])
        for a, b in set(zip(first.tolist(), last.tolist(), strict=True)):
            postings.check(self.part, a, b)
        return first, last

    def bounds_of_one(self, kind: str, form: str, unit: str) -> tuple[int, int]:
        """:meth:`bounds` of one unit; kept for the next hits of a query."""
        key = kind, form, unit
        kept = self._bounds.get(key)
        if kept is None:
            (first,), (last,) = self.bounds(kind, form, [unit])
            kept = int(first), int(last)
            if len(self._bounds) >= _MOST_BOUNDS:
                self._bounds = {}
            self._bounds[key] = kept
        return kept

    def postings(self, kind: str, form: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Utterances, positions and stored posteriors of all postings; read only what :meth:`bounds` has checked."""
        return Postings(kind, form).unchecked(self.part)

    def n_positions(self, kind: str, form: str) -> int:
        """The largest number of positions of an utterance."""
        return Postings(kind, form).width(self.part)

    def check(self, settings: Settings) -> None:
        """Check everything that is checked when it is read, and the order of units and postings."""
        kinds = list(settings.kinds)
        for column in (*schema.COLUMNS, *(c for kind in kinds for c in schema.columns_of(kind))):
            values = column.read(self.part)
            if isinstance(values, Strings):
                values.all()
        for kind in kinds:
            self._check_order(schema.units(kind))
            slots = np.diff(schema.slots(kind).read(self.part))
            for form in FORMS:
                self._check_postings(Postings(kind, form), slots if form == "cn" else None)

        for kind, orders in settings.grams.items():
            self._check_order(schema.gram_units(kind))
            for order in orders:
                self._check_grams(GramPostings(kind, order))

    def _check_order(self, column: TextColumn) -> None:
        """Check that units are sorted by bytes."""
        texts = self.texts(column)
        texts.all()
        names = [texts.bytes_of(i) for i in range(len(texts))]
        if any(a >= b for a, b in pairwise(names)):
            raise self.part.wrong(f"the order of the units {shorten(column.name.split('.')[0])}")

    def _check_grams(self, grams: GramPostings) -> None:
        """Check that the postings of a gram rise by utterance."""
        bounds, utterance = grams.bounds(self.part), grams.read(self.part)[0].astype(np.int64)
        falls = utterance[1:] <= utterance[:-1]
        falls[np.setdiff1d(bounds, [0, len(utterance)]) - 1] = False  # a gram's first
        if falls.any():
            raise self.part.wrong(f"the order of the postings {grams.name}")

    def _check_postings(self, postings: Postings, slots: np.ndarray | None) -> None:
        """Check that postings of a unit rise by utterance and position, and lie in the slots that there are."""
        utterance, position, _ = postings.read(self.part)
        if slots is not None and (position >= slots[utterance]).any():
            raise self.part.wrong(f"a number of the postings {postings.name}")
        place = utterance.astype(np.int64) << 32 | position
        falls = place[1:] <= place[:-1]
        falls[np.setdiff1d(postings.bounds(self.part), [0, len(place)]) - 1] = False  # a unit's first
        if falls.any():
            raise self.part.wrong(f"the order of the postings {postings.name}")


# -- Reading the index: the parts that one manifest names, their recordings, units and postings


class Vocabulary(Container[str]):
    """The words that occur in an archive."""

    def __init__(self, parts: Sequence[PartReader], kind: str) -> None:
        self.parts, self.kind = parts, kind

    def __contains__(self, word: object) -> bool:
        return any(part.has(self.kind, str(word)) for part in self.parts)


class RecordingNumbers(Mapping[str, int]):
    """The numbers of recordings by name. Each part finds its own; what it looks them up in is kept with it."""

    def __init__(self, parts: Sequence[PartReader], offsets: np.ndarray) -> None:
        self.parts = list(zip(parts, offsets.tolist(), strict=False))

    def _number(self, name: object) -> int | None:
        for part, before in reversed(self.parts):
            own = part.find(name) if isinstance(name, str) else None
            if own is not None:
                return before + int(part.number_of[own] if part.hidden else own)
        return None

    def __getitem__(self, name: str) -> int:
        number = self._number(name)
        if number is None:
            raise KeyError(name)
        return number

    def __contains__(self, name: object) -> bool:
        return self._number(name) is not None

    def get(self, name: str, default: Any = None) -> Any:
        """The number of a recording, or ``default`` where there is none."""
        number = self._number(name)
        return default if number is None else number

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for part, _ in self.parts for name in part.counting_names))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Index:
    """The parts that one manifest names. It keeps that state whatever writers do."""

    def __init__(self, folder: Path, manifest: Manifest, parts: Sequence[Part]) -> None:
        self.folder, self.manifest = folder, manifest
        self._texts: tuple[Stamp | None, object, dict[str, np.ndarray]] | None = None
        self._without: tuple[frozenset[str], Index] | None = None
        self.settings = Settings.of(manifest.settings)
        try:
            self.settings.check()
        except InputError as error:
            raise InputError(str(error), str(folder / MANIFEST)) from None
        posteriors = self.settings.decoded()
        hidden = [entry.hidden for entry in manifest.parts]
        self.parts = [PartReader(part, posteriors, some) for part, some in zip(parts, hidden, strict=True)]
        self.offsets = np.cumsum([0, *(len(p.counting) for p in self.parts)])  # recordings before each part
        self.places_before = np.cumsum([0, *(len(p.recording_of) for p in self.parts)])  # segments before each part

    @classmethod
    def open(cls, folder: Path) -> Index:
        """The newest state of an archive's folder."""
        manifest, parts = open_parts(folder)
        manifest.check_files(folder)
        Store(folder).check_exists()
        return cls(folder, manifest, parts)

    def without(self, names: Collection[str]) -> Index:
        """Return this state of the index as if it did not hold some recordings; places keep their numbers.

        The answer to the last question is kept.
        """
        if not names:
            return self
        hidden = frozenset(names)
        kept = self._without  # read once: other threads set it too
        if kept is None or kept[0] != hidden:
            numbers = [[n for name in hidden if (n := part.find(name)) is not None] for part in self.parts]
            entries = zip(self.manifest.parts, numbers, strict=True)
            parts = tuple(entry._replace(hidden=(*entry.hidden, *some)) for entry, some in entries)
            manifest = replace(self.manifest, parts=parts)
            kept = self._without = hidden, Index(self.folder, manifest, [part.part for part in self.parts])
        return kept[1]

    @property
    def kinds(self) -> list[str]:
        """Kinds of units, words first."""
        return list(self.settings.kinds)

    @property
    def dictionary(self) -> str | None:
        """The path of the archive's own pronunciation dictionary, if it has one."""
        name = self.settings.dictionary
        return None if name is None else self._own_file(name, "the pronunciation dictionary")

    def _own_file(self, name: str, what: str) -> str:
        """The path of a file that settings name; one that is not the archive's own is not read."""
        if name not in self.manifest.files:
            raise InputError(
                f"{what} is the file {shorten(name, 300)}, which is not the archive's own and is not read: "
                "copy it in with Archive.copy_file", str(self.folder),
            )  # fmt: skip
        return str(inside(self.folder, name))

    @property
    def working_settings(self) -> Settings:
        """The settings, with the paths of the archive's own files in place of their names."""
        kinds = {
            kind: how if how in TABLE else self._own_file(how, f"the table of the units {shorten(kind)}")
            for kind, how in self.settings.kinds.items()
        }
        return replace(self.settings, kinds=kinds)

    @property
    def splits(self) -> dict[str, Split | None]:
        """What makes units of a word, for every kind."""
        return self.working_settings.splits(self.dictionary)

    @property
    def listed(self) -> Callable[[str], bool]:
        """What tells whether a word is in the pronunciation dictionary of the last kind of units."""
        return self.working_settings.listed(self.dictionary)

    @property
    def pronounced(self) -> Callable[[str], bool]:
        """What tells whether a dictionary gives the sounds of a word; letters of words are no sounds."""
        return (lambda word: False) if list(self.settings.kinds.values())[-1] == "characters" else self.listed

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that occur."""
        return Vocabulary(self.parts, self.kinds[0])

    def __len__(self) -> int:
        return int(self.offsets[-1])

    @property
    def n_utterances(self) -> int:
        """How many utterances there are; stretches of one that is long have its name and count once."""
        return sum(
            len({pair for pair, counts in zip(_utterances(p), p.rows_count.tolist(), strict=True) if counts})
            for p in self.parts
        )

    @property
    def n_stretches(self) -> int:
        """How many stretches the utterances consist of."""
        return sum(p.n_places for p in self.parts)

    @property
    def seconds(self) -> float:
        """How long all utterances with times are."""
        return sum(float(np.nansum(p.numbers(schema.LENGTH)[p.rows_count])) for p in self.parts)

    def check_sizes(self) -> None:
        """Raise InputError if a file has become shorter: reading behind its end would end the process."""
        for part in self.parts:
            part.part.check_size()

    @cached_property
    def names(self) -> list[str]:
        """The names of all recordings, by number."""
        return [name for part in self.parts for name in part.counting_names]

    @cached_property
    def numbers(self) -> RecordingNumbers:
        """The number of each recording, by name."""
        return RecordingNumbers(self.parts, self.offsets)

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each recording, by name."""
        return dict(zip(self.names, self._column(schema.FINGERPRINT), strict=True))

    @property
    def corrected(self) -> dict[str, str]:
        """The fingerprint of the corrections that were applied to recordings, by name, where there are any."""
        return {
            part.names[d]: mark
            for part in self.parts
            if (marks := part.texts(schema.CORRECTIONS)).ptr[-1]
            for d, mark in enumerate(marks.all())
            if mark and part.recordings_count[d]
        }

    @cached_property
    def cells(self) -> StoredCells:
        """What the archive's store says about recordings."""
        return StoredCells(self.folder)

    @property
    def own_texts(self) -> dict[str, np.ndarray]:
        """Title, date and speakers of all recordings, by number, as the index has them: the store may say otherwise."""
        columns = {text: self._column(column) for text, column in schema.RECORDING_TEXTS.items()}
        return {_field_of(text): np.array(column, object) for text, column in columns.items()}

    @property
    def recording_texts(self) -> dict[str, np.ndarray]:
        """Every field of all recordings, by number; empty where nothing is said.

        What the store says counts, also that a field is empty; else what the index has.
        """
        state = self.cells.stamp(), self.parts
        if self._texts is None or self._texts[0] != state[0] or self._texts[1] is not state[1]:
            self._texts = (*state, self._all_texts())
        return self._texts[2]

    def _all_texts(self) -> dict[str, np.ndarray]:
        texts, numbers = self.own_texts, self.numbers
        for name, cells in self.cells.all().items():
            number = numbers.get(name)
            if number is None:
                continue
            for field, value in cells.items():
                if field not in texts:
                    texts[field] = np.full(len(self), "", object)
                texts[field][number] = value
        return texts

    def texts_of(self, recordings: Sequence[int]) -> list[dict[str, str]]:
        """The fields of some recordings that are not empty."""
        names = [self.name_of(number) for number in recordings]
        said = self.cells.some(names)
        out = []
        for number, name in zip(recordings, names, strict=True):
            part, own = self.place_of(number)
            texts = {_field_of(text): part.texts(column)[own] for text, column in schema.RECORDING_TEXTS.items()}
            out.append({field: value for field, value in (texts | said.get(name, {})).items() if value})
        return out

    def _column(self, column: TextColumn) -> list[str]:
        return [text for part in self.parts for text in part.texts(column).some(part.counting)]

    def base_texts(self, recording: str) -> dict[str, str]:
        """Return the title, date and speaker that the index itself has of a recording, as its transcript gave them."""
        if recording not in self.numbers:
            return {}
        part, number = self.place_of(recording)
        texts = {name: part.texts(column)[number] for name, column in schema.RECORDING_TEXTS.items()}
        return {name: text for name, text in texts.items() if text}

    def number_of(self, recording: str) -> int:
        """The number of a recording; an unknown name is an InputError."""
        if recording not in self.numbers:
            raise InputError(
                f"no recording is called {recording!r}.{nearest(recording, self.numbers)}", str(self.folder)
            )
        return self.numbers[recording]

    def place_of(self, recording: int | str) -> tuple[PartReader, int]:
        """The part that a recording (by number or name) is in, and its number there."""
        number = self.number_of(recording) if isinstance(recording, str) else recording
        p = int(np.searchsorted(self.offsets, number, side="right")) - 1
        return self.parts[p], int(self.parts[p].counting[number - int(self.offsets[p])])

    def name_of(self, number: int) -> str:
        """The name of a recording."""
        part, own = self.place_of(number)
        return part.texts(schema.RECORDING_NAME)[own]

    def utterances_of(self, recording: str) -> set[str]:
        """The names of a recording's utterances."""
        part, number = self.place_of(recording)
        names = part.texts(schema.UTTERANCE_NAME)
        return {names[u] for u in part.utterances(number)}

    def by_part(self, recordings: np.ndarray) -> Iterator[tuple[PartReader, np.ndarray, np.ndarray]]:
        """For each part, which of these recordings are in it (a mask), and their numbers there."""
        for p, part in enumerate(self.parts):
            inside = (recordings >= self.offsets[p]) & (recordings < self.offsets[p + 1])
            yield part, inside, part.counting[recordings[inside] - self.offsets[p]]

    def has(self, kind: str, units: Sequence[str]) -> bool:
        """Whether any of these units occurs."""
        return any(part.has(kind, unit) for part in self.parts for unit in units)


def _utterances(part: PartReader) -> Iterator[tuple[int, str]]:
    """The number of the recording and the name of each utterance."""
    return zip(part.recording_of.tolist(), part.texts(schema.UTTERANCE_NAME).all(), strict=True)


def _field_of(text: str) -> str:
    """The field of a text that the index has; speakers were called speaker when there could be only one."""
    return SPEAKERS if text == SPEAKER else text
