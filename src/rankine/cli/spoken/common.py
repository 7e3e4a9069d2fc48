"""What the spoken commands share: options, batches that go on where they stopped, their end."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from ...spoken.lattice.batch import Outcome, Scoring

Units = Annotated[
    str,
    typer.Option(
        help="words, characters, pinyin, pinyin-toneless (Mandarin), phones, syllables (English), or a file of words "
        "and their units."
    ),
]
Lexicon = Annotated[
    str | None,
    typer.Option(help="A pronunciation dictionary for English (the recogniser's own is best); default: CMU's."),
]
Prune = Annotated[float, typer.Option(help="Leave out posteriors up to this.")]
Output = Annotated[str | None, typer.Option("-o", "--output", help="A file (also .gz) instead of standard output.")]
Folder = Annotated[str, typer.Argument(help="The archive: a folder that `rankine spoken index` made.")]
Workers = Annotated[int | None, typer.Option(help="Processes; default: one per core.")]


def _shared(
    source: Annotated[str, typer.Argument(help="A file, a folder or an archive of lattices.")],
    format: Annotated[
        str | None,
        typer.Option(
            help="slf, kaldi, openfst, mesh, sausage, nbest, ctm or json; default: told by ending or content."
        ),
    ] = None,
    words: Annotated[str | None, typer.Option(help="words.txt of a Kaldi archive.")] = None,
    frame: Annotated[
        float, typer.Option(help="Seconds per frame of a Kaldi archive; 0.03 where its model subsamples.")
    ] = 0.01,
    nothing: Annotated[
        list[str] | None,
        typer.Option(help="A word that says nothing (repeat it); default: the usual fillers, silences and marks."),
    ] = None,
    variants: Annotated[bool, typer.Option("--variants", help="Keep to(2) and to apart.")] = False,
    lower: Annotated[
        bool | None, typer.Option("--lower/--keep-case", help="Words in lower case; default: only from JSON.")
    ] = None,
    acoustic_scale: Annotated[
        float | None, typer.Option(help="Multiplies acoustic scores; default: 0.1 for Kaldi (10 ms frames), else 1.")
    ] = None,
    use: Annotated[
        str,
        typer.Option(
            help="scores, given (the source's own posteriors), or auto: those given, if there are any; scales "
            "and penalty matter only for scores."
        ),
    ] = "auto",
    language_scale: Annotated[float, typer.Option(help="Multiplies language scores.")] = 1.0,
    penalty: Annotated[float, typer.Option(help="Added for every word.")] = 0.0,
    beam: Annotated[
        float | None, typer.Option(help="Keep only arcs on a path at most e^BEAM times less likely than the best.")
    ] = None,
) -> None:
    pass


@dataclass(frozen=True)
class Source:
    """The lattices that a command was given, and how they are to be read."""

    place: str
    format: str | None
    scoring: Scoring

    def state(self) -> str:
        """Tells whether files have changed."""
        import hashlib

        from ...spoken.lattice.formats import files

        digest = hashlib.blake2b(digest_size=12)
        for file in files(self.place, self.format):
            found = Path(file.path).stat()
            digest.update(f"{file} {found.st_size} {found.st_mtime_ns}\n".encode("utf-8", "replace"))
        return digest.hexdigest()

    def each(self, work: Callable[..., Any], workers: int | None, skip: int = 0) -> Iterator[Outcome]:
        """The outcome of every utterance, with progress."""
        from ...parallel import thread_count
        from ...progress import bar
        from ...spoken.lattice.batch import each
        from ...spoken.lattice.formats import FORMATS, files

        found = files(self.place, self.format)
        total = len(found) if all(FORMATS[file.format].split is None for file in found) else None
        with bar("utterances", total) as update:
            for number, outcome in enumerate(each(self.place, work, self.format, thread_count(workers), skip), 1):
                yield outcome
                update(number + skip)


def reads_lattices(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a source; it gets them as ``source``, its first parameter."""
    from ...errors import InputError

    shared, hints = inspect.signature(_shared).parameters, get_type_hints(_shared, include_extras=True)
    own_hints = get_type_hints(command, include_extras=True, localns={"Source": Source})
    own = [p.replace(annotation=own_hints[p.name]) for p in inspect.signature(command).parameters.values()][1:]
    theirs = [p.replace(annotation=hints[p.name]) for p in shared.values()]
    arguments = [p for p in own if p.default is p.empty]
    before = [p for p in arguments if p.name == "archive"]
    after = [p for p in arguments if p.name != "archive"]
    order = [*before, theirs[0], *after, *(p for p in own if p not in arguments), *theirs[1:]]

    @wraps(command)
    def wrapped(**given: Any) -> None:
        from ...spoken.lattice.batch import Scoring
        from ...spoken.lattice.formats import Reading

        mine = {name: given.pop(name) for name in shared}
        silent = None if mine["nothing"] is None else tuple(sorted(set(mine["nothing"])))
        if not 0 < mine["frame"] < 10:
            raise InputError(f"--frame must be a number of seconds above 0, got {mine['frame']}")
        reading = Reading(mine["words"], mine["frame"], silent, mine["variants"], mine["lower"])
        if mine["use"] not in ("auto", "scores", "given"):
            raise InputError(f"--use must be auto, scores or given, got {mine['use']!r}")
        scoring = Scoring(
            reading, mine["acoustic_scale"], mine["language_scale"], mine["penalty"], mine["beam"], mine["use"]
        )  # fmt: skip
        command(Source(mine["source"], mine["format"], scoring), **given)

    wrapped.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in order}
    return wrapped


