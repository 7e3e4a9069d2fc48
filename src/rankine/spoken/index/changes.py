"""Changing an archive: which documents a source has, which of them are new or have changed, and committing them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...parallel import process_map
from ..lattice.batch import UtteranceResult as Outcome
from ..lattice.batch import guarded
from ..lattice.formats import Piece, files, pieces
from ..lattice.scoring import Scoring
from ..lattice.units import stamp
from .analyse import Settings, Utterance, analyse, fingerprint
from .build import Arrays, Document, part_of_documents, part_of_parts
from .storage import Part, Writer
from .strings import Strings

_MANY_PARTS = 8
_LARGE_PART = 1 << 28  # bytes; larger ones are merged only when asked for, so that a deletion stays cheap
Progress = Callable[[int, int | None], None]


class About(NamedTuple):
    """What is known about an utterance besides its lattice: the document it belongs to, and what is said of that."""

    document: str
    texts: Mapping[str, str] = {}
    audio: str = ""
    offset: float = 0.0


class Changes(NamedTuple):
    """What indexing did."""

    added: int
    updated: int
    unchanged: int
    removed: int
    errors: list[str]


@dataclass(frozen=True)
class Source:
    """Utterances to be indexed: where they are, how they are read and weighed, and what is known about them."""

    place: str | os.PathLike
    format: str | None
    scoring: Scoring
    about: Mapping[str, About]
    listed: bool = False  # only the utterances of the table, and their documents are complete

    def holds(self, piece: Piece) -> bool:
        """Whether an utterance is to be indexed."""
        return not self.listed or piece.name in self.about

    def document(self, piece: Piece) -> str:
        """The document that an utterance belongs to: by default it is one of its own."""
        known = self.about.get(piece.name)
        return piece.name if known is None else known.document

    def pieces_of(self, documents: set[str]) -> Iterator[Piece]:
        """The utterances of these documents; a file is read up to where it is damaged, the survey has said so."""
        for file in files(self.place, self.format):
            try:
                yield from (p for p in pieces(file) if self.holds(p) and self.document(p) in documents)
            except InputError:
                continue


class Survey(NamedTuple):
    """What a source holds: utterances of each document, fingerprints, documents of damaged files, what is wrong."""

    wanted: dict[str, list[str]]
    prints: dict[str, str]
    cut: set[str]
    damaged: bool
    errors: list[str]
    utterances: set[str]


def survey(source: Source, progress: Progress) -> Survey:
    """Look at all utterances without parsing them."""
    wanted: dict[str, list[str]] = {}
    marks: dict[str, list[str]] = {}
    where: dict[str, str] = {}
    cut: set[str] = set()
    errors: list[str] = []
    how = (repr(source.scoring), stamp(source.scoring.reading.words))
    for file in files(source.place, source.format):
        mine: set[str] = set()
        try:
            for piece in filter(source.holds, pieces(file)):
                if piece.name in where:
                    raise _Doubled(f"two utterances are called {piece.name!r}: in {where[piece.name]} and {piece.path}")
                where[piece.name] = piece.path
                name = source.document(piece)
                mine.add(name)
                wanted.setdefault(name, []).append(piece.name)
                marks.setdefault(name, []).append(fingerprint(piece, (source.about.get(piece.name), how)))
                progress(len(where), None)
        except _Doubled:
            raise
        except InputError as error:
            errors.append(str(error))
            cut |= mine
    if not wanted:
        raise InputError(f"no utterances{': ' + errors[0] if errors else ''}", str(source.place))
    damaged = bool(errors)
    strangers = [u for u in source.about if u not in where]
    if strangers:
        errors.append(f"{len(strangers)} utterances of the table are not in {source.place}, e.g. {strangers[0]!r}")
    prints = {name: " ".join(found) for name, found in marks.items()}
    return Survey(wanted, prints, cut, damaged, errors, set(where))


class _Doubled(InputError):
    """A mistake that is no damage: indexing does not begin."""


def update(
    state: State, source: Source, dictionary: str | None, workers: int, remove_missing: bool, batch: int,
    progress: Progress,
) -> Changes:  # fmt: skip
    """Bring the archive to the state of the source: add and update documents, and perhaps remove others."""
    found = survey(source, progress)
    errors = found.errors
    todo = {d for d, p in found.prints.items() if state.prints.get(d) != p}
    for name in sorted(todo & set(state.prints)):
        left_out = state.utterances(name) - found.utterances
        if left_out and not (source.listed or (remove_missing and not found.damaged)):
            errors.append(f"{name}: {min(left_out)!r} and others of it are in the archive but not in {source.place}; "
                          "index all utterances of a document together")  # fmt: skip
        elif name in found.cut:
            errors.append(f"{name}: kept as it was, because a file that it stands in is damaged")
        else:
            continue
        todo.discard(name)
    gone = [d for d in state.prints if d not in found.prints] if remove_missing else []
    if gone and found.damaged:
        errors.append(f"nothing was removed, because {source.place} is damaged")
        gone = []
    if gone:
        state.replace([], gone)
    work = partial(analyse, state.settings, source.scoring, dictionary)
    added = updated = 0
    ready: list[Document] = []
    for document in _documents(work, source, found, todo, set(state.prints), workers, progress):
        ready.append(document)
        updated += document.name in state.prints
        added += document.name not in state.prints
        if len(ready) >= batch:
            state.replace(ready, [])
            ready = []
    state.replace(ready, [])
    return Changes(added, updated, len(found.prints) - len(todo), len(gone), errors)


def _documents(
    work: Callable[[Piece], Utterance], source: Source, found: Survey, todo: set[str], there: set[str], workers: int,
    progress: Progress,
) -> Iterator[Document]:  # fmt: skip
    """The documents to be written, each when its last utterance is analysed.

    One of which an utterance cannot be used keeps its old version, if it has one; else it goes without, and without a
    fingerprint, so that it is tried again.
    """
    left = {d: len(found.wanted[d]) for d in todo}
    total = sum(left.values())
    waiting: dict[str, Document] = {}
    failed: set[str] = set()
    for done, (piece, outcome) in enumerate(_analysed(work, source.pieces_of(todo), workers), 1):
        name, known = source.document(piece), source.about.get(piece.name)
        document = waiting.setdefault(name, Document(name, fingerprint=found.prints[name]))
        if outcome.error is not None:
            found.errors.append(outcome.error)
            failed.add(name)
            document.fingerprint = ""
        else:
            document.utterances.append(outcome.result)
            document.audio.append(known.audio if known else "")
            document.offsets.append(known.offset if known else 0.0)
            document.texts = dict(known.texts) if known else {}
        left[name] -= 1
        progress(done, total)
        if left[name] == 0:
            document = waiting.pop(name)
            if name in failed and name in there:
                found.errors.append(f"{name}: kept as it was, because one of its utterances cannot be used")
            elif document.utterances:
                yield document


def _analysed(
    work: Callable[[Piece], Utterance], chosen: Iterator[Piece], workers: int
) -> Iterator[tuple[Piece, Outcome]]:  # fmt: skip
    """Each piece with what became of it, in order."""
    sent: deque[Piece] = deque()

    def remembered() -> Iterator[Piece]:
        for piece in chosen:
            sent.append(piece._replace(data=None))
            yield piece

    for outcome in process_map(partial(guarded, work), remembered(), workers):
        yield sent.popleft(), outcome


def _reported(arrays: Arrays, report: Callable[[int], None]) -> Arrays:
    """The same arrays; how many are done is told."""
    for done, pair in enumerate(arrays, 1):
        yield pair
        report(done)


class State:
    """What a writer works on: the parts, and which documents they hold with which fingerprints."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.folder = writer, writer.folder
        self.settings = Settings(**writer.manifest.settings)
        self._load()

    def _load(self) -> None:
        self.entries = list(self.writer.manifest.parts)
        self.parts = [Part(self.folder / p["file"], p["size"], p["crc"]) for p in self.entries]
        self.names = [Strings(p, "doc.name").all() for p in self.parts]
        self.numbers = [{n: d for d, n in enumerate(mine)} for mine in self.names]
        self.prints = {
            n: f for p, ns in zip(self.parts, self.names, strict=True)
            for n, f in zip(ns, Strings(p, "doc.fingerprint").all(), strict=True)
        }  # fmt: skip

    def utterances(self, document: str) -> set[str]:
        """The utterances that a document has now."""
        for part, numbers in zip(self.parts, self.numbers, strict=True):
            if document in numbers:
                d = numbers[document]
                first, names = part.get("doc.first"), Strings(part, "utt.name")
                return {names[u] for u in range(first[d], first[d + 1])}
        return set()

    def replace(self, documents: Sequence[Document], gone: Sequence[str]) -> None:
        """Commit: these documents instead of those of the same names, and without those that are gone."""
        out = {*gone, *(d.name for d in documents)} & set(self.prints)
        if not documents and not out:
            return
        entries = []
        for entry, part, mine in zip(self.entries, self.parts, self.names, strict=True):
            keep = np.array([n not in out for n in mine], np.bool_)
            if keep.all():
                entries.append(entry)
            elif keep.any():
                entries.append(self.writer.part(*part_of_parts([part], [keep], self.settings)))
        if documents:
            entries.append(self.writer.part(*part_of_documents(documents, self.settings)))
        self.writer.commit(entries)
        self._load()
        if len(self.parts) > _MANY_PARTS:
            self.merge(whole=False)

    def merge(self, whole: bool, report: Callable[[int], None] = lambda done: None) -> None:
        """One part of all (``whole``), or of all but those that are larger than the others together, or very large."""
        order = sorted(range(len(self.parts)), key=lambda i: -self.entries[i]["size"])
        kept: list[int] = []
        if not whole:
            rest = sum(e["size"] for e in self.entries)
            while order and (2 * self.entries[order[0]]["size"] > rest or self.entries[order[0]]["size"] > _LARGE_PART):
                rest -= self.entries[order[0]]["size"]
                kept.append(order.pop(0))
        if len(order) < 2:
            return
        chosen = sorted(order)
        keep = [np.ones(len(self.names[i]), np.bool_) for i in chosen]
        arrays, meta = part_of_parts([self.parts[i] for i in chosen], keep, self.settings)
        merged = self.writer.part(_reported(arrays, report), meta)
        self.writer.commit([*(self.entries[i] for i in sorted(kept)), merged])
        self._load()
