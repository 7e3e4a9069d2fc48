"""What the spoken commands share: options, batches that continue after a stop, and the report of errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ...errors import writing_to
from ...system.console import counted, data_output, say
from ...system.signals import keeping
from ...system.temporary import unlink_copies

if TYPE_CHECKING:
    from ...spoken.lattice.formats import File
    from ...spoken.lattice.scoring import Scoring, UtteranceResult

Units = Annotated[
    str,
    typer.Option(help="Name of the units, or a file of words and their units; `rankine spoken units` lists all names."),
]
Lexicon = Annotated[
    str | None,
    typer.Option(help="Pronunciation dictionary for English, best the recogniser's own; default: CMU's."),
]
Prune = Annotated[float, typer.Option(help="Leave out posteriors up to this threshold.")]
Output = Annotated[
    str | None, typer.Option("-o", "--output", help="File to write (also .gz); default: standard output.")
]
Folder = Annotated[str, typer.Argument(help="The archive: a folder that `rankine spoken index` made.")]
Closed = Annotated[
    bool, typer.Option("--closed", help="For the keeper: also recordings that are closed or given on request.")
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of transcripts that are not in UTF-8, such as cp1252 or latin-1.")
]
Workers = Annotated[int | None, typer.Option(help="Number of processes; default: one per core.")]


def _shared(
    source: Annotated[str, typer.Argument(help="A file of one or several lattices or transcripts, or a folder.")],
    format: Annotated[
        str | None,
        typer.Option(help="Name of the format; default: told by the content. `rankine spoken formats` lists all."),
    ] = None,
    words: Annotated[str | None, typer.Option(help="words.txt of Kaldi's lattices or .tra.")] = None,
    frame: Annotated[
        float, typer.Option(help="Seconds per frame of Kaldi's lattices; 0.03 where the model subsamples.")
    ] = 0.01,
    encoding: Encoding = None,
    nothing: Annotated[
        list[str] | None,
        typer.Option(
            help="A token to ignore, such as a filler or silence mark; may be repeated. Default: the usual ones."
        ),
    ] = None,
    variants: Annotated[
        bool, typer.Option("--variants", help="Keep pronunciation variants such as to(2) apart.")
    ] = False,
    lower: Annotated[
        bool | None, typer.Option("--lower/--keep-case", help="Turn words to lower case; default: only transcripts'.")
    ] = None,
    score_columns: Annotated[
        int | None,
        typer.Option(
            help="Columns of scores of an n-best list: 1 (a natural log) or 3 (SRILM's); default: told by its lines."
        ),
    ] = None,
    language_weight: Annotated[
        float | None,
        typer.Option(
            help="Weight of language scores; default: lmscale of SLF, 8 for n-best lists with several scores."
        ),
    ] = None,
    posterior_scale: Annotated[
        float | None,
        typer.Option(
            help="Divisor of the weighted scores of SLF and of n-best lists; default: the weight of language scores, 1 "
            "for lists with one score."
        ),
    ] = None,
    acoustic_scale: Annotated[
        float | None, typer.Option(help="Factor of acoustic scores; default: 0.1 for Kaldi with 10 ms frames, else 1.")
    ] = None,
    use: Annotated[
        str,
        typer.Option(
            help="Origin of posteriors: scores, given (the source's own posteriors), or auto: given if every arc has "
            "one, else scores. Scales and penalty matter only for scores."
        ),
    ] = "auto",
    language_scale: Annotated[float, typer.Option(help="Factor of language scores.")] = 1.0,
    penalty: Annotated[float, typer.Option(help="Number added to the score of every word.")] = 0.0,
    beam: Annotated[
        float | None, typer.Option(help="Keep only arcs on a path at most e^BEAM times less likely than the best.")
    ] = None,
    closed: Closed = False,
) -> None:
    pass


@dataclass(frozen=True)
class LatticeSource:
    """The lattices that a command works on, and how they are read."""

    place: str
    format: str | None
    scoring: Scoring

    def state(self) -> str:
        """A fingerprint of names, sizes and times of change of the files."""
        from ...spoken.lattice.formats import files
        from ...system.files import fingerprint, stamp

        def state(file: File) -> str:
            _, size, changed = stamp(file.path)
            return f"{file} {size} {changed}\n"

        return fingerprint(*map(state, files(self.place, self.format)), size=12)

    def tell_divisors(self, sources: Sequence[File] | None = None) -> None:
        """Print what scores are divided by, where this is not 1 and was not given; of each format the first counts."""
        from ...errors import InputError
        from ...spoken.lattice.formats import TABLE, files, pieces

        reading = self.scoring.reading
        if reading.posterior_scale is not None:
            return
        sources = files(self.place, self.format) if sources is None else sources
        for file in {file.format: file for file in reversed(sources)}.values():
            told = TABLE[file.format].divisor
            try:
                piece = next(pieces(file, reading.encoding), None) if told is not None else None
                divisor = told(piece, reading) if told is not None and piece is not None else 1.0
            except InputError:  # it is reported where the utterance is read
                continue
            if piece is not None and divisor != 1:
                say(
                    f"rankine: scores of {file.format} are divided by {divisor:g}, the weight of language scores of "
                    f"{piece.name}; --posterior-scale gives another divisor"
                )

    def each(self, work: Callable[..., Any], workers: int | None, skip: int = 0) -> Iterator[UtteranceResult]:
        """The result of every utterance after the first ``skip``, with progress."""
        from ...spoken.lattice.formats import TABLE, files
        from ...spoken.lattice.scoring import each
        from ...system.parallel import thread_count
        from ...system.progress import bar

        sources = files(self.place, self.format)
        self.tell_divisors(sources)
        rows = [TABLE[file.format] for file in sources]
        total = len(sources) if all(row.read is None and not row.several for row in rows) else None
        with bar("utterances", total) as update:
            encoding = self.scoring.reading.encoding
            results = each(self.place, work, self.format, thread_count(workers), skip, encoding)
            for number, utterance in enumerate(results, 1):
                yield utterance
                update(number + skip)


def parameters_of(function: Callable[..., None], **names: Any) -> dict[str, inspect.Parameter]:
    """The parameters of a function, with the types that its annotations name."""
    hints = get_type_hints(function, include_extras=True, localns=names)
    parameters = inspect.signature(function).parameters
    return {name: parameter.replace(annotation=hints[name]) for name, parameter in parameters.items()}


_SHARED = parameters_of(_shared)


def reads_lattices(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a source of lattices to a command, which gets them as ``source``, its first parameter."""
    own = list(parameters_of(command).values())[1:]
    theirs = list(_SHARED.values())
    arguments = [p for p in own if p.default is p.empty]
    before = [p for p in arguments if p.name == "archive"]
    after = [p for p in arguments if p.name != "archive"]
    order = [*before, theirs[0], *after, *(p for p in own if p not in arguments), *theirs[1:]]

    @wraps(command)
    def wrapped(**values: Any) -> None:
        source = _source({name: values.pop(name) for name in _SHARED})
        command(source, **values)

    wrapped.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in order}
    return wrapped


