"""Reading the index: the parts that one manifest names, their documents, units and postings."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from ...errors import InputError, nearest
from ..lattice.units import Split
from . import schema
from .schema import NumberColumn, Postings, Strings, TextColumn
from .settings import Settings
from .storage import Manifest, Part, open_parts


class PartReader:
    """A part of the index, and the posterior of every stored number."""

    def __init__(self, part: Part, posteriors: np.ndarray) -> None:
        self.part, self.posteriors = part, posteriors
        self.first_utterance = schema.UTTERANCES.read(part)
        self.n_documents = len(self.first_utterance) - 1
        self.document_of = np.repeat(np.arange(self.n_documents), np.diff(self.first_utterance))
        self._texts: dict[str, Strings] = {}

    def texts(self, column: TextColumn) -> Strings:
        """A column of text; kept for the next call."""
        if column.name not in self._texts:
            self._texts[column.name] = column.read(self.part)
        return self._texts[column.name]

    def numbers(self, column: NumberColumn, start: int = 0, stop: int | None = None) -> np.ndarray:
        """A column of numbers, or some rows of it."""
        return column.read(self.part, start, stop)

    @cached_property
    def names(self) -> list[str]:
        """The names of the documents."""
        return self.texts(schema.DOCUMENT_NAME).all()

    def utterances(self, document: int) -> range:
        """The numbers of a document's utterances."""
        return range(int(self.first_utterance[document]), int(self.first_utterance[document + 1]))

    def words(self, utterance: int) -> range:
        """The numbers of the words of an utterance's likeliest reading."""
        first = schema.WORDS.read(self.part)
        return range(int(first[utterance]), int(first[utterance + 1]))

    def has(self, kind: str, unit: str) -> bool:
        """Whether a unit occurs."""
        return self.texts(schema.units(kind)).find(unit) >= 0

    def bounds(self, kind: str, form: str, units: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Where the postings of each unit begin and end, checked; an unknown unit has none."""
        postings = Postings(kind, form)
        ptr, names = postings.bounds(self.part), self.texts(schema.units(kind))
        number = np.array([names.find(u) for u in units], np.int64)
        first, last = np.where(number < 0, 0, ptr[number]), np.where(number < 0, 0, ptr[number + 1])
        for a, b in set(zip(first.tolist(), last.tolist(), strict=True)):
            postings.check(self.part, a, b)
        return first, last

    def postings(self, kind: str, form: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Utterances, positions and stored posteriors of all postings; read only what :meth:`bounds` has checked."""
        return Postings(kind, form).unchecked(self.part)

    def n_positions(self, kind: str, form: str) -> int:
        """The largest number of positions of an utterance."""
        return int(self.part.meta["positions"][Postings(kind, form).n_positions])


class Vocabulary(Container[str]):
    """The words that occur in an archive."""

    def __init__(self, parts: Sequence[PartReader], kind: str) -> None:
        self.parts, self.kind = parts, kind

    def __contains__(self, word: object) -> bool:
        return any(part.has(self.kind, str(word)) for part in self.parts)


class Index:
    """The parts that one manifest names. It keeps that state whatever writers do."""

    def __init__(self, folder: Path, manifest: Manifest, parts: Sequence[Part]) -> None:
        self.folder, self.manifest = folder, manifest
        self.settings = Settings(**manifest.settings)
        posteriors = self.settings.decoded()
        self.parts = [PartReader(part, posteriors) for part in parts]
        self.offsets = np.cumsum([0, *(p.n_documents for p in self.parts)])  # documents before each part

    @classmethod
    def open(cls, folder: Path) -> Index:
        """The newest state of an archive's folder."""
        manifest, parts = open_parts(folder)
        manifest.check_files(folder)
        return cls(folder, manifest, parts)

    @property
    def kinds(self) -> list[str]:
        """Kinds of units, words first."""
        return list(self.settings.kinds)

    @property
    def dictionary(self) -> str | None:
        """The path of the archive's own pronunciation dictionary, if it has one."""
        return None if self.settings.dictionary is None else str(self.folder / self.settings.dictionary)

    @property
    def splits(self) -> dict[str, Split | None]:
        """What makes units of a word, for every kind."""
        return self.settings.splits(self.dictionary)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that occur."""
        return Vocabulary(self.parts, self.kinds[0])

    def __len__(self) -> int:
        return int(self.offsets[-1])

    @property
    def n_utterances(self) -> int:
        """How many utterances there are."""
        return sum(len(p.document_of) for p in self.parts)

    @property
    def seconds(self) -> float:
        """How long all utterances are."""
        return sum(float(p.numbers(schema.LENGTH).sum()) for p in self.parts)

    @cached_property
    def names(self) -> list[str]:
        """The names of all documents, by number."""
        return [name for part in self.parts for name in part.names]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each document, by name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each document, by name."""
        return dict(zip(self.names, self._column(schema.FINGERPRINT), strict=True))

    @cached_property
    def document_texts(self) -> dict[str, np.ndarray]:
        """Title, date and speaker of all documents, by number; empty where nothing is said."""
        return {text: np.array(self._column(c), object) for text, c in schema.DOCUMENT_TEXTS.items()}

    def _column(self, column: TextColumn) -> list[str]:
        return [text for part in self.parts for text in part.texts(column).all()]

    def number_of(self, document: str) -> int:
        """The number of a document; an unknown name is an InputError."""
        if document not in self.numbers:
            raise InputError(f"no document is called {document!r}.{nearest(document, self.numbers)}", str(self.folder))
        return self.numbers[document]

    def place_of(self, document: int | str) -> tuple[PartReader, int]:
        """The part that a document (by number or name) is in, and its number there."""
        number = self.number_of(document) if isinstance(document, str) else document
        p = int(np.searchsorted(self.offsets, number, side="right")) - 1
        return self.parts[p], number - int(self.offsets[p])

    def name_of(self, number: int) -> str:
        """The name of a document."""
        part, own = self.place_of(number)
        return part.texts(schema.DOCUMENT_NAME)[own]

    def utterances_of(self, document: str) -> set[str]:
        """The names of a document's utterances."""
        part, number = self.place_of(document)
        names = part.texts(schema.UTTERANCE_NAME)
        return {names[u] for u in part.utterances(number)}

    def by_part(self, documents: np.ndarray) -> Iterator[tuple[PartReader, np.ndarray, np.ndarray]]:
        """For each part, which of these documents are in it (a mask), and their numbers there."""
        for p, part in enumerate(self.parts):
            inside = (documents >= self.offsets[p]) & (documents < self.offsets[p + 1])
            yield part, inside, documents[inside] - self.offsets[p]

    def has(self, kind: str, units: Sequence[str]) -> bool:
        """Whether any of these units occurs."""
        return any(part.has(kind, u) for part in self.parts for u in units)
