"""``rankine spoken pspl`` and ``rankine spoken cn``."""

from __future__ import annotations

from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...system.console import counted, print_table, say
from .common import (
    BatchJournal,
    LatticeSource,
    Lexicon,
    Output,
    Prune,
    Units,
    Workers,
    finish,
    reads_lattices,
    write_all,
)

if TYPE_CHECKING:
    from ...spoken import Lattice, UnitPosteriors
    from ...spoken.lattice.formats import Piece
    from ...spoken.lattice.formats.row import FormatRow
    from ...spoken.lattice.formats.transcripts.transcript import Transcript
    from ...spoken.lattice.scoring import Scoring

_HEADER = b"utterance\tposition\tunit\tposterior\tstart\tend\n"


@reads_lattices
def pspl(
    source: LatticeSource, units: Units = "words", lexicon: Lexicon = None, prune: Prune = 1e-4, output: Output = None,
    workers: Workers = None,
) -> None:  # fmt: skip
    """Write position-specific posteriors as (utterance, position, unit, posterior, start, end).

    `rankine spoken pspl lattices/ --units syllables -o pspl.tsv`
    """
    _check_options(prune, units, lexicon)
    work = partial(_rows, source.scoring, units, lexicon, prune, "pspl", "tsv")
    finish(*write_all(source, work, output, workers, _HEADER, f"pspl {units} {lexicon} {prune}"))


@reads_lattices
def cn(
    source: LatticeSource, units: Units = "words", lexicon: Lexicon = None, prune: Prune = 1e-4, output: Output = None,
    workers: Workers = None,
    method: Annotated[
        str,
        typer.Option(help="pivot, or mangu (clustering by time and by sound of --lexicon; arcs pruned at 1e-4)."),
    ] = "pivot",
) -> None:  # fmt: skip
    """Write confusion networks as (utterance, slot, unit, posterior, start, end), or as a `.mesh` or a `.sausage`.

    `rankine spoken cn lat.1.gz --words words.txt -o cn.tsv`
    """
    from ...spoken.lattice.formats import TABLE
    from ...spoken.lattice.formats.table import name_by_path

    _check_options(prune, units, lexicon, method)
    name = name_by_path(Path(output or ""))
    form = name if name is not None and TABLE[name].writes == "network" else "tsv"
    work = partial(_rows, source.scoring, units, lexicon, prune, method, form)
    settings = f"cn {units} {lexicon} {prune} {method}"
    finish(*write_all(source, work, output, workers, _HEADER if form == "tsv" else b"", settings))


def _check_options(prune: float, units: str, lexicon: str | None, method: str = "pivot") -> None:
    """Raise InputError for a bad option once, before the work."""
    from ...spoken.lattice.confusion import check_method
    from ...spoken.lattice.lattice import check_threshold
    from ...spoken.lattice.units import splitter

    check_threshold(prune, "--prune")
    check_method(method, "--method")
    splitter(units, lexicon)


def _rows(
    scoring: Scoring, units: str, lexicon: str | None, prune: float, method: str, form: str, piece: Piece
) -> bytes:  # fmt: skip
    from ...spoken.lattice.formats.table import writer_of
    from ...spoken.text import escaped

    posteriors = compute(scoring, units, lexicon, prune, method, piece)
    if form != "tsv":
        return writer_of(form)(posteriors)
    return "".join(
        f"{piece.name}\t{position}\t{escaped(unit)}\t{p:.6f}\t{begin:.3f}\t{end:.3f}\n"
        for (position, unit, p), begin, end in zip(posteriors.triples(), posteriors.start, posteriors.end, strict=True)
    ).encode()


def compute(
    scoring: Scoring, units: str, lexicon: str | None, prune: float, method: str, piece: Piece
) -> UnitPosteriors:  # fmt: skip
    """The posteriors of an utterance; ``method`` is pspl, pivot or mangu."""
    from ...spoken import arc_posteriors, confusion_network
    from ...spoken import pspl as position_specific
    from ...spoken.lattice.units import splitter, to_units
    from ...spoken.lattice.units.english import pronounce

    lattice = scoring.open(piece)
    if method == "mangu":
        lattice = lattice.prune(arc_posteriors(lattice).posterior, 1e-4)
    lattice = to_units(lattice, splitter(units, lexicon))
    by_arc = arc_posteriors(lattice)
    if method == "pspl":
        return position_specific(lattice, by_arc, prune)
    if method == "mangu" and lexicon is not None and units == "words":
        sound = pronounce(lexicon)
        return confusion_network(lattice, method, by_arc, prune, lambda word: sound(word)[0])
    return confusion_network(lattice, method, by_arc, prune)