def write_all(
    source: Source,
    work: Callable[..., bytes],
    output: str | None,
    workers: int | None,
    header: bytes = b"",
    settings: str = "",
) -> None:
    """Write what ``work`` makes of every utterance, one after the other, to a file or to standard output."""
    if output is None:
        sys.stdout.buffer.write(header)
        bad, good = [], 0
        for outcome in source.each(work, workers):
            if outcome.error is None:
                sys.stdout.buffer.write(outcome.result)
                good += 1
            else:
                bad.append(outcome.error)
        sys.stdout.buffer.flush()
        finish(bad, good)
        return
    from ...files import open_target

    with Journal(f"{output}.part", source, settings) as journal:
        for outcome in source.each(work, workers, journal.done):
            journal.add(outcome)
        with open_target(output) as target:
            target.write(header)
            target.writelines(journal.lines())
    finish(journal.bad, journal.good)


class Journal:
    """A file that says what a batch has done, so that one that was stopped goes on where it was.

    It holds what every utterance gave, each followed by a line that begins with a mark: what stands behind the last
    mark is not whole and is cut off. A journal of another source, of files that have changed, or of other settings is
    begun anew. It goes when all is done.
    """

    _MARK = b"\x1e"

    def __init__(self, path: str, source: Source, settings: str) -> None:
        self.path, self.bad, self.good, self.names = Path(path), list[str](), 0, set[str]()
        if not self.path.parent.is_dir():
            raise FileNotFoundError(2, "there is no such folder to write into", str(self.path.parent))
        key = self._MARK + repr((source, settings, source.state())).encode() + b"\n"
        whole = self._read(key) if self.path.exists() else 0
        self.file = open(self.path, "r+b" if whole else "w+b")
        self.file.truncate(whole)
        self.file.seek(whole)
        if not whole:
            self.file.write(key)
        if self.done:
            typer.echo(f"rankine: going on after {self.done} utterances of an earlier run", err=True)

    @property
    def done(self) -> int:
        """How many utterances there are in it."""
        return len(self.bad) + self.good

    def _read(self, key: bytes) -> int:
        """Where the last mark ends; 0 where it is another batch's."""
        whole = at = 0
        with open(self.path, "rb") as file:
            for line in file:
                if at == 0 and line != key:
                    return 0
                at += len(line)
                if line.startswith(self._MARK) and line.endswith(b"\n"):
                    name, _, error = line[len(self._MARK) : -1].decode().partition("\t")
                    if whole:
                        self._count(name, error)
                    whole = at
        return whole

    def add(self, outcome: Outcome, keep: bool = True) -> None:
        """Write down an outcome, with what it gave."""
        name, error = (" ".join((text or "").split()) for text in (outcome.name, outcome.error))
        self.file.write(outcome.result if keep and not error else b"")
        self.file.write(self._MARK + f"{name}\t{error}\n".encode("utf-8", "replace"))
        self.file.flush()
        self._count(name, error)

    def _count(self, name: str, error: str) -> None:
        self.names.add(name)
        self.bad += [error] if error else []
        self.good += not error

    def lines(self) -> Iterator[bytes]:
        """All that was given, without the marks."""
        self.file.seek(0)
        return (line for line in self.file if not line.startswith(self._MARK))

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.file.close()
        if kind is None:
            self.path.unlink()


def finish(bad: list[str], good: int, what: str = "utterances") -> None:
    """Say what was passed over; the exit code tells too."""
    for line in bad:
        typer.echo(f"rankine: passed over: {line}", err=True)
    if bad:
        typer.echo(f"rankine: {len(bad)} of {len(bad) + good} {what} could not be used", err=True)
        raise typer.Exit(1)
