"""Recognise recordings in parallel and write one lattice per segment; a run that was stopped goes on.

A recogniser is an object with ``rate``, ``ending`` and ``__call__``.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, in_one_line
from ...system.files import stamp, write_file
from ...system.parallel import paired_map
from ...system.paths import inside
from ...system.temporary import MARK
from .audio.audio import seconds as length_of
from .audio.audio import segments
from .audio.cutting import ALL, Segment
from .audio.settled import stated_size, unsettled
from .identity import IdentityOptions, identify
from .journal import TABLE, AudioContent, RecordingJournal, locked
from .recognisers.choice import Choice, choose
from .recognisers.pocketsphinx import PocketSphinx, read_words
from .recognisers.table import Recogniser, SegmentError
from .recognisers.trimming import trimmed, trimmed_ending
from .recordings import Recording, find, name_problem, path_problem
from .roots import NO_ROOTS, NamedRoots

__all__ = ["TABLE", "PocketSphinx", "Recognised", "Recogniser", "read_words", "recognise"]

_LEFTOVER = re.compile(rf"\..+{re.escape(MARK)}[a-z0-9_]{{8}}(\.\w+)?")  # as :func:`.temporary_beside` calls them
_TELLING = 3  # segments at the beginning of a recording, by which its language is told
_WORTH_PROCESSES = 10.0  # seconds of audio: starting processes for less takes longer than recognising it


class Recognised(NamedTuple):
    """The report of a run: recordings done now and before, seconds recognised, errors and notes.

    ``silent`` are all recordings of the folder in which nothing was understood. ``deleted`` are files of deleted
    recordings, which were left out.
    """

    done: int
    before: int
    seconds: float
    errors: list[str]
    notes: list[str]
    silent: list[str]
    deleted: list[str]


class _Task(NamedTuple):
    """A segment and where its lattice goes, or (without either) the end of a recording.

    ``language`` is that of the recording, where the recogniser told it.
    """

    recording: Recording
    start: float = 0.0
    samples: np.ndarray | None = None
    path: Path | None = None
    inner: tuple[float, float] = ALL
    language: str = ""


def recognise(
    sources: Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    recogniser: Recogniser | None = None,
    *,
    longest: float = 30.0,
    workers: int = 1,
    report: Callable[[float, float], None] = lambda done, total: None,
    keep_duplicates: bool = False,
    commit: Callable[[RecordingJournal], None] = lambda journal: None,
    every: float = 30.0,
    roots: NamedRoots = NO_ROOTS,
    language: str | None = None,
    only: Container[str] | None = None,
    indexed: Collection[str] = (),
    announce: Callable[[str], None] = lambda why: None,
) -> Recognised:
    """Recognise recordings into a folder of lattices; finished recordings are not recognised again.

    A recording is known by its content: it may be renamed, moved or tagged anew. A copy is left out, and so is a
    recording that was deleted, unless its file is given by itself.

    Args:
        sources: audio files and folders of them.
        folder: folder of the lattices; it is made if it does not exist.
        recogniser: an object such as :class:`PocketSphinx`; what another one recognised is recognised again. None: the
            best one that is here for the language (:func:`.recognisers.choice.choose`), and what was recognised stays
            as it is.
        longest: longer recordings (in seconds) are cut at pauses, into segments of at most this length.
        workers: number of processes.
        report: called with the seconds of audio that are done, and their total.
        keep_duplicates: whether a copy of a recording is recognised too.
        commit: called with the journal while it runs, when recordings have been finished; and at the end.
        every: seconds between such calls.
        roots: folders relative to which the paths of recordings are stored; below none of them they are full paths.
        language: what is spoken, where no recogniser is given; None: English, unless the best recogniser tells it.
        only: fingerprints of the samples of recordings that are recognised, also if they were deleted; others are left
            out. None: all.
        indexed: names of recordings in the index; a recording does not take one that no recording has.
        announce: called before the first recording is heard, where no recogniser is given: which one hears, and why.
    """
    if not 1 <= longest < float("inf"):
        raise InputError(f"longest must be at least 1 second, got {longest}")
    choice = choose(language) if recogniser is None else Choice(recogniser, "", "")
    used = choice.recogniser
    recordings, notes = find(sources)
    moving = unsettled(recording.path for recording in recordings)
    recordings = [recording for recording in recordings if recording.path not in moving]
    notes = [*notes, *moving.values()]
    given = {str(Path(source).resolve()) for source in sources if not Path(source).is_dir()}
    if only is not None:
        given = {recording.real for recording in recordings}
    with locked(Path(folder)):
        _remove_leftovers(Path(folder))
        journal = RecordingJournal(Path(folder), f"{settings_of(used)} longest={float(longest)}", roots)
        run = _Run(journal, choice, float(longest), report, _Commits(journal, commit, every), announce, only)
        return run.work(recordings, notes, workers, IdentityOptions(keep_duplicates, given, indexed))


def _remove_leftovers(folder: Path) -> None:
    """Remove files that a process was writing when it was killed; whoever holds the lock of the folder is the only one.

    Folders that are links are left alone.
    """
    for above, _, names in os.walk(folder):
        for name in names:
            if _LEFTOVER.fullmatch(name):
                with suppress(OSError):  # it is in nobody's way
                    os.unlink(os.path.join(above, name))


def settings_of(recogniser: Recogniser) -> str:
    """What a recogniser's lattices depend on: its class, its attributes, and the files and folders that they name.

    A recogniser that has a property ``settings`` says it itself.
    """
    if isinstance(getattr(type(recogniser), "settings", None), property):
        return f"{type(recogniser).__qualname__} {recogniser.settings}"  # type: ignore[attr-defined]
    own = {k: v for k, v in vars(type(recogniser)).items() if k in ("rate", "ending")}
    parts = [type(recogniser).__qualname__]
    for name, value in sorted((own | vars(recogniser)).items()):
        if isinstance(value, str) and value and Path(value).exists():  # Path("") would be the current folder
            value = stamp(value)
        if not isinstance(value, property):
            parts.append(f"{name}={value!r}")
    return " ".join(parts)


class _Commits:
    """Calls ``commit`` when recordings have been finished, but not more often than ``every`` so many seconds."""

    def __init__(self, journal: RecordingJournal, commit: Callable[[RecordingJournal], None], every: float) -> None:
        self.journal, self.commit, self.every = journal, commit, every
        self.last = time.monotonic()

    def __call__(self, now: bool = False) -> None:
        if now or time.monotonic() - self.last >= self.every:
            self.journal.write_table()
            self.commit(self.journal)
            self.last = time.monotonic()


class _Run:
    """One call of :func:`recognise`."""

    def __init__(
        self,
        journal: RecordingJournal,
        choice: Choice,
        longest: float,
        report: Callable[[float, float], None],
        commits: _Commits,
        announce: Callable[[str], None],
        only: Container[str] | None,
    ) -> None:
        self.recogniser, self.announce = choice.recogniser, announce
        self.why = choice.why  # this recogniser was chosen; empty: it was given, and hears again what another one heard
        self.only = only
        self.journal, self.longest, self.report = journal, longest, report
        self.commits = commits
        self.errors: list[str] = []
        self.notes: list[str] = []
        self.failed: set[str] = set()
        self.lattices: dict[str, list[tuple[Path, float]]] = {}  # of recordings that are not finished yet
        self.contents: dict[str, AudioContent] = {}
        self.deleted: list[str] = []
        self.done = self.before = 0
        self.languages: dict[str, str] = {}  # that the recogniser told
        self.fresh = 0.0  # seconds that were recognised now

    def work(
        self,
        recordings: Sequence[Recording],
        notes: Sequence[str],
        workers: int,
        options: IdentityOptions,
    ) -> Recognised:
        """Recognise everything that is not done yet."""
        self.notes += notes
        todo, total = self._unfinished(recordings, options)
        if todo and self.why:
            self.notes.append(self.why)
            self.announce(self.why)
        if todo and hasattr(self.recogniser, "start"):
            self.recogniser.start()  # it may raise, and old lattices are removed only after that
        heard = 0.0
        if todo:
            self.report(heard, total)
        try:
            processes = workers if total >= _WORTH_PROCESSES else 1
            recognise_one = partial(_recognise_one, self.recogniser)
            outcomes = paired_map(
                recognise_one, self._tasks(todo), processes, patience=-1.0, chunk=1, lost=lambda task, why: why
            )
            for task, outcome in outcomes:
                if task.samples is None:
                    self._finish(task.recording)
                    self.commits()
                else:
                    heard += self._take(task, outcome, len(task.samples) / self.recogniser.rate)
                    self.report(min(heard, total), total)
        finally:
            self.journal.write_table()
        self.commits(now=True)
        return Recognised(
            self.done, self.before, self.fresh, self.errors, self.notes, self.journal.silent, self.deleted
        )

    def _unfinished(self, recordings: Sequence[Recording], options: IdentityOptions) -> tuple[list[Recording], float]:
        """The recordings to be recognised, and their length in seconds; errors and finished ones are counted."""
        what = identify(self.journal, self._usable(recordings), options)
        self.notes += what.notes
        self.errors += what.errors
        self.deleted = what.deleted
        self.journal.restore(what.returned)
        todo, total = [], 0.0
        for recording, content in what.recordings:
            if self.only is not None and content.samples not in self.only:
                continue
            try:
                if self.journal.is_done(recording.name, content, anyhow=bool(self.why)):
                    self.before += 1
                    continue
                total += length_of(recording.path)
                todo.append(recording)
                if (stated := stated_size(recording.path)) > content.size:
                    sizes = f"its head states at least {stated:,} bytes, and there are {content.size:,}"
                    self.notes.append(f"{recording.path}: cut off ({sizes}); what is there is heard")
                self.contents[recording.name] = content
            except (InputError, OSError) as error:
                self.errors.append(in_one_line(error))
        return todo, total

    def _usable(self, recordings: Sequence[Recording]) -> Iterator[Recording]:
        """The recordings whose names can be used; others are errors."""
        for recording in recordings:
            problem = name_problem(recording.name) or path_problem(recording.real)
            if problem is None:
                yield recording
            else:
                path = str(recording.path).encode("utf-8", "replace").decode()
                self.errors.append(in_one_line(InputError(f"skipped, {problem}", path)))

    def _tasks(self, todo: list[Recording]) -> Iterator[_Task]:
        """The segments of all recordings, each recording with a mark at its end; an unreadable one is reported."""
        ending = self.recogniser.ending
        for recording in todo:
            began = False
            try:
                whole = length_of(recording.path) <= self.longest
                self.journal.begin(recording, ending, self.contents[recording.name])
                began = True
                own = self.journal.stem_for(recording.name)
                language, cuts = self._language(recording)
                for n, segment in enumerate(cuts, 1):
                    name = f"{own}{'' if whole else f'@{n:05d}'}{trimmed_ending(ending, segment.inner)}"
                    yield _Task(recording, *segment[:2], inside(self.journal.folder, name), segment.inner, language)
            except (InputError, OSError) as error:
                if isinstance(error, OSError) and error.filename != str(recording.path):
                    raise  # the error is not in the recording
                self.errors.append(in_one_line(error))
                self.failed.add(recording.name)
                if began:
                    self.journal.drop_segments(recording)
            yield _Task(recording)

    def _language(self, recording: Recording) -> tuple[str, Iterator[Segment]]:
        """What is spoken in a recording, where the recogniser can tell it by its first segments, and all segments."""
        cuts = segments(recording.path, self.recogniser.rate, self.longest)
        used: Any = self.recogniser
        if not getattr(used, "detects", False):
            return "", cuts
        first = list(islice(cuts, _TELLING))
        try:
            language = str(used.language_of([segment.samples for segment in first])) if first else ""
        except Exception as error:  # one recording on which a recogniser fails must not end the batch
            raise InputError(f"its language cannot be told: {error}", str(recording.path)) from None
        self.languages[recording.name] = language
        return language, chain(first, cuts)

    def _take(self, task: _Task, outcome: str, length: float) -> float:
        """Note the outcome of a segment; return its length in seconds."""
        name = task.recording.name
        if outcome in ("made", "there") and task.path is not None:
            self.lattices.setdefault(name, []).append((task.path, task.start))
        elif outcome != "nothing":
            if name not in self.failed:
                self.errors.append(f"{task.recording.path}, {task.start:.1f} s: {outcome}")
            self.failed.add(name)
        self.fresh += length if outcome != "there" else 0.0
        return length

    def _finish(self, recording: Recording) -> None:
        """Note that a recording is done, unless a segment failed: then the next run tries again."""
        lattices = self.lattices.pop(recording.name, [])
        if recording.name in self.failed:
            return
        if not lattices:
            self.notes.append(f"{recording.path}: no speech was recognised")
        self.journal.done(recording, lattices, self.languages.pop(recording.name, ""))
        self.done += 1


def _recognise_one(recogniser: Recogniser, task: _Task) -> str:
    """Write the lattice of a segment: "made", "there" (already), "nothing" (understood), or an error."""
    if task.samples is None or task.path is None:
        return "nothing"
    if task.path.exists() and task.path.stat().st_size > 0:
        return "there"
    try:
        spoken: Any = recogniser
        used = spoken.in_language(task.language) if task.language else recogniser
        content = trimmed(used(task.samples), recogniser.ending, task.inner)
    except (InputError, OSError):
        raise
    except SegmentError as error:
        return str(error)
    except Exception as error:  # one segment on which a recogniser fails must not end the batch
        return f"{type(error).__name__}: {error}"
    if content is None:
        return "nothing"
    try:
        task.path.parent.mkdir(parents=True, exist_ok=True)
        write_file(task.path, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(task.path)) from None
    return "made"