# -- ``rankine spoken show``


@reads_lattices
def show(
    source: LatticeSource,
    output: Annotated[str, typer.Option("-o", "--output", help="The picture: .svg, .png or .pdf.")] = "lattice.svg",
    utterance: Annotated[str | None, typer.Option(help="Name of the utterance; default: the first.")] = None,
    what: Annotated[
        str,
        typer.Option(
            "--as", help="What to draw: lattice (bars in time), or pspl, cn or mangu (heat maps of posteriors)."
        ),
    ] = "lattice",
    units: Units = "words",
    lexicon: Lexicon = None,
    prune: Annotated[float, typer.Option(help="Leave out posteriors up to this threshold.")] = 0.02,
) -> None:
    """Draw a lattice, or its posteriors.

    `rankine spoken show lattices/u1.slf.gz -o u1.svg`

    `rankine spoken show lat.1.gz --words words.txt --utterance u7 --as cn -o u7.png`
    """
    from dataclasses import replace

    from ...errors import InputError
    from ...spoken import arc_posteriors
    from ...spoken.lattice.lattice import check_threshold
    from ...spoken.lattice.pictures import draw_lattice, draw_posteriors
    from ...spoken.lattice.units import splitter, to_units
    from ...system.figures import check_picture

    check_picture(output)
    check_threshold(prune, "--prune")
    if what not in ("lattice", "pspl", "cn", "mangu"):
        raise InputError(f"--as must be lattice, pspl, cn or mangu; got {what!r}")
    piece = _find(source, utterance)
    if what == "lattice":
        lattice = replace(to_units(source.scoring.open(piece), splitter(units, lexicon)), name=piece.name)
        draw_lattice(lattice, arc_posteriors(lattice), output, prune)
    else:
        method = "pivot" if what == "cn" else what
        posteriors = compute(source.scoring, units, lexicon, prune, method, piece)
        draw_posteriors(replace(posteriors, name=piece.name), output)
    say(f"{piece.name}: {output}")


def _find(source: LatticeSource, utterance: str | None) -> Piece:
    from ...errors import InputError, nearest
    from ...spoken.lattice.formats import files, pieces

    names = []
    for file in files(source.place, source.format):
        for piece in pieces(file, source.scoring.reading.encoding):
            if utterance is None or piece.name == utterance:
                return piece
            names.append(piece.name)
    raise InputError(f"no utterance is called {utterance!r}.{nearest(utterance or '', names)}", source.place)


# -- ``rankine spoken inspect``


@reads_lattices
def inspect(source: LatticeSource, workers: Workers = None) -> None:
    """Print the format of a source, and the size and the best path of every lattice.

    `rankine spoken inspect lattices/`

    `rankine spoken inspect lat.1.gz --words words.txt`
    """
    rows, bad = [], []
    for utterance in source.each(partial(_row, source.scoring), workers):
        if utterance.error is None:
            rows.append(utterance.result)
        else:
            bad.append(utterance.error)
    columns = ["utterance", "nodes", "arcs", "units", "paths", "seconds", "best path"]
    say_formats(source)
    print_table(source.place, columns, rows)
    finish(bad, len(rows))


def say_formats(source: LatticeSource) -> None:
    """Print the format of each file, or how many files have it, and what tells it."""
    from collections import Counter

    from ...spoken.lattice.formats import files
    from ...spoken.lattice.formats.detection import how_told

    told = Counter(
        (file.format, "as --format says" if source.format else f"told {how_told(file.path, file.format)}")
        for file in files(source.place, source.format)
    )
    for (name, how), n in told.items():
        say(f"{source.place}: {counted(n, 'file')} of the format {name}, {how}")


def _row(scoring: Scoring, piece: Piece) -> tuple[Any, ...]:
    import numpy as np

    lattice = scoring.open(piece)
    best = lattice.words(lattice.best_path())
    length = "-" if np.isnan(lattice.end).all() else f"{np.nanmax(lattice.end):.2f}"
    sizes = (lattice.n_nodes, len(lattice), len(lattice.units), f"{lattice.n_paths:.3g}")
    return (piece.name, *sizes, length, " ".join(best))