def _source(options: dict[str, Any]) -> LatticeSource:
    from ...errors import InputError
    from ...spoken.lattice.formats import Reading
    from ...spoken.lattice.scoring import Scoring
    from ...spoken.recordings.bin import check_source

    if not options["closed"]:
        check_source(options["source"])
    ignored = None if options["nothing"] is None else tuple(sorted(set(options["nothing"])))
    if not 0 < options["frame"] < 10:
        raise InputError(f"--frame must be a number of seconds above 0, got {options['frame']}")
    if options["use"] not in ("auto", "scores", "given"):
        raise InputError(f"--use must be auto, scores or given, got {options['use']!r}")
    later = {name: options[name] for name in ("score_columns", "language_weight", "posterior_scale", "encoding")}
    reading = Reading(options["words"], options["frame"], ignored, options["variants"], options["lower"], **later)
    weights = {name: options[name] for name in ("acoustic_scale", "language_scale", "penalty", "beam", "use")}
    return LatticeSource(options["source"], options["format"], Scoring(reading, **weights))


def write_all(
    source: LatticeSource,
    work: Callable[..., bytes],
    output: str | None,
    workers: int | None,
    header: bytes = b"",
    settings: str = "",
) -> tuple[list[str], int]:
    """Write the results of ``work`` for all utterances, one after the other, to a file or to standard output.

    Returns what was wrong, and the number of utterances that were written.
    """
    if output is None:
        bad, good = [], 0
        with data_output() as out:
            out.write(header)
            for utterance in source.each(work, workers):
                if utterance.error is None:
                    out.write(utterance.result)
                    good += 1
                else:
                    bad.append(utterance.error)
        return bad, good
    from ...system.files import open_target

    with BatchJournal(f"{output}.part", source, settings) as journal:
        for utterance in source.each(work, workers, journal.done):
            journal.add(utterance)
        with open_target(output) as target:
            target.write(header)
            target.writelines(journal.lines())
    return journal.bad, journal.good


