"""Recognise recordings in parallel and write one lattice per segment; a run that was stopped goes on.

A recogniser is an object with ``rate``, ``ending`` and ``__call__``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import InputError, in_one_line
from ...files import stamp, write_file
from ...parallel import paired_map
from ...places import inside
from .audio import seconds as length_of
from .audio import segments
from .pocketsphinx import PocketSphinx, read_words
from .recordings import TABLE, Recording, RecordingJournal, find, locked, name_problem, path_problem
from .settled import unsettled
from .table import Recogniser, get

__all__ = ["TABLE", "PocketSphinx", "Recognised", "Recogniser", "read_words", "recognise"]

_WORTH_PROCESSES = 10.0  # seconds of audio: starting processes for less takes longer than recognising it


class Recognised(NamedTuple):
    """The report of a run: recordings done now and before, seconds recognised, errors and notes.

    ``silent`` are all recordings of the folder in which nothing was understood.
    """

    done: int
    before: int
    seconds: float
    errors: list[str]
    notes: list[str]
    silent: list[str]


class _Task(NamedTuple):
    """A segment and where its lattice goes, or (without either) the end of a recording."""

    recording: Recording
    start: float = 0.0
    samples: np.ndarray | None = None
    path: Path | None = None


def recognise(
    sources: Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    recogniser: Recogniser | None = None,
    *,
    longest: float = 30.0,
    workers: int = 1,
    report: Callable[[float, float], None] = lambda done, total: None,
    left_out: Collection[str] = (),
) -> Recognised:
    """Recognise recordings into a folder of lattices; finished recordings are not recognised again.

    Args:
        sources: audio files and folders of them.
        folder: folder of the lattices; it is made if it does not exist.
        recogniser: an object such as :class:`PocketSphinx`; by default the one that the table of recognisers says.
        longest: longer recordings (in seconds) are cut at pauses, into segments of at most this length.
        workers: number of processes.
        report: called with the seconds of audio that are done, and their total.
        left_out: full paths of audio files that are not recognised.
    """
    if not 1 <= longest < float("inf"):
        raise InputError(f"longest must be at least 1 second, got {longest}")
    used = get() if recogniser is None else recogniser
    recordings, notes = find(sources)
    moving = unsettled(recording.path for recording in recordings)
    recordings = [r for r in recordings if r.path not in moving and str(r.path.resolve()) not in left_out]
    notes = [*notes, *moving.values()]
    with locked(Path(folder)):
        journal = RecordingJournal(Path(folder), f"{settings_of(used)} longest={float(longest)}")
        return _Run(journal, used, float(longest), report).work(recordings, notes, workers)


def settings_of(recogniser: Recogniser) -> str:
    """What a recogniser's lattices depend on: its class, its attributes, and the files and folders that they name."""
    own = {k: v for k, v in vars(type(recogniser)).items() if k in ("rate", "ending")}
    parts = [type(recogniser).__qualname__]
    for name, value in sorted((own | vars(recogniser)).items()):
        if isinstance(value, str) and value and Path(value).exists():  # Path("") would be the current folder
            value = stamp(value)
        if not isinstance(value, property):
            parts.append(f"{name}={value!r}")
    return " ".join(parts)


