"""From recordings to lattices: in parallel, resumable, with any recogniser that has three lines to its name."""

from __future__ import annotations

import gzip
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...errors import InputError, needs
from ...files import replacing
from ...parallel import process_map
from ..lattice.formats.common import decoded
from .audio import seconds as length_of
from .audio import segments
from .recordings import TABLE, Found, Journal, Recording, find, locked, unusable

__all__ = ["TABLE", "PocketSphinx", "Recognised", "Recogniser", "read_words", "recognise"]


class Recogniser(Protocol):
    """What a recogniser must have; it is sent to other processes, so it must be picklable."""

    @property
    def rate(self) -> int:
        """Samples per second that it wants."""
        ...  # pragma: no cover

    @property
    def ending(self) -> str:
        """Of the files that hold what it returns: any that is read, say ``".slf.gz"``, ``".nbest"`` or ``".json"``."""
        ...  # pragma: no cover

    def __call__(self, samples: np.ndarray) -> bytes | None:
        """The content of such a file for a stretch of speech (16 bits, one channel); None if nothing was understood."""
        ...  # pragma: no cover


@dataclass(frozen=True)
class PocketSphinx:
    """PocketSphinx with its English model, or others; makes lattices in HTK's SLF.

    Args:
        model: folder of an acoustic model; default: the one in the package.
        language_model: an n-gram model (ARPA or binary); default: the one in the package.
        dictionary: a pronunciation dictionary; default: the one in the package.
        without: words that are taken out of the dictionary.
        beam: the decoder's beam, a ratio of probabilities (1e-48); smaller is slower and finer.
        word_beam: the same at the ends of words (7e-29).
    """

    model: str | None = None
    language_model: str | None = None
    dictionary: str | None = None
    without: tuple[str, ...] = ()
    beam: float | None = None
    word_beam: float | None = None
    rate: int = field(default=16000, init=False)
    ending: str = field(default=".slf.gz", init=False)

    def __post_init__(self) -> None:
        for name in ("model", "language_model", "dictionary"):
            path = getattr(self, name)
            if path is not None and not (Path(path).is_dir() if name == "model" else Path(path).is_file()):
                raise FileNotFoundError(2, f"there is no such {name.replace('_', ' ')}", str(path))
        for name in ("beam", "word_beam"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise InputError(f"{name} must be a ratio of probabilities between 0 and 1, got {value}")

    def __call__(self, samples: np.ndarray) -> bytes | None:
        """The lattice of a stretch of speech."""
        decoder = _decoder(self)
        decoder.reinit_feat()  # forgets its estimate of the noise: a lattice must not depend on what came before
        decoder.start_utt()
        decoder.process_raw(np.ascontiguousarray(samples, np.int16).tobytes(), full_utt=True)
        decoder.end_utt()
        lattice, heard = decoder.get_lattice(), decoder.hyp()
        if lattice is None or heard is None:
            return None
        with tempfile.TemporaryDirectory(prefix="rankine-") as folder:
            path = os.path.join(folder, "lattice.slf")
            lattice.write_htk(path)
            content = Path(path).read_bytes()
        size = re.search(rb"\bL=(\d+)", content)
        if size is None or content.count(b"\nJ=") != int(size[1]) or not content.endswith(b"\n"):
            raise OSError(28, "the recogniser could not write its lattice: is the disk full?", folder)
        return gzip.compress(f"# best by language model: {heard.hypstr}\n".encode() + content, 6, mtime=0)


@lru_cache(maxsize=1)
def _decoder(settings: PocketSphinx) -> Any:
    """One for each process: loading takes half a second."""
    ps = needs("pocketsphinx", "spoken")
    given = {"hmm": settings.model, "lm": settings.language_model, "beam": settings.beam, "wbeam": settings.word_beam}
    options = {k: v for k, v in given.items() if v is not None}
    # batch: means are those of the utterance itself
    options |= {"cmn": "batch", "loglevel": "FATAL"}
    source = settings.dictionary or ps.get_model_path("en-us/cmudict-en-us.dict")
    try:
        if not settings.without:
            decoder = ps.Decoder(dict=str(source), **options)
        else:
            with tempfile.TemporaryDirectory(prefix="rankine-") as folder:
                path = os.path.join(folder, "words.dict")
                _write_dictionary(Path(source), set(settings.without), path)
                decoder = ps.Decoder(dict=path, **options)
    except (RuntimeError, ValueError) as error:
        raise InputError(f"PocketSphinx cannot be started with these settings: {error}") from None
    if settings.dictionary is not None:
        words = [w for w in entries(Path(settings.dictionary)) if w not in settings.without][:1000]
        if not any(decoder.lookup_word(w) for w in words):
            raise InputError("no word of the dictionary is in the sounds of the model", settings.dictionary)
    return decoder


def entries(dictionary: Path) -> list[str]:
    """The words of a pronunciation dictionary."""
    lines = decoded(dictionary.read_bytes(), str(dictionary)).split("\n")
    return [line.split(None, 1)[0] for line in lines if len(line.split(None, 1)) == 2]


def _write_dictionary(source: Path, without: set[str], path: str) -> None:
    """The dictionary without some words and their other pronunciations, ``word(2)``."""
    with open(source, encoding="utf-8") as file, open(path, "w", encoding="utf-8") as out:
        out.writelines(
            line for line in file if line.split(None, 1)[:1] and _bare(line.split(None, 1)[0]) not in without
        )


def _bare(entry: str) -> str:
    return entry[: entry.index("(")] if entry.endswith(")") and "(" in entry else entry


def read_words(path: str | os.PathLike) -> tuple[str, ...]:
    """Words, one on each line, in lower case."""
    found = sorted(set(decoded(Path(path).read_bytes(), str(path)).lower().split()))
    if not found:
        raise InputError("expected words, one on each line", str(path))
    return tuple(found)


class Recognised(NamedTuple):
    """What a run did: recordings done now and before, seconds recognised, what was wrong or worth saying.

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
    """Recognise recordings into a folder of lattices; what is done is not done again.

    Args:
        sources: audio files and folders of them.
        folder: of the lattices; made if need be.
        recogniser: default: :class:`PocketSphinx`.
        longest: recordings above so many seconds are cut at pauses, into segments of at most so many.
        workers: processes.
        report: is told how many seconds of audio are done, and of how many.
        left_out: full paths of audio files that are not recognised.
    """
    if not 1 <= longest < float("inf"):
        raise InputError(f"longest must be at least 1 second, got {longest}")
    chosen = PocketSphinx() if recogniser is None else recogniser
    given = find(sources)
    given = given._replace(recordings=[x for x in given.recordings if str(x.path.resolve()) not in left_out])
    with locked(Path(folder)):
        state = Journal(Path(folder), f"{settings_of(chosen)} longest={float(longest)}")
        return _Run(state, chosen, float(longest), report).work(given, workers)


def settings_of(recogniser: Recogniser) -> str:
    """What a recogniser's lattices depend on: its kind and its attributes, and when files among them were changed."""
    found = {**{k: v for k, v in vars(type(recogniser)).items() if k in ("rate", "ending")}, **vars(recogniser)}
    parts = [type(recogniser).__qualname__]
    for name in sorted(found):
        value = found[name]
        if isinstance(value, str) and Path(value).exists():
            state = Path(value).stat()
            value = (str(Path(value).resolve()), state.st_size, state.st_mtime_ns)
        if not isinstance(value, property):
            parts.append(f"{name}={value!r}")
    return " ".join(parts)


class _Run:
    """One call of :func:`recognise`."""

    def __init__(
        self, state: Journal, recogniser: Recogniser, longest: float, report: Callable[[float, float], None]
    ) -> None:
        self.state, self.recogniser, self.longest, self.report = state, recogniser, longest, report
        self.errors: list[str] = []
        self.failed: set[str] = set()

    def work(self, given: Found, workers: int) -> Recognised:
        """Everything that is not done yet."""
        notes, todo, before, total = list(given.notes), [], 0, 0.0
        for recording in map(self.state.known_as, given.recordings):
            wrong = unusable(recording.name)
            try:
                if wrong is not None:
                    raise InputError(f"passed over, {wrong}", str(recording.path).encode("utf-8", "replace").decode())
                if self.state.is_done(recording):
                    before += 1
                    continue
                self.state.check_name(recording)
                total += length_of(recording.path)
                todo.append(recording)
            except (InputError, OSError) as error:
                self.errors.append(_said(error))
        if todo and isinstance(self.recogniser, PocketSphinx):
            _decoder(self.recogniser)  # what is wrong with it must be known before old lattices are forgotten
        seconds = fresh = 0.0
        done = 0
        found: dict[str, list[tuple[Path, float]]] = {}
        try:
            work = partial(_recognise_one, self.recogniser)
            few = total < 10  # seconds: not worth starting processes for
            for task, outcome in _in_order(work, self._tasks(todo), 1 if few else workers):
                name = task.recording.name
                if task.path is None or task.samples is None:
                    mine = found.pop(name, [])
                    if name in self.failed:
                        continue  # it is not done: the next run tries again
                    if not mine:
                        notes.append(f"{task.recording.path}: no speech was recognised")
                    self.state.done(task.recording, mine)
                    done += 1
                    continue
                length = len(task.samples) / self.recogniser.rate
                if outcome in ("made", "there"):
                    found.setdefault(name, []).append((task.path, task.start))
                elif outcome != "nothing":
                    self.failed.add(name)
                    self.errors.append(f"{task.recording.path}, {task.start:.1f} s: {outcome}")
                fresh += length if outcome != "there" else 0.0
                seconds += length
                self.report(min(seconds, total), total)
        finally:
            self.state.write_table()
        return Recognised(done, before, fresh, self.errors, notes, self.state.silent)

    def _tasks(self, todo: list[Recording]) -> Iterator[_Task]:
        """The segments of all recordings, each recording with a mark at its end; an unreadable one is reported."""
        ending = self.recogniser.ending
        for recording in todo:
            began = False
            try:
                whole = length_of(recording.path) <= self.longest
                self.state.begin(recording, ending)
                began = True
                for n, segment in enumerate(segments(recording.path, self.recogniser.rate, self.longest), 1):
                    name = f"{recording.name}{ending}" if whole else f"{recording.name}@{n:05d}{ending}"
                    yield _Task(recording, segment.start, segment.samples, self.state.folder / name)
            except (InputError, OSError) as error:
                if isinstance(error, OSError) and error.filename != str(recording.path):
                    raise  # it is not the recording that is wrong
                self.errors.append(_said(error))
                self.failed.add(recording.name)
                if began:
                    self.state.drop_segments(recording)
            yield _Task(recording)


def _said(error: Exception) -> str:
    """An error in one line."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _in_order(work: Callable[[_Task], str], tasks: Iterator[_Task], workers: int) -> Iterator[tuple[_Task, str]]:
    """Each task with its outcome, without its samples having come back."""
    sent: list[_Task] = []

    def remembered() -> Iterator[_Task]:
        for task in tasks:
            sent.append(task)
            yield task

    for outcome in process_map(work, remembered(), workers, patience=-1.0, chunk=1):
        yield sent.pop(0), outcome


def _recognise_one(recogniser: Recogniser, task: _Task) -> str:
    """Write the lattice of a segment: "made", "there" (already), "nothing" (understood), or what is wrong."""
    if task.samples is None or task.path is None:
        return "nothing"
    if task.path.exists() and task.path.stat().st_size > 0:
        return "there"
    try:
        content = recogniser(task.samples)
    except (InputError, OSError):
        raise
    except Exception as error:  # one stretch that a recogniser cannot bear must not end the batch
        return f"{type(error).__name__}: {error}"
    if content is None:
        return "nothing"
    try:
        task.path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(task.path) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(task.path)) from None
    return "made"
