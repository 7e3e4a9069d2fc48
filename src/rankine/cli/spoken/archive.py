"""``rankine spoken index``, ``subtitles``, ``delete``, ``merge`` and ``check``."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import Folder, Lexicon, Workers, finish, reads_lattices
from .common import LatticeSource as Source


@reads_lattices
def index(
    source: Source,
    archive: Folder,
    about: Annotated[
        str | None,
        typer.Option(
            help="A table (.tsv or .csv with a head line) that says of each `utterance`: document, title, date, "
            "speaker, audio, offset (seconds of the utterance in the audio file); all but the first may be missing."
        ),
    ] = None,
    language: Annotated[str, typer.Option(help="Of a new archive: en, zh, or auto (by the first words).")] = "auto",
    lexicon: Lexicon = None,
    prune: Annotated[
        float | None, typer.Option(help="Of a new archive: posteriors up to this are not kept (0.001).")
    ] = None,
    skip: Annotated[
        float | None,
        typer.Option(help="Of a new archive: slots of networks that sum to at most this are passed over (0)."),
    ] = None,
    remove_missing: Annotated[
        bool, typer.Option("--remove-missing", help="Remove documents that the source does not have.")
    ] = False,
    workers: Workers = None,
) -> None:
    """Index lattices, so that what was said can be found; only what is new or has changed is done.

    A run that is stopped keeps what it has committed, and goes on from there when it is called again.

    `rankine spoken index archive/ lattices/`

    `rankine spoken index archive/ lat.1.gz --words words.txt --language zh --about recordings.tsv`
    """
    from dataclasses import replace

    from ...parallel import thread_count
    from ...progress import bar
    from ...spoken.archive.archive import create_or_open
    from ...spoken.index.about import guess_language, read_about

    known = None if about is None else read_about(about)
    reading = source.scoring.reading
    scoring = replace(source.scoring, reading=replace(reading, lower=True if reading.lower is None else reading.lower))
    if language == "auto":
        language = guess_language(source.place, source.format, scoring)
    found = create_or_open(archive, language, lexicon, prune, skip)
    with bar("utterances", None) as update:
        changes = found.add(
            source.place, known, scoring, source.format, thread_count(workers), remove_missing,
            progress=update,
        )  # fmt: skip
    typer.echo(
        f"{archive}: {changes.added} documents added, {changes.updated} updated, {changes.unchanged} unchanged, "
        f"{changes.removed} removed; {len(found)} in all",
        err=True,
    )
    finish(changes.errors, changes.added + changes.updated + changes.unchanged)


def subtitles(
    archive: Folder,
    document: Annotated[str, typer.Argument(help="The document.")],
    form: Annotated[str, typer.Option("--as", help="vtt or srt.")] = "vtt",
    output: Annotated[str | None, typer.Option("-o", "--output", help="A file; default: standard output.")] = None,
) -> None:
    """A document's likeliest words as WebVTT or SRT; words that are in doubt are marked.

    `rankine spoken subtitles archive/ interview-7 -o interview-7.vtt`
    """
    from pathlib import Path

    from ...files import replacing
    from ...spoken import Archive
    from ...spoken.archive.subtitles import subtitles as make

    if output is not None and Path(output).suffix == ".srt":
        form = "srt"
    text = make(Archive(archive), document, form)
    if output is None:
        typer.echo(text, nl=False)
    else:
        with replacing(output) as temporary:
            temporary.write_text(text, encoding="utf-8")


def delete(
    archive: Folder,
    documents: Annotated[list[str], typer.Argument(help="Names of documents.")],
) -> None:
    """Remove documents from an archive and from the disk, with the lattices that `rankine spoken add` made of them.

    Recordings stay where they are; one that is still there when its folder is added again is recognised again.
    """
    from pathlib import Path

    from ...spoken import Archive
    from ...spoken.recognise.recordings import RecordingJournal as Journal
    from ...spoken.recognise.recordings import locked
    from .recognise import RECOGNISED

    found = Archive(archive)
    found.delete(documents)
    made = Path(archive, RECOGNISED)
    if made.is_dir():
        with locked(made):
            journal = Journal(made)
            for name in documents:
                journal.forget(name)
            journal.write_table()
    typer.echo(f"{archive}: {len(documents)} removed, {len(found)} left", err=True)


def merge(archive: Folder) -> None:
    """Make one part of all that an archive consists of; happens by itself when there are many."""
    from ...progress import bar
    from ...spoken import Archive

    found = Archive(archive)
    with bar("arrays", None) as update:
        found.merge(update)
    typer.echo(f"{archive}: {len(found)} documents in one part", err=True)


def check(archive: Folder) -> None:
    """Read every byte of an archive and compare checksums; say what it holds."""
    from ...console import print_table
    from ...progress import bar
    from ...spoken import Archive

    found = Archive(archive)
    entry = found.manifest.parts
    size = sum(p["size"] for p in entry)
    with bar("checking", size, unit="bytes") as update:
        found.check(update)
    rows = [
        ("documents", f"{len(found):,}"),
        ("utterances", f"{sum(len(v.doc_of) for v in found.views):,}"),
        ("hours", f"{sum(float(v.part.get('utt.length').sum()) for v in found.views) / 3600:.2f}"),
        ("units", ", ".join(found.kinds)),
        ("parts", f"{len(entry)}"),
        ("megabytes", f"{size / 1e6:.1f}"),
    ]
    print_table(f"{archive}: all checksums are right", ["", "value"], rows)
