"""``rankine spoken delete``, ``undelete`` and ``purge``."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from ...system.console import ask, counted, say
from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive


def _confirmed(question: str, yes: bool) -> bool:
    """Whether the user says yes; without a terminal that answers it is no."""
    with suppress(EOFError):
        return yes or ask(f"{question} [y/N]").strip().lower() in ("y", "yes")
    return False


def _document(archive: Archive, name: str) -> str:
    """The document that is called so, or whose audio file is; an InputError where there is none."""
    from pathlib import PurePath

    from ...spoken.metadata.tables import stem_of
    from ...spoken.recordings.places import audio_of

    stem = stem_of(name)
    if name not in archive.index.numbers and stem in archive.index.numbers:
        audio = audio_of(archive.index, stem)
        if not audio or PurePath(audio).name == PurePath(name).name:
            return stem
    archive.index.number_of(name)
    return name


def delete(
    archive: Folder,
    documents: Annotated[list[str], typer.Argument(help="Names of documents, or of their audio files.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put documents of an archive into its bin, for 30 days; `rankine spoken undelete` brings them back.

    Judgments and what was said about them come back too. Audio files stay. They are left out when their folder is added
    again; to add one again, give the file itself.

    `rankine spoken delete archive/ tape-7`, or `tape-7.flac` where this is its file
    """
    from ...spoken import Archive

    opened = Archive(archive)
    documents = [_document(opened, name) for name in documents]
    what = counted(len(documents), "document")
    some = ", ".join(documents[:3]) + (" …" if len(documents) > 3 else "")
    if not _confirmed(f"{archive}: delete {what} ({some})?", yes):
        say("nothing was deleted; --yes does not ask")
        raise typer.Exit(1)
    opened.delete(documents)
    purged = opened.purge()
    say(f"{archive}: {what} deleted, {len(opened)} left; `rankine spoken undelete` brings them back for 30 days")
    if purged:
        say(f"{archive}: purged, because they were deleted more than 30 days ago: {', '.join(purged)}")


def undelete(
    archive: Folder,
    documents: Annotated[list[str] | None, typer.Argument(help="Names of documents; none: the bin is listed.")] = None,
) -> None:
    """Bring deleted documents back, with their judgments and what was said about them.

    `rankine spoken undelete archive/` lists what is in the bin; `rankine spoken undelete archive/ tape-7`
    """
    from ...spoken import Archive
    from ...system.console import print_table

    opened = Archive(archive)
    if documents:
        opened.undelete(documents)
        say(f"{archive}: {counted(len(documents), 'document')} brought back; {len(opened)} in all")
        return
    print_table(f"{archive}: deleted", ["document", "when"], [(d.name, d.when) for d in opened.deleted])


def purge(
    archive: Folder,
    days: Annotated[float, typer.Option(help="Documents that were deleted so many days ago, or earlier.")] = 30.0,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove deleted documents from the disk. What was said about them stays, and their judgments.

    `rankine spoken purge archive/ --days 0` empties the bin.
    """
    from ...errors import InputError
    from ...spoken import Archive

    if not days >= 0:
        raise InputError(f"--days must be at least 0, got {days}")
    opened = Archive(archive)
    there = counted(len(opened.deleted), "document")
    if opened.deleted and not _confirmed(f"{archive}: {there} in the bin; remove for good what is old enough?", yes):
        say("nothing was removed; --yes does not ask")
        raise typer.Exit(1)
    say(f"{archive}: {counted(len(opened.purge(days)), 'document')} removed for good")
