"""Changing the index: which recordings a source has, which of them are new or have changed, and committing them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...system.console import counted
from ...system.parallel import paired_map
from ..lattice.formats import File, Piece, Turn, files, pieces
from ..lattice.scoring import Scoring, guarded, lost
from ..lattice.units import stamp
from ..text import SPEAKER, TITLE
from . import schema
from .about import About
from .build import (
    IndexedRecording,
    Utterance,
    analyse,
    content_print,
    fingerprint_of,
    part_of_parts,
    part_of_recordings,
    part_of_rows,
    part_relabelled,
)
from .reader import Index, PartReader
from .schema import Arrays
from .storage import PartFile, Writer

_AND = "; "  # between the speakers of a recording
Progress = Callable[[int, int | None], None]


class Changes(NamedTuple):
    """Numbers of recordings that indexing added, updated, left unchanged and removed, and what was wrong.

    ``turns`` are start, end and speaker of the turns of recordings that were indexed, where transcripts name speakers.
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    errors: list[str]
    turns: Mapping[str, Sequence[tuple[float, float, str]]] = {}


@dataclass(frozen=True)
class Corpus:
    """Utterances to be indexed: where they are, how they are read and weighed, and what is said about them."""

    place: str | os.PathLike
    format: str | None
    scoring: Scoring
    about: Mapping[str, About]
    listed: bool = False  # only the utterances of the table, and their recordings are complete
    prints: Mapping[str, str] = field(default_factory=dict)  # of the content of utterances, where they are known
    files: Sequence[File] | None = None  # that hold the utterances, one each; None: all below the place
    recorded: Mapping[str, str] = field(default_factory=dict)  # audio files of recordings, which are not replaced

    @cached_property
    def reading(self) -> tuple[str, Any]:
        """How lattices are read, for fingerprints."""
        return repr(self.scoring), stamp(self.scoring.reading.words)

    @cached_property
    def sources(self) -> Sequence[File]:
        """The files that hold the utterances."""
        return files(self.place, self.format) if self.files is None else self.files

    def holds(self, piece: Piece) -> bool:
        """Whether an utterance is to be indexed."""
        return not self.listed or self.names(piece)

    def names(self, piece: Piece) -> bool:
        """Whether the table names an utterance or its transcript."""
        return piece.name in self.about or (piece.turn is not None and piece.turn.recording in self.about)

    def about_of(self, piece: Piece) -> About:
        """What is said about an utterance: by the table, or by its transcript; else it is a recording of its own.

        A table may name a transcript's recording instead of its turns: then its offset is that of the recording.
        """
        if piece.name in self.about or piece.turn is None:
            return self.about.get(piece.name, About(piece.name))
        about = self.about.get(piece.turn.recording, About(piece.turn.recording))
        return about._replace(offset=about.offset + piece.turn.offset)

    def print_of(self, piece: Piece) -> str:
        """The fingerprint of an utterance: its content, where it begins, and how it is read."""
        content = self.prints.get(piece.name) or content_print(piece)
        turn = () if piece.turn is None else (piece.turn,)
        return fingerprint_of(content, (self.about_of(piece).offset, self.reading, *turn))

    def pieces(self, file: File) -> Iterator[Piece]:
        """The utterances of a file that are to be indexed."""
        return filter(self.holds, pieces(file, self.scoring.reading.encoding))

    def pieces_of(self, recordings: set[str]) -> Iterator[Piece]:
        """The utterances of these recordings; a damaged file is read up to the damage, which the survey reports."""
        names = _Names(self)
        for file in self.sources if recordings else ():
            try:
                for piece in self.pieces(file):
                    if names.take(piece) and self.about_of(piece).recording in recordings:
                        yield piece
            except InputError:
                continue


