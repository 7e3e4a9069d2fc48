"""The recordings of an archive: recognised into its folder, listed for the index, forgotten when they are deleted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from ...errors import InputError
from ...system.console import counted
from ...system.files import locked
from ...system.paths import check_below, folder_inside, inside
from ..index import schema
from ..index.about import About, read_about
from ..index.changes import Changes
from ..index.reader import Index
from ..lattice.formats import File, format_of
from ..metadata.audio_tags import file_prints, fill_from_tags, retagged
from ..metadata.metadata import record_texts
from ..recognise.journal import RecordingJournal, is_other
from ..recognise.recognisers import table
from ..recognise.roots import NO_ROOTS, NamedRoots
from ..recognise.run import Recognised, Recogniser, recognise
from ..store.recordings import identify_recordings, settle_names
from .changes import FOLDER, release_returned
from .progress import telling_progress
from .roots import StoredAudio

Sources = str | os.PathLike | Sequence[str | os.PathLike]
Recognisers = Sequence[str | Recogniser] | Mapping[str, Recogniser]
StageProgress = Callable[[str, float, float | None], None]


class AddedRecordings(NamedTuple):
    """What was done with recordings: recognition and how many seconds it took, and changes of the index.

    ``heard`` is what further recognisers did, by name.
    """

    recognised: Recognised
    took: float
    changes: Changes
    heard: Mapping[str, AddedRecordings] = MappingProxyType({})

    @property
    def errors(self) -> list[str]:
        """What was wrong, each once."""
        own = self.recognised.errors + self.changes.errors
        return list(dict.fromkeys([*own, *(error for some in self.heard.values() for error in some.errors)]))


def as_recognisers(recognisers: Recognisers, language: str | None) -> dict[str, Recogniser]:
    """The recognisers for a language, by the names of their hearings; the first is the archive's own."""
    if isinstance(recognisers, str) or not recognisers:
        raise InputError(f"recognisers must be a list of recognisers, got {recognisers!r}")
    named = dict(recognisers) if isinstance(recognisers, Mapping) else _named(recognisers)
    return {name: for_language(recogniser, language) for name, recogniser in named.items()}


def _named(recognisers: Sequence[str | Recogniser]) -> dict[str, Recogniser]:
    """Recognisers by the names of their hearings, which must differ."""
    made = [table.get(some) if isinstance(some, str) else some for some in recognisers]
    names = [_name_of(*both) for both in zip(recognisers, made, strict=True)]
    named = dict(zip(names, made, strict=True))
    if len(named) < len(names):
        raise InputError(
            f"hearings must have different names, such as {{'small': …, 'large': …}}; got: {', '.join(names)}"
        )
    return named


def _name_of(given: str | Recogniser, recogniser: Recogniser) -> str:
    """What the hearing of a recogniser is called: its name in the table of recognisers, else that of its class."""
    if isinstance(given, str) and given in table.TABLE:
        return given
    own = type(recogniser).__name__
    return next((name for name, row in table.TABLE.items() if row.class_name == own), own.lower())


def said_language(given: str | None, archive: str) -> str | None:
    """What is spoken in recordings: what was given, else the language of their archive; None: English by default."""
    return given or (archive if archive != "en" else None)


def for_language(recogniser: Recogniser, language: str | None) -> Recogniser:
    """The recogniser with its model of a language; InputError if it states its languages, and this is none of them.

    None: nobody has said what is spoken. It is taken for English, unless the recogniser can tell it itself.
    """
    if language is None and getattr(recogniser, "detects", False):
        return recogniser
    language = language or "en"
    if hasattr(recogniser, "in_language"):
        recogniser = recogniser.in_language(language)
    languages = getattr(recogniser, "languages", ())
    if languages and language not in languages:
        raise InputError(
            f"{type(recogniser).__name__} understands {', '.join(languages)} here, and the recordings are in "
            f"{language!r}: give it a model of that language, or choose another recogniser"
        )
    return recogniser


def as_sources(sources: Sources) -> list[str | os.PathLike]:
    """A list of files and folders."""
    return [sources] if isinstance(sources, str | os.PathLike) else list(sources)


class RecognitionOptions(NamedTuple):
    """How recordings are recognised."""

    recogniser: Recogniser | None  # None: the best that is here, and what was heard stays
    longest: float = 30.0
    workers: int = 1
    keep_duplicates: bool = False
    every: float = 30.0  # seconds after which finished recordings can be searched
    roots: NamedRoots = NO_ROOTS
    language: str | None = None
    indexed: Collection[str] = ()  # of the archive: a recording does not take the name of another recording
    announce: Callable[[str], None] = lambda why: None  # which recogniser was chosen


def recognise_recordings(
    folder: Path,
    sources: list[str | os.PathLike],
    options: RecognitionOptions,
    report: Callable[[float, float], None],
    commit: Callable[[RecordingJournal], None],
    only: Container[str] | None = None,
) -> tuple[Recognised, float]:
    """Recognise what is new, but for deleted recordings that are not given by themselves; also the seconds it took."""
    if folder.is_dir():
        check_below(folder)  # lattices are looked for in all of it
    began = time.perf_counter()
    with telling_progress(folder, report) as told:
        done = recognise(
            sources, folder, options.recogniser, longest=options.longest, workers=options.workers, report=told,
            keep_duplicates=options.keep_duplicates, commit=commit, every=options.every, roots=options.roots, only=only,
            language=options.language, indexed=options.indexed, announce=options.announce,
        )  # fmt: skip
    if done.deleted:
        done.notes.append(
            f"deleted from this archive and left out: {counted(len(done.deleted), 'recording')}, such as "
            f"{done.deleted[0]}; to add one again, give the file itself"
        )
    return done, time.perf_counter() - began


