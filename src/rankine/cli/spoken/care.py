"""``rankine spoken index``, ``subtitles``, ``merge`` and ``check``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...spoken.lattice.units.table import LANGUAGES
from ...spoken.text import ABOUT_COLUMNS, UTTERANCE
from ...system.console import counted, put, say
from ...system.signals import keeping
from .common import Closed, Folder, LatticeSource, Lexicon, Workers, finish, reads_lattices

if TYPE_CHECKING:
    from ...spoken.lattice.scoring import Scoring

_ABOUT = (
    f"A table (.tsv or .csv with a head line) that says of each `{UTTERANCE}`: {', '.join(ABOUT_COLUMNS[1:])} (seconds "
    "of the utterance in the audio file); all but the first may be missing."
)


@reads_lattices
def index(
    source: LatticeSource,
    archive: Folder,
    about: Annotated[str | None, typer.Option(help=_ABOUT)] = None,
    language: Annotated[
        str,
        typer.Option(
            help=f"Language of a new archive: {', '.join(LANGUAGES)}, a code such as de, or auto (by the first words)."
        ),
    ] = "auto",
    lexicon: Lexicon = None,
    prune: Annotated[
        float | None, typer.Option(help="A new archive does not store posteriors up to this; default: 0.001.")
    ] = None,
    skip: Annotated[
        float | None,
        typer.Option(
            help="A new archive leaves out slots of networks whose posteriors sum to at most this; default: 0."
        ),
    ] = None,
    recordings: Annotated[
        str | None,
        typer.Option(help="Folder of the recordings that the table names: `rankine spoken play` opens them there."),
    ] = None,
    remove_missing: Annotated[
        bool, typer.Option("--remove-missing", help="Remove recordings that the source does not have.")
    ] = False,
    workers: Workers = None,
) -> None:
    """Index lattices for searching; only lattices that are new or have changed are indexed.

    A run that is stopped keeps what it has committed, and goes on from there when it is called again.

    `rankine spoken index archive/ lattices/`

    `rankine spoken index archive/ lat.1.gz --words words.txt --language zh --about recordings.tsv`
    """
    from ...spoken.archive import create_or_open
    from ...spoken.index.about import guess_language, read_about
    from ...system.parallel import thread_count
    from ...system.progress import bar

    table = None if about is None else read_about(about)
    scoring = _in_lower_case(source.scoring)
    if language == "auto":
        language = guess_language(source.place, source.format, scoring)
    opened = create_or_open(archive, language, lexicon, prune, skip)
    source.tell_divisors()
    keeping(f"what {archive} has committed; the same command goes on from there")
    with bar("utterances", None) as update:
        changes = opened.lattices.index(
            source.place, table, scoring, source.format, thread_count(workers), remove_missing, progress=update
        )
    if recordings is not None:
        opened.recordings.add_roots([recordings])
    say(
        f"{archive}: {counted(changes.added, 'recording')} added, {changes.updated} updated, "
        f"{changes.unchanged} unchanged, {changes.removed} removed; {len(opened)} in all"
    )
    finish(changes.errors, changes.added + changes.updated + changes.unchanged)


def _in_lower_case(scoring: Scoring) -> Scoring:
    """A scoring whose words are read in lower case, unless it says otherwise."""
    from dataclasses import replace

    reading = scoring.reading
    return scoring if reading.lower is not None else replace(scoring, reading=replace(reading, lower=True))


def subtitles(
    archive: Folder,
    recording: Annotated[str, typer.Argument(help="The recording.")],
    form: Annotated[str, typer.Option("--as", help="vtt or srt.")] = "vtt",
    output: Annotated[str | None, typer.Option("-o", "--output", help="A file; default: standard output.")] = None,
    closed: Closed = False,
    as_heard: Annotated[bool, typer.Option("--as-heard", help="Leave out what people have corrected.")] = False,
) -> None:
    """A recording's likeliest words as WebVTT or SRT; words that are in doubt are marked, corrected ones are certain.

    `rankine spoken subtitles archive/ interview-7 -o interview-7.vtt`
    """
    from pathlib import Path

    from ...spoken import Archive
    from ...system.files import replacing

    if output is not None and Path(output).suffix == ".srt":
        form = "srt"
    opened = Archive(archive)
    opened.recordings.check_readable(recording, closed, "--closed")
    text = opened.recordings.subtitles(recording, form, closed, as_heard)
    if output is None:
        put(text, end="")
    else:
        with replacing(output) as temporary:
            temporary.write_text(text, encoding="utf-8")


def merge(archive: Folder) -> None:
    """Merge all parts of the index into one file; many parts are merged without being asked."""
    from ...spoken import Archive
    from ...system.progress import bar

    opened = Archive(archive)
    with bar("arrays", None) as update:
        opened.merge(update)
    say(f"{archive}: {counted(len(opened), 'recording')} in one part")


def check(
    archive: Folder,
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair what is damaged, from the lattices that the archive holds.")
    ] = False,
    workers: Workers = None,
) -> None:
    """Read every byte of an archive, compare checksums, check the content, and print how much it holds.

    With `--repair`, damaged parts of the index are built again from the archive's own lattices. A store that is damaged
    or missing is replaced by one in which all recordings are closed. What does not come back is kept in `damaged-…`.
    """
    from ...spoken import Archive
    from ...system.console import print_table
    from ...system.progress import bar

    lost = _repair(archive, workers) if repair else []
    opened = Archive(archive)
    index = opened.index
    with bar("checking", index.manifest.size, unit="bytes") as update:
        opened.check(update)
    rows = [
        ("recordings", f"{len(index):,}"),
        ("utterances", f"{index.n_utterances:,}"),
        ("stretches", f"{index.n_stretches:,}"),
        ("hours", f"{index.seconds / 3600:.2f}"),
        ("units", ", ".join(index.kinds)),
        ("parts", f"{len(index.parts)}"),
        ("megabytes", f"{index.manifest.size / 1e6:.1f}"),
    ]
    print_table(f"{archive}: all checksums are right", ["", "value"], rows)
    if lost:
        raise typer.Exit(1)


def _repair(archive: str, workers: int | None) -> list[str]:
    """Repair an archive and say what was done; what is lost or still wrong."""
    from ...spoken import Archive
    from ...system.parallel import thread_count
    from ...system.progress import bar

    keeping(f"{archive} as it was, or repaired; the same command begins again")
    with bar("repairing", None) as update:
        repairs = Archive.repair(archive, workers=thread_count(workers), report=update, progress=update)
    for line in repairs.done or ["nothing to repair"]:
        say(f"{archive}: {line}")
    for name in repairs.lost:
        say(f"rankine: lost: {name}")
    if repairs.lost:
        say(
            f"rankine: {counted(len(repairs.lost), 'recording')} lost: their lattices are not in the archive. Index "
            f"them again with `rankine spoken index {archive} LATTICES`; the damaged files are in "
            f"{archive}/{repairs.aside}"
        )
    for line in repairs.left:
        say(f"rankine: not repaired: {line}")
    return repairs.lost + repairs.left


# -- ``rankine spoken pack`` and ``unpack``


def pack(
    archive: Folder,
    output: Annotated[str, typer.Argument(help="The file to write, a .zip.")],
    without_index: Annotated[
        bool, typer.Option("--without-index", help="Leave the index out; unpacking builds it from the lattices.")
    ] = False,
    closed: Annotated[
        bool, typer.Option("--closed", help="Pack recordings that are closed or on request too: for the keeper.")
    ] = False,
    open_only: Annotated[
        bool,
        typer.Option("--open-only", help="Leave out recordings that are closed or on request, and all about them."),
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file if there is one.")] = False,
) -> None:
    """Write a whole archive into one file: index, lattices, what people typed in, weights. Recordings stay outside.

    It is the state of one moment, also while another process writes. The file is a zip in the layout of BagIt, with a
    checksum of every file. What is in the bin is left out. `rankine spoken pack archive/ archive.zip`

    With `--open-only` the file holds nothing of recordings that are not open: no lattice, no metadata, no judgment, and
    no query that was judged at one of them.
    """
    from pathlib import Path

    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.metadata.rights import check_all_open
    from ...system.limits import shown
    from ...system.progress import bar

    if closed and open_only:
        raise InputError("--closed and --open-only cannot be used together")
    if not replace and Path(output).exists():
        raise InputError("there is a file already; --replace replaces it", output)
    opened = Archive(archive)
    if not closed and not open_only:
        check_all_open(opened.index, "--closed", "--open-only")
    with bar("packing", None, unit="bytes") as update:
        packed = opened.pack(
            output, index=not without_index, closed=closed, open_only=open_only, replace=replace, report=update
        )
    recordings = "without the index" if without_index else counted(packed.recordings, "recording")
    say(f"{output}: {recordings}, {counted(packed.files, 'file')}, {shown(packed.size)} in {shown(packed.packed)}")


def unpack(
    source: Annotated[str, typer.Argument(help="A file that `rankine spoken pack` wrote.")],
    archive: Annotated[str, typer.Argument(help="The archive: a folder that does not exist or is empty.")],
    workers: Workers = None,
) -> None:
    """Make an archive of a packed one. Every checksum is compared before the folder appears.

    `rankine spoken unpack archive.zip archive/`
    """
    from ...spoken.maintenance.unpacking import unpack as make
    from ...system.parallel import thread_count
    from ...system.progress import bar

    with bar("unpacking", None) as update:
        n = make(source, archive, thread_count(workers), update, update)
    say(f"{archive}: {counted(n, 'recording')}")
