"""From recordings to lattices: in parallel, resumable, with any recogniser that has three lines to its name.

A folder of lattices has a journal (``recognised.jsonl``) with two lines for each recording: begun and done, each with a
fingerprint of the audio and of the recogniser's settings. A recording that is done with the same fingerprint is passed
over; one that was only begun goes on with the segments that have no file yet. ``recordings.tsv`` is the table that
indexing wants: which utterance belongs to which recording, and where it begins.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..errors import InputError, needs
from ..io.files import replacing
from ..parallel import process_map
from .audio import ENDINGS, segments
from .audio import seconds as length_of
from .formats.common import stem

JOURNAL, TABLE = "recognised.jsonl", "recordings.tsv"


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
            if path is not None and not Path(path).exists():
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
            return ps.Decoder(dict=str(source), **options)
        with tempfile.TemporaryDirectory(prefix="rankine-") as folder:
            path = os.path.join(folder, "words.dict")
            _write_dictionary(Path(source), set(settings.without), path)
            return ps.Decoder(dict=path, **options)
    except (RuntimeError, ValueError) as error:
        raise InputError(f"PocketSphinx cannot be started with these settings: {error}") from None


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
    found = sorted({w for line in Path(path).read_text(encoding="utf-8").splitlines() for w in line.lower().split()})
    if not found:
        raise InputError("expected words, one on each line", str(path))
    return tuple(found)


# Which recordings -----------------------------------------------------------------------------------------------------


class Recording(NamedTuple):
    """A recording and what its document is called: its path below the folder given, without the ending."""

    name: str
    path: Path


def recordings(sources: Sequence[str | os.PathLike]) -> list[Recording]:
    """The audio files among and below these, in order. Two of the same name keep their endings."""
    found: list[tuple[Path, Path]] = []
    for source in map(Path, sources):
        if not source.exists():
            raise FileNotFoundError(2, "there is no such file or folder", str(source))
        if source.is_dir():
            below = (p for p in source.rglob("*") if p.is_file() and p.suffix.lower() in ENDINGS and p.name[0] != ".")
            mine = sorted((p.relative_to(source), p) for p in below)
            if not mine:
                raise InputError(f"no audio files ({' '.join(ENDINGS)}) in this folder", str(source))
            found += mine
        else:
            found.append((Path(source.name), source))
    short = [relative.with_suffix("").as_posix() for relative, _ in found]
    named: dict[str, Path] = {}
    for (relative, path), name in zip(found, short, strict=True):
        own = name if short.count(name) == 1 else relative.as_posix()
        if own in named:
            if named[own].resolve() == path.resolve():
                continue
            raise InputError(f"two recordings are called {own!r}: {named[own]} and {path}; give the folder above them")
        named[own] = path
    return [Recording(name, path) for name, path in named.items()]


def total_seconds(sources: Sequence[str | os.PathLike]) -> float:
    """The length of all recordings that can be read."""
    total = 0.0
    for recording in recordings(sources):
        with suppress(InputError):
            total += length_of(recording.path)
    return total


# The work -------------------------------------------------------------------------------------------------------------


class Recognised(NamedTuple):
    """What a run did: recordings done now and before, seconds of audio, what was wrong or worth saying."""

    done: int
    before: int
    seconds: float
    errors: list[str]
    notes: list[str]


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
    report: Callable[[float], None] = lambda seconds: None,
) -> Recognised:
    """Recognise recordings into a folder of lattices; what is done is not done again.

    Args:
        sources: audio files and folders of them.
        folder: of the lattices; made if need be.
        recogniser: default: :class:`PocketSphinx`.
        longest: recordings above so many seconds are cut at pauses, into segments of at most so many.
        workers: processes.
        report: is told how many seconds of audio are done.
    """
    if not longest >= 1:
        raise InputError(f"longest must be at least 1 second, got {longest}")
    chosen = PocketSphinx() if recogniser is None else recogniser
    state = _Journal(Path(folder), f"{chosen!r} longest={longest}")
    errors: list[str] = []
    notes: list[str] = []
    given = recordings(sources)
    todo = [recording for recording in given if not state.is_done(recording)]
    tasks = _tasks(todo, state, chosen, longest, errors)
    total, done = 0.0, 0
    found: dict[str, list[tuple[Path, float]]] = {}
    try:
        work = partial(_recognise_one, chosen)
        for task, outcome in _in_order(work, tasks, workers):
            if task.path is None or task.samples is None:
                mine = found.pop(task.recording.name, [])
                if not mine:
                    notes.append(f"{task.recording.path}: no speech was recognised")
                state.done(task.recording, mine)
                done += 1
                continue
            if outcome == "ok":
                found.setdefault(task.recording.name, []).append((task.path, task.start))
            elif outcome is not None:
                errors.append(f"{task.recording.path}, {task.start:.1f} s: {outcome}")
            total += len(task.samples) / chosen.rate
            report(total)
    finally:
        state.write_table()
    return Recognised(done, len(given) - len(todo), total, errors, notes)


def _tasks(
    todo: list[Recording], state: _Journal, recogniser: Recogniser, longest: float, errors: list[str]
) -> Iterator[_Task]:
    """The segments of all recordings, each recording with a mark at its end; an unreadable one is reported."""
    for recording in todo:
        try:
            whole = length_of(recording.path) <= longest
            state.begin(recording, recogniser.ending)
            for n, segment in enumerate(segments(recording.path, recogniser.rate, longest), 1):
                name = (
                    f"{recording.name}{recogniser.ending}" if whole else f"{recording.name}/{n:05d}{recogniser.ending}"
                )
                yield _Task(recording, segment.start, segment.samples, state.folder / name)
        except InputError as error:
            errors.append(str(error))
            continue
        yield _Task(recording)


def _in_order(
    work: Callable[[_Task], str | None], tasks: Iterator[_Task], workers: int
) -> Iterator[tuple[_Task, str | None]]:
    """Each task with its outcome, without its samples having come back."""
    sent: list[_Task] = []

    def remembered() -> Iterator[_Task]:
        for task in tasks:
            sent.append(task)
            yield task

    for outcome in process_map(work, remembered(), workers, patience=0.0, chunk=1):
        yield sent.pop(0), outcome


def _recognise_one(recogniser: Recogniser, task: _Task) -> str | None:
    """Write the lattice of a segment unless it is there: "ok", None (nothing understood), or what is wrong."""
    if task.samples is None or task.path is None:
        return None
    if task.path.exists():
        return "ok"
    try:
        content = recogniser(task.samples)
    except (InputError, OSError):
        raise
    except Exception as error:  # one stretch that a recogniser cannot bear must not end the batch
        return f"{type(error).__name__}: {error}"
    if content is None:
        return None
    task.path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(task.path) as temporary:
        temporary.write_bytes(content)
    return "ok"


class _Journal:
    """What has been begun and done in a folder of lattices."""

    def __init__(self, folder: Path, settings: str) -> None:
        self.folder, self.settings = folder, settings
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / JOURNAL
        self.lines: dict[str, dict[str, Any]] = {}
        self.prints: dict[str, str] = {}
        if self.path.exists():
            for text in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    line = json.loads(text)
                    self.lines[line["recording"]] = line
                except (ValueError, KeyError, TypeError):
                    continue  # the last line of a run that was killed

    def print_of(self, recording: Recording) -> str:
        """A fingerprint of the audio and of how it is recognised."""
        if recording.name not in self.prints:
            digest = hashlib.blake2b(self.settings.encode(), digest_size=16)
            with open(recording.path, "rb") as file:
                for part in iter(lambda: file.read(1 << 20), b""):
                    digest.update(part)
            self.prints[recording.name] = digest.hexdigest()
        return self.prints[recording.name]

    def is_done(self, recording: Recording) -> bool:
        """Whether this very audio has been recognised with these settings, and the lattices are still there."""
        line = self.lines.get(recording.name)
        if line is None or line.get("segments") is None or line["print"] != self.print_of(recording):
            return False
        if not all((self.folder / s["file"]).exists() for s in line["segments"]):
            return False
        if line["audio"] != str(recording.path.resolve()):
            self._write({**line, "audio": str(recording.path.resolve())})  # it has moved
        return True

    def begin(self, recording: Recording, ending: str) -> None:
        """Forget lattices that were made from other audio or with other settings."""
        line, mark = self.lines.get(recording.name), self.print_of(recording)
        if line is not None and line["print"] == mark and line.get("segments") is None:
            return
        old = [self.folder / s["file"] for s in (line or {}).get("segments") or ()]
        old += [self.folder / f"{recording.name}{ending}", *(self.folder / recording.name).glob(f"[0-9]*{ending}")]
        for path in old:
            path.unlink(missing_ok=True)
        self._write({"recording": recording.name, "print": mark})

    def done(self, recording: Recording, found: list[tuple[Path, float]]) -> None:
        """All segments of a recording have been recognised."""
        made = [{"file": p.relative_to(self.folder).as_posix(), "start": round(start, 3)} for p, start in found]
        line = {"recording": recording.name, "print": self.print_of(recording), "segments": made,
                "audio": str(recording.path.resolve())}  # fmt: skip
        self._write(line)

    def _write(self, line: dict[str, Any]) -> None:
        self.lines[line["recording"]] = line
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def write_table(self) -> None:
        """The table that indexing wants, of everything that is done."""
        with replacing(self.folder / TABLE) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
            out.writerow(("utterance", "document", "audio", "offset"))
            for line in self.lines.values():
                for segment in line.get("segments") or ():
                    path = Path(segment["file"])
                    utterance = path.with_name(stem(path)).as_posix()
                    out.writerow((utterance, line["recording"], line["audio"], f"{segment['start']:.3f}"))
