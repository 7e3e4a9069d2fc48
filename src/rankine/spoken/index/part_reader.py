"""Reading one part of the index: its documents, units and postings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...errors import shorten
from . import schema
from .parts import Part
from .schema import FORMS, GramPostings, NumberColumn, Postings, TextColumn
from .settings import Settings
from .strings import Strings

_MOST_BOUNDS = 1000  # of units that are kept


class UtteranceGroups(NamedTuple):
    """Utterances of a part in groups: the group of each, and where each group begins."""

    of: np.ndarray
    first: np.ndarray


class PartReader:
    """A part of the index, and the posterior of every stored number.

    ``hidden`` are the numbers of documents that do not count any more: they stand in another part, written anew. The
    others are those that ``counting`` numbers.
    """

    def __init__(self, part: Part, posteriors: np.ndarray, hidden: Sequence[int] = ()) -> None:
        self.part, self.posteriors, self.hidden = part, posteriors, tuple(hidden)
        _ = schema.OFFSET.read(part)  # as long as the footer says: no more memory is used than the file is long
        self.first_utterance = schema.UTTERANCES.read(part)
        self.n_documents = len(self.first_utterance) - 1
        self.document_of = np.repeat(np.arange(self.n_documents), np.diff(self.first_utterance))
        self._texts: dict[str, Strings] = {}
        self._bounds: dict[tuple[str, str, str], tuple[int, int]] = {}
        if any(document >= self.n_documents for document in self.hidden):
            raise part.wrong("a number of a document that does not count")
        self.documents_count = np.ones(self.n_documents, np.bool_)
        self.documents_count[list(self.hidden)] = False

    @cached_property
    def counting(self) -> np.ndarray:
        """The numbers of the documents that count."""
        return np.flatnonzero(self.documents_count)

    @cached_property
    def number_of(self) -> np.ndarray:
        """The number of each document among those that count."""
        return np.cumsum(self.documents_count) - 1

    @cached_property
    def rows_count(self) -> np.ndarray:
        """Which utterances are of documents that count."""
        return self.documents_count[self.document_of]

    @property
    def n_places(self) -> int:
        """How many utterances count."""
        return int(self.rows_count.sum()) if self.hidden else len(self.document_of)

    def texts(self, column: TextColumn) -> Strings:
        """A column of text; kept for the next call."""
        if column.name not in self._texts:
            self._texts[column.name] = column.read(self.part)
        return self._texts[column.name]

    def numbers(self, column: NumberColumn, start: int = 0, stop: int | None = None) -> np.ndarray:
        """A column of numbers, or some rows of it."""
        return column.read(self.part, start, stop)

    @property
    def by_document(self) -> UtteranceGroups:
        """The utterances of each document."""
        return UtteranceGroups(self.document_of, self.first_utterance)

    @cached_property
    def by_place(self) -> UtteranceGroups:
        """Every utterance by itself."""
        n = len(self.document_of)
        return UtteranceGroups(np.arange(n), np.arange(n + 1))

    @property
    def names(self) -> list[str]:
        """The names of all documents, also of those that do not count."""
        if "names" not in self.part.kept:
            self.part.kept["names"] = self.texts(schema.DOCUMENT_NAME).all()
        return self.part.kept["names"]

    def find(self, name: str) -> int | None:
        """The number of the document of a name, if it counts."""
        if "numbers" not in self.part.kept:
            self.part.kept["numbers"] = {own: number for number, own in enumerate(self.names)}
        number: int | None = self.part.kept["numbers"].get(name)
        if number is None or self.documents_count[number]:
            return number
        return next((n for n in self.counting.tolist() if self.names[n] == name), None)

    @property
    def counting_names(self) -> list[str]:
        """The names of the documents that count."""
        return [self.names[i] for i in self.counting.tolist()] if self.hidden else self.names

    def keeps(self, names: Collection[str]) -> np.ndarray:
        """A mask of the documents that count and are none of these."""
        mask = self.documents_count.copy()
        mask[[number for name in names if (number := self.find(name)) is not None]] = False
        return mask

    def utterances(self, document: int) -> range:
        """The numbers of a document's utterances."""
        return range(int(self.first_utterance[document]), int(self.first_utterance[document + 1]))

    def words(self, utterance: int) -> range:
        """The numbers of the words of an utterance's likeliest reading."""
        first = schema.WORDS.read(self.part)
        return range(int(first[utterance]), int(first[utterance + 1]))

    def has(self, kind: str, unit: str) -> bool:
        """Whether a unit occurs, in documents that count."""
        if self.texts(schema.units(kind)).find(unit) < 0:
            return False
        return not self.hidden or self.has_in(kind, [unit], self.documents_count)

    def has_in(self, kind: str, units: Sequence[str], documents: np.ndarray) -> bool:
        """Whether any of these units occurs in the documents for which a mask is true."""
        for form in FORMS:
            utterances = self.postings(kind, form)[0]
            for first, last in zip(*self.bounds(kind, form, units), strict=True):
                if documents[self.document_of[utterances[first:last]]].any():
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
            if GramPostings(kind, orders[0]).stored(self.part):
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
