"""Reading the index: the parts that one manifest names, their documents, units and postings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError, nearest, shorten
from ...system.paths import inside
from ..lattice.units import TABLE, Split
from ..store import Store
from ..text import SPEAKER, SPEAKERS
from . import schema
from .cells import Stamp, StoredCells
from .part_reader import PartReader
from .parts import Part
from .schema import TextColumn
from .settings import Settings
from .storage import MANIFEST, Manifest, open_parts


class Vocabulary(Container[str]):
    """The words that occur in an archive."""

    def __init__(self, parts: Sequence[PartReader], kind: str) -> None:
        self.parts, self.kind = parts, kind

    def __contains__(self, word: object) -> bool:
        return any(part.has(self.kind, str(word)) for part in self.parts)


class DocumentNumbers(Mapping[str, int]):
    """The numbers of documents by name. Each part finds its own; what it looks them up in is kept with it."""

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
        """The number of a document, or ``default`` where there is none."""
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
        self.offsets = np.cumsum([0, *(len(p.counting) for p in self.parts)])  # documents before each part
        self.places_before = np.cumsum([0, *(len(p.document_of) for p in self.parts)])  # segments before each part

    @classmethod
    def open(cls, folder: Path) -> Index:
        """The newest state of an archive's folder."""
        manifest, parts = open_parts(folder)
        manifest.check_files(folder)
        Store(folder).check_exists()
        return cls(folder, manifest, parts)

    def without(self, names: Collection[str]) -> Index:
        """Return this state of the index as if it did not hold some documents; places keep their numbers.

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
        """The names of all documents, by number."""
        return [name for part in self.parts for name in part.counting_names]

    @cached_property
    def numbers(self) -> DocumentNumbers:
        """The number of each document, by name."""
        return DocumentNumbers(self.parts, self.offsets)

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each document, by name."""
        return dict(zip(self.names, self._column(schema.FINGERPRINT), strict=True))

    @property
    def corrected(self) -> dict[str, str]:
        """The fingerprint of the corrections that were applied to documents, by name, where there are any."""
        return {
            part.names[d]: mark
            for part in self.parts
            if (marks := part.texts(schema.CORRECTIONS)).ptr[-1]
            for d, mark in enumerate(marks.all())
            if mark and part.documents_count[d]
        }

    @cached_property
    def cells(self) -> StoredCells:
        """What the archive's store says about documents."""
        return StoredCells(self.folder)

    @property
    def own_texts(self) -> dict[str, np.ndarray]:
        """Title, date and speakers of all documents, by number, as the index has them: the store may say otherwise."""
        columns = {text: self._column(column) for text, column in schema.DOCUMENT_TEXTS.items()}
        return {_field_of(text): np.array(column, object) for text, column in columns.items()}

    @property
    def document_texts(self) -> dict[str, np.ndarray]:
        """Every field of all documents, by number; empty where nothing is said.

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

    def texts_of(self, documents: Sequence[int]) -> list[dict[str, str]]:
        """The fields of some documents that are not empty."""
        names = [self.name_of(number) for number in documents]
        said = self.cells.some(names)
        out = []
        for number, name in zip(documents, names, strict=True):
            part, own = self.place_of(number)
            texts = {_field_of(text): part.texts(column)[own] for text, column in schema.DOCUMENT_TEXTS.items()}
            out.append({field: value for field, value in (texts | said.get(name, {})).items() if value})
        return out

    def _column(self, column: TextColumn) -> list[str]:
        return [text for part in self.parts for text in part.texts(column).some(part.counting)]

    def base_texts(self, document: str) -> dict[str, str]:
        """Title, date and speaker that the index itself has of a document, from releases until 0.1."""
        if document not in self.numbers:
            return {}
        part, number = self.place_of(document)
        texts = {name: part.texts(column)[number] for name, column in schema.DOCUMENT_TEXTS.items()}
        return {name: text for name, text in texts.items() if text}

    def number_of(self, document: str) -> int:
        """The number of a document; an unknown name is an InputError."""
        if document not in self.numbers:
            raise InputError(f"no document is called {document!r}.{nearest(document, self.numbers)}", str(self.folder))
        return self.numbers[document]

    def place_of(self, document: int | str) -> tuple[PartReader, int]:
        """The part that a document (by number or name) is in, and its number there."""
        number = self.number_of(document) if isinstance(document, str) else document
        p = int(np.searchsorted(self.offsets, number, side="right")) - 1
        return self.parts[p], int(self.parts[p].counting[number - int(self.offsets[p])])

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
            yield part, inside, part.counting[documents[inside] - self.offsets[p]]

    def has(self, kind: str, units: Sequence[str]) -> bool:
        """Whether any of these units occurs."""
        return any(part.has(kind, unit) for part in self.parts for unit in units)


def _utterances(part: PartReader) -> Iterator[tuple[int, str]]:
    """The number of the document and the name of each utterance."""
    return zip(part.document_of.tolist(), part.texts(schema.UTTERANCE_NAME).all(), strict=True)


def _field_of(text: str) -> str:
    """The field of a text that the index has; speakers were called speaker when there could be only one."""
    return SPEAKERS if text == SPEAKER else text
