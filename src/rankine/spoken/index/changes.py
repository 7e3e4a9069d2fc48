"""Changing the index: which documents a source has, which of them are new or have changed, and committing them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from ...console import counted
from ...errors import InputError
from ...parallel import paired_map
from ..lattice.batch import guarded, lost
from ..lattice.formats import Piece, Turn, files, pieces
from ..lattice.scoring import Scoring
from ..lattice.units import stamp
from ..text import SPEAKER
from .about import About
from .build import Document, Utterance, analyse, fingerprint_of, part_of_documents, part_of_parts
from .reader import Index
from .schema import Arrays
from .storage import Writer

_MANY_PARTS = 8
_AND = ", "  # between the speakers of a document
_LARGE_PART = 1 << 28  # bytes; larger ones are merged only when asked for, so that a deletion stays cheap
Progress = Callable[[int, int | None], None]


class Changes(NamedTuple):
    """Numbers of documents that indexing added, updated, left unchanged and removed, and what was wrong."""

    added: int
    updated: int
    unchanged: int
    removed: int
    errors: list[str]


@dataclass(frozen=True)
class Corpus:
    """Utterances to be indexed: where they are, how they are read and weighed, and what is said about them."""

    place: str | os.PathLike
    format: str | None
    scoring: Scoring
    about: Mapping[str, About]
    listed: bool = False  # only the utterances of the table, and their documents are complete

    def holds(self, piece: Piece) -> bool:
        """Whether an utterance is to be indexed."""
        return not self.listed or self.names(piece)

    def names(self, piece: Piece) -> bool:
        """Whether the table names an utterance or its transcript."""
        return piece.name in self.about or (piece.turn is not None and piece.turn.document in self.about)

    def about_of(self, piece: Piece) -> About:
        """What is said about an utterance: by the table, or by its transcript; else it is a document of its own.

        A table may name a transcript's document instead of its turns: then its offset is that of the document.
        """
        if piece.name in self.about or piece.turn is None:
            return self.about.get(piece.name, About(piece.name))
        about = self.about.get(piece.turn.document, About(piece.turn.document))
        return about._replace(offset=about.offset + piece.turn.offset)

    def pieces_of(self, documents: set[str]) -> Iterator[Piece]:
        """The utterances of these documents; a damaged file is read up to the damage, which the survey reports."""
        for file in files(self.place, self.format):
            try:
                yield from (p for p in pieces(file) if self.holds(p) and self.about_of(p).document in documents)
            except InputError:
                continue


class Survey(NamedTuple):
    """What a corpus holds.

    ``sizes`` are the numbers of utterances and ``fingerprints`` those of documents by name; ``incomplete`` are the
    documents of damaged files, ``damaged`` tells whether there is such a file.
    """

    sizes: dict[str, int]
    fingerprints: dict[str, str]
    incomplete: set[str]
    damaged: bool
    errors: list[str]
    utterances: set[str]


def survey(corpus: Corpus, progress: Progress) -> Survey:
    """Look at all utterances without parsing them."""
    prints: dict[str, list[str]] = {}
    paths: dict[str, str] = {}
    homes: dict[str, str] = {}
    transcripts: set[str] = set()
    incomplete: set[str] = set()
    errors: list[str] = []
    reading = (repr(corpus.scoring), stamp(corpus.scoring.reading.words))
    for file in files(corpus.place, corpus.format):
        documents: set[str] = set()
        try:
            for piece in filter(corpus.holds, pieces(file)):
                if piece.name in paths:
                    raise _DoubledName(
                        f"two utterances are called {piece.name!r}: in {paths[piece.name]} and {piece.path}"
                    )
                paths[piece.name] = piece.path
                transcripts |= set() if piece.turn is None else {piece.turn.document}
                document = corpus.about_of(piece).document
                home = homes.setdefault(document, piece.path)
                if home != piece.path and not corpus.names(piece):
                    raise _DoubledName(f"two documents are called {document!r}: in {home} and {piece.path}")
                documents.add(document)
                said = corpus.about.get(piece.name) if piece.turn is None else (corpus.about_of(piece), piece.turn)
                mark = fingerprint_of(piece, (said, reading))
                prints.setdefault(document, []).append(mark)
                progress(len(paths), None)
        except _DoubledName:
            raise
        except InputError as error:
            errors.append(str(error))
            incomplete |= documents
    if not prints:
        raise InputError(f"no utterances{': ' + errors[0] if errors else ''}", str(corpus.place))
    damaged = bool(errors)
    missing = [u for u in corpus.about if u not in paths and u not in transcripts]
    if missing:
        errors.append(f"not in {corpus.place}: {counted(len(missing), 'utterance')} of the table, e.g. {missing[0]!r}")
    sizes = {name: len(marks) for name, marks in prints.items()}
    joined = {name: " ".join(marks) for name, marks in prints.items()}
    return Survey(sizes, joined, incomplete, damaged, errors, set(paths))


class _DoubledName(InputError):
    """An error in the corpus that is no damage: indexing does not begin."""


def update(
    index: WorkingIndex, corpus: Corpus, workers: int, remove_missing: bool, batch: int, progress: Progress
) -> Changes:
    """Bring the index to the state of the corpus: add and update documents, and perhaps remove others."""
    content = survey(corpus, progress)
    todo = _todo(index, corpus, content, remove_missing)
    removed = [d for d in index.fingerprints if d not in content.fingerprints] if remove_missing else []
    if removed and content.damaged:
        content.errors.append(f"nothing was removed, because {corpus.place} is damaged")
        removed = []
    index.replace([], removed)
    added = updated = 0
    ready: list[Document] = []
    for document in _documents(index, corpus, content, todo, workers, progress):
        ready.append(document)
        updated += document.name in index.fingerprints
        added += document.name not in index.fingerprints
        if len(ready) >= batch:
            index.replace(ready, [])
            ready = []
    index.replace(ready, [])
    return Changes(added, updated, len(content.fingerprints) - len(todo), len(removed), content.errors)


def _todo(index: WorkingIndex, corpus: Corpus, content: Survey, remove_missing: bool) -> set[str]:
    """The documents that are new or have changed, without those that would lose utterances by mistake."""
    todo = {d for d, p in content.fingerprints.items() if index.fingerprints.get(d) != p}
    for name in sorted(todo & set(index.fingerprints)):
        missing = index.utterances_of(name) - content.utterances
        if missing and not (corpus.listed or (remove_missing and not content.damaged)):
            content.errors.append(
                f"{name}: {min(missing)!r} and others of it are in the archive but not in {corpus.place}; "
                "index all utterances of a document together"
            )
        elif name in content.incomplete:
            content.errors.append(f"{name}: kept as it was, because a file that it stands in is damaged")
        else:
            continue
        todo.discard(name)
    return todo


def _documents(
    index: WorkingIndex, corpus: Corpus, content: Survey, todo: set[str], workers: int, progress: Progress
) -> Iterator[Document]:
    """The documents to be written, each when its last utterance is analysed.

    A document of which an utterance cannot be used keeps its old version, if it has one. A new one is written without
    that utterance, and without a fingerprint, so that the next run tries again.
    """
    left = {d: content.sizes[d] for d in todo}
    total, there = sum(left.values()), set(index.fingerprints)
    waiting: dict[str, Document] = {}
    failed: set[str] = set()
    work: Callable[[Piece], list[Utterance]] = partial(
        analyse, index.working_settings, corpus.scoring, index.dictionary
    )
    outcomes = paired_map(partial(guarded, work), corpus.pieces_of(todo), workers, lost=lost)
    for done, (piece, outcome) in enumerate(outcomes, 1):
        about = corpus.about_of(piece)
        name = about.document
        document = waiting.setdefault(name, Document(name, fingerprint=content.fingerprints[name]))
        if outcome.error is not None:
            content.errors.append(outcome.error)
            failed.add(name)
            document.fingerprint = ""
        else:
            document.utterances += [
                u._replace(audio=about.audio, offset=about.offset + u.offset) for u in outcome.result
            ]
            document.texts = _texts(document, about, piece.turn)
        left[name] -= 1
        progress(done, total)
        if left[name] == 0:
            document = waiting.pop(name)
            if name in failed and name in there:
                content.errors.append(f"{name}: kept as it was, because one of its utterances cannot be used")
            elif document.utterances:
                yield document


def _texts(document: Document, about: About, turn: Turn | None) -> dict[str, str]:
    """What is said about a document; its speakers are those of its turns so far, unless the table names some."""
    texts = dict(about.texts)
    speakers = [name for name in document.texts.get(SPEAKER, "").split(_AND) if name]
    if turn is not None and SPEAKER not in texts:
        names = dict.fromkeys([*speakers, *([turn.speaker] if turn.speaker else [])])
        texts |= {SPEAKER: _AND.join(names)} if names else {}
    return texts


def _reported(arrays: Arrays, report: Callable[[int], None]) -> Arrays:
    """The same arrays; ``report`` is called with the number that have been written."""
    for done, pair in enumerate(arrays, 1):
        yield pair
        report(done)


class WorkingIndex(Index):
    """The index as its writer sees it: changes are committed at once, and then it is the new state."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._load()

    def _load(self) -> None:
        manifest = self.writer.manifest
        for name in ("names", "numbers", "fingerprints", "document_texts"):
            self.__dict__.pop(name, None)
        super().__init__(self.writer.folder, manifest, [p.open(self.writer.folder) for p in manifest.parts])

    def replace(
        self, documents: Sequence[Document], removed: Sequence[str], before: Callable[[], None] = lambda: None
    ) -> None:
        """Commit these documents instead of those of the same names, without those that are removed.

        ``before`` is called when everything has been read and written, and only the commit is left.
        """
        out = {*removed, *(d.name for d in documents)} & set(self.numbers)
        if not documents and not out:
            before()
            return
        entries = []
        for entry, reader in zip(self.manifest.parts, self.parts, strict=True):
            keep = np.array([n not in out for n in reader.names], np.bool_)
            if keep.all():
                entries.append(entry)
            elif keep.any():
                entries.append(self.writer.part(*part_of_parts([reader.part], [keep], self.settings)))
        if documents:
            entries.append(self.writer.part(*part_of_documents(documents, self.settings)))
        before()
        self.writer.commit(entries)
        self._load()
        if len(self.parts) > _MANY_PARTS:
            self.merge(whole=False)

    def merge(self, whole: bool, report: Callable[[int], None] = lambda done: None) -> None:
        """Merge all parts (``whole``), or all but those that are larger than the others together, or very large."""
        entries = self.manifest.parts
        order = sorted(range(len(entries)), key=lambda i: -entries[i].size)
        large: list[int] = []
        if not whole:
            rest = self.manifest.size
            while order and (2 * entries[order[0]].size > rest or entries[order[0]].size > _LARGE_PART):
                rest -= entries[order[0]].size
                large.append(order.pop(0))
        if len(order) < 2:
            return
        merged = [self.parts[i] for i in sorted(order)]
        keep = [np.ones(reader.n_documents, np.bool_) for reader in merged]
        arrays, footer = part_of_parts([reader.part for reader in merged], keep, self.settings)
        part = self.writer.part(_reported(arrays, report), footer)
        self.writer.commit([*(entries[i] for i in sorted(large)), part])
        self._load()
