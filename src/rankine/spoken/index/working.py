"""The index as its writer sees it: documents are replaced, renamed and merged; every change is committed at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from . import schema
from .build import Document, part_of_documents, part_of_parts, part_of_rows, part_relabelled
from .part_reader import PartReader
from .parts import PartFile
from .reader import Index
from .schema import Arrays
from .storage import Writer

_MANY_PARTS = 8
_SMALL_PART = 1 << 22  # bytes; a smaller one is written anew when one of its documents changes
_MOST_HIDDEN, _HIDDEN_SHARE = 1000, 0.1  # documents of a part that do not count
_LARGE_PART = 1 << 28  # bytes; larger ones are merged only when asked for, so that a deletion stays cheap


def _reported(arrays: Arrays, report: Callable[[int], None]) -> Arrays:
    """The same arrays; ``report`` is called with the number that have been written."""
    for done, pair in enumerate(arrays, 1):
        yield pair
        report(done)


class Labels(NamedTuple):
    """What a document is called, its fingerprint, and the audio files of its utterances; None: as it is."""

    name: str | None = None
    fingerprint: str | None = None
    audio: Mapping[str, str] = {}


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

    def replace(self, documents: Sequence[Document], removed: Sequence[str]) -> None:
        """Commit these documents instead of those of the same names, without those that are removed."""
        out = {name for name in (*removed, *(d.name for d in documents)) if name in self.numbers}
        if not documents and not out:
            return
        entries, lost = [], set(removed)
        for entry, reader in zip(self.manifest.parts, self.parts, strict=True):
            keep = reader.keeps(out)
            gone = np.flatnonzero(reader.documents_count & ~keep).tolist()
            holds_lost = bool(lost) and not lost.isdisjoint(reader.names)  # what is removed does not stay in a file
            if not gone and not holds_lost:
                entries.append(entry)
            elif not holds_lost and _may_hide(entry, reader, len(gone)):
                entries.append(entry._replace(hidden=(*entry.hidden, *gone)))
            elif keep.any():
                entries.append(self.writer.part(*part_of_parts([reader.part], [keep], self.settings)))
        whole = [document for document in documents if not document.pieces]
        if whole:
            entries.append(self.writer.part(*part_of_documents(whole, self.settings)))
        entries += [self.writer.part(*part_of_rows(d, d.pieces, self.settings)) for d in documents if d.pieces]
        self.writer.commit(entries)
        self._load()
        if len(self.parts) > _MANY_PARTS:
            self.merge(whole=False)

    def audio_of(self, documents: Collection[str]) -> dict[str, str]:
        """The audio file of each utterance of documents."""
        out: dict[str, str] = {}
        for name in documents:
            part, number = self.place_of(name)
            names, audio = part.texts(schema.UTTERANCE_NAME), part.texts(schema.AUDIO)
            out.update((names[u], audio[u]) for u in part.utterances(number))
        return out

    def extend(self, parts: Sequence[PartFile]) -> None:
        """Commit further parts, which the writer has written."""
        self.writer.commit([*self.manifest.parts, *parts])
        self._load()

    def holders(self) -> dict[str, str]:
        """The document that each utterance belongs to."""
        out: dict[str, str] = {}
        for reader in self.parts:
            names = reader.texts(schema.UTTERANCE_NAME).all()
            out.update(zip(names, (reader.names[d] for d in reader.document_of.tolist()), strict=True))
        return out

    def relabel(self, labels: Mapping[str, Labels]) -> None:
        """Commit other names, fingerprints and audio files of documents; nothing is analysed again."""
        entries, changed = [], False
        for entry, reader in zip(self.manifest.parts, self.parts, strict=True):
            texts = _new_texts(reader, labels)
            new = self.writer.part(*part_relabelled(reader.part, texts)) if texts else entry
            entries.append(new._replace(hidden=entry.hidden))
            changed |= bool(texts)
        if changed:
            self.writer.commit(entries)
            self._load()

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
        keep = [reader.documents_count for reader in merged]
        arrays, footer = part_of_parts([reader.part for reader in merged], keep, self.settings)
        part = self.writer.part(_reported(arrays, report), footer)
        self.writer.commit([*(entries[i] for i in sorted(large)), part])
        self._load()


def _may_hide(entry: PartFile, reader: PartReader, more: int) -> bool:
    """Whether further documents of a part may stay in its file, and not count: it is large, and these are few.

    They are gone when the part is written anew, at the latest when as many do not count.
    """
    hidden = len(reader.hidden) + more
    return entry.size > _SMALL_PART and hidden <= _MOST_HIDDEN and hidden <= _HIDDEN_SHARE * reader.n_documents


def _new_texts(reader: PartReader, labels: Mapping[str, Labels]) -> dict[str, list[str]]:
    """The columns of a part that labels change, with all their texts."""
    mine = {d: labels[name] for d, name in enumerate(reader.names) if name in labels}
    if not mine:
        return {}
    names, prints = list(reader.names), reader.texts(schema.FINGERPRINT).all()
    audio, utterances = reader.texts(schema.AUDIO).all(), reader.texts(schema.UTTERANCE_NAME)
    before = {schema.DOCUMENT_NAME: list(names), schema.FINGERPRINT: list(prints), schema.AUDIO: list(audio)}
    for d, label in mine.items():
        names[d] = label.name or names[d]
        prints[d] = prints[d] if label.fingerprint is None else label.fingerprint
        for u in reader.utterances(d) if label.audio else ():
            audio[u] = label.audio.get(utterances[u], audio[u])
    after = {schema.DOCUMENT_NAME: names, schema.FINGERPRINT: prints, schema.AUDIO: audio}
    return {column.name: after[column] for column in before if after[column] != before[column]}