# -- ``rankine spoken convert``


Result = tuple[list[str], int]  # what was wrong, and the number of utterances or recordings that were written


@reads_lattices
def convert(
    source: LatticeSource,
    target: Annotated[
        str,
        typer.Argument(
            help="A file; or a folder, if a file of the format holds one utterance: see `rankine spoken formats`."
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            help="Name of the format to write; default: told by the target's ending. See `rankine spoken formats`."
        ),
    ] = None,
    paths: Annotated[int, typer.Option(help="Number of hypotheses of an n-best list.")] = 100,
    workers: Workers = None,
) -> None:
    """Write lattices or transcripts in another format; all that it can hold is kept.

    `rankine spoken convert lat.1.gz slf/ --words words.txt --to slf`

    `rankine spoken convert lattices/ best.ctm`

    `rankine spoken convert interview.json interview.vtt`
    """
    from ...errors import InputError
    from ...spoken.lattice.formats import TABLE, files, pieces
    from ...spoken.lattice.formats.table import name_by_path, writer_of

    if paths < 1:
        raise InputError(f"--paths must be at least 1, got {paths}")
    place = Path(target)
    name = to or ("" if place.is_dir() else name_by_path(place) or "")
    writer_of(name, "--to")  # raises if there is none
    row = TABLE[name]
    one_file = bool(place.suffix) and not place.is_dir()
    if row.writes == "words" and not row.several:
        _finish(source, target, name, *_recordings(source, place, name, one_file, workers), "recording")
        return
    if not row.several and one_file:
        encoding = source.scoring.reading.encoding
        utterances = (piece for file in files(source.place, source.format) for piece in pieces(file, encoding))
        if len(list(islice(utterances, 2))) > 1:
            raise InputError(f"several utterances do not fit into one {name} file: name a folder", target)
    if "numbers" in row.options:
        result = _numbered(source, target, name, workers)
    elif not row.several and not one_file:
        result = _folder(source, place, name, paths, workers)
    else:
        work = partial(_written, source.scoring, name, paths)
        result = write_all(source, work, target, workers, settings=_settings(f"convert {name}", row, paths))
    _finish(source, target, name, *result)


def _finish(source: LatticeSource, target: str, to: str, bad: list[str], good: int, what: str = "utterance") -> None:
    """Print how much was written, from what format to what, and what was wrong."""
    from ...spoken.lattice.formats import files

    formats = dict.fromkeys(file.format for file in files(source.place, source.format))
    say(f"{target}: {counted(good, what)}, from {', '.join(formats)} to {to}")
    finish(bad, good, f"{what}s")


def _settings(name: str, row: FormatRow, paths: int) -> str:
    """What a batch that was stopped is known by."""
    return f"{name} {paths}" if row.writes == "hypotheses" else name


def _written(scoring: Scoring, to: str, paths: int, piece: Piece) -> bytes:
    """An utterance in another format."""
    from dataclasses import replace

    from ...spoken import confusion_network
    from ...spoken.lattice.formats.table import TABLE, writer_of
    from ...spoken.lattice.formats.transcripts.transcript import without_punctuation

    writes = TABLE[to].writes
    if writes == "words":
        transcript = _transcript(scoring, piece)
        if TABLE[to].read is None and piece.turn is not None:
            transcript = transcript._replace(segments=without_punctuation(transcript.segments))
        return writer_of(to)(transcript)
    if writes != "lattice":
        lattice = replace(scoring.open(piece), name=piece.name)
        return (
            writer_of(to)(lattice, paths=paths) if writes == "hypotheses" else writer_of(to)(confusion_network(lattice))
        )
    options = {"frame": scoring.reading.frame} if "frame" in TABLE[to].options else {}
    return writer_of(to)(_scaled(scoring, to, piece), **options)


def _transcript(scoring: Scoring, piece: Piece) -> Transcript:
    """The words of an utterance, or of a turn as its transcript writes them."""
    from dataclasses import replace

    from ...spoken import confusion_network
    from ...spoken.lattice.formats import TABLE, transcript_of
    from ...spoken.lattice.formats.transcripts.transcript import Transcript, unpacked

    if TABLE[piece.format].read is None or piece.turn is None:
        return transcript_of(confusion_network(replace(scoring.open(piece), name=piece.name)))
    return Transcript(piece.turn.recording, tuple(unpacked(piece.content())))


