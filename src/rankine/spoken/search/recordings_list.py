"""The list of the recordings of an archive: any of their columns for the keeper, descriptions for readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, unknown
from ..dates import read_days
from ..index import schema
from ..index.reader import Index, PartReader
from ..metadata.fields import TABLE, field_name, in_order, values_of
from ..metadata.rights import OPEN, RIGHTS, access, listed_recordings
from ..query.folding import fold
from .filters import read_filter

COLUMNS = ("recording", "title", "date", "speakers", "length", "segments")
SORTS = ("title", "date", "speaker", "length", "heard")
_FIELDS = ("title", "date", "speakers", "collection", RIGHTS)
_OF_INDEX: dict[str, Callable[[Index], list[Any]]] = {
    "recording": lambda index: list(index.names),
    "length": lambda index: _by_recording(index, lambda part: part.numbers(schema.LENGTH).astype(np.float64)),
    "segments": lambda index: [int(n) for part in index.parts for n in np.diff(part.first_utterance)[part.counting]],
}


class RecordingDescription(NamedTuple):
    """What a list of recordings tells about one; ``heard`` is the mean posterior of its words, None without words."""

    name: str
    title: str
    date: str
    speaker: str
    collection: str
    seconds: float | None
    rights: str
    heard: float | None
    audio: bool  # whether the archive names an audio file


class RecordingsList:
    """The recordings of an index, in the state of the store when this is made.

    Those that are closed are left out, but for the keeper (``closed``).
    """

    def __init__(self, index: Index, closed: bool = False) -> None:
        self.index = index
        self.numbers = np.arange(len(index)) if closed else listed_recordings(index)
        self._texts = dict(index.recording_texts)

    def __len__(self) -> int:
        return len(self.numbers)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def _text(self, field: str) -> Any:
        """What all recordings of the index have in a field of text."""
        if field not in self._texts:
            self._texts[field] = np.full(len(self.index), "", object)
        return self._texts[field]

    # -- any columns of them

    def table(
        self, where: str = "", sort: str = "recording", reverse: bool = False, fields: Sequence[str] = ()
    ) -> dict[str, list[Any]]:
        """Columns of the recordings that pass the fields of a query; those without a value to sort by come last.

        Args:
            where: fields as in a query, such as ``speaker:ann date:2021..2023``; by default all recordings.
            sort: a column.
            reverse: whether to sort from the last to the first.
            fields: the columns; by default ``COLUMNS``, and rights if a recording is not open. A length is in seconds.
        """
        values = self._column(self._column_name(sort))
        mask = read_filter(self.index, where).mask(self.index)
        numbers = (self.numbers if mask is None else self.numbers[mask[self.numbers]]).tolist()
        order = _ordered(numbers, lambda number: _sort_key(values[number]), reverse)
        rights = self._text(RIGHTS)
        if not fields and any(access(rights[number]) != OPEN for number in numbers):
            fields = (COLUMNS[0], RIGHTS, *COLUMNS[1:])
        columns = {name: self._column(name) for name in map(self._column_name, fields or COLUMNS)}
        return {name: [column[number] for number in order] for name, column in columns.items()}

    def _column(self, name: str) -> list[Any]:
        return _OF_INDEX[name](self.index) if name in _OF_INDEX else self._text(name).tolist()

    def _column_name(self, name: str) -> str:
        """The name of a column: of the list, of the table of fields, or of a field that some recording has."""
        field = field_name(name)
        if field in _OF_INDEX or field in TABLE:
            return field
        own = [f for f, column in self._texts.items() if column.any()]
        if field not in own:
            raise unknown("field", name, [*_OF_INDEX, *in_order({*TABLE, *own})])
        return field

    # -- descriptions of them

    @cached_property
    def _rows(self) -> dict[str, int]:
        names = self.index.names
        return {names[number]: number for number in self.numbers.tolist()}

    @cached_property
    def _measured(self) -> tuple[np.ndarray, np.ndarray]:
        """Seconds and mean posterior of the words of every recording; NaN where there are none."""
        both = [_measures(part) for part in self.index.parts]
        seconds, heard = (np.concatenate([np.zeros(0), *(pair[i] for pair in both)]) for i in (0, 1))
        return seconds, heard

    def get(self, name: str) -> RecordingDescription:
        """A recording by its name; one that is not there or closed is an InputError."""
        if name not in self._rows:
            raise InputError("there is no such recording")
        return self._described(self._rows[name])

    def _described(self, number: int) -> RecordingDescription:
        title, date, speakers, collection, rights = (str(self._text(field)[number]) for field in _FIELDS)
        seconds, heard = (float(column[number]) for column in self._measured)
        means = access(rights)
        part, own = self.index.place_of(number)
        rows, audio = part.utterances(own), part.texts(schema.AUDIO)
        return RecordingDescription(
            self.index.name_of(number), title, date, speakers, collection,
            None if seconds != seconds else seconds, OPEN if means == OPEN else rights,
            None if heard != heard or means != OPEN else heard, any(audio[row] for row in rows[:1]),
        )  # fmt: skip

    def page(
        self, sort: str = "title", reverse: bool = False, words: str = "", offset: int = 0, limit: int = 50
    ) -> tuple[int, list[RecordingDescription]]:
        """How many recordings have these words in name, title, speakers, collection or date, and some of them, sorted.

        Those without a value to sort by come last.
        """
        if sort not in SORTS:
            raise unknown("order", sort, SORTS)
        numbers = self._having(words)
        order = _ordered(numbers, lambda number: self._key(sort, number), reverse)
        return len(numbers), [self._described(number) for number in order[offset : offset + limit]]

    def _having(self, words: str) -> list[int]:
        sought = [folded for word in words.split() if (folded := fold(word))]
        if not sought:
            return self.numbers.tolist()
        return [n for n, text in self._searched() if all(word in text for word in sought)]

    def _searched(self) -> Iterator[tuple[int, str]]:
        columns = [self._text(field) for field in _FIELDS[:-1]]
        for number in self.numbers.tolist():
            texts = (str(column[number]) for column in columns)
            yield number, " ".join(map(fold, (self.index.name_of(number), *texts)))

    def _key(self, sort: str, number: int) -> Any:
        """What a recording is sorted by, and its name; None where it has no value."""
        name = self.index.name_of(number)
        if sort in ("length", "heard"):
            value: Any = float(self._measured[sort == "heard"][number])
            return None if value != value else (value, name)
        text = str(self._text("speakers" if sort == "speaker" else sort)[number])
        if sort == "date":
            days = read_days(text.strip()) if text else None
            return None if days is None else (days, name)
        text = text or (name if sort == "title" else "")
        return (text.casefold(), name) if text else None

    # -- what they have together

    @cached_property
    def seconds(self) -> float:
        """How long they are together."""
        return float(np.nansum(self._measured[0][self.numbers]))

    def values(self, field: str, most: int) -> list[str]:
        """The values of a field, those of most recordings first."""
        counts: dict[str, int] = {}
        for text in self._text(field)[self.numbers].tolist():
            for value in values_of(text) if field == "speakers" else [text] if text else []:
                counts[value] = counts.get(value, 0) + 1
        return sorted(counts, key=lambda value: (-counts[value], value))[:most]

    @cached_property
    def dates(self) -> tuple[str, str] | None:
        """The first and the last date, as they are written; None where no recording has one that can be read."""
        dates = {text for text in self._text("date")[self.numbers].tolist() if text}
        read = sorted((days, text) for text in dates if (days := read_days(text.strip())))
        return (read[0][1], read[-1][1]) if read else None

    @cached_property
    def has_audio(self) -> bool:
        """Whether the archive names an audio file for any of them."""
        return any(self._described(number).audio for number in self.numbers[:1000].tolist())


def _measures(part: PartReader) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.nan_to_num(part.numbers(schema.LENGTH).astype(np.float64))
    offsets = np.nan_to_num(part.numbers(schema.OFFSET))
    ends = np.zeros(part.n_recordings)
    np.maximum.at(ends, part.recording_of, np.where(lengths > 0, offsets + lengths, 0.0))
    first = schema.WORDS.read(part.part)
    posteriors = np.nan_to_num(part.numbers(schema.WORD_TIMES)[:, 2].astype(np.float64))
    sums = np.concatenate([[0.0], np.cumsum(posteriors)])
    bounds = first[part.first_utterance]
    words = np.diff(bounds)
    with np.errstate(invalid="ignore", divide="ignore"):
        heard = np.diff(sums[bounds]) / words
    return np.where(ends > 0, np.round(ends, 3), np.nan), np.where(words > 0, np.round(heard, 4), np.nan)


def _ordered(numbers: Sequence[int], key: Callable[[int], Any], reverse: bool) -> list[int]:
    """Recordings by what a key gives; those that have none (None) come last."""
    keys = {number: key(number) for number in numbers}
    there = sorted((number for number in numbers if keys[number] is not None), key=keys.__getitem__, reverse=reverse)
    return there + [number for number in numbers if keys[number] is None]


def _sort_key(value: Any) -> Any:
    """What a value of a column is sorted by; None where there is none."""
    return (value.casefold() or None) if isinstance(value, str) else value


def _by_recording(index: Index, values: Callable[[Any], np.ndarray]) -> list[float | None]:
    """Sums of what the segments of each recording have; None for 0."""
    sums: list[float | None] = []
    for part in index.parts:
        before = np.concatenate([[0.0], np.cumsum(np.nan_to_num(values(part)))])
        sums += [n or None for n in np.round(np.diff(before[part.first_utterance])[part.counting], 2).tolist()]
    return sums
