"""Descriptions of the recordings of an archive as a reader may see them: closed ones are left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, unknown
from ..index import schema
from ..index.reader import Index, PartReader
from .dates import read_days
from .fields import values_of
from .folding import fold
from .rights import OPEN, RIGHTS, access, listed_documents

SORTS = ("title", "date", "speaker", "length", "heard")
_FIELDS = ("title", "date", "speakers", "collection", RIGHTS)


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


class Descriptions:
    """The recordings of an index that are not closed, in the state of the store when this is made."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.numbers = listed_documents(index)
        texts = index.document_texts
        empty = np.full(len(index), "", object)
        self._texts = {name: texts.get(name, empty) for name in _FIELDS}

    def __len__(self) -> int:
        return len(self.numbers)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    @cached_property
    def _rows(self) -> dict[str, int]:
        names = self.index.names
        return {names[number]: number for number in self.numbers.tolist()}

    @cached_property
    def _measured(self) -> tuple[np.ndarray, np.ndarray]:
        """Seconds and mean posterior of the words of every document; NaN where there are none."""
        both = [_measures(part) for part in self.index.parts]
        seconds, heard = (np.concatenate([np.zeros(0), *(pair[i] for pair in both)]) for i in (0, 1))
        return seconds, heard

    def get(self, name: str) -> RecordingDescription:
        """A recording by its name; one that is not there or closed is an InputError."""
        if name not in self._rows:
            raise InputError("there is no such recording")
        return self._described(self._rows[name])

    def _described(self, number: int) -> RecordingDescription:
        title, date, speakers, collection, rights = (str(self._texts[field][number]) for field in _FIELDS)
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
        keys = [self._key(sort, number) for number in numbers]
        order = sorted((i for i in range(len(keys)) if keys[i] is not None), key=lambda i: keys[i], reverse=reverse)
        order += [i for i in range(len(keys)) if keys[i] is None]
        return len(numbers), [self._described(numbers[i]) for i in order[offset : offset + limit]]

    def _having(self, words: str) -> list[int]:
        sought = [folded for word in words.split() if (folded := fold(word))]
        if not sought:
            return self.numbers.tolist()
        return [n for n, text in self._searched() if all(word in text for word in sought)]

    def _searched(self) -> Iterator[tuple[int, str]]:
        for number in self.numbers.tolist():
            texts = (str(self._texts[field][number]) for field in _FIELDS[:-1])
            yield number, " ".join(map(fold, (self.index.name_of(number), *texts)))

    def _key(self, sort: str, number: int) -> Any:
        """What a recording is sorted by, and its name; None where it has no value."""
        name = self.index.name_of(number)
        if sort in ("length", "heard"):
            value: Any = float(self._measured[sort == "heard"][number])
            return None if value != value else (value, name)
        text = str(self._texts["speakers" if sort == "speaker" else sort][number])
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
        for text in self._texts[field][self.numbers].tolist():
            for value in values_of(text) if field == "speakers" else [text] if text else []:
                counts[value] = counts.get(value, 0) + 1
        return sorted(counts, key=lambda value: (-counts[value], value))[:most]

    @cached_property
    def dates(self) -> tuple[str, str] | None:
        """The first and the last date, as they are written; None where no recording has one that can be read."""
        dates = {text for text in self._texts["date"][self.numbers].tolist() if text}
        read = sorted((days, text) for text in dates if (days := read_days(text.strip())))
        return (read[0][1], read[-1][1]) if read else None

    @cached_property
    def has_audio(self) -> bool:
        """Whether the archive names an audio file for any of them."""
        return any(self._described(number).audio for number in self.numbers[:1000].tolist())


def _measures(part: PartReader) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.nan_to_num(part.numbers(schema.LENGTH).astype(np.float64))
    offsets = np.nan_to_num(part.numbers(schema.OFFSET))
    ends = np.zeros(part.n_documents)
    np.maximum.at(ends, part.document_of, np.where(lengths > 0, offsets + lengths, 0.0))
    first = schema.WORDS.read(part.part)
    posteriors = np.nan_to_num(part.numbers(schema.WORD_TIMES)[:, 2].astype(np.float64))
    sums = np.concatenate([[0.0], np.cumsum(posteriors)])
    bounds = first[part.first_utterance]
    words = np.diff(bounds)
    with np.errstate(invalid="ignore", divide="ignore"):
        heard = np.diff(sums[bounds]) / words
    return np.where(ends > 0, np.round(ends, 3), np.nan), np.where(words > 0, np.round(heard, 4), np.nan)