def recordings_table(
    journal: RecordingJournal, about: Mapping[str, About] | str | os.PathLike | None
) -> dict[str, About]:
    """What is said about every utterance that was recognised; ``about`` is by recording."""
    new = read_about(about) if isinstance(about, str | os.PathLike) else dict(about or {})
    audio = journal.places()
    return {
        utterance: About(name, new[name].texts if name in new else {}, audio.get(utterance, ""), segment["start"])
        for utterance, name, _, segment in journal.utterances()
    }


def stored_audio(index: Index) -> list[StoredAudio]:
    """The paths of recordings that an archive stores; those of deleted ones and of copies are without sizes."""
    lattices = folder_inside(index.folder, FOLDER)
    lines = RecordingJournal(lattices).lines.values() if lattices.is_dir() else ()
    audio = {line["audio"]: None if is_other(line) else line.get("size") for line in lines if line.get("audio")}
    only = {text for part in index.parts for text in part.texts(schema.AUDIO).all() if text} - set(audio)
    return [StoredAudio(path, size) for path, size in audio.items()] + [StoredAudio(path, None) for path in only]


def lattices_of(journal: RecordingJournal, missing: bool = True) -> Iterator[File]:
    """The lattices of a journal, also those that are ``missing``; those with one ending are of one format."""
    formats: dict[str, str] = {}
    for utterance, _, _, segment in journal.utterances():
        path = inside(journal.folder, segment["file"])
        if not missing and not path.exists():
            continue
        end = segment["file"].removeprefix(utterance)
        if end not in formats:
            formats[end] = format_of(path)
        yield File(str(path), formats[end], utterance)


class IndexedArchive(Protocol):
    """What is needed of an archive whose recordings are indexed."""

    @property
    def folder(self) -> Path:
        """The folder of the archive."""

    @property
    def names(self) -> list[str]:
        """The names of all recordings."""

    def refresh(self) -> None:
        """Read what has been committed."""

    def remove(self, names: Collection[str]) -> None:
        """Remove recordings from the index for good."""

    @property
    def index(self) -> Callable[..., Changes]:
        """What indexes what is new or has changed."""


def remove_silent(archive: IndexedArchive, journal: RecordingJournal) -> None:
    """Remove recordings in which nothing is understood any more; they stay in the journal."""
    names = set(archive.names)
    archive.remove([name for name in journal.silent if name in names])


class Indexing:
    """Brings the index and the store of an archive to the state of a journal, while recordings are recognised."""

    def __init__(
        self,
        archive: IndexedArchive,
        about: Mapping[str, About] | str | os.PathLike | None,
        workers: int,
        progress: Callable[[int, int | None], None],
        language: str | None = None,
    ) -> None:
        self.archive, self.about, self.workers, self.progress = archive, about, workers, progress
        self.language = language
        self.changes = Changes(0, 0, 0, 0, [])
        self.prints = file_prints(folder_inside(archive.folder, FOLDER))

    def commit(self, journal: RecordingJournal) -> None:
        """Index what has been recognised so far, under the names that recordings have now."""
        archive = self.archive
        archive.refresh()
        remove_silent(archive, journal)
        identify_recordings(archive.folder, journal.contents())
        table = recordings_table(journal, self.about)
        if not table:
            settle_names(archive.folder)
            return
        there = set(archive.names)
        changes = archive.index(
            journal.folder, table, workers=self.workers, progress=self.progress, listed=True, prints=journal.prints(),
            files=list(lattices_of(journal)),
        )  # fmt: skip
        settle_names(archive.folder)
        new = {
            name: line["audio"] for _, name, line, _ in journal.utterances()
            if name not in there and os.path.isabs(line.get("audio") or "")
        }  # fmt: skip
        fill_from_tags(archive.folder, {**retagged(journal, self.prints), **new})
        told = {name: self.language or journal.lines[name].get("language") for name in new}
        spoken = {name: {"language": language} for name, language in told.items() if language}
        if spoken:
            record_texts(archive.folder, spoken, "language of new recordings")
        release_returned(archive.folder)
        self.changes = changes_of_both(self.changes, changes)


def changes_of_both(before: Changes, changes: Changes) -> Changes:
    """The changes of an index by two calls, of which the second looked at all that the first did."""
    return Changes(
        before.added + changes.added, before.updated + changes.updated,
        changes.unchanged - before.added - before.updated, changes.removed,
        changes.errors,
    )  # fmt: skip


class NoJournal:
    """Stands for the journal of an archive that has recognised nothing."""

    @property
    def lines(self) -> dict[str, dict[str, Any]]:
        """There are no lines."""
        return {}

    def write(self, lines: Sequence[dict[str, Any]]) -> None:
        """Nothing is written."""

    def utterances(self) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
        """Nothing was recognised."""
        return iter(())

    def forget(self, names: Collection[str]) -> None:
        """Nothing is to be forgotten."""

    def restore(self, names: Collection[str]) -> list[str]:
        """Nothing is restored."""
        return []

    def places(self) -> dict[str, str]:
        """No audio file is known."""
        return {}

    def purge(self, days: float) -> list[str]:
        """Nothing is purged."""
        return []

    def write_table(self) -> None:
        """There is no table."""


@contextmanager
def journal_of(folder: Path) -> Iterator[RecordingJournal | NoJournal]:
    """Lock the folder of lattices, if there is one; yields its journal."""
    if not folder.is_dir():
        yield NoJournal()
        return
    with locked(folder, "another process is recognising into this folder"):
        yield RecordingJournal(folder)