class _Names:
    """The names of utterances and recordings with the files that have them; of two that are called alike the first."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.utterances: dict[str, str] = {}
        self.recordings: dict[str, str] = {}
        self.transcripts: set[str] = set()
        self.doubled: dict[tuple[str, str, str], list[str]] = {}

    def take(self, piece: Piece) -> bool:
        """Whether an utterance is the first of its name, and its recording stands in no other file."""
        recording = self.corpus.about_of(piece).recording
        home = self.recordings.get(recording, piece.path)
        if piece.name in self.utterances:
            key, name = ("utterances", self.utterances[piece.name], piece.path), piece.name
        elif home != piece.path and not self.corpus.names(piece):
            key, name = ("recordings", home, piece.path), recording
        else:
            self.utterances[piece.name] = piece.path
            self.recordings[recording] = home
            self.transcripts |= set() if piece.turn is None else {piece.turn.recording}
            return True
        names = self.doubled.setdefault(key, [])
        names += [] if name in names[-1:] else [name]
        return False

    def errors(self) -> Iterator[str]:
        """A line for each pair of files that have names in common."""
        for (what, first, second), names in self.doubled.items():
            places = f"in {first} and {second}" if first != second else f"both in {first}"
            more = f" ({counted(len(names) - 1, 'more name')})" if len(names) > 1 else ""
            yield f"two {what} are called {names[0]!r}: {places}{more}; only the first is used"


class Survey(NamedTuple):
    """What a corpus holds.

    ``sizes`` are the numbers of utterances and ``fingerprints`` those of recordings by name; ``incomplete`` are the
    recordings of damaged files, ``damaged`` tells whether there is such a file; ``utterances`` are those of recordings.
    """

    sizes: dict[str, int]
    fingerprints: dict[str, str]
    incomplete: set[str]
    damaged: bool
    errors: list[str]
    utterances: dict[str, set[str]]

    @property
    def every_utterance(self) -> set[str]:
        """The names of all utterances."""
        return {name for names in self.utterances.values() for name in names}


def survey(corpus: Corpus, progress: Progress) -> Survey:
    """Look at all utterances without parsing them."""
    prints: dict[str, list[str]] = {}
    names = _Names(corpus)
    incomplete: set[str] = set()
    errors: list[str] = []
    utterances: dict[str, set[str]] = {}
    for file in corpus.sources:
        recordings: set[str] = set()
        try:
            for piece in corpus.pieces(file):
                if not names.take(piece):
                    continue
                recording = corpus.about_of(piece).recording
                recordings.add(recording)
                utterances.setdefault(recording, set()).add(piece.name)
                prints.setdefault(recording, []).append(corpus.print_of(piece))
                progress(len(names.utterances), None)
        except InputError as error:
            errors.append(str(error))
            incomplete |= recordings
    if not prints:
        raise InputError(f"no utterances{': ' + errors[0] if errors else ''}", str(corpus.place))
    damaged = bool(errors)
    errors += names.errors()
    errors += [
        f"{name!r} is recognised from {corpus.recorded[name] or 'a recording'} and was not replaced by {path}; rename "
        "this file, or delete the recording first"
        for name, path in names.recordings.items() if name in corpus.recorded
    ]  # fmt: skip
    missing = [u for u in corpus.about if u not in names.utterances and u not in names.transcripts]
    if missing:
        errors.append(f"not in {corpus.place}: {counted(len(missing), 'utterance')} of the table, e.g. {missing[0]!r}")
    sizes = {name: len(marks) for name, marks in prints.items()}
    joined = {name: " ".join(marks) for name, marks in prints.items()}
    return Survey(sizes, joined, incomplete, damaged, errors, utterances)


def update(
    index: WorkingIndex, corpus: Corpus, workers: int, remove_missing: bool, batch: int, progress: Progress
) -> Changes:
    """Bring the index to the state of the corpus: add and update recordings, and perhaps remove others."""
    _ = index.splits  # a missing package is reported once, not for every utterance
    content = survey(corpus, progress)
    refused = corpus.recorded.keys() & content.fingerprints
    if corpus.listed:
        index.relabel(_renamed(index, content))
    todo = _todo(index, corpus, content, remove_missing)
    index.relabel(_moved(index, corpus, todo))
    removed = [d for d in index.fingerprints if d not in content.fingerprints] if remove_missing else []
    if removed and content.damaged:
        content.errors.append(f"nothing was removed, because {corpus.place} is damaged")
        removed = []
    index.replace([], removed)
    added = updated = 0
    ready: list[IndexedRecording] = []
    turns: dict[str, list[tuple[float, float, str]]] = {}
    for recording in _recordings(index, corpus, content, todo, workers, progress):
        ready.append(recording)
        if recording.turns:
            turns[recording.name] = recording.turns
        updated += recording.name in index.fingerprints
        added += recording.name not in index.fingerprints
        if len(ready) >= batch:
            index.replace(ready, [])
            ready = []
    index.replace(ready, [])
    return Changes(added, updated, len(content.fingerprints) - len(todo | refused), len(removed), content.errors, turns)


def _renamed(index: WorkingIndex, content: Survey) -> dict[str, Labels]:
    """Recordings that have another name now: their utterances are those of a recording of another name.

    That recording may have got the name of a third one, and so on: names that are taken must become free too. A
    recording of other content and without audio is none that was recognised, whatever its utterances are called.
    """
    if all(index.fingerprints.get(name) == mark for name, mark in content.fingerprints.items()):
        return {}
    holders = index.holders()
    out: dict[str, str] = {}
    for name, utterances in content.utterances.items():
        old = {holders[u] for u in utterances if u in holders}
        if len(old) != 1 or (before := old.pop()) == name or before in out:
            continue
        if index.fingerprints[before] == content.fingerprints[name] or any(index.audio_of({before}).values()):
            out[before] = name
    while taken := [old for old, name in out.items() if name in index.numbers and name not in out]:
        out = {old: name for old, name in out.items() if old not in taken}
    return {old: Labels(name=name) for old, name in out.items()}


def _moved(index: WorkingIndex, corpus: Corpus, todo: set[str]) -> dict[str, Labels]:
    """Return the audio files that the table gives to recordings which need not be indexed."""
    audio: dict[str, dict[str, str]] = {}
    for utterance, about in corpus.about.items():
        kept = about.recording in todo or about.recording in corpus.recorded
        if about.audio and about.recording in index.numbers and not kept:
            audio.setdefault(about.recording, {})[utterance] = about.audio
    return {name: Labels(audio=paths) for name, paths in audio.items()}


def _todo(index: WorkingIndex, corpus: Corpus, content: Survey, remove_missing: bool) -> set[str]:
    """The recordings that are new or have changed, without those that would lose utterances by mistake."""
    todo = {d for d, p in content.fingerprints.items() if index.fingerprints.get(d) != p and d not in corpus.recorded}
    for name in sorted(todo & set(index.fingerprints)):
        missing = index.utterances_of(name) - content.every_utterance
        if missing and not (corpus.listed or (remove_missing and not content.damaged)):
            content.errors.append(
                f"{name}: {min(missing)!r} and others of it are in the archive but not in {corpus.place}; "
                "index all utterances of a recording together"
            )
        elif name in content.incomplete:
            content.errors.append(f"{name}: kept as it was, because a file that it stands in is damaged")
        else:
            continue
        todo.discard(name)
    return todo


def _recordings(
    index: WorkingIndex, corpus: Corpus, content: Survey, todo: set[str], workers: int, progress: Progress
) -> Iterator[IndexedRecording]:
    """The recordings to be written, each when its last utterance is analysed.

    A recording of which an utterance cannot be used keeps its old version, if it has one. A new one is written without
    that utterance, and without a fingerprint, so that the next run tries again.
    """
    left = {d: content.sizes[d] for d in todo}
    total, there = sum(left.values()), set(index.fingerprints)
    waiting: dict[str, IndexedRecording] = {}
    failed: set[str] = set()
    work: Callable[[Piece], list[Utterance]] = partial(
        analyse, index.working_settings, corpus.scoring, index.dictionary
    )
    outcomes = paired_map(partial(guarded, work), corpus.pieces_of(todo), workers, lost=lost)
    for done, (piece, outcome) in enumerate(outcomes, 1):
        about = corpus.about_of(piece)
        name = about.recording
        recording = waiting.setdefault(name, IndexedRecording(name, fingerprint=content.fingerprints[name]))
        if outcome.error is not None:
            content.errors.append(outcome.error)
            failed.add(name)
            recording.fingerprint = ""
        else:
            recording.utterances += [
                u._replace(audio=about.audio, offset=about.offset + u.offset) for u in outcome.result
            ]
            recording.turns += _turns(recording.utterances[-len(outcome.result) :], piece.turn)
            recording.texts = index.base_texts(name) | recording.texts | _texts(recording, about, piece.turn)
        left[name] -= 1
        progress(done, total)
        if left[name] == 0:
            recording = waiting.pop(name)
            if name in failed and name in there:
                content.errors.append(f"{name}: kept as it was, because one of its utterances cannot be used")
            elif recording.utterances:
                yield recording


def _turns(utterances: Sequence[Utterance], turn: Turn | None) -> list[tuple[float, float, str]]:
    """Start, end and speaker of a turn, where it has times."""
    if turn is None or not turn.speaker or not utterances:
        return []
    start, end = utterances[0].offset, utterances[-1].offset + utterances[-1].length
    return [(start, end, turn.speaker)] if 0 <= start < end else []


def _texts(recording: IndexedRecording, about: About, turn: Turn | None) -> dict[str, str]:
    """What is said about a recording; title and speakers are those of its turns so far, unless the table has some."""
    texts = dict(about.texts)
    speakers = [name for name in recording.texts.get(SPEAKER, "").split(_AND) if name]
    if turn is not None and SPEAKER not in texts:
        names = dict.fromkeys([*speakers, *([turn.speaker] if turn.speaker else [])])
        texts |= {SPEAKER: _AND.join(names)} if names else {}
    if turn is not None and turn.title:
        texts.setdefault(TITLE, turn.title)
    return texts


# -- The index as its writer sees it: recordings are replaced, renamed and merged; every change is committed at once


_MANY_PARTS = 8
_SMALL_PART = 1 << 22  # bytes; a smaller one is written anew when one of its recordings changes
_MOST_HIDDEN, _HIDDEN_SHARE = 1000, 0.1  # recordings of a part that do not count
_LARGE_PART = 1 << 28  # bytes; larger ones are merged only when asked for, so that a deletion stays cheap


def _reported(arrays: Arrays, report: Callable[[int], None]) -> Arrays:
    """The same arrays; ``report`` is called with the number that have been written."""
    for done, pair in enumerate(arrays, 1):
        yield pair
        report(done)


class Labels(NamedTuple):
    """What a recording is called, its fingerprint, and the audio files of its utterances; None: as it is."""

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
        for name in ("names", "numbers", "fingerprints", "recording_texts"):
            self.__dict__.pop(name, None)
        super().__init__(self.writer.folder, manifest, [p.open(self.writer.folder) for p in manifest.parts])

    def replace(self, recordings: Sequence[IndexedRecording], removed: Sequence[str]) -> None:
        """Commit these recordings instead of those of the same names, without those that are removed."""
        out = {name for name in (*removed, *(d.name for d in recordings)) if name in self.numbers}
        if not recordings and not out:
            return
        entries, lost = [], set(removed)
        for entry, reader in zip(self.manifest.parts, self.parts, strict=True):
            keep = reader.keeps(out)
            gone = np.flatnonzero(reader.recordings_count & ~keep).tolist()
            holds_lost = bool(lost) and not lost.isdisjoint(reader.names)  # what is removed does not stay in a file
            if not gone and not holds_lost:
                entries.append(entry)
            elif not holds_lost and _may_hide(entry, reader, len(gone)):
                entries.append(entry._replace(hidden=(*entry.hidden, *gone)))
            elif keep.any():
                entries.append(self.writer.part(*part_of_parts([reader.part], [keep], self.settings)))
        whole = [recording for recording in recordings if not recording.pieces]
        if whole:
            entries.append(self.writer.part(*part_of_recordings(whole, self.settings)))
        entries += [self.writer.part(*part_of_rows(d, d.pieces, self.settings)) for d in recordings if d.pieces]
        self.writer.commit(entries)
        self._load()
        if len(self.parts) > _MANY_PARTS:
            self.merge(whole=False)

    def audio_of(self, recordings: Collection[str]) -> dict[str, str]:
        """The audio file of each utterance of recordings."""
        out: dict[str, str] = {}
        for name in recordings:
            part, number = self.place_of(name)
            names, audio = part.texts(schema.UTTERANCE_NAME), part.texts(schema.AUDIO)
            out.update((names[u], audio[u]) for u in part.utterances(number))
        return out

    def extend(self, parts: Sequence[PartFile]) -> None:
        """Commit further parts, which the writer has written."""
        self.writer.commit([*self.manifest.parts, *parts])
        self._load()

    def holders(self) -> dict[str, str]:
        """The recording that each utterance belongs to."""
        out: dict[str, str] = {}
        for reader in self.parts:
            names = reader.texts(schema.UTTERANCE_NAME).all()
            out.update(zip(names, (reader.names[d] for d in reader.recording_of.tolist()), strict=True))
        return out

    def relabel(self, labels: Mapping[str, Labels]) -> None:
        """Commit other names, fingerprints and audio files of recordings; nothing is analysed again."""
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
        keep = [reader.recordings_count for reader in merged]
        arrays, footer = part_of_parts([reader.part for reader in merged], keep, self.settings)
        part = self.writer.part(_reported(arrays, report), footer)
        self.writer.commit([*(entries[i] for i in sorted(large)), part])
        self._load()


def _may_hide(entry: PartFile, reader: PartReader, more: int) -> bool:
    """Whether further recordings of a part may stay in its file, and not count: it is large, and these are few.

    They are gone when the part is written anew, at the latest when as many do not count.
    """
    hidden = len(reader.hidden) + more
    return entry.size > _SMALL_PART and hidden <= _MOST_HIDDEN and hidden <= _HIDDEN_SHARE * reader.n_recordings


def _new_texts(reader: PartReader, labels: Mapping[str, Labels]) -> dict[str, list[str]]:
    """The columns of a part that labels change, with all their texts."""
    mine = {d: labels[name] for d, name in enumerate(reader.names) if name in labels}
    if not mine:
        return {}
    names, prints = list(reader.names), reader.texts(schema.FINGERPRINT).all()
    audio, utterances = reader.texts(schema.AUDIO).all(), reader.texts(schema.UTTERANCE_NAME)
    before = {schema.RECORDING_NAME: list(names), schema.FINGERPRINT: list(prints), schema.AUDIO: list(audio)}
    for d, label in mine.items():
        names[d] = label.name or names[d]
        prints[d] = prints[d] if label.fingerprint is None else label.fingerprint
        for u in reader.utterances(d) if label.audio else ():
            audio[u] = label.audio.get(utterances[u], audio[u])
    after = {schema.RECORDING_NAME: names, schema.FINGERPRINT: prints, schema.AUDIO: audio}
    return {column.name: after[column] for column in before if after[column] != before[column]}