class BatchJournal:
    """The file of a batch that has not ended, by which a batch that was stopped continues.

    It holds the result of every utterance, each followed by a line that begins with a mark: what stands behind the last
    mark is not whole and is cut off. A journal of another source, of files that have changed, or of other settings is
    begun anew. It is removed when the batch has ended. (It is no :class:`~rankine.spoken.recognise.journal.Journal`:
    results are bytes of any size, which are copied to the output as they are.)
    """

    _MARK = b"\x1e"

    def __init__(self, path: str, source: LatticeSource, settings: str) -> None:
        from ...system.files import check_folder_of, locked

        self.path, self.bad, self.good, self.names = Path(path), list[str](), 0, set[str]()
        check_folder_of(self.path)
        self._lock = ExitStack()
        self._lock.enter_context(locked(self.path, "another process is writing this output"))
        keeping(f"finished utterances in {self.path}; the same command goes on from there")
        # a stopped batch is known by this text
        what = f"Source(place={source.place!r}, format={source.format!r}, scoring={source.scoring!r})"
        key = self._MARK + f"({what}, {settings!r}, {source.state()!r})\n".encode()
        whole = self._read(key) if self.path.exists() else 0
        unlink_copies(self.path)
        self.file = open(self.path, "r+b" if whole else "w+b")
        self.file.truncate(whole)
        self.file.seek(whole)
        if not whole:
            self.file.write(key)
        if self.done:
            say(f"rankine: going on after {counted(self.done, 'utterance')} of an earlier run")

    @property
    def done(self) -> int:
        """The number of utterances in it."""
        return len(self.bad) + self.good

    def _read(self, key: bytes) -> int:
        """The position behind the last mark; 0 if the journal is that of another batch."""
        whole = at = 0
        with open(self.path, "rb") as file:
            for line in file:
                if at == 0 and line != key:
                    return 0
                at += len(line)
                if line.startswith(self._MARK) and line.endswith(b"\n"):
                    name, _, error = self._text(line).partition("\t")
                    if whole:
                        self._count(name, error)
                    whole = at
        return whole

    def _text(self, line: bytes) -> str:
        """A line behind its mark."""
        try:
            return line[len(self._MARK) : -1].decode()
        except UnicodeDecodeError:
            from ...errors import InputError

            raise InputError("the journal of the batch is damaged: remove it", str(self.path)) from None

    def add(self, utterance: UtteranceResult, keep: bool = True) -> None:
        """Add the result of an utterance; without ``keep`` only its name and its error."""
        name, error = (" ".join((text or "").split()) for text in (utterance.name, utterance.error))
        with writing_to(self.path):
            self.file.write(utterance.result if keep and not error else b"")
            self.file.write(self._MARK + f"{name}\t{error}\n".encode("utf-8", "replace"))
            self.file.flush()
        self._count(name, error)

    def _count(self, name: str, error: str) -> None:
        self.names.add(name)
        self.bad += [error] if error else []
        self.good += not error

    def lines(self) -> Iterator[bytes]:
        """The results, without the marks."""
        self.file.seek(0)
        return (line for line in self.file if not line.startswith(self._MARK))

    def __enter__(self) -> BatchJournal:
        return self

    def __exit__(self, error: Any, *_: Any) -> None:
        with self._lock, writing_to(self.path):
            self.file.close()
            if error is None:
                self.path.unlink()


def finish(bad: list[str], good: int, what: str = "utterances") -> None:
    """Print the utterances that were skipped; exit with code 1 if there are any."""
    for line in bad:
        say(f"rankine: skipped: {line}")
    if bad:
        say(f"rankine: {len(bad)} of {len(bad) + good} {what} could not be used")
        raise typer.Exit(1)