def _recordings(source: LatticeSource, place: Path, to: str, one_file: bool, workers: int | None) -> Result:
    """Write a file for each recording, of all its utterances."""
    from ...errors import InputError
    from ...spoken.lattice.formats.table import TABLE, writer_of
    from ...spoken.lattice.formats.transcripts.transcript import Transcript
    from ...system.files import open_target
    from ...system.paths import inside, is_inside

    transcripts: dict[str, Transcript] = {}
    bad, good = [], 0
    for utterance in source.each(partial(_transcript, source.scoring), workers):
        if utterance.error is not None:
            bad.append(utterance.error)
            continue
        name, segments = utterance.result
        before = transcripts[name].segments if name in transcripts else ()
        transcripts[name] = Transcript(name, (*before, *segments))
    if one_file and len(transcripts) > 1:
        raise InputError(f"several recordings do not fit into one {to} file: name a folder", str(place))
    for name, transcript in transcripts.items():
        target = place
        try:
            content = writer_of(to)(transcript)
        except InputError as error:
            bad.append(str(error))
            continue
        if not one_file:
            if not is_inside(f"{name}{TABLE[to].endings[0]}"):
                raise InputError(f"{name!r} is not the name of a file")
            target = inside(place, f"{name}{TABLE[to].endings[0]}")
            target.parent.mkdir(parents=True, exist_ok=True)
        with open_target(str(target)) as out:
            out.write(content)
        good += 1
    return bad, good


def _scaled(scoring: Scoring, to: str, piece: Piece) -> Lattice:
    """The lattice with its scores such that the new file, read as it is by default, gives the same posteriors."""
    from dataclasses import replace

    import numpy as np

    from ...spoken.lattice.formats import TABLE

    lattice = replace(scoring.load(piece), name=piece.name)
    if scoring.use == "scores":
        lattice = replace(lattice, posterior=np.full(len(lattice), np.nan))
    if scoring.beam is not None:
        posteriors = scoring.weigh(lattice, piece.format)
        with np.errstate(divide="ignore"):
            lattice = lattice.beam(scoring.beam, np.log(posteriors.transition))
    scale = scoring.scale(piece.format) / TABLE[to].scale(scoring.reading.frame)
    return replace(
        lattice,
        acoustic=lattice.acoustic * scale,
        language=lattice.language * scoring.language_scale + scoring.penalty * (lattice.unit >= 0),
    )


def _folder(source: LatticeSource, place: Path, to: str, paths: int, workers: int | None) -> Result:
    """Write one file per utterance, each whole or not at all."""
    from ...errors import InputError
    from ...spoken.lattice.formats import TABLE
    from ...system.files import write_file
    from ...system.paths import inside, is_inside

    place.mkdir(parents=True, exist_ok=True)
    with BatchJournal(str(place / ".convert.part"), source, _settings(to, TABLE[to], paths)) as journal:
        for utterance in source.each(partial(_written, source.scoring, to, paths), workers, journal.done):
            if utterance.error is None:
                name = f"{utterance.name}{TABLE[to].endings[0]}"
                if utterance.name in journal.names or not is_inside(name):
                    raise InputError(f"{utterance.name!r} is the name of two utterances, or not the name of a file")
                target = inside(place, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                write_file(target, utterance.result)
            journal.add(utterance, keep=False)
    return journal.bad, journal.good


def _numbered(source: LatticeSource, target: str, to: str, workers: int | None) -> Result:
    """Write a file whose words are numbers and, beside it, ``….words.txt`` with the words and their numbers."""
    from ...errors import InputError
    from ...spoken.lattice.formats.table import writer_of
    from ...spoken.text import has_blanks
    from ...system.files import open_target, write_file

    write = writer_of(to)
    numbers: dict[str, int] = {}
    bad, good = [], 0
    with open_target(target) as out:
        for utterance in source.each(partial(_scaled, source.scoring, to), workers):
            try:
                if utterance.error is not None:
                    raise InputError(utterance.error)
                for unit in utterance.result.units:
                    numbers.setdefault(unit, len(numbers) + 1)
                out.write(write(utterance.result, numbers=numbers, frame=source.scoring.reading.frame))
            except InputError as error:
                bad.append(str(error))
                continue
            good += 1
        lines = ["<eps> 0", *(f"{word} {number}" for word, number in numbers.items() if not has_blanks(word))]
        write_file(f"{target}.words.txt", ("\n".join(lines) + "\n").encode())
    return bad, good