class _Run:
    """One call of :func:`recognise`."""

    def __init__(
        self, journal: RecordingJournal, recogniser: Recogniser, longest: float, report: Callable[[float, float], None]
    ) -> None:
        self.journal, self.recogniser, self.longest, self.report = journal, recogniser, longest, report
        self.errors: list[str] = []
        self.notes: list[str] = []
        self.failed: set[str] = set()
        self.lattices: dict[str, list[tuple[Path, float]]] = {}  # of recordings that are not finished yet
        self.done = self.before = 0
        self.fresh = 0.0  # seconds that were recognised now

    def work(self, recordings: Sequence[Recording], notes: Sequence[str], workers: int) -> Recognised:
        """Recognise everything that is not done yet."""
        self.notes += notes
        todo, total = self._unfinished(recordings)
        if todo and hasattr(self.recogniser, "start"):
            self.recogniser.start()  # it may raise, and old lattices are removed only after that
        heard = 0.0
        try:
            processes = workers if total >= _WORTH_PROCESSES else 1
            recognise_one = partial(_recognise_one, self.recogniser)
            outcomes = paired_map(
                recognise_one, self._tasks(todo), processes, patience=-1.0, chunk=1, lost=lambda task, why: why
            )
            for task, outcome in outcomes:
                if task.samples is None:
                    self._finish(task.recording)
                else:
                    heard += self._take(task, outcome, len(task.samples) / self.recogniser.rate)
                    self.report(min(heard, total), total)
        finally:
            self.journal.write_table()
        return Recognised(self.done, self.before, self.fresh, self.errors, self.notes, self.journal.silent)

    def _unfinished(self, recordings: Sequence[Recording]) -> tuple[list[Recording], float]:
        """The recordings to be recognised, and their length in seconds; errors and finished ones are counted."""
        todo, total = [], 0.0
        for recording in map(self.journal.renamed, recordings):
            problem = name_problem(recording.name) or path_problem(recording.path)
            try:
                if problem is not None:
                    raise InputError(f"skipped, {problem}", str(recording.path).encode("utf-8", "replace").decode())
                if self.journal.is_done(recording):
                    self.before += 1
                    continue
                self.journal.check_name(recording)
                total += length_of(recording.path)
                todo.append(recording)
            except (InputError, OSError) as error:
                self.errors.append(in_one_line(error))
        return todo, total

    def _tasks(self, todo: list[Recording]) -> Iterator[_Task]:
        """The segments of all recordings, each recording with a mark at its end; an unreadable one is reported."""
        ending = self.recogniser.ending
        for recording in todo:
            began = False
            try:
                whole = length_of(recording.path) <= self.longest
                self.journal.begin(recording, ending)
                began = True
                for n, segment in enumerate(segments(recording.path, self.recogniser.rate, self.longest), 1):
                    name = f"{recording.name}{ending}" if whole else f"{recording.name}@{n:05d}{ending}"
                    yield _Task(recording, segment.start, segment.samples, inside(self.journal.folder, name))
            except (InputError, OSError) as error:
                if isinstance(error, OSError) and error.filename != str(recording.path):
                    raise  # the error is not in the recording
                self.errors.append(in_one_line(error))
                self.failed.add(recording.name)
                if began:
                    self.journal.drop_segments(recording)
            yield _Task(recording)

    def _take(self, task: _Task, outcome: str, length: float) -> float:
        """Note the outcome of a segment; return its length in seconds."""
        name = task.recording.name
        if outcome in ("made", "there") and task.path is not None:
            self.lattices.setdefault(name, []).append((task.path, task.start))
        elif outcome != "nothing":
            self.failed.add(name)
            self.errors.append(f"{task.recording.path}, {task.start:.1f} s: {outcome}")
        self.fresh += length if outcome != "there" else 0.0
        return length

    def _finish(self, recording: Recording) -> None:
        """Note that a recording is done, unless a segment failed: then the next run tries again."""
        lattices = self.lattices.pop(recording.name, [])
        if recording.name in self.failed:
            return
        if not lattices:
            self.notes.append(f"{recording.path}: no speech was recognised")
        self.journal.done(recording, lattices)
        self.done += 1


def _recognise_one(recogniser: Recogniser, task: _Task) -> str:
    """Write the lattice of a segment: "made", "there" (already), "nothing" (understood), or an error."""
    if task.samples is None or task.path is None:
        return "nothing"
    if task.path.exists() and task.path.stat().st_size > 0:
        return "there"
    try:
        content = recogniser(task.samples)
    except (InputError, OSError):
        raise
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
